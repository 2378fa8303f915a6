import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

/**
 * A Git repository at an address that does not exist, `https://git.example/shops.git`: a proxy leads each client that has its environment to a server of
 * this process, which runs `git http-backend`. So the delivered objects can name the address that they would have.
 */
export class GitServer {
  /** Opens a server of repositories with the given host name; its files are in a folder. */
  public static async open(folder: string, host: string): Promise<GitServer> {
    mkdirSync(folder, { recursive: true });
    const server = new GitServer(folder, host);
    await Promise.all(
      [server.proxy, server.https].map(
        (each) => new Promise<void>((done) => each.listen(0, '127.0.0.1', () => done())),
      ),
    );
    return server;
  }

  private readonly https: Server;
  private readonly proxy: Server;
  private readonly sockets = new Set<Socket>();
  /** File of the certificate. */
  public readonly certificate: string;

  private constructor(
    private readonly folder: string,
    host: string,
  ) {
    this.certificate = join(folder, 'tls.crt');
    const key = join(folder, 'tls.key');
    execFileSync('openssl', [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', this.certificate],
      ...['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`],
    ], { stdio: 'ignore' }); // prettier-ignore
    this.https = createHttpsServer(
      { key: readFileSync(key), cert: readFileSync(this.certificate) },
      (request, response) => this.answer(request, response),
    );
    this.proxy = createServer().on('connect', (request: IncomingMessage, client: Socket) => {
      if (request.url !== `${host}:443`) {
        client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
        return;
      }
      const server = connect((this.https.address() as AddressInfo).port, '127.0.0.1', () => {
        client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        server.pipe(client).pipe(server);
      });
      for (const [one, other] of [
        [client, server],
        [server, client],
      ] as const) {
        this.sockets.add(one);
        one.on('error', () => other.destroy());
        one.on('close', () => this.sockets.delete(one));
      }
    });
  }

  /** Environment of a client. Addresses of the loopback interface are never asked of a proxy. */
  public get env(): NodeJS.ProcessEnv {
    const proxy = `http://127.0.0.1:${(this.proxy.address() as AddressInfo).port}`;
    return {
      HTTPS_PROXY: proxy,
      https_proxy: proxy,
      NO_PROXY: '127.0.0.1,localhost',
      no_proxy: '127.0.0.1,localhost',
      SSL_CERT_FILE: this.certificate,
      GIT_SSL_CAINFO: this.certificate,
    };
  }

  /** Makes the files of a folder the content of the folder `dist` of a repository. Returns the commit. */
  public commit(name: string, from: string, message: string): string {
    const repository = join(this.folder, 'repositories', name);
    const tree = join(this.folder, 'trees', name);
    rmSync(tree, { recursive: true, force: true });
    mkdirSync(tree, { recursive: true });
    cpSync(from, join(tree, 'dist'), { recursive: true });
    const git = (...args: string[]): string =>
      execFileSync('git', args, {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
        env: {
          ...process.env,
          GIT_DIR: repository,
          GIT_WORK_TREE: tree,
          GIT_CONFIG_NOSYSTEM: '1',
          GIT_CONFIG_GLOBAL: '/dev/null',
          GIT_AUTHOR_NAME: 'e2e',
          GIT_AUTHOR_EMAIL: 'e2e@git.example',
          GIT_COMMITTER_NAME: 'e2e',
          GIT_COMMITTER_EMAIL: 'e2e@git.example',
        },
      }).trim();
    if (!existsSync(repository)) {
      execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', repository]);
    }
    git('add', '--all', '--force');
    git('commit', '--quiet', '--allow-empty', '--message', message);
    return git('rev-parse', 'HEAD');
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, search } = new URL(request.url ?? '/', 'https://git');
    const child = spawn('git', ['http-backend'], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: {
        PATH: process.env.PATH,
        GIT_PROJECT_ROOT: join(this.folder, 'repositories'),
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'safe.directory',
        GIT_CONFIG_VALUE_0: '*',
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        REQUEST_METHOD: request.method,
        REMOTE_ADDR: '127.0.0.1',
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        CONTENT_LENGTH: request.headers['content-length'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      },
    });
    request.pipe(child.stdin);
    child.stdin.on('error', () => undefined);
    let head = Buffer.alloc(0);
    let isBody = false;
    child.stdout.on('data', (data: Buffer) => {
      if (isBody) {
        response.write(data);
        return;
      }
      head = Buffer.concat([head, data]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) {
        return;
      }
      isBody = true;
      for (const line of head.subarray(0, end).toString().split('\r\n')) {
        const [name = '', value = ''] = line.split(/:\s*/, 2);
        if (name.toLowerCase() === 'status') {
          response.statusCode = Number.parseInt(value, 10);
        } else {
          response.setHeader(name, value);
        }
      }
      response.write(head.subarray(end + 4));
    });
    child.stdout.on('end', () => response.end());
  }

  public async close(): Promise<void> {
    this.sockets.forEach((socket) => socket.destroy());
    await Promise.all([this.proxy, this.https].map((each) => new Promise((done) => each.close(done))));
  }
}

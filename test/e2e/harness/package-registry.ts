import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '..', '..', '..');

/** A registry on 127.0.0.1 that has this package as it would be published, and sends its clients to the configured registry for all others. */
export class PackageRegistry {
  public static async open(folder: string): Promise<PackageRegistry> {
    const registry = new PackageRegistry(folder);
    await new Promise<void>((done) => registry.server.listen(0, '127.0.0.1', done));
    return registry;
  }

  private readonly server: Server;
  /** The packed package. */
  public readonly tarball: string;
  private readonly upstream = output('npm', ['config', 'get', 'registry']).trim().replace(/\/$/, '');

  private constructor(folder: string) {
    output(process.execPath, [join(ROOT, 'scripts', 'build.mjs')]);
    const packed = join(folder, 'packed');
    mkdirSync(packed);
    output('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', packed]);
    this.tarball = join(packed, readdirSync(packed)[0] ?? '');
    this.server = createServer((request, response) => this.answer(request, response));
  }

  public get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  private answer({ url = '/' }: IncomingMessage, response: ServerResponse): void {
    if (url === '/edge-nodepools') {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(this.document()));
    } else if (url.startsWith('/edge-nodepools/-/')) {
      response.end(readFileSync(this.tarball));
    } else {
      response.writeHead(307, { location: this.upstream + url }).end();
    }
  }

  private document(): object {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string };
    const { version } = manifest;
    const integrity = `sha512-${createHash('sha512').update(readFileSync(this.tarball)).digest('base64')}`;
    const dist = { tarball: `${this.url}edge-nodepools/-/edge-nodepools-${version}.tgz`, integrity };
    return {
      name: 'edge-nodepools',
      'dist-tags': { latest: version },
      versions: { [version]: { ...manifest, dist } },
      time: { [version]: '2020-01-01T00:00:00.000Z' },
    };
  }

  public close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

function output(command: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) {
    throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? ''}${stdout}${stderr}`);
  }
  return stdout;
}

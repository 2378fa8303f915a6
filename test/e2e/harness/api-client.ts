import { Agent, request } from 'node:https';

/** A response of the API server. */
export interface ApiAnswer<T = any> {
  readonly status: number;
  readonly body: T;
  /** Warning headers, as kubectl prints them. */
  readonly warnings: readonly string[];
}

/** Options of a request. */
export interface ApiOptions {
  readonly token?: string;
  readonly contentType?: string;
  /** Acts as another user, with these groups and no others. */
  readonly impersonate?: { readonly user: string; readonly groups: readonly string[] };
  readonly query?: Readonly<Record<string, string | boolean>>;
}

/** A group, version and kind, and where its objects are. */
interface Resource {
  readonly name: string;
  readonly namespaced: boolean;
}

/** Client of one API server on 127.0.0.1, as the user of a token, with one connection pool and without a client library. */
export class ApiClient {
  private readonly agent = new Agent({ keepAlive: true, rejectUnauthorized: false, maxSockets: 16 });
  private readonly resources = new Map<string, Promise<Map<string, Resource>>>();

  constructor(
    public readonly port: number,
    private readonly token: string,
  ) {}

  /** One request; any status is a response, not an error. */
  public send<T = any>(method: string, path: string, body?: unknown, options: ApiOptions = {}): Promise<ApiAnswer<T>> {
    const query = new URLSearchParams(
      Object.entries(options.query ?? {}).map(([key, value]): [string, string] => [key, String(value)]),
    ).toString();
    const text = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((done, fail) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port: this.port,
          method,
          path: query === '' ? path : `${path}?${query}`,
          agent: this.agent,
          headers: {
            authorization: `Bearer ${options.token ?? this.token}`,
            accept: 'application/json',
            ...(options.impersonate === undefined
              ? {}
              : { 'impersonate-user': options.impersonate.user, 'impersonate-group': [...options.impersonate.groups] }),
            ...(text === undefined
              ? {}
              : {
                  'content-type': options.contentType ?? 'application/json',
                  'content-length': Buffer.byteLength(text),
                }),
          },
        },
        (answer) => {
          let received = '';
          answer.setEncoding('utf8');
          answer.on('data', (chunk: string) => (received += chunk));
          answer.on('end', () => {
            const isJson = (answer.headers['content-type'] ?? '').includes('json');
            const warning = answer.headers.warning;
            done({
              status: answer.statusCode ?? 0,
              body: (isJson ? JSON.parse(received) : received) as T,
              warnings: warning === undefined ? [] : [warning].flat(),
            });
          });
          answer.on('error', fail);
        },
      );
      // a connection that the API server closed while this process waited for another one
      const isStale = (error: NodeJS.ErrnoException): boolean =>
        sent.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(error.code ?? '');
      sent.on('error', (error) => (isStale(error) ? done(this.send(method, path, body, options)) : fail(error)));
      sent.end(text);
    });
  }

  /** Like {@link ApiClient.send}, but a refusal is an error. */
  public async must<T = any>(method: string, path: string, body?: unknown, options: ApiOptions = {}): Promise<T> {
    const answer = await this.send<T>(method, path, body, options);
    if (answer.status >= 300) {
      throw new Error(
        `${method} ${path}: ${answer.status} ${(answer.body as { message?: string }).message ?? JSON.stringify(answer.body)}`,
      );
    }
    return answer.body;
  }

  /** The path of an object. */
  public async pathOf(object: any): Promise<string> {
    const { apiVersion, kind, metadata } = object as {
      apiVersion: string;
      kind: string;
      metadata: { name: string; namespace?: string };
    };
    const resource = (await this.resourcesOf(apiVersion)).get(kind);
    if (resource === undefined) {
      this.resources.delete(apiVersion);
      throw new Error(`the API server knows no ${apiVersion} ${kind}`);
    }
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const namespace = resource.namespaced ? `/namespaces/${metadata.namespace ?? 'default'}` : '';
    return `${root}${namespace}/${resource.name}/${metadata.name}`;
  }

  private resourcesOf(apiVersion: string): Promise<Map<string, Resource>> {
    const known = this.resources.get(apiVersion);
    if (known !== undefined) {
      return known;
    }
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const asked = this.must<{ resources: { kind: string; name: string; namespaced: boolean }[] }>('GET', root).then(
      ({ resources }) =>
        new Map(resources.filter(({ name }) => !name.includes('/')).map((resource) => [resource.kind, resource])),
    );
    this.resources.set(apiVersion, asked);
    asked.catch(() => this.resources.delete(apiVersion));
    return asked;
  }

  /** Forgets which kinds the API server has: another minor serves others. */
  public forgetKinds(): void {
    this.resources.clear();
  }

  public close(): void {
    this.agent.destroy();
  }
}

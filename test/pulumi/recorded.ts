import * as pulumi from '@pulumi/pulumi';
import { type RegisterResourceRequest, RegisterResourceResponse } from '@pulumi/pulumi/proto/resource_pb.js';

/** A resource as registered with the engine. */
export interface Recorded {
  readonly type: string;
  readonly name: string;
  readonly inputs: Record<string, unknown>;
  /** The inputs as sent to the engine, with secrets and unknown values. */
  readonly wire: unknown;
  /** Its options, as sent to the engine. */
  readonly options: {
    readonly parent: string;
    readonly dependsOn: readonly string[];
    readonly replaceOnChanges: readonly string[];
    readonly deleteBeforeReplace: boolean;
    readonly retainOnDelete: boolean;
    readonly protect: boolean;
    readonly provider: string;
    readonly ignoreChanges: readonly string[];
    /** How long an operation may take: `create`, `update`, `delete`. */
    readonly customTimeouts: readonly string[];
    /** Its aliases. */
    readonly aliases: readonly { readonly name?: string; readonly type?: string }[];
  };
}

/** The result of a program. */
export interface Recording {
  readonly resources: readonly Recorded[];
  /** Its warnings, which Pulumi writes to the console without an engine. */
  readonly warnings: readonly string[];
  /** Errors that fail the update and do not belong to a resource. */
  readonly errors: readonly string[];
}

/** The relevant part of the mock engine. */
interface Monitor {
  newUrn(parent: string, type: string, name: string): string;
  registerResource(
    request: RegisterResourceRequest,
    done: (error: null, response: RegisterResourceResponse) => void,
  ): void;
  registerResourceOutputs(request: unknown, done: (error: null, response: object) => void): void;
}

function aliasOf(spec: { getName(): string; getType(): string } | undefined): { name?: string; type?: string } {
  const [name, type] = [spec?.getName() ?? '', spec?.getType() ?? ''];
  return { ...(name === '' ? {} : { name }), ...(type === '' ? {} : { type }) };
}

function recordedOf(request: RegisterResourceRequest): Recorded {
  const object = request.getObject() as NonNullable<ReturnType<RegisterResourceRequest['getObject']>>;
  const timeouts = request.getCustomtimeouts();
  return {
    type: request.getType(),
    name: request.getName(),
    // conversions that take long, and not every test reads their results
    get inputs() {
      return pulumi.runtime.deserializeProperties(object) as Record<string, unknown>;
    },
    get wire() {
      return object.toJavaScript();
    },
    options: {
      parent: request.getParent(),
      dependsOn: request.getDependenciesList(),
      replaceOnChanges: request.getReplaceonchangesList(),
      deleteBeforeReplace: request.getDeletebeforereplace(),
      retainOnDelete: request.getRetainondelete() ?? false,
      protect: request.getProtect() ?? false,
      provider: request.getProvider(),
      ignoreChanges: request.getIgnorechangesList(),
      customTimeouts: ['Create', 'Update', 'Delete'].map((one) => timeouts?.[`get${one as 'Create'}`]() ?? ''),
      aliases: request.getAliasesList().map((alias) => aliasOf(alias.getSpec())),
    },
  };
}

/** Runs a program in which something is refused when it is known; returns what an engine would show. */
export async function recordRefusal(program: () => unknown, registered: Recorded[] = []): Promise<string> {
  // rejections-environment.cjs collects here what nobody handles
  const rejections: Error[] = [];
  Object.assign(globalThis, { rejections });
  const { errors, resources } = await record(
    async () => {
      await program();
      await new Promise((resolve) => setTimeout(resolve, 5));
      // dependents of a refused resource wait forever
    },
    false,
    200,
  ).catch((error: Error) => ({ errors: [error.message], resources: [] }));
  await new Promise((resolve) => setTimeout(resolve, 0));
  Object.assign(globalThis, { rejections: undefined });
  registered.push(...resources);
  return [...errors, ...rejections.map(({ message }) => message)].join('\n');
}

/**
 * Runs a program with mocks instead of an engine; returns what it registered. Each run is a separate deployment.
 *
 * @param patience how long to wait for resources, in milliseconds; by default until all are registered
 */
export async function record(program: () => unknown, preview = false, patience?: number): Promise<Recording> {
  const resources: Recorded[] = [];
  await pulumi.runtime.setMocks(
    { newResource: ({ name }) => ({ id: name, state: {} }), call: ({ inputs }) => inputs as Record<string, unknown> },
    'project',
    'stack',
    preview,
  );
  const monitor = pulumi.runtime.getMonitor() as unknown as Monitor;
  // the same answers as those of the mocks, without conversions of the object
  monitor.registerResource = (request, done) => {
    resources.push(recordedOf(request));
    const response = new RegisterResourceResponse();
    response.setUrn(monitor.newUrn(request.getParent(), request.getType(), request.getName()));
    response.setId(`${request.getName()}-id`);
    response.setObject(request.getObject());
    done(null, response);
  };
  monitor.registerResourceOutputs = (_, done) => done(null, {});
  const warnings: string[] = [];
  const errors: string[] = [];
  // Pulumi records a stack for every promise, and jest maps each to the sources
  const { stackTraceLimit, prepareStackTrace } = Error as unknown as Record<string, unknown>;
  Object.assign(Error, { stackTraceLimit: 0, prepareStackTrace: String });
  const { warn, error } = console;
  console.warn = (text: string) => warnings.push(text);
  console.error = (text: string) => errors.push(text);
  try {
    await program();
    // checks at the end of the program run two turns later
    for (let turn = 0; turn < 4; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    const registered = pulumi.runtime.disconnect();
    await (patience === undefined
      ? registered
      : Promise.race([registered, new Promise((resolve) => setTimeout(resolve, patience))]));
  } finally {
    Object.assign(console, { warn, error });
    Object.assign(Error, { stackTraceLimit, prepareStackTrace });
  }
  const names = resources.map(({ type, name }) => `${type} ${name}`);
  if (new Set(names).size < names.length) {
    // a real engine needs this, mocks do not
    throw new Error(`two resources of one name: ${names.sort().join(', ')}`);
  }
  return { resources, warnings, errors };
}

/** The registered Kubernetes objects, without components. */
export function objectsIn({ resources }: Recording): Recorded[] {
  return resources.filter(({ type }) => type.startsWith('kubernetes:'));
}

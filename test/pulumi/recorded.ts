import * as pulumi from '@pulumi/pulumi';
import type { RegisterResourceRequest } from '@pulumi/pulumi/proto/resource_pb.js';

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
  registerResource(request: RegisterResourceRequest, done: (error: unknown, response: unknown) => void): void;
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

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Runs a program in which something is refused when it is known; returns what an engine would show. */
export async function recordRefusal(
  program: () => unknown,
  registered: Recorded[] = [],
  preview = false,
): Promise<string> {
  // rejections-environment.cjs collects here what nobody handles
  const rejections: Error[] = [];
  Object.assign(globalThis, { rejections });
  const { errors, resources } = await recordUntil(isQuiet, program, preview).catch((error: Error) => ({
    errors: [error.message],
    resources: [],
  }));
  Object.assign(globalThis, { rejections: undefined });
  registered.push(...resources);
  return [...errors, ...rejections.map(({ message }) => message)].join('\n');
}

/** Runs a program with mocks instead of an engine; returns what it registered. Each run is a separate deployment. */
export async function record(program: () => unknown, preview = false): Promise<Recording> {
  return recordUntil(() => pulumi.runtime.disconnect(), program, preview);
}

/**
 * Waits until nothing happens any more. Dependents of what is refused wait forever; all else is done in promises, which settle between two turns of the event
 * loop, and in checks of the next turn.
 */
async function isQuiet({ resources, warnings, errors }: Recording): Promise<void> {
  const seen = (): number => resources.length + warnings.length + errors.length;
  for (let count = seen(), still = 0; still < 5;) {
    await turn();
    still = seen() === count ? still + 1 : 0;
    count = seen();
  }
}

async function recordUntil(
  ended: (recording: Recording) => Promise<void>,
  program: () => unknown,
  preview: boolean,
): Promise<Recording> {
  const [resources, warnings, errors]: [Recorded[], string[], string[]] = [[], [], []];
  const recording = { resources, warnings, errors };
  await pulumi.runtime.setMocks(
    {
      newResource: ({ name, inputs }) => ({ id: `${name}-id`, state: inputs as Record<string, unknown> }),
      call: ({ inputs }) => inputs as Record<string, unknown>,
    },
    'project',
    'stack',
    preview,
  );
  // mocks are not told the options of a resource (https://github.com/pulumi/pulumi/issues/14421): what is registered is recorded on its way to them
  const monitor = pulumi.runtime.getMonitor() as unknown as Monitor;
  const register = monitor.registerResource.bind(monitor);
  monitor.registerResource = (request, done) => {
    resources.push(recordedOf(request));
    register(request, done);
  };
  // Pulumi records a stack for every promise, and jest maps each to the sources
  const { stackTraceLimit, prepareStackTrace } = Error as unknown as Record<string, unknown>;
  Object.assign(Error, { stackTraceLimit: 0, prepareStackTrace: String });
  const { warn, error } = console;
  console.warn = (text: string) => warnings.push(text);
  console.error = (text: string) => errors.push(text);
  let failure: { readonly error: unknown } | undefined;
  try {
    try {
      await program();
    } catch (error) {
      failure = { error };
    }
    // checks at the end of the program run two turns later
    for (let count = 0; count < 4; count++) {
      await turn();
    }
    // what a failed program has begun ends here, too, and not in the next test
    await (failure === undefined ? ended(recording) : isQuiet(recording));
  } finally {
    Object.assign(console, { warn, error });
    Object.assign(Error, { stackTraceLimit, prepareStackTrace });
  }
  if (failure !== undefined) {
    throw failure.error;
  }
  const names = resources.map(({ type, name }) => `${type} ${name}`);
  if (new Set(names).size < names.length) {
    // a real engine needs this, mocks do not
    throw new Error(`two resources of one name: ${names.sort().join(', ')}`);
  }
  return recording;
}

/** The registered Kubernetes objects, without components. */
export function objectsIn({ resources }: Recording): Recorded[] {
  return resources.filter(({ type }) => type.startsWith('kubernetes:'));
}

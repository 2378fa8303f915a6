import { EdgeError } from '../base/errors.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { onPreviewError, reportToPreview } from './preview-errors.js';
import { isMap } from '../base/plain-data.js';

/**
 * What a Pulumi program declares.
 *
 * @category Test where things run
 */
export interface ProgramPreview {
  /** The Kubernetes objects, partial ones of patches, too, in the order in which they are registered. */
  readonly objects: readonly KubernetesObject[];
  /** The exports of the program, with the values of Outputs. */
  readonly outputs: Readonly<Record<string, unknown>>;
}

/** `Testing.preview`. */
export async function preview(
  program: () => unknown,
  config: Readonly<Record<string, string>> = {},
): Promise<ProgramPreview> {
  const { output, runtime } = await import('@pulumi/pulumi');
  // Pulumi declares no types for them
  const { getStore } = (await import('@pulumi/pulumi/runtime/state.js')) as unknown as { getStore: () => object };
  const { Callback } = (await import('@pulumi/pulumi/proto/callback_pb.js')) as { Callback: new () => object };
  const objects: KubernetesObject[] = [];
  const configuration = configured(runtime, config);
  const components: string[] = [];
  await runtime.setMocks({
    newResource: ({ type, name, inputs }) => {
      if (type.startsWith('edge-nodepools:')) {
        components.push(`${type}::${name}`);
      }
      const given: unknown = inputs;
      if (type.startsWith('kubernetes:') && isMap(given) && given.kind !== undefined) {
        objects.push(given as KubernetesObject);
      }
      return { id: name, state: inputs as object };
    },
    call: ({ inputs }) => inputs as object,
  });
  const refused = refusalOf();
  refuseTransforms({ state: getStore(), callback: new Callback() }, (error) => void reportToPreview(error));
  try {
    const exported = { ...((await program()) as object) };
    const outputs = (await Promise.race([promiseOf(output(exported)), refused.first])) as Record<string, unknown>;
    // waits for what is still being registered
    await Promise.race([runtime.disconnect(), refused.first]);
    refused.end();
    refuseSecond(components);
    return { objects, outputs };
  } catch (error) {
    // what the program refuses later belongs to the same failure, so the preview stays refused
    throw await refused.withOthers(missingConfig(error, config));
  } finally {
    configuration.end();
  }
}

/** Refuses two components of one type and name, which the engine refuses, and mocks do not. */
function refuseSecond(components: readonly string[]): void {
  const second = components.find((each, index) => components.indexOf(each) < index);
  if (second !== undefined) {
    throw new EdgeError('Testing.preview', [
      {
        code: 'EDGE_DUPLICATE',
        path: '',
        message: `the program has two components ${second}: pulumi up refuses a duplicate URN`,
        hint: 'give each component its own name',
      },
    ]);
  }
}

/** The value of an Output, or its error: its method `apply` has no way to tell of it. */
function promiseOf(output: object): Promise<unknown> {
  return (output as { promise(): Promise<unknown> }).promise();
}

/** What a program refuses when the values of its Outputs are known. */
function refusalOf(): {
  readonly first: Promise<never>;
  readonly end: () => void;
  readonly withOthers: (error: unknown) => Promise<unknown>;
} {
  const all = new Set<unknown>();
  const first = new Promise<never>((_, reject) => {
    onPreviewError((error) => {
      all.add(error);
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- whatever the program threw
      reject(error);
    });
  });
  first.catch(() => undefined);
  return {
    first,
    end: () => onPreviewError(undefined),
    withOthers: async (error) => {
      all.add(error);
      await new Promise((resolve) => setImmediate(resolve));
      const errors = [...all];
      return errors.length === 1
        ? error
        : new AggregateError(
            errors,
            errors.map((each) => (each instanceof Error ? each.message : String(each))).join('\n'),
          );
    },
  };
}

/** What Pulumi has for transforms, besides its public functions. */
interface RefusedTransforms {
  /** `getStore()` of `@pulumi/pulumi/runtime/state`, after the mocks are set. */
  readonly state: object;
  /** A `Callback` of `@pulumi/pulumi/proto/callback_pb`. */
  readonly callback: object;
}

/**
 * Tells a preview of transforms, which Pulumi's mocks do not know. Without this, Pulumi says to update its command, in a promise that nobody handles, and a
 * resource that has one is never registered, so that its Outputs are awaited forever.
 */
function refuseTransforms({ state, callback }: RefusedTransforms, refused: (error: EdgeError) => void): void {
  // one error, however many there are
  const error = new EdgeError('Testing.preview', [
    {
      code: 'EDGE_VALUE',
      path: '',
      message: "the program has transforms, and Pulumi's mocks, with which previews run, know none",
      hint: 'leave them out of tests: transforms: process.env.JEST_WORKER_ID === undefined ? [transform] : []; and if (process.env.JEST_WORKER_ID === undefined) { registerResourceTransform(transform) }',
    },
  ]);
  const refuse = (): object => {
    refused(error);
    return callback;
  };
  Object.assign(state, {
    supportsTransforms: true,
    supportsInvokeTransforms: true,
    // in place of the server that the engine calls: what is registered with it goes on untransformed, so that nothing waits
    callbacks: {
      registerTransform: refuse,
      registerStackTransform: refuse,
      registerStackInvokeTransform: refuse,
      awaitStackRegistrations: () => undefined,
      shutdown: () => undefined,
    },
  });
}

/** What a preview needs of `pulumi.runtime`. */
interface ConfigStore {
  allConfig(): Record<string, string>;
  setAllConfig(config: Record<string, string>): void;
}

/** Gives a program its configuration. Pulumi keeps one for the whole process, so that without this end the next preview has it, too. */
function configured(store: ConfigStore, config: Readonly<Record<string, string>>): { readonly end: () => void } {
  checkConfig(config);
  const before = store.allConfig();
  store.setAllConfig({ ...before, ...config });
  return { end: () => store.setAllConfig(before) };
}

/** Refuses keys that no program reads: Pulumi adds the project to each. */
function checkConfig(config: Readonly<Record<string, string>>): void {
  const bare = Object.keys(config).filter((key) => !key.includes(':'));
  if (bare.length > 0) {
    throw new EdgeError(
      'Testing.preview',
      bare.map((key) => ({
        code: 'EDGE_VALUE',
        path: `config.${key}`,
        message: `the key ${key} names no project`,
        hint: `write 'project:${key}': project is the name of every project in a preview`,
      })),
    );
  }
}

/** The error of `Config.require`, which asks for a command that changes no test: the configuration that this preview lacks. */
function missingConfig(error: unknown, config: Readonly<Record<string, string>>): unknown {
  const text = error instanceof Error ? error.message : '';
  const key = /^Missing required configuration variable '([^']+)'/.exec(text)?.[1];
  if (key === undefined) {
    return error;
  }
  const name = key.slice(key.indexOf(':'));
  const given = Object.keys(config).find((each) => each.slice(each.indexOf(':')) === name);
  const instead = given === undefined ? '' : `, not '${given}'`;
  const why = key.startsWith('project:') ? ': project is the name of every project in a preview' : '';
  return new EdgeError('Testing.preview', [
    {
      code: 'EDGE_MISSING',
      path: `config.${key}`,
      message: `the program requires the configuration ${key}, which the preview does not have`,
      hint: `write Testing.preview(program, { '${key}': '…' })${instead}${why}`,
    },
  ]);
}

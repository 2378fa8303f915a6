import { EdgeError } from '../base/errors.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { onPreviewError, reportToPreview } from './preview-errors.js';
import { isMap } from '../base/plain-data.js';
import { configured, missingConfig } from './preview-config.js';
import { refuseTransforms } from './preview-transforms.js';

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

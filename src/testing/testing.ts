import { manifestsOf } from '../constructs/manifests.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { isMap } from '../validation/plain-data.js';

/**
 * An app, a chart or a construct: users of Pulumi do not have their types.
 *
 * @category Test where things run
 */
export interface ConstructTree {
  /** The node of the tree. */
  readonly node: { findAll(): readonly unknown[] };
}

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

/**
 * Manifests for tests.
 *
 * @category Test where things run
 */
export class Testing {
  /**
   * All objects of an app, a chart or a construct, with the patches of its system components, which are in a chart of their own: {@link manifestsOf}.
   *
   * @param scope the app, a chart, or any construct in a chart
   * @throws {@link EdgeError} with EDGE_MISSING or EDGE_TYPE, and what the synth of a chart throws
   */
  public static synth(scope: ConstructTree): KubernetesObject[] {
    return manifestsOf(scope as Parameters<typeof manifestsOf>[0]);
  }

  /**
   * The objects of a Pulumi program, without an engine and without a cluster: the program runs with mocks of Pulumi, once.
   *
   * @param program loads the program: `() => require('./index')`
   * @param config configuration of the stack: `{ 'project:key': 'value' }`
   */
  public static async preview(
    program: () => unknown,
    config: Readonly<Record<string, string>> = {},
  ): Promise<ProgramPreview> {
    const { output, runtime } = await import('@pulumi/pulumi');
    const objects: KubernetesObject[] = [];
    Object.entries(config).forEach(([key, value]) => runtime.setConfig(key, value));
    await runtime.setMocks({
      newResource: ({ type, name, inputs }) => {
        const given: unknown = inputs;
        if (type.startsWith('kubernetes:') && isMap(given) && given.kind !== undefined) {
          objects.push(given as KubernetesObject);
        }
        return { id: name, state: inputs as object };
      },
      call: ({ inputs }) => inputs as object,
    });
    const exported = { ...((await program()) as object) };
    const outputs = await new Promise<Record<string, unknown>>((resolve) => output(exported).apply(resolve));
    // waits for what is still being registered
    await runtime.disconnect();
    return { objects, outputs };
  }
}

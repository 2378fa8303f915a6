import type { YurtManagerFlags } from '../admission/openyurt-webhooks/controllers.js';
import { isMap, mapAt, type PlainMap, valueAt } from '../validation/plain-data.js';
import { versionIn } from './node-pool-facts.js';

/** The Deployment of yurt-manager in a dump. */
export interface YurtManagerFact {
  readonly namespace: string;
  /** Version in the tag of its image: `1.5.1`. */
  readonly version?: string;
  /** Name of its Helm release. */
  readonly helmRelease: string;
  /** Its flags, as far as they determine which webhooks it serves. */
  readonly flags: YurtManagerFlags;
}

/** What a plan for a cluster without the Deployment in its dump assumes. */
export const DEFAULT_YURT_MANAGER: YurtManagerFact = {
  namespace: 'kube-system',
  helmRelease: 'yurt-manager',
  flags: {},
};

/** The Deployment of yurt-manager in a dump. */
export function yurtManagerFact(objects: readonly PlainMap[]): YurtManagerFact | undefined {
  const found = objects.find(
    (object) => object.kind === 'Deployment' && mapAt(object, 'metadata').name === 'yurt-manager',
  );
  if (found === undefined) {
    return undefined;
  }
  const { namespace, annotations } = mapAt(found, 'metadata');
  const helmRelease = isMap(annotations) ? annotations['meta.helm.sh/release-name'] : undefined;
  const container = valueAt(found, ['spec', 'template', 'spec', 'containers', 0]);
  const version = versionIn(valueAt(container, ['image']));
  const args = valueAt(container, ['args']);
  return {
    namespace: typeof namespace === 'string' ? namespace : DEFAULT_YURT_MANAGER.namespace,
    helmRelease: typeof helmRelease === 'string' ? helmRelease : DEFAULT_YURT_MANAGER.helmRelease,
    flags: flagsIn(Array.isArray(args) ? args.map(String) : []),
    ...(version === undefined ? {} : { version }),
  };
}

function flagsIn(args: readonly string[]): YurtManagerFlags {
  const valueOf = (flag: string): string[] | undefined =>
    args
      .filter((arg) => arg.startsWith(`--${flag}=`))
      .pop()
      ?.slice(flag.length + 3)
      .split(',');
  const controllers = valueOf('controllers');
  const disableIndependentWebhooks = valueOf('disable-independent-webhooks');
  return {
    ...(controllers === undefined ? {} : { controllers }),
    ...(disableIndependentWebhooks === undefined ? {} : { disableIndependentWebhooks }),
  };
}

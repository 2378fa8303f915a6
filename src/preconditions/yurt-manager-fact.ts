import { runsController, type YurtManagerFlags } from '../admission/yurt-manager-flags.js';
import { lookUpOpenYurt, type NodeConversionFacts } from '../cluster/openyurt-releases.js';
import { isMap, mapAt, type PlainMap, valueAt } from '../base/plain-data.js';
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
  /** The image with which it converts nodes, of `--node-servant-image`. */
  readonly nodeServant?: string;
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
  const words = Array.isArray(args) ? args.map(String) : [];
  const nodeServant = words.map((word) => /^--node-servant-image=(.+)$/.exec(word)?.[1]).find((image) => image);
  return {
    namespace: typeof namespace === 'string' ? namespace : DEFAULT_YURT_MANAGER.namespace,
    helmRelease: typeof helmRelease === 'string' ? helmRelease : DEFAULT_YURT_MANAGER.helmRelease,
    flags: flagsIn(words),
    ...(nodeServant === undefined ? {} : { nodeServant }),
    ...(version === undefined ? {} : { version }),
  };
}

/** How the yurt-manager of a dump converts nodes; undefined if it does not, or was not read. */
export function conversionIn(objects: readonly PlainMap[]): NodeConversionFacts | undefined {
  const fact = yurtManagerFact(objects);
  if (fact?.version === undefined || !runsController('yurt-node-conversion-controller', fact.flags)) {
    return undefined;
  }
  const found = lookUpOpenYurt(fact.version);
  return found.kind === 'known' ? found.row.conversion : undefined;
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

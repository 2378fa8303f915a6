import type { KubernetesObject } from '../kubernetes/object.js';
import { MANAGED_BY, OWN_LABELS } from '../kubernetes/labels.js';
import type { NodePoolAttributes } from '../pools/node-pool.js';
import { compute } from '../validation/unknown.js';
import type { TokenSource } from './join-token.js';
import type { JoinFormat } from './node-join-props.js';
import { JOIN_FORMAT } from './node-parts.js';

/** Hex digits of the content hash in names. */
const DIGITS = 10;

/** What a published join is made from. */
export interface PublishedJoinInput {
  readonly pool: NodePoolAttributes;
  readonly format: JoinFormat;
  /** Name of the object. */
  readonly name: string;
  readonly namespace: string;
  readonly source: TokenSource;
  /** The join in its format. */
  readonly text: string;
}

/** `beijing-join-3f2a9c1b4d`: different content has a different name. */
export function nameByContent(poolName: string, hash: string): string {
  return `${poolName}-join-${hash.slice(0, DIGITS)}`;
}

/** Name of the file beside the YAML. No `.yaml`: it is no manifest, and `kubectl apply --recursive` must not take it for one. */
export function publishedFile(name: string, format: JoinFormat): string {
  return `${name}.${format === 'script' ? 'sh' : 'cloud-config'}`;
}

/**
 * The object that holds a join. Immutable: a changed join is a new object beside the old one, and machines that still read the old one are not
 * surprised. A Secret if it holds a token, else a ConfigMap.
 */
export function publishedJoin({ pool, format, name, namespace, source, text }: PublishedJoinInput): KubernetesObject {
  const isSecret = source.kind === 'inline';
  const data = compute(
    { format, text },
    (known) => ({ [known.format === 'script' ? 'join.sh' : 'user-data']: known.text }),
    format,
  );
  return {
    apiVersion: 'v1',
    kind: isSecret ? 'Secret' : 'ConfigMap',
    metadata: {
      name,
      namespace,
      labels: {
        ...OWN_LABELS,
        [`${MANAGED_BY}/pool`]: pool.poolName,
        [`${MANAGED_BY}/openyurt`]: pool.cluster.openYurt,
        [`${MANAGED_BY}/kubernetes`]: pool.cluster.kubernetes,
        [`${MANAGED_BY}/join-format`]: JOIN_FORMAT,
      },
      ...(source.kind === 'secret'
        ? { annotations: { [`${MANAGED_BY}/join-token`]: `${source.namespace}/${source.name}/${source.key}` } }
        : {}),
    },
    immutable: true,
    ...(isSecret ? { type: 'Opaque', stringData: data } : { data }),
  };
}

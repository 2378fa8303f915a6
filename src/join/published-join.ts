import type { KubernetesObject } from '../kubernetes/object.js';
import { MANAGED_BY, OWN_LABELS } from '../kubernetes/labels.js';
import type { NodePoolAttributes } from '../pools/node-pool.js';
import type { TokenSource } from './join-token.js';
import type { JoinFormat } from './node-join-props.js';
import { JOIN_FORMAT } from './node-parts.js';

/** Hex digits of the content hash in names. */
const DIGITS = 10;

/** End of the name of a file, and the key in a ConfigMap, by format. */
const FORMATS: Readonly<Record<JoinFormat, { readonly extension: string; readonly key: string }>> = {
  'cloud-config': { extension: 'cloud-config', key: 'user-data' },
  script: { extension: 'sh', key: 'join.sh' },
  ignition: { extension: 'ign', key: 'config.ign' },
};

/** What a published join contains. */
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

/** The digits of a hash that are in the name and in the label of nodes. */
export function hashInName(hash: string): string {
  return hash.slice(0, DIGITS);
}

/** For example `beijing-join-3f2a9c1b4d`: different content has a different name. */
export function nameByContent(poolName: string, hash: string): string {
  return `${poolName}-join-${hashInName(hash)}`;
}

/** Name of the file next to the manifests. It does not end in `.yaml`, so that `kubectl apply --recursive` ignores
 * it. */
export function publishedFile(name: string, format: JoinFormat): string {
  return `${name}.${FORMATS[format].extension}`;
}

/** Name of the file with the script that updates a node to a join. */
export function updateFile(name: string): string {
  return `${name}.update.sh`;
}

/**
 * The object that contains a join: a Secret if it contains a token, else a ConfigMap. It is immutable. A changed join
 * is a new object next to the old one, so machines that still use the old one are not affected.
 */
export function publishedJoin({ pool, format, name, namespace, source, text }: PublishedJoinInput): KubernetesObject {
  const isSecret = source.kind === 'inline';
  const data = { [FORMATS[format].key]: text };
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

import type { KubernetesObject } from '../kubernetes/object.js';
import { MANAGED_BY, OWN_LABELS } from '../kubernetes/labels.js';
import type { JoinPool } from './join-props.js';
import { JOIN_FORMAT } from './join-plan.js';
import type { RenderedJoin } from './join-rendering.js';
import type { TokenSource } from './join-token.js';

/**
 * How a join is published: as a cloud-config, or as a script for machines without cloud-init.
 *
 * @category Join nodes
 */
export type JoinFormat = 'cloud-config' | 'script';

/** Hex digits of the content hash in names. */
const DIGITS = 10;

/** What a snippet is made from. */
export interface SnippetInput {
  readonly pool: JoinPool;
  readonly format: JoinFormat;
  readonly hash: string;
  readonly namespace: string;
  readonly source: TokenSource;
  readonly rendered: RenderedJoin;
}

/** `beijing-join-3f2a9c1b4d`: another content is another name. */
export function snippetName(poolName: string, hash: string): string {
  return `${poolName}-join-${hash.slice(0, DIGITS)}`;
}

/** Name of the file beside the YAML. No `.yaml`: it is no manifest, and `kubectl apply --recursive` must not take it for one. */
export function snippetFile(poolName: string, hash: string, format: JoinFormat): string {
  return `${snippetName(poolName, hash)}.${format === 'script' ? 'sh' : 'cloud-config'}`;
}

/**
 * The object that holds a join. Immutable: a changed join is a new object beside the old one, and machines that still read the old one are not
 * surprised. A Secret if it holds a token, else a ConfigMap.
 */
export function snippetObject({ pool, format, hash, namespace, source, rendered }: SnippetInput): KubernetesObject {
  const holdsToken = source.kind === 'inline';
  const key = format === 'script' ? 'join.sh' : 'user-data';
  const text = format === 'script' ? rendered.script : rendered.userData;
  return {
    apiVersion: 'v1',
    kind: holdsToken ? 'Secret' : 'ConfigMap',
    metadata: {
      name: snippetName(pool.poolName, hash),
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
    ...(holdsToken ? { type: 'Opaque', stringData: { [key]: text } } : { data: { [key]: text } }),
  };
}

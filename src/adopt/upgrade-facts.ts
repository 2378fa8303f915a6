import { minorIn } from '../preconditions/node-pool-facts.js';
import { nameOf as shownName } from '../kubernetes/object.js';
import { isMap, mapAt, type PlainMap, valueAt } from '../base/plain-data.js';

const metadataOf = (object: PlainMap): PlainMap => mapAt(object, 'metadata');
const textOf = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);
const nameOf = (object: PlainMap): string => textOf(metadataOf(object).name, '');
// a cluster can host the control planes of others, in namespaces of their own
const isOfSystem = (object: PlainMap): boolean => textOf(metadataOf(object).namespace, 'kube-system') === 'kube-system';

/** The minors of the API servers in a dump, from their static Pods, else from kubeadm's configuration; empty if it has neither. */
export function apiServerMinors(objects: readonly PlainMap[]): string[] {
  const own = objects.filter(isOfSystem);
  const ofPods = own
    .filter((object) => object.kind === 'Pod' && nameOf(object).startsWith('kube-apiserver-'))
    .map((pod) => minorIn(valueAt(pod, ['spec', 'containers', 0, 'image'])));
  const configuration = own.find((object) => object.kind === 'ConfigMap' && nameOf(object) === 'kubeadm-config');
  const text = valueAt(configuration, ['data', 'ClusterConfiguration']);
  const uploaded = typeof text === 'string' ? minorIn(/^kubernetesVersion: *"?(\S+?)"?$/m.exec(text)?.[1]) : undefined;
  const minors = ofPods.length > 0 ? ofPods : [uploaded];
  return [...new Set(minors.filter((minor) => minor !== undefined))].sort();
}

/** The versions of NodePool that the CustomResourceDefinition in a dump serves; undefined if it is not in the dump. */
export function servedNodePoolVersions(objects: readonly PlainMap[]): string[] | undefined {
  const crd = objects.find(
    (object) => object.kind === 'CustomResourceDefinition' && nameOf(object) === 'nodepools.apps.openyurt.io',
  );
  const versions = valueAt(crd, ['spec', 'versions']);
  return Array.isArray(versions)
    ? versions
        .filter(isMap)
        .filter(({ served }) => served === true)
        .map(({ name }) => String(name))
    : undefined;
}

/** The UIDs of the namespaces kube-system, each the identity of a cluster. */
export function clusterUids(objects: readonly PlainMap[]): string[] {
  const uids = objects
    .filter((object) => object.kind === 'Namespace' && nameOf(object) === 'kube-system')
    .map((namespace) => metadataOf(namespace).uid)
    .filter((uid) => typeof uid === 'string');
  return [...new Set(uids)];
}

/** A join in a dump that passes flags to kubelet. */
export interface JoinFlags {
  /** `ConfigMap kube-system/edge-join-…` */
  readonly join: string;
  readonly flags: readonly string[];
}

/** Objects that pass some flags to kubelet: published joins and Cluster API templates. */
export function joinsWithFlags(objects: readonly PlainMap[], flags: readonly string[]): JoinFlags[] {
  const kinds = ['ConfigMap', 'KubeadmConfigTemplate', 'KubeadmConfig'];
  return objects
    .filter(({ kind }) => kinds.includes(String(kind)))
    .flatMap((object) => {
      // --flag in a command line, `flag:` in a map of extra arguments, `name: flag` in a list of them
      const text = JSON.stringify([object.data, object.spec]);
      const isJoin = /kubeletExtraArgs|KUBELET_EXTRA_ARGS|kubelet/.test(text);
      const found = flags.filter(
        (flag) =>
          isJoin &&
          new RegExp(`(--${flag}\\b|\\\\n *\\\\?"?${flag}\\\\?"?:|"${flag}":|name\\\\?"?: *\\\\?"?${flag}\\b)`).test(
            text,
          ),
      );
      return found.length === 0 ? [] : [{ join: shownName(object), flags: found }];
    });
}

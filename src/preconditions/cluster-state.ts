import type { ProblemList } from '../base/errors.js';
import { isMap, mapAt, type PlainMap, valueAt } from '../base/plain-data.js';
import type { ObjectReference } from '../kubernetes/object-input.js';
import { groupKindOf } from '../kubernetes/group-kind.js';
import { isDnsSubdomain } from '../kubernetes/names.js';
import { objectsFromYaml } from '../base/yaml-text.js';
import type { ClusterState } from './precondition.js';
import { CONFIG_MAP as COREDNS_CONFIG_MAP } from './coredns-corefile.js';
import { DAEMON_SET as COREDNS_DAEMON_SET, DEPLOYMENT as COREDNS_DEPLOYMENT } from './coredns-daemon-set.js';
import { SERVICE } from './coredns-service.js';
import { CONFIG_MAP as PROXY_CONFIG_MAP, DAEMON_SET as PROXY_DAEMON_SET } from './kube-proxy.js';

/** A file with objects or a kubeadm configuration. */
export interface ReadFile {
  readonly path: string;
  readonly text: string;
}

const MIRROR = 'kubernetes.io/config.mirror';

/** The objects in a text, including the items of Lists. */
function objectsOf(text: string, problems: ProblemList): PlainMap[] {
  return (objectsFromYaml(text, problems, 'rounded') ?? []).flatMap((object) =>
    typeof object.kind === 'string' && object.kind.endsWith('List') && Array.isArray(object.items)
      ? object.items.filter(isMap)
      : [object],
  );
}

/** Kinds whose names may have other characters (kubernetes pkg/apis/rbac/validation, pkg/apis/networking/validation, ValidateIPAddressName). */
const OTHER_NAMES = /^(?:Role|ClusterRole|RoleBinding|ClusterRoleBinding)\.rbac\.|^IPAddress\.networking\./;

/** Refuses names that no API server has stored: scripts and tables name what was read. */
export function checkNames(object: PlainMap, problems: ProblemList): void {
  const { name, namespace } = mapAt(object, 'metadata');
  const names = OTHER_NAMES.test(groupKindOf(object)) ? [namespace] : [name, namespace];
  for (const each of names) {
    if (typeof each === 'string' && each !== '' && !isDnsSubdomain(each)) {
      problems.add(
        'EDGE_NAME',
        `${JSON.stringify(each)} is not a valid name of a ${String(object.kind)}: API servers refuse it`,
        'write the output of kubectl get, or remove the object',
      );
    }
  }
  (Array.isArray(object.items) ? object.items.filter(isMap) : []).forEach((item) => checkNames(item, problems));
}

const isControllerManager = (object: PlainMap): boolean => {
  const { name, namespace = 'kube-system' } = mapAt(object, 'metadata');
  return object.kind === 'Pod' && namespace === 'kube-system' && /^kube-controller-manager(-|$)/.test(String(name));
};

/** Whether the objects of a file are the static Pod of kube-controller-manager, from the disk of a control-plane node. */
export function isManagerManifest(objects: readonly PlainMap[]): boolean {
  const [object, ...others] = objects;
  return (
    object !== undefined &&
    others.length === 0 &&
    isControllerManager(object) &&
    mapAt(mapAt(object, 'metadata'), 'annotations')[MIRROR] === undefined
  );
}

/** Finds the relevant objects in files. A file that is not YAML is a problem; other objects are ignored. */
export function readState(files: readonly ReadFile[], problems: ProblemList): ClusterState {
  const objects: PlainMap[] = [];
  const staticPods = new Set<string>();
  let clusterConfiguration: string | undefined;
  for (const { path, text } of files) {
    const found = objectsOf(text, problems.at(path));
    found.forEach((object) => checkNames(object, problems.at(path)));
    if (isManagerManifest(found)) {
      staticPods.add(text);
    } else {
      objects.push(...found);
    }
    if (found.some(({ kind }) => kind === 'ClusterConfiguration')) {
      clusterConfiguration = text;
    }
  }
  const find = ({ kind, namespace, name }: ObjectReference): PlainMap | undefined =>
    objects.find((object) => {
      const metadata = mapAt(object, 'metadata');
      return object.kind === kind && metadata.name === name && (metadata.namespace ?? namespace) === namespace;
    });
  const uploaded = valueAt(find({ kind: 'ConfigMap', namespace: 'kube-system', name: 'kubeadm-config' }), [
    'data',
    'ClusterConfiguration',
  ]);
  return {
    objects,
    staticPods: [...staticPods],
    controllerManagers: objects.filter(isControllerManager),
    clusterConfiguration: clusterConfiguration ?? (typeof uploaded === 'string' ? uploaded : undefined),
    corefile: find(COREDNS_CONFIG_MAP),
    coreDnsService: find(SERVICE),
    coreDnsDeployment: find(COREDNS_DEPLOYMENT),
    coreDnsDaemonSet: find(COREDNS_DAEMON_SET),
    kubeProxyConfig: find(PROXY_CONFIG_MAP),
    kubeProxyDaemonSet: find(PROXY_DAEMON_SET),
  };
}

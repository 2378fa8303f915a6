import { entryOf } from '../base/plain-data.js';
import type { ProblemList } from '../base/errors.js';
import { nearest, quoted, whatIs } from '../base/properties.js';

/**
 * Controllers by their long names, with their short names if they have one (`cmd/kube-controller-manager/names/controller_names.go` and the aliases in
 * `cmd/kube-controller-manager/app`, Kubernetes 1.22 to 1.37). Older minors know only the short names, and the names without a short one.
 */
const CONTROLLERS: Readonly<Record<string, string | undefined>> = {
  'bootstrap-signer-controller': 'bootstrapsigner',
  'certificatesigningrequest-approving-controller': 'csrapproving',
  'certificatesigningrequest-cleaner-controller': 'csrcleaner',
  'certificatesigningrequest-signing-controller': 'csrsigning',
  'cloud-node-lifecycle-controller': 'cloud-node-lifecycle',
  'clusterrole-aggregation-controller': 'clusterrole-aggregation',
  'cronjob-controller': 'cronjob',
  'daemonset-controller': 'daemonset',
  'deployment-controller': 'deployment',
  'device-taint-eviction-controller': undefined,
  'disruption-controller': 'disruption',
  'endpoints-controller': 'endpoint',
  'endpointslice-controller': 'endpointslice',
  'endpointslice-mirroring-controller': 'endpointslicemirroring',
  'ephemeral-volume-controller': 'ephemeral-volume',
  'garbage-collector-controller': 'garbagecollector',
  'horizontal-pod-autoscaler-controller': 'horizontalpodautoscaling',
  'job-controller': 'job',
  'kube-apiserver-serving-clustertrustbundle-publisher-controller': undefined,
  'legacy-serviceaccount-token-cleaner-controller': 'legacy-service-account-token-cleaner',
  'namespace-controller': 'namespace',
  'node-ipam-controller': 'nodeipam',
  'node-lifecycle-controller': 'nodelifecycle',
  'node-route-controller': 'route',
  'persistentvolume-attach-detach-controller': 'attachdetach',
  'persistentvolume-binder-controller': 'persistentvolume-binder',
  'persistentvolume-expander-controller': 'persistentvolume-expander',
  'persistentvolume-protection-controller': 'pv-protection',
  'persistentvolumeclaim-protection-controller': 'pvc-protection',
  'pod-garbage-collector-controller': 'podgc',
  'podcertificaterequest-cleaner-controller': undefined,
  'podgroup-protection-controller': undefined,
  'replicaset-controller': 'replicaset',
  'replicationcontroller-controller': 'replicationcontroller',
  'resourceclaim-controller': 'resource-claim-controller',
  'resourcepoolstatusrequest-controller': undefined,
  'resourcequota-controller': 'resourcequota',
  'root-ca-certificate-publisher-controller': 'root-ca-cert-publisher',
  'selinux-warning-controller': undefined,
  'service-cidr-controller': undefined,
  'service-lb-controller': 'service',
  'serviceaccount-controller': 'serviceaccount',
  'serviceaccount-token-controller': 'serviceaccount-token',
  'statefulset-controller': 'statefulset',
  'storage-version-migrator-controller': 'svm',
  'storageversion-garbage-collector-controller': 'storage-version-gc',
  'taint-eviction-controller': undefined,
  'token-cleaner-controller': 'tokencleaner',
  'ttl-after-finished-controller': 'ttl-after-finished',
  'ttl-controller': 'ttl',
  'validatingadmissionpolicy-status-controller': undefined,
  'volumeattributesclass-protection-controller': undefined,
};

/** All valid names in `--controllers`. */
export const CONTROLLER_NAMES: readonly string[] = Object.entries(CONTROLLERS).flatMap(([long, short]) =>
  short === undefined ? [long] : [long, short],
);

/** Both names of the controller that OpenYurt replaces. */
const NODE_LIFECYCLE = { long: 'node-lifecycle-controller', short: 'nodelifecycle' } as const;
const isNodeLifecycle = (name: string): boolean => name === NODE_LIFECYCLE.long || name === NODE_LIFECYCLE.short;

/** Default of `--controllers`. */
const ALL = '*';

/** Value of `--controllers` that kubeadm writes (`cmd/kubeadm/app/phases/controlplane/manifests.go`). */
export const KUBEADM_CONTROLLERS = '*,bootstrapsigner,tokencleaner';

const nameIn = (entry: string): string => entry.replace(/^-/, '');

function entriesOf(value: string): string[] {
  return value === '' ? [ALL] : value.split(',');
}

/** Checks a value of `--controllers` as kube-controller-manager does. */
export function checkControllers(value: unknown, longNames: boolean, problems: ProblemList): void {
  if (typeof value !== 'string') {
    problems.add(
      'EDGE_TYPE',
      `the value of --controllers must be text, this is ${whatIs(value)}`,
      `write '${KUBEADM_CONTROLLERS}'`,
    );
    return;
  }
  // each entry once: a text of commas has as many entries without a name
  const wrong = [...new Set(entriesOf(value))].filter((entry) => isWrong(entry, longNames));
  wrong.slice(0, SHOWN_ENTRIES).forEach((entry) => refuseEntry(entry, problems));
  if (wrong.length > SHOWN_ENTRIES) {
    problems.add(
      'EDGE_CONTROLLERS',
      `${wrong.length - SHOWN_ENTRIES} other entries are also wrong`,
      `write names of controllers, separated by commas, for example '${KUBEADM_CONTROLLERS}'`,
    );
  }
}

/** Wrong entries of one value that are problems of their own. */
const SHOWN_ENTRIES = 10;

function isWrong(entry: string, longNames: boolean): boolean {
  const name = nameIn(entry);
  return (
    entry !== ALL && (!CONTROLLER_NAMES.includes(name) || (!longNames && entryOf(CONTROLLERS, name) !== undefined))
  );
}

function refuseEntry(entry: string, problems: ProblemList): void {
  const name = nameIn(entry);
  // without its minus it would mean the opposite
  const sign = entry.startsWith('-') && name !== entry ? '-' : '';
  const short = entryOf(CONTROLLERS, name);
  if (short !== undefined) {
    const message = `the kube-controller-manager of this minor does not know the long name ${name}`;
    problems.add('EDGE_CONTROLLERS', message, `write ${sign}${short}`);
    return;
  }
  const near = nearest(name, CONTROLLER_NAMES);
  const hint = near === undefined ? 'remove it' : `did you mean ${sign}${near}?`;
  problems.add('EDGE_CONTROLLERS', `${quoted(entry)} is not the name of a controller`, hint);
}

/** Whether the node lifecycle controller runs with a value of `--controllers`: the first entry with its name decides, else `*`. */
export function runsNodeLifecycle(value: string): boolean {
  const entries = entriesOf(value);
  const first = entries.find((entry) => isNodeLifecycle(nameIn(entry)));
  return first === undefined ? entries.includes(ALL) : !first.startsWith('-');
}

/**
 * The value with the node lifecycle controller off; unchanged if it is already off. Nothing else changes. If the value contains long names, the long name
 * is written.
 */
export function withoutNodeLifecycle(value: string): string {
  if (!runsNodeLifecycle(value)) {
    return value;
  }
  const others = entriesOf(value).filter((entry) => !isNodeLifecycle(nameIn(entry)));
  const usesLong = entriesOf(value).some((entry) => entryOf(CONTROLLERS, nameIn(entry)) !== undefined);
  return [`-${usesLong ? NODE_LIFECYCLE.long : NODE_LIFECYCLE.short}`, ...others].join(',');
}

/** The value with the node lifecycle controller on. */
export function withNodeLifecycle(value: string): string {
  if (runsNodeLifecycle(value)) {
    return value;
  }
  const others = entriesOf(value).filter((entry) => !isNodeLifecycle(nameIn(entry)));
  return others.includes(ALL) ? others.join(',') : [...others, NODE_LIFECYCLE.short].join(',');
}

import { readFileSync } from 'node:fs';
import { App, Chart, Testing } from 'cdk8s';
import {
  CinderStorageClass,
  ManilaCredentials,
  ManilaStorageClass,
  NfsVolume,
  PersistentData,
  VolumeSnapshotClass,
} from 'edge-nodepools/control-plane';
import { type ControlPlane, toolsOf } from '../../harness/control-plane.js';
import type { Group, Proof } from '../../harness/group.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { operatorCrds } from '../../harness/operator-crds.js';

const PLANE = {
  kubernetes: '1.36',
  scheduler: true,
  controllers: [
    'persistentvolume-binder-controller',
    'statefulset-controller',
    'deployment-controller',
    'replicaset-controller',
  ],
};
const NAMESPACE = 'monitoring';
const ZONE = 'topology.cinder.csi.openstack.org/zone';

/** A volume of Cinder that exists already, as its driver would have made it. */
const volume = (name: string, storageClassName: string): any => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name },
  spec: {
    capacity: { storage: '10Gi' },
    accessModes: ['ReadWriteOnce'],
    persistentVolumeReclaimPolicy: 'Retain',
    storageClassName,
    csi: {
      driver: 'cinder.csi.openstack.org',
      volumeHandle: `0c5e2b1e-0000-4000-8000-00000000${name.length}`,
      fsType: 'ext4',
    },
    nodeAffinity: {
      required: { nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'In', values: ['az1'] }] }] },
    },
  },
});

const podTemplate = (data: PersistentData): any => ({
  metadata: { labels: { app: 'x' } },
  spec: {
    containers: [{ name: 'x', image: 'x', volumeMounts: data.volumeMounts }],
    ...(data.volumes.length > 0 ? { volumes: data.volumes } : {}),
  },
});

/** Whether the stored object contains everything that was written. */
const holds = (stored: any, written: any): boolean =>
  Array.isArray(written)
    ? written.every((item, index) => holds(stored?.[index], item))
    : written !== null && typeof written === 'object'
      ? Object.entries(written as object).every(([key, value]) => holds(stored?.[key], value))
      : stored === written || (written === '' && stored === undefined);

/** The objects of every construct, and the custom resources with their fields. */
function declared(): {
  readonly objects: any[];
  readonly consumers: any[];
  readonly set: any;
  readonly claims: string[];
} {
  const chart = new Chart(new App(), 'chart', { namespace: NAMESPACE });
  const storage = new CinderStorageClass(chart, 'ssd', { name: 'ssd', volumeType: 'ssd', zones: ['az1'] });
  const snapshots = { name: 'daily', className: new VolumeSnapshotClass(chart, 's', { name: 's' }).snapshotClassName };
  const data = { storage, size: '10Gi', snapshots };
  const restored = { restoreFrom: 'yesterday' };
  const metrics = PersistentData.forPrometheus(chart, 'p', {
    ...data,
    name: 'k8s',
    replicas: 2,
    retention: '15d',
    retain: false,
  });
  const alerts = PersistentData.forAlertmanager(chart, 'a', { ...data, ...restored, name: 'main', retention: '120h' });
  const logs = PersistentData.forElasticsearch(chart, 'e', { ...data, name: 'logs', replicas: 3 });
  const web = PersistentData.forDeployment(chart, 'd', { ...data, name: 'web', mountPath: '/data' });
  const queue = PersistentData.forStatefulSet(chart, 'q', {
    ...data,
    name: 'queue',
    replicas: 2,
    mountPath: '/data',
    retain: false,
  });
  const of = (apiVersion: string, kind: string, name: string, spec: any): any => ({
    apiVersion,
    kind,
    metadata: { name, namespace: NAMESPACE },
    spec,
  });
  const selector = { matchLabels: { app: 'x' } };
  return {
    objects: Testing.synth(chart),
    consumers: [
      of('monitoring.coreos.com/v1', 'Prometheus', 'k8s', metrics.spec),
      of('monitoring.coreos.com/v1', 'Alertmanager', 'main', alerts.spec),
      of('elasticsearch.k8s.elastic.co/v1', 'Elasticsearch', 'logs', { version: '9.2.0', ...logs.spec }),
      of('apps/v1', 'Deployment', 'web', { ...web.spec, selector, template: podTemplate(web) }),
    ],
    set: of('apps/v1', 'StatefulSet', 'queue', {
      ...queue.spec,
      selector,
      template: podTemplate(queue),
      podManagementPolicy: 'Parallel',
    }),
    claims: queue.claimNames,
  };
}

/** The fields of a class that cannot be changed are those that replace it in Pulumi; the others can be changed. */
async function immutableFields(plane: ControlPlane, proof: Proof): Promise<void> {
  const changes: readonly [string, unknown, boolean][] = [
    ['provisioner', 'other.example', false],
    ['parameters', { type: 'other' }, false],
    ['reclaimPolicy', 'Delete', false],
    ['volumeBindingMode', 'Immediate', false],
    ['allowVolumeExpansion', false, true],
    ['mountOptions', ['noatime'], true],
    ['allowedTopologies', [{ matchLabelExpressions: [{ key: ZONE, values: ['az2'] }] }], true],
  ];
  for (const [field, value, isAccepted] of changes) {
    const { status } = await plane.api.send(
      'PATCH',
      '/apis/storage.k8s.io/v1/storageclasses/ssd?dryRun=All',
      { [field]: value },
      {
        contentType: 'application/merge-patch+json',
      },
    );
    proof.same(
      `a change of ${field} of a StorageClass is ${isAccepted ? 'accepted' : 'refused'}`,
      status,
      isAccepted ? 200 : 422,
    );
  }
}

const phase = async (plane: ControlPlane, claim: string): Promise<string> =>
  (await plane.api.must('GET', `/api/v1/namespaces/${NAMESPACE}/persistentvolumeclaims/${claim}`)).status
    .phase as string;

/** Claims are bound to volumes when a Pod is there, in the zone of its node; those of a StatefulSet have the names that we tell. */
async function bound(plane: ControlPlane, { set, claims }: ReturnType<typeof declared>, proof: Proof): Promise<void> {
  await plane.apply(['web', 'queue-0', 'queue-10'].map((name) => volume(`volume-${name}`, 'ssd')));
  await new Promise((done) => setTimeout(done, 1000));
  proof.same('without a node of its zone, a claim waits', await phase(plane, 'web-data'), 'Pending');
  await plane.nodes.fake('elsewhere', { [ZONE]: 'az2' });
  await plane.nodes.fake('here', { [ZONE]: 'az1' });
  await plane.apply([set]);
  for (const claim of ['web-data', ...claims]) {
    await proof.eventually(`the claim ${claim} is bound to a volume`, async () => {
      const { status, body } = await plane.api.send(
        'GET',
        `/api/v1/namespaces/${NAMESPACE}/persistentvolumeclaims/${claim}`,
      );
      return status === 200 && body.status.phase === 'Bound';
    });
  }
  await proof.eventually('every Pod is on the node of the zone', async () => {
    const { items } = await plane.api.must('GET', `/api/v1/namespaces/${NAMESPACE}/pods`);
    return items.length === 3 && items.every(({ spec }: any) => spec.nodeName === 'here');
  });
  const all = await plane.api.must('GET', `/api/v1/namespaces/${NAMESPACE}/persistentvolumeclaims`);
  proof.same(
    'there are no other claims than those',
    all.items.map(({ metadata }: any) => metadata.name).sort(),
    [...claims, 'web-data'].sort(),
  );
}

/** A share that exists already: its claim is bound at once, and Pods of several nodes use it. */
async function shared(plane: ControlPlane, proof: Proof): Promise<void> {
  const chart = new Chart(new App(), 'shares', { namespace: NAMESPACE });
  const login = { name: 'manila', authUrl: 'https://keystone.example/v3', region: 'RegionOne' };
  const applicationCredential = { id: 'one', secret: 'two' };
  const { secret } = new ManilaCredentials(chart, 'c', { ...login, applicationCredential, inManifest: true });
  const clients = ['10.0.0.0/24'];
  new ManilaStorageClass(chart, 'm', { name: 'shares', protocol: 'NFS', shareType: 'default', clients, secret });
  const share = { exportLocation: '192.0.2.10:/shares/a', size: '10Gi' };
  const storage = new NfsVolume(chart, 'a', { name: 'share-a', ...share });
  new NfsVolume(chart, 'b', { name: 'share-b', ...share, mode: 'in-tree', accessMode: 'ReadOnlyMany' });
  const data = PersistentData.forDeployment(chart, 'd', {
    name: 'readers',
    storage,
    size: '10Gi',
    mountPath: '/data',
    replicas: 2,
  });
  const objects = Testing.synth(chart);
  const stored = await plane.apply(objects);
  objects.forEach((object, index) =>
    proof.that(
      `${object.kind} ${object.metadata.name} is stored as written`,
      holds(stored[index].spec ?? {}, object.spec ?? {}),
      stored[index],
    ),
  );
  for (const claim of ['share-a', 'share-b']) {
    await proof.eventually(
      `the claim ${claim} is bound to its share`,
      async () => (await phase(plane, claim)) === 'Bound',
    );
  }
  const template = podTemplate(data);
  template.metadata.labels = { app: 'x', of: 'readers' };
  template.spec.affinity = {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { of: 'readers' } } },
      ],
    },
  };
  const readers = { ...data.spec, selector: { matchLabels: { of: 'readers' } }, template };
  await plane.apply([
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'readers', namespace: NAMESPACE }, spec: readers },
  ]);
  await proof.eventually('two Pods with one share are on two nodes', async () => {
    const { items } = await plane.api.must('GET', `/api/v1/namespaces/${NAMESPACE}/pods?labelSelector=of%3Dreaders`);
    return new Set(items.map(({ spec }: any) => spec.nodeName).filter(Boolean)).size === 2;
  });
  if (!/\bnfs4?$/m.test(readFileSync('/proc/filesystems', 'utf8'))) {
    proof.note('reading and writing a share: not run, because the kernel of this machine has no NFS client');
  }
}

export const storage: Group = {
  name: 'storage',
  claim:
    'the classes of Cinder and of snapshots, and the fields of PersistentData for Prometheus, Alertmanager, Elasticsearch, a Deployment and a StatefulSet are stored as written, with the resource definitions of their operators; claims are bound when a Pod is there, in the zone of its node, and have the names that are reported; a change of an immutable field of a class is refused; claims of shares are bound at once, and Pods of two nodes use one. No share is mounted, and no Cinder and no Manila runs: the volumes are PersistentVolumes as its driver makes them',
  programs:
    'kube-apiserver, kube-scheduler and kube-controller-manager 1.36; the CRDs of prometheus-operator 0.85, Elastic Cloud on Kubernetes 3.5 and external-snapshotter 8.7',
  tools: toolsOf(PLANE),
  run: async (proof) => {
    await onControlPlane(PLANE, proof, async (plane) => {
      await plane.applyCrds([
        ...operatorCrds('prometheus-operator-0.85', 'prometheuses', 'alertmanagers'),
        ...operatorCrds('eck-3.5', 'elasticsearches'),
        ...operatorCrds('external-snapshotter-8.7', 'volumesnapshotclasses', 'volumesnapshots'),
      ]);
      const made = declared();
      const all = [...made.objects, ...made.consumers];
      const stored = await plane.apply(all);
      all.forEach((object, index) =>
        proof.that(
          `${object.kind} ${object.metadata.name} is stored as written`,
          holds(stored[index].spec ?? {}, object.spec ?? {}),
          stored[index],
        ),
      );
      const versions = (list: readonly any[]): unknown =>
        // the binder writes into a claim
        list
          .filter(({ kind }) => kind !== 'PersistentVolumeClaim')
          .map(({ metadata }) => metadata.generation ?? metadata.resourceVersion);
      proof.same('applied a second time changes nothing', versions(await plane.apply(all)), versions(stored));
      await immutableFields(plane, proof);
      await bound(plane, made, proof);
      await shared(plane, proof);
    });
  },
};

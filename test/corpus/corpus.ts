import { App, Chart, Testing } from 'cdk8s';
import {
  EdgeCluster,
  RegularNodePool,
  EdgeSystemComponents,
  EdgeWarnings,
  ExcludedWorkload,
  HostNetworkNodePool,
  HostNetworkWorkload,
  ServingCertificateApprover,
  ExclusionStrategy,
  PoolAdmission,
  type PoolAdmissionProps,
  SystemComponent,
} from 'edge-nodepools';
import { EtcdCluster, KuryrKubernetes } from 'edge-nodepools/control-plane';
import { daemonSet, deployment } from '../bad-inputs/case.js';
import { CA, CLIENT, CLIENT_KEY } from '../bad-inputs/certificates.js';
import { MEMBERS } from '../bad-inputs/etcd.js';
import { KURYR } from '../bad-inputs/kuryr.js';
import { openYurtWebhooks, poolWebhooks } from './webhooks.js';
import { workloadShapes } from './workload-shapes.js';

/** A set of objects that belong together, for tests with real programs. */
export interface CorpusEntry {
  readonly name: string;
  readonly objects: readonly any[];
  /** Objects that must exist before, because some objects are partial objects of them. */
  readonly present?: readonly any[];
}

const PAIRS: [string, string][] = [
  ['1.4', '1.23'],
  ['1.5', '1.28'],
  ['1.6', '1.30'],
  ['1.7', '1.34'],
  ['none', '1.37'],
];

/** The objects of a chart, as an entry. */
function entry(name: string, fill: (chart: Chart) => void): CorpusEntry {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'corpus', { namespace: 'corpus' });
  fill(chart);
  return { name, objects: app.charts.flatMap((each) => Testing.synth(each)) };
}

/** Every object of an etcd cluster: those of cert-manager, the Secrets of Cluster API, the alerts. */
function etcd(chart: Chart): void {
  const cluster = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36' });
  new EtcdCluster(chart, 'issued', {
    cluster,
    name: 'issued',
    members: MEMBERS,
    certificates: { source: 'cert-manager' },
    loadBalancer: 'etcd.example',
    clusterApi: { clusterName: 'issued' },
    alerts: { job: 'etcd', labels: { release: 'prometheus' } },
  });
  new EtcdCluster(chart, 'given', {
    cluster,
    name: 'given',
    members: MEMBERS,
    certificates: { source: 'cert-manager', issuer: { name: 'ours', kind: 'ClusterIssuer' }, days: 90 },
  });
  new EtcdCluster(chart, 'files', {
    cluster,
    name: 'files',
    members: MEMBERS,
    certificates: { source: 'files' },
    clusterApi: {
      clusterName: 'files',
      caCertificate: CA,
      clientCertificate: CLIENT,
      clientKey: CLIENT_KEY,
    },
  });
}

function pools(cluster: EdgeCluster): CorpusEntry {
  return entry(`pools of ${String(cluster)}`, (chart) => {
    const taints = [
      { key: 'site', value: 'hz', effect: 'NoSchedule' as const },
      { key: 'raw', effect: 'NoExecute' as const },
    ];
    new HostNetworkNodePool(chart, 'least', { cluster, poolName: 'least' });
    new HostNetworkNodePool(chart, 'most', {
      cluster,
      poolName: 'most.with-dots',
      labels: { site: 'hz', 'example.com/rank': '1' },
      ...(cluster.hasOpenYurt() ? { annotations: { owner: 'team edge: "x"' } } : {}),
      taints,
      registrationTaint: true,
      metadata: { labels: { team: 'edge' }, annotations: { note: 'yes' } },
    });
    if (cluster.hasNodePoolField('leaderReplicas')) {
      new HostNetworkNodePool(chart, 'leaders', {
        cluster,
        poolName: 'leaders',
        interConnectivity: true,
        enableLeaderElection: true,
        leaderElectionStrategy: 'mark',
        leaderNodeLabelSelector: { leader: 'true' },
        leaderReplicas: 2,
        poolScopeMetadata: [{ group: '', version: 'v1', resource: 'services' }],
      });
    }
    new RegularNodePool(chart, 'cloud', { cluster, poolName: 'cloud', type: 'Cloud', taints });
  });
}

function hostNetworkWorkloads(cluster: EdgeCluster): CorpusEntry {
  return entry(`host-network workloads of ${String(cluster)}`, (chart) => {
    const a = new HostNetworkNodePool(chart, 'a', { cluster, poolName: 'a', registrationTaint: true });
    const b = new HostNetworkNodePool(chart, 'b', { cluster, poolName: 'b' });
    const withPort = (make: typeof deployment, containerPort: number, name: string): any => ({
      ...make({
        containers: [
          { name: 'web', image: 'web', ports: [{ containerPort }, { containerPort, protocol: 'UDP', name: 'dns' }] },
        ],
      }),
      metadata: { name },
    });
    new HostNetworkWorkload(chart, 'daemon', { pools: [a, b], workload: withPort(daemonSet, 8001, 'daemon') });
    new HostNetworkWorkload(chart, 'deployment', {
      pool: a,
      workload: withPort(deployment, 8002, 'deployment'),
      apiServer: '192.0.2.1:6443',
    });
    new HostNetworkWorkload(chart, 'stateful', {
      pool: b,
      workload: { ...withPort(deployment, 8003, 'stateful'), kind: 'StatefulSet' },
    });
    new HostNetworkWorkload(chart, 'pod', {
      pool: a,
      workload: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'pod' },
        spec: withPort(deployment, 8004, 'x').spec.template.spec,
      },
    });
  });
}

function systemComponents(): CorpusEntry {
  return entry('every system component', (chart) => {
    const exclude = SystemComponent.known();
    new EdgeSystemComponents(chart, 'system', {
      cluster: EdgeCluster.of({ openYurt: 'none', kubernetes: '1.34' }),
      exclude,
      strategy: ExclusionStrategy.SERVER_SIDE_APPLY,
    });
  });
}

/** Every policy that a minor has, with NodePools or a list of them as parameters. */
function admission(kubernetes: string, guarantees: PoolAdmissionProps['guarantees']): CorpusEntry {
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes });
  return entry(`admission on Kubernetes ${kubernetes}`, (chart) => {
    new PoolAdmission(chart, 'live', { cluster, guarantees, pools: 'live' });
    new PoolAdmission(chart, 'listed', {
      cluster,
      guarantees,
      namePrefix: 'listed',
      otherPools: ['a', 'b.c'],
      templates: ['daemonsets', 'deployments', 'statefulsets'],
      breakGlassGroups: ["it's"],
      excludedNamespaces: ['kube-system'],
      validationActions: ['Warn'],
      metadata: { annotations: { wave: '1' } },
    });
    if (cluster.hasMutatingAdmissionPolicy()) {
      new EdgeSystemComponents(chart, 'system', { cluster, exclude: SystemComponent.known() });
    }
  });
}

/** All objects that the library creates, in every release, for unit tests and tests with real programs. */
export function corpus(): CorpusEntry[] {
  const clusters = PAIRS.map(([openYurt, kubernetes]) => EdgeCluster.of({ openYurt, kubernetes, yurthub: true }));
  const [, , , newest] = clusters;
  return [
    ...clusters.filter((cluster) => cluster.hasOpenYurt()).map(pools),
    ...clusters.map(hostNetworkWorkloads),
    entry('excluded workloads', (chart) => {
      workloadShapes.forEach(
        ({ name, workload }) => new ExcludedWorkload(chart, name, { cluster: newest as EdgeCluster, workload }),
      );
    }),
    systemComponents(),
    admission('1.30', { refusePresetNodeName: true, namespaceGate: true }),
    admission('1.36', { refusePresetNodeName: true, namespaceGate: true, strict: true, hostNetworkToleration: true }),
    ...clusters.filter((cluster) => cluster.hasOpenYurt()).flatMap((cluster) => openYurtWebhooks(cluster, entry)),
    ...clusters.map((cluster) => poolWebhooks(cluster, entry)),
    entry('an etcd cluster', etcd),
    entry('an approver of serving certificates', (chart) => {
      const [cluster = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36' })] = clusters;
      const machines = [{ name: 'shop-0001', address: '192.0.2.10/24' }];
      new ServingCertificateApprover(chart, 'approver', {
        cluster,
        machines,
        namePattern: 'x$$',
        addresses: ['10.0.0.0/8'],
      });
    }),
    entry('kuryr', (chart) => {
      new KuryrKubernetes(chart, 'kuryr', { ...KURYR, inManifest: true, definition: 'external' });
    }),
  ];
}

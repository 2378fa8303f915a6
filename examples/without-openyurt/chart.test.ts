import { type Chart, Testing } from 'cdk8s';
import { EdgeWarnings, type INodePool, type NodeJoin, placeFleet, type PlacementNode } from 'edge-nodepools';
import { StationsChart } from './chart.js';
import { kubeletArguments } from './kubelet-arguments.js';

type Manifest = Record<string, any>;

/** A node as it registers with its kubelet arguments. */
function nodeOf(join: NodeJoin, { poolName }: INodePool): PlacementNode {
  const argument = (flag: string): string[] =>
    (kubeletArguments(join).find((text) => text.startsWith(`${flag}=`)) ?? '')
      .slice(flag.length + 1)
      .split(',')
      .filter((part) => part !== '');
  return {
    name: `${poolName}-1`,
    labels: {
      'kubernetes.io/os': 'linux',
      ...Object.fromEntries(argument('--node-labels').map((label) => label.split('='))),
    },
    taints: argument('--register-with-taints').map((taint) => {
      const [, key = '', value = '', effect] = /^([^=]*)=([^:]*):(.*)$/.exec(taint) ?? [];
      return { key, value, effect: effect as 'NoSchedule' };
    }),
  };
}

describe('without-openyurt', () => {
  const app = Testing.app();
  const chart = new StationsChart(app, 'stations');
  const objects: Manifest[] = Testing.synth(chart);
  const patches: Manifest[] = Testing.synth(chart.systemComponents.patchChart as Chart);
  const [platforms, entrances, offices] = chart.joins as [NodeJoin, NodeJoin, NodeJoin];
  const nodes = chart.joins.map((join, index) => nodeOf(join, chart.pools[index] as INodePool));

  it('creates no NodePool and no other object of OpenYurt', () => {
    expect(objects.map(({ kind, metadata }) => `${kind} ${kind === 'ConfigMap' ? '…' : metadata.name}`)).toEqual([
      'Namespace displays',
      'Namespace tickets',
      'ConfigMap …',
      'ConfigMap …',
      'ConfigMap …',
      'DaemonSet departures',
      'Deployment tickets',
    ]);
  });

  /** The last label is the hash of the join. */
  const withoutHash = (join: NodeJoin): string[] =>
    kubeletArguments(join).map((argument) => argument.replace(/,edge-nodepools\/join=[0-9a-f]{10}$/, ''));

  it('writes membership, mode, labels and the taint into the join of each pool', () => {
    expect(withoutHash(platforms)).toEqual([
      '--node-labels=station.example/area=platforms,apps.openyurt.io/nodepool=platforms,nodepool.openyurt.io/hostnetwork=true',
      '--register-with-taints=nodepool.openyurt.io/hostnetwork=true:NoSchedule',
    ]);
    expect(withoutHash(entrances)).toEqual([
      '--node-labels=station.example/area=entrances,apps.openyurt.io/nodepool=entrances,nodepool.openyurt.io/hostnetwork=true',
    ]);
    expect(withoutHash(offices)).toEqual([
      '--node-labels=station.example/area=offices,apps.openyurt.io/nodepool=offices',
    ]);
  });

  it('places all workloads with only these arguments', () => {
    const runs = placeFleet([...objects, ...patches], nodes).map(({ pool, runs }) => [pool, runs]);
    expect(Object.fromEntries(runs)).toEqual({
      platforms: ['DaemonSet displays/departures'],
      entrances: ['DaemonSet displays/departures'],
      offices: [
        'Deployment tickets/tickets',
        'DaemonSet kube-system/kube-proxy',
        'Deployment kube-system/coredns',
        'DaemonSet kube-flannel/kube-flannel-ds',
      ],
    });
  });

  it('excludes a Pod without exclusion only by the registration taint', () => {
    const stranger = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'stranger', namespace: 'default' },
      spec: { containers: [{ name: 'stranger', image: 'registry.example/stranger:1.0.0' }] },
    };
    const where = placeFleet([stranger], nodes);
    expect(where.map(({ pool, runs, others }) => [pool, runs.length === 1 ? 'runs' : others[0]?.outcome])).toEqual([
      ['platforms', undefined],
      ['entrances', 'never starts'],
      ['offices', 'runs'],
    ]);
  });

  it('sets the address of the API server in Pods on host-network nodes', () => {
    const [container] = objects.find(({ kind }) => kind === 'DaemonSet')?.spec.template.spec.containers as Manifest[];
    expect(container?.env).toEqual([
      { name: 'KUBERNETES_SERVICE_HOST', value: '192.0.2.10' },
      { name: 'KUBERNETES_SERVICE_PORT', value: '6443' },
    ]);
    expect(EdgeWarnings.of(app)).toEqual([]);
  });
});

import { canJoin, CLAIMS, clusterText, HELLO, indented, kubeletText, WEB } from './fleet-text.js';
import type { ProjectKind, ProjectProps } from './project-kind.js';

/** A Pulumi program. */
export function pulumiFiles(props: ProjectProps): ProjectKind {
  const { name, packageManager } = props;
  return {
    files: [
      {
        path: 'Pulumi.yaml',
        content: `name: ${name}
description: A host-network edge node pool
runtime:
  name: nodejs
  options:
    packagemanager: ${packageManager}
main: index.ts
`,
      },
      { path: 'index.ts', content: program(props) },
      { path: 'index.test.ts', content: TEST },
    ],
    dependencies: ['@pulumi/kubernetes', '@pulumi/pulumi'],
    devDependencies: ['ts-node'],
    scripts: { preview: 'pulumi preview' },
    before: [['pulumi stack init dev', 'once; asks for a login if there is none']],
    run: 'pulumi preview',
    about: '`index.ts` declares pools and workloads. They go to the current context of kubectl.',
    ignored: [],
  };
}

function program({ cluster }: ProjectProps): string {
  const joins = canJoin(cluster);
  const names = [
    'EdgeCluster',
    'EdgeSystemComponents',
    'ExcludedWorkload',
    'HostNetworkNodePool',
    'HostNetworkWorkload',
    ...(joins ? ['JoinToken', 'NodeJoin'] : []),
    'SystemComponent',
  ];
  const join = `
// A script for the machines of the pool: pulumi stack output joinScript > join.sh. Each reads the token from this file, and removes it.
const join = new NodeJoin('join', {
  pool: edge,
  token: JoinToken.fromFile('/var/lib/edge/join-token', { removeAfterJoin: true }),
  format: 'script',
${kubeletText(cluster, '  ')}});
export const joinScript = join.script;
/** For a machine that leaves the cluster. */
export const leaveScript = join.leaveScript;
`;
  return `import {
${names.map((name) => `  ${name},\n`).join('')}} from 'edge-nodepools/pulumi';

const cluster = ${clusterText(cluster)}

// A pool whose nodes have no Pod network. With the taint, no Pod without a toleration is scheduled to them.
const edge = new HostNetworkNodePool('edge', { cluster, poolName: 'edge', registrationTaint: true });

// One Pod on each node of the pool. An update does not wait for it: the pool may have no node yet.
new HostNetworkWorkload('hello', {
  pool: edge,
  workload: ${indented(HELLO, '  ').trim()},
});

// Needs a Pod network, so it is excluded from host-network nodes.
new ExcludedWorkload('web', {
  cluster,
  workload: ${indented(WEB, '  ').trim()},
});

// Add the CNI of your cluster to the list, for example SystemComponent.FLANNEL.
new EdgeSystemComponents('system', {
  cluster,
  exclude: [SystemComponent.KUBE_PROXY, SystemComponent.COREDNS],
});
${joins ? join : ''}
/** Labels and taints with which a node of the pool registers. */
export const edgeNode = { name: 'edge1', labels: edge.joinLabels, taints: edge.registrationTaints };
`;
}

const TEST = `import type { KubernetesObject, PlacementNode } from 'edge-nodepools/pulumi';
import { Testing } from 'edge-nodepools/testing';

describe('the fleet', () => {
  const worker = { name: 'worker1', labels: {} };
  let pools: { pool: PlacementNode; workloads: string[] }[];
  let objects: readonly KubernetesObject[];

  beforeAll(async () => {
    // with mocks, so that no cluster is needed
    const preview = await Testing.preview(() => jest.requireActual('./index'));
    objects = preview.objects;
    // Nodes of host-network pools, and the names of the workloads on them. Add yours to the list.
    // The program exports the node of each, as edgeNode.
    pools = [{ pool: preview.outputs.edgeNode as PlacementNode, workloads: ['hello'] }];
  });
${CLAIMS}});
`;

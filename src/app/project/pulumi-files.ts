import { canJoin, clusterText, HELLO, indented, WEB } from './fleet-text.js';
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
    run: 'pulumi preview',
    about: `\`index.ts\` declares pools and workloads. pulumi preview needs a stack (pulumi stack init ${name}) and a cluster, the current context of kubectl.`,
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
});
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

// Add the CNI of your cluster, for example SystemComponent.FLANNEL.
new EdgeSystemComponents('system', {
  cluster,
  exclude: [SystemComponent.KUBE_PROXY, SystemComponent.COREDNS],
});
${joins ? join : ''}
/** Labels and taints with which a node of the pool registers. */
export const edgeNode = { name: 'edge1', labels: edge.joinLabels, taints: edge.registrationTaints };
`;
}

const TEST = `import * as pulumi from '@pulumi/pulumi';
import { placeFleet, type PlacementNode } from 'edge-nodepools/pulumi';
import type * as Program from './index';

describe('the fleet', () => {
  const objects: { kind?: unknown }[] = [];
  let edgeNode: PlacementNode;

  beforeAll(async () => {
    await pulumi.runtime.setMocks({
      newResource: ({ type, name, inputs }) => {
        if (type.startsWith('kubernetes:')) {
          objects.push(inputs);
        }
        return { id: name, state: inputs };
      },
      call: ({ inputs }) => inputs,
    });
    const program = jest.requireActual<typeof Program>('./index');
    edgeNode = await new Promise((resolve) => pulumi.output(program.edgeNode).apply((node) => resolve(node as PlacementNode)));
    await pulumi.runtime.disconnect();
  });

  const runsOn = (node: PlacementNode) =>
    [...(placeFleet(objects.filter(({ kind }) => kind !== 'NodePool'), [node])[0]?.runs ?? [])].sort();

  it('runs on a host-network node only what is declared for it', () => {
    expect(runsOn(edgeNode)).toEqual(['DaemonSet default/hello']);
  });

  it('runs everything else on other nodes', () => {
    expect(runsOn({ name: 'worker1', labels: {} })).toEqual([
      'DaemonSet kube-system/kube-proxy',
      'Deployment default/web',
      'Deployment kube-system/coredns',
    ]);
  });
});
`;

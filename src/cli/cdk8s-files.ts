import { canJoin, CLAIMS, clusterText, HELLO, indented, kubeletText, WEB } from './fleet-text.js';
import type { ProjectKind, ProjectProps } from './project-kind.js';

/** A cdk8s app with one chart. */
export function cdk8sFiles(props: ProjectProps): ProjectKind {
  return {
    files: [
      { path: 'cdk8s.yaml', content: 'language: typescript\napp: node --import tsx main.ts\n' },
      { path: 'main.ts', content: main(props) },
      { path: 'fleet.ts', content: fleet(props) },
      { path: 'fleet.test.ts', content: TEST },
    ],
    dependencies: ['cdk8s', 'constructs'],
    devDependencies: ['cdk8s-cli', 'tsx'],
    // without a question to the npm registry, which prints a stack trace where it fails
    scripts: { synth: 'cdk8s synth --check-upgrade=false' },
    run: `${props.packageManager} run synth`,
    about: [
      '`fleet.ts` declares pools and workloads, `main.ts` writes them, `cdk8s.yaml` says how to run it.',
      '`kubectl apply --server-side -f dist/` applies the whole objects; how to apply those in `dist/patches`: node_modules/edge-nodepools/docs/apply.md.',
    ].join('\n'),
    ignored: ['dist/'],
  };
}

function main({ cluster }: ProjectProps): string {
  return canJoin(cluster)
    ? `import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EdgeApp, writeArtifacts } from 'edge-nodepools';
import { FleetChart } from './fleet';

const app = new EdgeApp();
const fleet = new FleetChart(app, 'fleet');
app.synth();
writeArtifacts(app);
// for a machine that leaves the cluster
writeFileSync(join(app.outdir, 'join', 'leave.sh'), fleet.join.leaveScript);
`
    : `import { EdgeApp, writeArtifacts } from 'edge-nodepools';
import { FleetChart } from './fleet';

const app = new EdgeApp();
new FleetChart(app, 'fleet');
app.synth();
writeArtifacts(app);
`;
}

function fleet({ cluster }: ProjectProps): string {
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
    // A script for the machines of the pool. Each reads the token from this file, and removes it.
    this.join = new NodeJoin(this, 'join', {
      pool: this.edge,
      token: JoinToken.fromFile('/var/lib/edge/join-token', { removeAfterJoin: true }),
      format: 'script',
${kubeletText(cluster, '      ')}    });
`;
  return `import { Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import {
${names.map((name) => `  ${name},\n`).join('')}} from 'edge-nodepools';

const cluster = ${clusterText(cluster)}

/** A pool whose nodes have no Pod network, a workload that runs on them, and one that never does. */
export class FleetChart extends Chart {
  readonly edge: HostNetworkNodePool;
  readonly systemComponents: EdgeSystemComponents;
${joins ? '  readonly join: NodeJoin;\n' : ''}
  constructor(scope: Construct, id: string) {
    super(scope, id);

    // With the taint, no Pod without a toleration is scheduled to its nodes.
    this.edge = new HostNetworkNodePool(this, 'edge', { cluster, poolName: 'edge', registrationTaint: true });

    // One Pod on each node of the pool.
    new HostNetworkWorkload(this, 'hello', {
      pool: this.edge,
      workload: ${indented(HELLO, '      ').trim()},
    });

    // Needs a Pod network, so it is excluded from host-network nodes.
    new ExcludedWorkload(this, 'web', {
      cluster,
      workload: ${indented(WEB, '      ').trim()},
    });

    // Add the CNI of your cluster to the list, for example SystemComponent.FLANNEL.
    this.systemComponents = new EdgeSystemComponents(this, 'system', {
      cluster,
      exclude: [SystemComponent.KUBE_PROXY, SystemComponent.COREDNS],
    });
${joins ? join : ''}  }
}
`;
}

const TEST = `import { App } from 'cdk8s';
import { Testing } from 'edge-nodepools/testing';
import { FleetChart } from './fleet';

describe('the fleet', () => {
  const fleet = new FleetChart(new App(), 'fleet');
  const worker = { name: 'worker1', labels: {} };
  // Host-network pools, and the names of the workloads on their nodes. Add yours to the list.
  const pools = [{ pool: fleet.edge, workloads: ['hello'] }];
  // with the patches of the system components
  const objects = Testing.synth(fleet);
${CLAIMS}});
`;

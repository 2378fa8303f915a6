import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Chart, Testing } from 'cdk8s';
import { EdgeCluster, EdgeWarnings, HostNetworkNodePool, PoolAdmission } from 'edge-nodepools';
import { main } from '../../../../src/cli/main.js';
import type { ApiClient } from '../../harness/api-client.js';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import { runScript } from '../../harness/script.js';
import type { Tier } from './fleet.js';
import { remove } from './options.js';
import { LABEL, MEMBERSHIP, MERGE } from './requests.js';

/** Nodes that register at the same moment; E2E_FIRST_NODES sets how many. */
const COUNT = Number(process.env.E2E_FIRST_NODES ?? 20);

/** A pool that is declared now, and the policy that knows it. */
function declared(tier: Tier, poolName: string, pools: 'listed' | 'live') {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'late');
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: tier.kubernetes });
  const { joinLabels } = new HostNetworkNodePool(chart, 'pool', { cluster, poolName });
  new PoolAdmission(chart, 'admission', { cluster, ...tier.props, namePrefix: poolName, pools });
  const objects = Testing.synth(chart);
  const labels = ['node-label', 'frozen-node-labels'].map((name) => `${poolName}-${name}`);
  return {
    joinLabels,
    pool: objects.filter(({ kind }: any) => kind === 'NodePool'),
    policies: objects.filter(({ metadata }: any) => labels.includes(metadata.name as string)),
  };
}

/** Registers nodes at the same moment, alternately at each API server. */
async function register(apis: readonly ApiClient[], prefix: string, labels: object): Promise<any[]> {
  const one = (index: number): Promise<any> => {
    const metadata = { name: `${prefix}-${index}`, labels };
    const api = apis[index % apis.length] as ApiClient;
    return api.must('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata });
  };
  return Promise.all(Array.from({ length: COUNT }, (_, index) => one(index)));
}

const isBare = ({ metadata }: any): boolean => metadata.labels[LABEL] !== 'true';
const numberOf = (nodes: readonly any[]): string => `${nodes.filter(isBare).length} of ${nodes.length}`;

/** The command `nodes` on a dump of the cluster. */
function nodesCommand(plane: ControlPlane): { code: number; bare: string[]; out: string } {
  const folder = mkdtempSync(join(plane.folder, 'nodes-'));
  const dump = join(folder, 'dump.yaml');
  const resources = 'nodes,nodepools.apps.openyurt.io,pods';
  writeFileSync(dump, plane.kubectl(['get', resources, '--all-namespaces', '--output=yaml']).stdout);
  let printed = '';
  const code = main(['nodes', `--dump=${dump}`, `--out=${folder}`, '--json'], {
    stdin: () => '',
    stdout: (text) => (printed += text),
    stderr: (text) => (printed += text),
  });
  const bare = JSON.parse(printed).nodes.filter(({ findings }: any) =>
    findings.some(({ kind }: any) => kind === 'label-missing'),
  );
  return { code, bare: bare.map(({ name }: any) => name as string), out: folder };
}

/**
 * A pool, the policy that knows it and the first nodes at the same moment, on two API servers: which nodes are without the label, what the labels with
 * which nodes join do about it, and that the command `nodes` finds and repairs exactly the others.
 */
export async function firstNodes(plane: ControlPlane, tier: Tier, name: string, proof: Proof): Promise<void> {
  const apis = [plane.api, await plane.startSecondApiServer()];
  for (const pools of ['listed', 'live'] as const) {
    const claim = (what: string): string => `${name}, ${pools} pools, two API servers: ${what}`;
    const poolName = `${pools}-late`;
    const { joinLabels, pool, policies } = declared(tier, poolName, pools);
    // live pools: the policy is there long before; listed ones: the policy changes with the pool
    const early = pools === 'live' ? policies : [];
    await plane.apply(early);
    if (pools === 'live') {
      // both API servers have the policy when a node of an existing pool gets the label
      await proof.eventually(claim('the policy is in force'), async () =>
        (await Promise.all(apis.map((api) => isLabelled(api, 'hz')))).every(Boolean),
      );
    }
    await plane.apply(pools === 'live' ? pool : [...pool, ...policies]);
    const begin = Date.now();
    const [bare, joined] = await Promise.all([
      register(apis, `${poolName}-bare`, { [MEMBERSHIP]: poolName }),
      register(apis, `${poolName}-joined`, joinLabels),
    ]);
    proof.note(claim(`registered at once, without the label: ${numberOf(bare)}`));
    proof.same(claim('a node that joins with joinLabels has the label at once'), joined.filter(isBare).length, 0);
    await proof.eventually(claim('then each of them knows the pool'), async () =>
      (await Promise.all(apis.map((api) => isLabelled(api, poolName)))).every(Boolean),
    );
    proof.note(claim(`both know the pool after ${((Date.now() - begin) / 1000).toFixed(1)} s`));
    const first = await register(apis, `${poolName}-after`, { [MEMBERSHIP]: poolName });
    proof.same(claim('from then on every node gets the label'), first.filter(isBare).length, 0);
    const path = `/api/v1/nodes/${joined[0].metadata.name as string}`;
    const frozen = await Promise.all(
      apis.map((api) => api.send('PATCH', path, { metadata: { labels: { [LABEL]: 'no' } } }, { contentType: MERGE })),
    );
    proof.that(
      claim('the label of a node that joined with it stays'),
      frozen.every(({ status, body }) => status === 403 || body.metadata.labels[LABEL] === 'true'),
      frozen.map(({ body }) => body.message),
    );
    const found = nodesCommand(plane);
    const late = (names: readonly string[]): string[] => names.filter((each) => each.startsWith(poolName)).sort();
    const expected = bare.filter(isBare).map(({ metadata }: any) => metadata.name as string);
    proof.same(claim('the command nodes finds exactly the nodes without the label'), late(found.bare), expected.sort());
    if (expected.length > 0) {
      await runScript(plane, found.out, 'nodes.sh');
    }
    proof.same(claim('and its script repairs them'), late(nodesCommand(plane).bare), []);
    await remove(plane, policies);
    await Promise.all(
      [...bare, ...joined, ...first].map(({ metadata }) => plane.nodes.delete(metadata.name as string)),
    );
    await remove(plane, pool);
  }
  apis[1]?.close();
}

async function isLabelled(api: ApiClient, pool: string): Promise<boolean> {
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'probe', labels: { [MEMBERSHIP]: pool } } };
  const { metadata } = await api.must('POST', '/api/v1/nodes', node, { query: { dryRun: 'All' } });
  return metadata.labels[LABEL] === 'true';
}

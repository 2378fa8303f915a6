import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Chart, Testing } from 'cdk8s';
import { EdgeCluster, HostNetworkNodePool, JoinToken, NodeJoin, NodeReservation } from 'edge-nodepools';
import { main } from '../../../../src/cli/main.js';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Group, Proof } from '../../harness/group.js';
import { HELM_3, helmShell } from '../../harness/helm.js';
import { chartFolder } from '../../harness/openyurt.js';
import { tryScript } from '../../harness/script.js';
import { besideYurtManager, toolsBeside } from '../../harness/yurt-manager.js';

const POOL = 'shop';
const MEMBERSHIP = 'apps.openyurt.io/nodepool';
const EDGE_WORKER = 'openyurt.io/is-edge-worker';
const JOBS = '/apis/batch/v1/namespaces/kube-system/jobs';
const LONG = 'ip-10-0-12-131.eu-central-1.compute.internal';
const AS_NODE = ['--as=system:node:any', '--as-group=system:nodes'];
const MERGE = { contentType: 'application/merge-patch+json' };

/** A label-driven join, and nothing else: what a user applies. */
function objects(hasJoin: boolean): any[] {
  const chart = new Chart(new App(), 'shops', { namespace: 'kube-system' });
  const cluster = EdgeCluster.of({
    openYurt: '1.7',
    kubernetes: '1.34',
    apiServer: '192.0.2.1:6443',
    caCertHashes: [`sha256:${'0a'.repeat(32)}`],
  });
  const reservation = NodeReservation.preset('edge-small');
  const pool = new HostNetworkNodePool(chart, 'pool', { cluster, poolName: POOL, reservation });
  if (hasJoin) {
    new NodeJoin(chart, 'join', { pool, token: JoinToken.fromFile('/var/lib/edge/join-token') });
  }
  return Testing.synth(chart);
}

/** The commands on a dump that they have read themselves, as a user runs them. */
class Commands {
  private count = 0;

  constructor(private readonly plane: ControlPlane) {}

  /** The report of a command, and the folder with its files. */
  public run(command: 'nodes' | 'preconditions' | 'check'): { code: number; report: any; out: string } {
    this.count += 1;
    const out = join(this.plane.folder, `${command}-${this.count}`);
    const file = `${out}.yaml`;
    let [text, said] = ['', ''];
    const line = {
      stdin: () => '',
      stdout: (some: string) => void (text += some),
      stderr: (some: string) => void (said += some),
    };
    main(['dump', command], {
      ...line,
      kubectl: (args) => {
        const { status, stdout } = this.plane.kubectl(args);
        return status === 0 ? stdout : undefined;
      },
    });
    writeFileSync(file, text);
    text = '';
    mkdirSync(out);
    const release = ['--openyurt=1.7', '--kubernetes=1.36', '--allow-newer'];
    const args =
      command === 'check'
        ? [command, file, '--format=json']
        : [command, `--dump=${file}`, `--out=${out}`, '--json', ...(command === 'nodes' ? [] : release)];
    const code = main(args, line);
    if (text === '') {
      throw new Error(`${command} prints nothing: ${said}`);
    }
    return { code, report: JSON.parse(text), out };
  }

  /** The state of a node, and what is found about it. */
  public stateOf(name: string): { state: unknown; found: string[]; out: string } {
    const { report, out } = this.run('nodes');
    const row = report.nodes.find((each: any) => each.name === name);
    return { state: row?.conversion?.state, found: (row?.findings ?? []).map(({ what }: any) => what as string), out };
  }
}

/** A machine whose Job is run by this test, in place of kubelet. */
class Machine {
  constructor(
    private readonly plane: ControlPlane,
    public readonly name: string,
  ) {}

  public async join(): Promise<void> {
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: this.name, labels: { [MEMBERSHIP]: POOL } } };
    // yurt-manager reads pools from a cache with a short delay; a kubelet retries, too
    const deadline = Date.now() + 30_000;
    for (;;) {
      const { status, body } = await this.plane.api.send('POST', '/api/v1/nodes', node);
      if (status === 201) {
        return;
      }
      if (Date.now() > deadline) {
        throw new Error(JSON.stringify(body));
      }
      await new Promise((done) => setTimeout(done, 200));
    }
  }

  public async get(): Promise<{ reason: unknown; cordoned: boolean; worker: unknown }> {
    const { metadata, spec, status } = await this.plane.nodes.get(this.name);
    const condition = (status.conditions ?? []).find(({ type }: any) => type === 'YurtNodeConversionFailed');
    return {
      reason: condition?.reason,
      cordoned: spec.unschedulable === true,
      worker: metadata.labels[EDGE_WORKER],
    };
  }

  public async job(): Promise<any> {
    const { status, body } = await this.plane.api.send('GET', `${JOBS}/node-servant-conversion-${this.name}`);
    return status === 200 ? body : undefined;
  }

  /** What the controller of Jobs writes when the Pod of the Job has ended. */
  public async end(outcome: 'Complete' | 'Failed'): Promise<void> {
    const time = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
    const condition = (type: string): any => ({
      type,
      status: 'True',
      reason: outcome === 'Failed' ? 'BackoffLimitExceeded' : 'CompletionsReached',
      message:
        outcome === 'Failed'
          ? 'Job has reached the specified backoff limit'
          : 'Reached expected number of succeeded pods',
      lastProbeTime: time,
      lastTransitionTime: time,
    });
    const before = outcome === 'Failed' ? 'FailureTarget' : 'SuccessCriteriaMet';
    await this.plane.api.must(
      'PATCH',
      `${JOBS}/node-servant-conversion-${this.name}/status`,
      {
        status: {
          startTime: time,
          ...(outcome === 'Failed' ? { failed: 4 } : { succeeded: 1, completionTime: time }),
          conditions: [condition(before), condition(outcome)],
          uncountedTerminatedPods: {},
        },
      },
      MERGE,
    );
  }
}

const can = (plane: ControlPlane): boolean[] =>
  [
    ['list', 'nodepools.apps.openyurt.io'],
    ['watch', 'endpointslices.discovery.k8s.io'],
    ['list', 'configmaps', '--namespace=kube-system'],
  ].map((words) => plane.kubectl(['auth', 'can-i', ...words, ...AS_NODE]).status === 0);

async function run(plane: ControlPlane, proof: Proof): Promise<void> {
  const commands = new Commands(plane);
  const machine = new Machine(plane, 'edge1');
  const reached = (what: string, state: object): Promise<void> =>
    proof.eventually(what, async () => {
      const seen = await machine.get();
      return Object.entries(state).every(([key, value]) => seen[key as keyof typeof seen] === value);
    });
  const repair = async (what: string, out: string, script = 'nodes.sh'): Promise<void> => {
    const { status, said } = await tryScript(plane, join(out, script));
    proof.that(what, status === 0, said);
  };

  // the chart alone, as OpenYurt's page installs it
  proof.same('with the chart alone nodes have no rights of yurthub', can(plane), [false, false, false]);
  await plane.apply(objects(false));
  const before = commands.run('preconditions');
  proof.same(
    'preconditions finds that, and the image of the chart, in the dump',
    [before.code, before.report.conversion.map(({ of }: any) => of)],
    [1, ['rights of yurthub', 'image of node-servant']],
  );
  await machine.join();
  await reached('a node of the pool is cordoned at once', { reason: 'Converting', cordoned: true });
  await proof.eventually('and its Job is there', async () => (await machine.job()) !== undefined);
  proof.same('nodes: it is running, which is no gap', commands.stateOf('edge1').state, 'running');
  await machine.end('Failed');
  await reached('it fails, and the node stays cordoned', { reason: 'ConvertFailed', cordoned: true });
  const failed = commands.stateOf('edge1');
  proof.that(
    'nodes: it has failed, and why',
    failed.state === 'failed' && failed.found.some((what) => /nodes may not list nodepools/.test(what)),
    failed,
  );
  const places = commands.run('check').report.findings ?? commands.run('check').report;
  proof.that('check says the same', JSON.stringify(places).includes('its conversion has failed'), places);
  const { uid } = (await machine.job()).metadata;
  await repair('nodes.sh runs', failed.out);
  proof.same('nodes have the rights now', can(plane), [true, true, true]);
  await proof.eventually(
    'and yurt-manager tries again at once',
    async () => ((await machine.job())?.metadata.uid ?? uid) !== uid,
  );
  await machine.end('Complete');
  await reached('it is converted, and schedulable', { reason: 'Converted', cordoned: false, worker: 'true' });
  const converted = commands.stateOf('edge1');
  proof.that(
    'nodes: it is converted, and its join does not start yurthub at boot',
    converted.state === 'converted' && converted.found.some((what) => /after a reboot/.test(what)),
    converted,
  );

  // our objects, beside what every cluster has
  await plane.apply([...objects(true), kubeProxy()], 'edge-nodepools', { force: true });
  proof.same('the objects of a NodeJoin give the rights', can(plane), [true, true, true]);
  const pin = commands.run('preconditions').report.conversion;
  proof.same(
    'what is left is the image',
    pin.map(({ of }: any) => of),
    ['image of node-servant'],
  );
  const script = join(plane.folder, 'pin.sh');
  writeFileSync(script, (pin[0].commands[0] as string).replace('CHART', chartFolder('1.7')));
  const pinned = await tryScript(plane, script, { env: helmShell(plane, HELM_3) });
  proof.that('its command pins it', pinned.status === 0, pinned.said);
  proof.same('nothing is left', commands.run('preconditions').report.conversion, []);

  // the machine is imaged again under its name; a cluster has other nodes
  await plane.api.must('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'cloud1' } });
  await plane.api.must('DELETE', '/api/v1/nodes/edge1');
  const orphan = commands.run('nodes');
  proof.that(
    'nodes: the Job of a node that is gone',
    JSON.stringify(orphan.report.staleJobs).includes('gets no yurthub'),
    orphan.report,
  );
  await new Promise((done) => setTimeout(done, 1_100));
  await machine.join();
  await reached('the earlier Job counts: it is converted at once', { reason: 'Converted', worker: 'true' });
  const stale = commands.stateOf('edge1');
  proof.same('nodes: a stale Job', stale.state, 'stale Job');
  const earlier = (await machine.job()).metadata.uid;
  await repair('nodes.sh deletes it, and the label', stale.out);
  await reached('the new machine is converted', { reason: 'Converting', cordoned: true, worker: undefined });
  await proof.eventually(
    'by a Job of its own',
    async () => ((await machine.job())?.metadata.uid ?? earlier) !== earlier,
  );
  await machine.end('Complete');
  await reached('and is an edge node', { reason: 'Converted', cordoned: false, worker: 'true' });

  // a long name
  const other = new Machine(plane, LONG);
  await other.join();
  await proof.eventually('a node with a long name is cordoned', async () => (await other.get()).cordoned);
  proof.same('and gets no Job', await other.job(), undefined);
  proof.same('nodes: a long name', commands.stateOf(LONG).state, 'long name');
  await plane.api.must('DELETE', `/api/v1/nodes/${LONG}`);

  // it leaves, by the commands of its leave script
  const job = await machine.job();
  proof.same('leaving: the label', plane.kubectl(['label', 'node', 'edge1', `${MEMBERSHIP}-`]).status, 0);
  await reached('OpenYurt reverts it', { reason: 'Reverting' });
  await proof.eventually(
    'with a Job',
    async () => ((await machine.job())?.metadata.uid ?? job.metadata.uid) !== job.metadata.uid,
  );
  proof.same('nodes: it is running', commands.stateOf('edge1').state, 'running');
  await machine.end('Complete');
  const waited = plane.kubectl([
    'wait',
    'node/edge1',
    '--timeout=1m',
    `--for=jsonpath={.status.conditions[?(@.type=="YurtNodeConversionFailed")].reason}=Reverted`,
  ]);
  proof.that('the command waits until it is reverted', waited.status === 0, waited.stderr);
  proof.same('nodes: it is reverted', commands.stateOf('edge1').state, 'reverted');
}

/** As kubeadm has it, as far as a dump of preconditions needs it. */
function kubeProxy(): any {
  const labels = { 'k8s-app': 'kube-proxy' };
  const containers = [{ name: 'kube-proxy', image: 'registry.k8s.io/kube-proxy:v1.36.2' }];
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'kube-proxy', namespace: 'kube-system', labels },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
}

/** What yurt-manager 1.7.0 does with nodes of a label-driven join, and what our commands find and repair. */
export const conversion: Group = {
  name: 'conversion',
  claim:
    'a label-driven join of OpenYurt 1.7 with the chart yurt-manager alone: what our objects give, what is found in dumps, and what repairs it',
  programs:
    'yurt-manager 1.7.0, its chart by Helm 3, kube-apiserver and kubectl 1.36; in place of kubelet the test ends the Jobs',
  tools: toolsBeside(['1.7']),
  run: (proof) => besideYurtManager('1.7', proof, (plane) => run(plane, proof), { values: {} }),
};

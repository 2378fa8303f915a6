import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Testing } from 'cdk8s';
import { EdgeCluster, EdgeWarnings, HostNetworkNodePool, HostNetworkWorkload } from 'edge-nodepools';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Group, Proof } from '../../harness/group.js';
import { besideYurtManager, KUBERNETES_OF, toolsBeside, type YurtManagerRelease } from '../../harness/yurt-manager.js';
import { ofChosenMinors } from '../../harness/minors.js';

/** PodBinding of 1.4 and 1.5 finds Pods by an index that only the controller nodelifecycle makes. */
const CONTROLLERS: Readonly<Record<YurtManagerRelease, string>> = {
  '1.4': 'nodepool,podbinding,nodelifecycle',
  '1.5': 'nodepool,podbinding,nodelifecycle',
  '1.7': 'nodepool,podbinding',
};
const PODS = '/api/v1/namespaces/default/pods';
const MERGE = { contentType: 'application/merge-patch+json' };
const NODES = ['plain', 'autonomous'] as const;

/** Seconds that a Pod lives on a node that is unreachable: of the first toleration that matches, which is the one that counts. */
function secondsOf(pod: any): number | 'for ever' | 'none' {
  const found = pod.spec.tolerations.find(
    ({ key, operator, value = '', effect = 'NoExecute' }: any) =>
      effect === 'NoExecute' &&
      (key === 'node.kubernetes.io/unreachable' || key === undefined) &&
      (operator === 'Exists' || value === ''),
  );
  return found === undefined ? 'none' : (found.tolerationSeconds ?? 'for ever');
}

/** The Pod template of a Deployment with an autonomy, and the annotations of the nodes of a pool that stays for ever. */
function declared(release: YurtManagerRelease) {
  const cluster = EdgeCluster.of({ openYurt: release, kubernetes: KUBERNETES_OF[release] });
  const chart = Testing.chart();
  EdgeWarnings.setMode(chart, 'silent');
  const pool = new HostNetworkNodePool(chart, 'site', { cluster, poolName: 'site' });
  const specOf = (id: string, autonomy: 'default' | 'forever' | '2h'): object => {
    const { manifest } = new HostNetworkWorkload(chart, id, {
      pool,
      autonomy,
      workload: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: id },
        spec: {
          selector: { matchLabels: { app: id } },
          template: { metadata: { labels: { app: id } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
        },
      },
    });
    return (manifest.spec as any).template.spec as object;
  };
  const far = Testing.chart();
  EdgeWarnings.setMode(far, 'silent');
  new HostNetworkNodePool(far, 'far', { cluster, poolName: 'far', autonomy: 'forever' });
  const [object] = Testing.synth(far);
  return {
    pods: { usual: specOf('usual', 'default'), ever: specOf('ever', 'forever'), timed: specOf('timed', '2h') },
    annotations: object.spec.annotations as Record<string, string>,
  };
}

const EXPECTED: Readonly<Record<string, number | 'for ever'>> = {
  'plain/usual': 300,
  'plain/ever': 'for ever',
  'plain/timed': 7200,
  'autonomous/usual': 'for ever',
};

async function judge(plane: ControlPlane, proof: Proof, release: YurtManagerRelease): Promise<void> {
  const { pods, annotations } = declared(release);
  for (const node of NODES) {
    await plane.nodes.fake(node, { 'openyurt.io/is-edge-worker': 'true' });
  }
  await plane.api.must('PATCH', '/api/v1/nodes/autonomous', { metadata: { annotations } }, MERGE);
  const create = async (node: string, name: keyof typeof pods): Promise<void> => {
    // placed already: a scheduler would not change what counts here
    const { nodeSelector: _, ...spec } = pods[name] as any;
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `${node}-${name}` },
      spec: { ...spec, nodeName: node },
    };
    await plane.api.must('POST', PODS, pod);
    await plane.api.must('PATCH', `${PODS}/${node}-${name}/status`, { status: { phase: 'Running' } }, MERGE);
  };
  await Promise.all(Object.keys(EXPECTED).map((key) => create(...(key.split('/') as [string, keyof typeof pods]))));
  let seen: Record<string, unknown> = {};
  await proof.eventually(
    `yurt-manager ${release}: each Pod stays as long as its autonomy, or that of its node, says`,
    async () => {
      // 1.4 and 1.5 look at the Pods of a node whenever it changes
      const heartbeat = { metadata: { annotations: { 'e2e.example/heartbeat': String(Date.now()) } } };
      await Promise.all(NODES.map((node) => plane.api.must('PATCH', `/api/v1/nodes/${node}`, heartbeat, MERGE)));
      await new Promise((done) => setTimeout(done, 2000));
      const { items } = await plane.api.must('GET', PODS);
      seen = Object.fromEntries(items.map((pod: any) => [pod.metadata.name.replace('-', '/'), secondsOf(pod)]));
      return JSON.stringify(seen, Object.keys(EXPECTED)) === JSON.stringify(EXPECTED);
    },
    20,
  );
  proof.same(`yurt-manager ${release}: seconds on an unreachable node`, seen, EXPECTED);
  await both(plane, proof, release, () => create('autonomous', 'ever'));
}

/** The two at once, which the library refuses: a Pod that tolerates for ever on a node that is autonomous. */
async function both(
  plane: ControlPlane,
  proof: Proof,
  release: YurtManagerRelease,
  create: () => Promise<void>,
): Promise<void> {
  await create();
  await new Promise((done) => setTimeout(done, 4000));
  const logs = join(plane.folder, 'logs');
  const texts = readdirSync(logs)
    .filter((file) => file.startsWith('yurt-manager'))
    .map((file) => readFileSync(join(logs, file), 'utf8'));
  const panics = texts.some((text) => /nil pointer dereference/.test(text));
  proof.same(
    `yurt-manager ${release}: a Pod that tolerates for ever, on an autonomous node, ${release === '1.7' ? 'makes PodBinding fail' : 'is left alone'}`,
    panics,
    release === '1.7',
  );
}

const RELEASES = ofChosenMinors<YurtManagerRelease>(['1.4', '1.5', '1.7'], (release) => KUBERNETES_OF[release]);

export const autonomy: Group = {
  name: 'autonomy',
  claim:
    'a Pod with the tolerations that autonomy writes stays as long as it says, whatever the controller PodBinding of yurt-manager does; on the nodes of an autonomous pool every Pod does; the two at once, which is refused, make PodBinding of 1.7 fail',
  programs: 'yurt-manager 1.4.0, 1.5.1 and 1.7.0, kube-apiserver 1.30 and 1.36',
  tools: toolsBeside(RELEASES),
  run: async (proof) => {
    for (const release of RELEASES) {
      await besideYurtManager(release, proof, (plane) => judge(plane, proof, release), {
        values: { controllers: CONTROLLERS[release] },
      });
    }
  },
};

import { App, Chart, Testing } from 'cdk8s';
import {
  EdgeCluster,
  EdgeWarnings,
  ExcludedWorkload,
  HostNetworkNodePool,
  HostNetworkWorkload,
  placeFleet,
  PoolAdmission,
} from 'edge-nodepools';
import type { HostNetworkLabel } from 'edge-nodepools/types';
import { daemonSet } from '../../../bad-inputs/case.js';
import type { ControlPlane } from '../../harness/control-plane.js';
import { podsOf, standsOn } from '../../harness/fake-fleet.js';
import { FakeKubelets } from '../../harness/fake-kubelets.js';
import type { Proof } from '../../harness/group.js';

/** Labels by which fleets are known, and whether a kubelet may register with them. */
const LABELS: readonly (readonly [name: string, label: HostNetworkLabel, byKubelet: boolean])[] = [
  ['kubeedge', { key: 'node-role.kubernetes.io/edge', value: '' }, false],
  ['eks', { key: 'eks.amazonaws.com/compute-type', value: 'hybrid' }, true],
  ['virtual-kubelet', { key: 'type', value: 'virtual-kubelet' }, true],
];

const MERGE = { contentType: 'application/merge-patch+json' };
const NODES = '/api/v1/nodes';
const PODS = '/api/v1/namespaces/default/pods';

function fleet(name: string, hostNetworkLabel: HostNetworkLabel) {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const cluster = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36', hostNetworkLabel });
  const chart = new Chart(app, 'fleet', { namespace: 'default' });
  const pool = new HostNetworkNodePool(chart, 'pool', { cluster, poolName: name });
  const workload = (kind: string): any => {
    const labels = { app: `${name}-${kind}` };
    const { spec, ...rest } = daemonSet();
    const template = { ...spec.template, metadata: { labels } };
    return { ...rest, metadata: { name: labels.app }, spec: { ...spec, selector: { matchLabels: labels }, template } };
  };
  new ExcludedWorkload(chart, 'off', { cluster, workload: workload('off') });
  new HostNetworkWorkload(chart, 'on', { pool, workload: workload('on') });
  const policies = new Chart(app, 'policies');
  new PoolAdmission(policies, 'admission', { cluster });
  return { pool, workloads: Testing.synth(chart), policies: Testing.synth(policies) };
}

/** Fleets with labels of their own, on a real scheduler and a real API server. */
export async function ownLabels(plane: ControlPlane, proof: Proof): Promise<void> {
  const kubelets = new FakeKubelets(plane.api);
  try {
    await plane.nodes.fake('regular');
    for (const [name, label, byKubelet] of LABELS) {
      const claim = (what: string): string => `label ${label.key}="${label.value}": ${what}`;
      await ownLabel(plane, proof, claim, fleet(name, label), label, byKubelet);
    }
  } finally {
    await kubelets.stop();
  }
}

async function ownLabel(
  plane: ControlPlane,
  proof: Proof,
  claim: (what: string) => string,
  { pool, workloads, policies }: ReturnType<typeof fleet>,
  label: HostNetworkLabel,
  byKubelet: boolean,
): Promise<void> {
  const own = { [label.key]: label.value };
  const node = (name: string, labels: object): any => ({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels } });
  const asKubelet = { token: 'node-token' };
  const labelOf = async (name: string): Promise<unknown> =>
    (await plane.nodes.get(name)).metadata.labels[label.key] as unknown;

  const bare = await plane.api.send('POST', NODES, node('edge1', own), { ...asKubelet, query: { dryRun: 'All' } });
  proof.same(claim('whether a kubelet may register with it'), bare.status === 201, byKubelet);

  // a fleet that has its labels already
  await plane.nodes.fake('marked', { ...pool.joinLabels, ...own });
  await plane.nodes.fake('loose', own);
  const [off, on] = await plane.apply(workloads);
  await standsOn(plane, proof, claim('an excluded DaemonSet is on every other node'), off, ['regular']);
  await standsOn(plane, proof, claim('a host-network DaemonSet is on this node'), on, ['marked']);
  const placed = placeFleet(workloads, [pool]).map(({ runs, excluded }) => [runs.length, excluded.length]);
  proof.same(claim('placeFleet predicts both'), placed, [[1, 1]]);

  await plane.apply(policies);
  const annotated = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'annotated', annotations: { 'apps.openyurt.io/exclude-host-network-pool': 'true' } },
    spec: { containers: [{ name: 'a', image: 'a' }] },
  };
  const termOf = ({ body }: { readonly body: any }): unknown =>
    body.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms?.[0]
      .matchExpressions;
  const changed = async (path: string, labels: object, options: object = {}): Promise<number> =>
    (await plane.api.send('PATCH', path, { metadata: { labels } }, { ...MERGE, query: { dryRun: 'All' }, ...options }))
      .status;
  const isInForce = async (): Promise<boolean> => {
    const made = await plane.api.send('POST', NODES, node('probe', pool.nodeSelector), { query: { dryRun: 'All' } });
    const pod = await plane.api.send('POST', PODS, annotated, { query: { dryRun: 'All' } });
    const isLabelled = made.body.metadata?.labels?.[label.key] === label.value;
    return isLabelled && termOf(pod) !== undefined && (await changed(`${NODES}/loose`, { [label.key]: null })) === 403;
  };
  await proof.eventually(
    claim('the policies are in force: a node of the pool gets it from whoever creates it'),
    isInForce,
  );

  const registered = await plane.api.send('POST', NODES, node('edge1', pool.joinLabels), asKubelet);
  proof.same(claim('a kubelet registers in the pool'), registered.status, 201);
  proof.same(claim('it has the label then'), await labelOf('edge1'), byKubelet ? label.value : undefined);
  const heartbeat = { status: { conditions: [{ type: 'Ready', status: 'True', reason: 'a', message: 'a' }] } };
  const beat = await plane.api.send('PATCH', `${NODES}/edge1/status`, heartbeat, {
    ...asKubelet,
    contentType: 'application/strategic-merge-patch+json',
  });
  proof.same(claim('its heartbeats are accepted'), beat.status, 200);
  await plane.api.must('PATCH', `${NODES}/edge1`, { metadata: { annotations: { ttl: '0' } } }, MERGE);
  proof.same(claim('it has the label after the first write of a controller'), await labelOf('edge1'), label.value);

  proof.same(claim('it cannot be removed'), await changed(`${NODES}/loose`, { [label.key]: null }), 403);
  proof.same(claim('it cannot be changed'), await changed(`${NODES}/loose`, { [label.key]: 'other' }), 403);
  // nodeLabel sets it again in the same write
  await plane.api.must('PATCH', `${NODES}/marked`, { metadata: { labels: { [label.key]: null } } }, MERGE);
  proof.same(claim('a node of the pool keeps it'), await labelOf('marked'), label.value);
  proof.same(claim('a write of the status cannot set it'), await changed(`${NODES}/regular/status`, own), 403);
  // other values are nobody’s business
  await plane.api.must('PATCH', `${NODES}/regular`, { metadata: { labels: { [label.key]: 'one' } } }, MERGE);
  proof.same(claim('another value can be changed'), await changed(`${NODES}/regular`, { [label.key]: 'two' }), 200);
  proof.same(claim('another value can be removed'), await changed(`${NODES}/regular`, { [label.key]: null }), 200);
  await plane.api.must('PATCH', `${NODES}/regular`, { metadata: { labels: { [label.key]: null } } }, MERGE);

  const pod = await plane.api.send('POST', PODS, annotated, { query: { dryRun: 'All' } });
  const requirement = { key: label.key, operator: 'NotIn', values: [label.value] };
  proof.same(claim('an annotated Pod gets the affinity'), termOf(pod), [requirement]);
  const pinned = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'pinned', labels: { app: 'pinned' } },
    spec: { nodeName: 'marked', containers: [{ name: 'a', image: 'a' }] },
  };
  await plane.api.must('POST', PODS, pinned);
  await proof.eventually(claim('a Pod with its nodeName and without hostNetwork is unschedulable'), async () => {
    const { spec, status } = await plane.api.must('GET', `${PODS}/pinned`);
    const reasons = (status.conditions ?? []).map(({ reason }: any) => reason as string);
    return spec.nodeName === undefined && reasons.includes('Unschedulable');
  });

  await plane.api.must('DELETE', `${PODS}/pinned`);
  for (const object of [...policies, ...workloads]) {
    await plane.api.must('DELETE', await plane.api.pathOf(object));
  }
  await proof.eventually(claim('everything can be removed'), async () => {
    const left = await Promise.all(workloads.map(async (workload) => podsOf(plane, workload)));
    const made = await plane.api.send('POST', NODES, node('probe', pool.nodeSelector), { query: { dryRun: 'All' } });
    return left.flat().length === 0 && made.status === 201 && made.body.metadata.labels[label.key] === undefined;
  });
  await plane.nodes.delete('edge1');
  await plane.nodes.delete('marked');
  await plane.nodes.delete('loose');
}

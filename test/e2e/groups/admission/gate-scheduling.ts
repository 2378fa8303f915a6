import { type ControlPlaneProps } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { openYurtCrds } from '../../harness/openyurt.js';
import { fleet } from './fleet.js';
import { pod } from './pod-requests.js';
import { LABEL } from './requests.js';

export const WITH_SCHEDULER: ControlPlaneProps = { kubernetes: '1.36', scheduler: true };
const OPEN = 'open';
const NODE_CPU = 64;

function asking(name: string, namespace: string, cpu: number, spec: object = {}): any {
  const resources = { requests: { cpu: String(cpu) } };
  const body = pod({ ...spec, containers: [{ name: 'a', image: 'a', resources }] }, {}, name);
  return { ...body, metadata: { name, namespace } };
}

/** The gate with a real scheduler: Pods of closed namespaces do not wait for a node that they never get, and do not displace Pods there. */
export async function gateScheduling(proof: Proof): Promise<void> {
  await onControlPlane(WITH_SCHEDULER, proof, async (plane) => {
    const claim = (what: string): string => `namespaceGate, kube-scheduler 1.36: ${what}`;
    await plane.applyCrds(openYurtCrds('1.7', true));
    await plane.nodes.fake('edge', { [LABEL]: 'true' });
    await plane.nodes.fake('regular');
    await plane.apply([
      {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: OPEN, labels: { 'nodepool.openyurt.io/hostnetwork-pods': 'true' } },
      },
      { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' }, value: 1000 },
      // the scheduler prefers the edge node from now on
      asking('ballast', OPEN, NODE_CPU - 4, { nodeName: 'regular' }),
      ...fleet('1.36', { guarantees: { namespaceGate: true } }).policies,
    ]);
    const get = async (namespace: string, name: string): Promise<any> =>
      plane.api.must('GET', `/api/v1/namespaces/${namespace}/pods/${name}`);
    await proof.eventually(claim('the gate is in force'), async () => {
      const path = '/api/v1/namespaces/default/pods/probe/binding';
      const target = { apiVersion: 'v1', kind: 'Node', name: 'edge' };
      await plane.api.send('POST', '/api/v1/namespaces/default/pods', asking('probe', 'default', NODE_CPU * 2));
      const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'probe' }, target };
      return (await plane.api.send('POST', path, binding, { query: { dryRun: 'All' } })).status === 403;
    });
    await plane.apply([asking('plain', 'default', 1)]);
    await proof.eventually(
      claim('a Pod of a closed namespace gets the regular node, although the edge node is emptier'),
      async () => (await get('default', 'plain')).spec.nodeName === 'regular',
    );
    const names = Array.from({ length: 8 }, (_, index) => `edge-${index}`);
    await plane.apply(names.map((name) => asking(name, OPEN, NODE_CPU / 8)));
    await proof.eventually(claim('Pods of an open namespace fill the edge node'), async () => {
      const nodes = await Promise.all(names.map(async (name) => (await get(OPEN, name)).spec.nodeName as string));
      return nodes.every((node) => node === 'edge');
    });
    await plane.apply([asking('greedy', 'default', NODE_CPU, { priorityClassName: 'high' })]);
    await proof.eventually(
      claim('a Pod of a closed namespace with high priority is unschedulable'),
      async () =>
        (await get('default', 'greedy')).status.conditions?.some(({ reason }: any) => reason === 'Unschedulable') ===
        true,
    );
    await new Promise((done) => setTimeout(done, 3000));
    const { items } = await plane.api.must('GET', `/api/v1/namespaces/${OPEN}/pods`);
    const left = items.filter(
      ({ metadata, spec }: any) => spec.nodeName === 'edge' && metadata.deletionTimestamp === undefined,
    );
    proof.same(claim('it displaces no Pod of the edge node'), left.length, names.length);
  });
}

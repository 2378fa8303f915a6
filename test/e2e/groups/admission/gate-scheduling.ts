import { type ControlPlaneProps } from '../../harness/control-plane.js';
import { FakeKubelets } from '../../harness/fake-kubelets.js';
import type { Proof } from '../../harness/group.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { openYurtCrds } from '../../harness/openyurt.js';
import { fleet } from './fleet.js';
import { remove } from './options.js';
import { pod, requiredTerms } from './pod-requests.js';
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
    const { policies } = fleet('1.36', { guarantees: { namespaceGate: true } });
    await plane.apply([
      {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: OPEN, labels: { 'nodepool.openyurt.io/hostnetwork-pods': 'true' } },
      },
      { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' }, value: 1000 },
      { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'higher' }, value: 2000 },
      // the scheduler prefers the edge node from now on, and it is the only one where a Pod can be displaced
      asking('ballast', OPEN, NODE_CPU - 4, { nodeName: 'regular', priorityClassName: 'higher' }),
      ...policies,
    ]);
    const get = async (namespace: string, name: string): Promise<any> =>
      plane.api.must('GET', `/api/v1/namespaces/${namespace}/pods/${name}`);
    const termsOfNewPod = async (name: string): Promise<unknown> => {
      const path = '/api/v1/namespaces/default/pods';
      const made = await plane.api.send('POST', path, asking(name, 'default', 1), { query: { dryRun: 'All' } });
      return made.status < 300 ? requiredTerms(made.body.spec) : 'refused';
    };
    await proof.eventually(claim('the gate is in force'), async () => {
      const path = '/api/v1/namespaces/default/pods/probe/binding';
      const target = { apiVersion: 'v1', kind: 'Node', name: 'edge' };
      await plane.api.send('POST', '/api/v1/namespaces/default/pods', asking('probe', 'default', NODE_CPU * 2));
      const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'probe' }, target };
      const bound = await plane.api.send('POST', path, binding, { query: { dryRun: 'All' } });
      // an API server reads validating and mutating policies apart, each about once a second: the refusal alone says nothing about the affinity
      return bound.status === 403 && Array.isArray(await termsOfNewPod('probe-0'));
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
    const left = async (): Promise<number> => {
      const { items } = await plane.api.must('GET', `/api/v1/namespaces/${OPEN}/pods`);
      const runs = ({ metadata, spec }: any): boolean =>
        spec.nodeName === 'edge' && metadata.deletionTimestamp === undefined;
      return items.filter(runs).length;
    };
    proof.same(claim('it displaces no Pod of the edge node'), await left(), names.length);
    // the counter-example: without the affinity, and refused only when it is bound
    const name = 'edge-nodepools-namespace-gate';
    await plane.api.must('DELETE', '/api/v1/namespaces/default/pods/greedy');
    await remove(
      plane,
      policies.filter(({ metadata }: any) => metadata.name !== name),
    );
    await proof.eventually(
      claim('without its mutating policies a Pod gets no affinity'),
      async () => (await termsOfNewPod('probe-2')) === undefined,
    );
    const kubelets = new FakeKubelets(plane.api);
    try {
      await plane.apply([asking('greedier', 'default', NODE_CPU, { priorityClassName: 'high' })]);
      await proof.eventually(
        claim('then the same Pod displaces every Pod of the edge node'),
        async () => (await left()) === 0,
      );
      await new Promise((done) => setTimeout(done, 2000));
      proof.same(claim('and still never runs'), (await get('default', 'greedier')).spec.nodeName, undefined);
    } finally {
      await kubelets.stop();
    }
  });
}

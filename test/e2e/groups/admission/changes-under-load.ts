import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import { documents, shellOf } from '../../harness/kubectl.js';
import { fleet, type Tier } from './fleet.js';
import { excludedTerms, pod, requiredTerms } from './pod-requests.js';
import { ANNOTATION, dry } from './requests.js';

/** Pods of every kind that a check concerns. */
const PODS: readonly [what: string, namespace: string, body: any][] = [
  ['a Pod', 'default', pod({})],
  ['an annotated Pod', 'default', pod({}, { [ANNOTATION]: 'true' })],
  ['a Pod that names its node', 'default', pod({ nodeName: 'outside' })],
  ['a Pod of kube-system', 'kube-system', pod({})],
];

/** Requests that wait for an answer at most, so that a slow machine is not overrun. */
const AT_ONCE = 4;

/** Creates the Pods in turn, one every 10 ms, until the returned function is called; it returns what was refused. */
function load(plane: ControlPlane): () => Promise<{ readonly sent: number; readonly refused: Map<string, number> }> {
  const refused = new Map<string, number>();
  const pending = new Set<Promise<void>>();
  let sent = 0;
  const one = async ([what, namespace, body]: (typeof PODS)[number]): Promise<void> => {
    const { metadata, ...rest } = body;
    const { status, body: answer } = await plane.api.send(
      'POST',
      `/api/v1/namespaces/${namespace}/pods`,
      { ...rest, metadata: { ...metadata, namespace } },
      dry(),
    );
    if (status !== 201) {
      const told = `${what}: ${status} ${answer.message}`;
      refused.set(told, (refused.get(told) ?? 0) + 1);
    }
  };
  const timer = setInterval(() => {
    if (pending.size >= AT_ONCE) {
      return;
    }
    const request = one(PODS[sent++ % PODS.length] as (typeof PODS)[number]);
    pending.add(request);
    void request.then(() => pending.delete(request));
  }, 10);
  return async () => {
    clearInterval(timer);
    await Promise.all(pending);
    return { sent, refused };
  };
}

/** kubectl beside the requests, which a synchronous one would stop. */
function kubectl(plane: ControlPlane, verb: 'apply' | 'delete', objects: readonly any[]): Promise<number | null> {
  const file = join(plane.folder, `${verb}.json`);
  writeFileSync(file, documents(objects));
  return new Promise((done, fail) => {
    spawn('kubectl', [verb, '-f', file], { env: shellOf(plane), stdio: 'ignore' })
      .on('error', fail)
      .on('close', done);
  });
}

const idOf = ({ kind, metadata }: any): string => `${kind} ${metadata.name}`;

/**
 * Policies are applied, switched and deleted as a user does it, in the order of the file, while Pods are created: nothing is refused. E2E_CHANGES sets how often,
 * once by default.
 */
export async function changesUnderLoad(plane: ControlPlane, tier: Tier, name: string, proof: Proof): Promise<void> {
  const of = (guarantees: object): any[] => fleet(tier.kubernetes, { ...tier.props, guarantees }).policies;
  const forms = { defaults: of({}), strict: of({ strict: true }), gate: of({ strict: true, namespaceGate: true }) };
  const isExcluded = async (): Promise<boolean> => {
    const { body } = await plane.api.send('POST', '/api/v1/namespaces/default/pods', pod({}), dry());
    return JSON.stringify(requiredTerms(body.spec)) === JSON.stringify(excludedTerms(undefined));
  };
  const settled = (): Promise<unknown> => new Promise((done) => setTimeout(done, 2500));
  const refusals: string[] = [];
  let requests = 0;
  const during = async (what: string, change: () => Promise<unknown>): Promise<void> => {
    const stop = load(plane);
    await change();
    await settled();
    const { sent, refused } = await stop();
    requests += sent;
    refused.forEach((count, told) => refusals.push(`${what}: ${count} times ${told}`));
  };
  const switched = async (from: readonly any[], to: readonly any[]): Promise<void> => {
    await kubectl(plane, 'apply', to);
    const kept = new Set(to.map(idOf));
    const left = from.filter((object) => !kept.has(idOf(object)));
    await (left.length === 0 ? undefined : kubectl(plane, 'delete', left));
  };
  for (let round = 0; round < Number(process.env.E2E_CHANGES ?? 1); round++) {
    const { defaults, strict, gate } = forms;
    await during('the defaults are applied', () => kubectl(plane, 'apply', defaults));
    await during('strict is switched on', () => switched(defaults, strict));
    await proof.eventually(`Kubernetes ${name}: strict is in effect, round ${round}`, isExcluded);
    await during('the gate is switched on', () => switched(strict, gate));
    await during('the gate is switched off', () => switched(gate, strict));
    await during('strict is switched off', () => switched(strict, defaults));
    await during('all are deleted in the order of the file', () => kubectl(plane, 'delete', defaults));
    await during('strict is applied', () => kubectl(plane, 'apply', strict));
    await during('only the binding of the mutation is deleted', () =>
      kubectl(
        plane,
        'delete',
        strict.filter((object) => idOf(object) === 'MutatingAdmissionPolicyBinding edge-nodepools-pods-strict'),
      ),
    );
    await during('the rest is deleted', () =>
      kubectl(
        plane,
        'delete',
        strict.filter((object) => idOf(object) !== 'MutatingAdmissionPolicyBinding edge-nodepools-pods-strict'),
      ),
    );
  }
  proof.note(`Kubernetes ${name}: ${requests} Pods were created while policies changed`);
  proof.same(`Kubernetes ${name}: no Pod is refused while policies are applied, switched and deleted`, refusals, []);
}

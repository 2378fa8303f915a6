import { readFileSync } from 'node:fs';
import type { PoolGuarantee } from 'edge-nodepools';
import type { ApiAnswer, ApiOptions } from '../../harness/api-client.js';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import { fleet, inForce, type Tier } from './fleet.js';
import { EXCLUSION, excludedTerms, isNoMirror, manyTolerations, pod, requiredTerms, saysMost } from './pod-requests.js';
import { allowed, ANNOTATION, dry, gives, LABEL, MEMBERSHIP, MERGE, refused } from './requests.js';

const GROUP = `it's "break-glass" \\ {{group}}`;

const OPT_INS: readonly PoolGuarantee[] = ['strict', 'hostNetworkToleration'];
const BY_NODES: readonly PoolGuarantee[] = ['refusePresetNodeName', 'namespaceGate'];

/** Deletes policies in the right order: a policy without a binding has no effect. */
export async function remove(plane: ControlPlane, objects: readonly any[]): Promise<void> {
  for (const object of [...objects].reverse()) {
    await plane.api.must('DELETE', await plane.api.pathOf(object));
  }
}

interface Claim {
  readonly what: string;
  readonly send: () => Promise<ApiAnswer>;
  readonly wrong: (answer: ApiAnswer) => string | undefined;
}

/** Everything that is off by default, with other names, next to an installation with the defaults. */
export async function options(plane: ControlPlane, tier: Tier, defaults: readonly any[], proof: Proof): Promise<void> {
  const { kubernetes, mutates } = tier;
  const name = `Kubernetes ${kubernetes}${tier.props.mutatingAdmissionPolicy === undefined ? '' : ' with v1beta1'}: options`;
  await remove(plane, defaults);
  await plane.nodes.fake('outside');
  await plane.ensureNamespace('excluded');
  await plane.apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'gated', labels: { 'edge.example/may': 'true' } } },
    ...['default', 'gated', 'excluded'].map((namespace) => ({
      ...pod({ hostNetwork: true }, {}, 'waiting'),
      metadata: { name: 'waiting', namespace },
    })),
  ]);
  const on = [...(mutates ? OPT_INS : []), ...BY_NODES];
  const { policies } = fleet(kubernetes, {
    ...tier.props,
    namePrefix: 'second',
    guarantees: {
      ...Object.fromEntries(on.map((guarantee) => [guarantee, true])),
      frozenNodeLabels: { validationActions: ['Warn', 'Audit'] },
    },
    otherPools: ['elsewhere'],
    breakGlassGroups: ['absent-group', GROUP],
    excludedNamespaces: ['excluded'],
    namespaceGateLabel: 'edge.example/may',
  });
  await plane.apply(policies);
  const claims = [...(mutates ? mutating(plane) : []), ...validating(plane, mutates), ...breakGlass(plane)];
  // the last policy is in effect when every claim holds for the first time; from then on all must
  for (const { what, send, wrong } of claims) {
    let fault: string | undefined;
    for (let attempt = 0; attempt < 50; attempt++) {
      fault = wrong(await send());
      if (fault === undefined) {
        break;
      }
      await new Promise((done) => setTimeout(done, 200));
    }
    proof.that(`${name}: ${what}`, fault === undefined, fault);
  }
  const entry = (line: string): boolean =>
    line.includes(`"second-frozen-node-labels/break-glass":"${LABEL}: \\"true\\" to \\"\\"`) &&
    line.includes('"alice"');
  await proof.eventually(`${name}: a label that a break-glass group removes is in the audit log`, () =>
    Promise.resolve(readFileSync(plane.auditLog, 'utf8').split('\n').some(entry)),
  );
  await together(plane, defaults, mutates, name, proof);
  await remove(plane, [...defaults, ...policies]);
}

const post = (plane: ControlPlane, path: string, body: any, sent: ApiOptions = {}): (() => Promise<ApiAnswer>) => {
  return () => plane.api.send('POST', path, body, dry(sent));
};

const createPod = (
  plane: ControlPlane,
  body: any,
  namespace = 'default',
  sent: ApiOptions = {},
): (() => Promise<ApiAnswer>) =>
  post(plane, `/api/v1/namespaces/${namespace}/pods`, { ...body, metadata: { ...body.metadata, namespace } }, sent);

function daemonSet(spec: object): any {
  const labels = { app: 'a' };
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'new' },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod(spec).spec } },
  };
}

function mutating(plane: ControlPlane): Claim[] {
  const daemonSets = '/apis/apps/v1/namespaces/default/daemonsets';
  const tolerates = (podSpec: any): number =>
    (podSpec.tolerations ?? []).filter(({ key }: any) => key === LABEL).length;
  const ofPod = gives((made) => [requiredTerms(made.spec), tolerates(made.spec)], [excludedTerms(undefined), 0]);
  const ofHostNetworkPod = gives((made) => [requiredTerms(made.spec), tolerates(made.spec)], [undefined, 1]);
  const template = ({ spec }: any): unknown[] => [requiredTerms(spec.template.spec), tolerates(spec.template.spec)];
  const registers = (pool: string, expected: unknown): Claim => ({
    what: `a node of the pool ${pool}, by the list`,
    send: post(plane, '/api/v1/nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'new', labels: { [MEMBERSHIP]: pool } },
    }),
    wrong: gives((node) => node.metadata.labels[LABEL], expected),
  });
  return [
    registers('hz', 'true'),
    registers('elsewhere', 'true'),
    registers('regular', undefined),
    registers('never-created', undefined),
    { what: 'strict: a pod-network Pod', send: createPod(plane, pod({})), wrong: ofPod },
    { what: 'strict: an annotated Pod, once', send: createPod(plane, pod({}, { [ANNOTATION]: 'true' })), wrong: ofPod },
    {
      what: 'toleration: a hostNetwork Pod, in a namespace with the label',
      send: createPod(plane, pod({ hostNetwork: true }), 'gated'),
      wrong: ofHostNetworkPod,
    },
    {
      what: 'toleration: a hostNetwork Pod with 12,000 of its own',
      send: createPod(plane, pod({ hostNetwork: true, tolerations: manyTolerations(12_000) })),
      wrong: saysMost('at most 100 tolerations'),
    },
    {
      what: 'toleration: a hostNetwork Pod with 100 of its own',
      send: createPod(plane, pod({ hostNetwork: true, tolerations: manyTolerations(100) })),
      wrong: gives((made) => tolerates(made.spec), 1),
    },
    {
      what: 'toleration: beside others, once',
      send: createPod(plane, pod({ hostNetwork: true, tolerations: [{ key: 'a', operator: 'Exists' }] })),
      wrong: gives((made) => [made.spec.tolerations[0], tolerates(made.spec)], [{ key: 'a', operator: 'Exists' }, 1]),
    },
    {
      what: 'toleration: a Pod that tolerates everything',
      send: createPod(plane, pod({ hostNetwork: true, tolerations: [{ operator: 'Exists' }] })),
      wrong: gives((made) => tolerates(made.spec), 0),
    },
    {
      what: 'strict: a pod-network DaemonSet',
      send: post(plane, daemonSets, daemonSet({})),
      wrong: gives(template, [excludedTerms(undefined), 0]),
    },
    {
      what: 'toleration: a hostNetwork DaemonSet',
      send: post(plane, daemonSets.replace('default', 'gated'), daemonSet({ hostNetwork: true })),
      wrong: gives(template, [undefined, 1]),
    },
    // the gate: every Pod of other namespaces is kept off, whatever its network
    {
      what: 'gate: a hostNetwork Pod of a namespace without the label',
      send: createPod(plane, pod({ hostNetwork: true })),
      wrong: gives((made) => [requiredTerms(made.spec), tolerates(made.spec)], [excludedTerms(undefined), 1]),
    },
    {
      what: 'gate: a hostNetwork DaemonSet of such a namespace',
      send: post(plane, daemonSets, daemonSet({ hostNetwork: true })),
      wrong: gives(template, [excludedTerms(undefined), 1]),
    },
    {
      what: 'gate: an agent of kube-system may run everywhere',
      send: createPod(plane, pod({ hostNetwork: true }), 'kube-system'),
      wrong: ofHostNetworkPod,
    },
    {
      what: 'gate: so may its DaemonSet',
      send: post(plane, daemonSets.replace('default', 'kube-system'), daemonSet({ hostNetwork: true })),
      wrong: gives(template, [undefined, 1]),
    },
    {
      what: 'gate: another Pod of kube-system is kept off',
      send: createPod(plane, pod({}), 'kube-system'),
      wrong: gives((made) => requiredTerms(made.spec), excludedTerms(undefined)),
    },
    {
      what: 'gate: a hostNetwork Pod of a closed namespace that names a node is left to the scheduler',
      send: createPod(plane, pod({ hostNetwork: true, nodeName: 'member' })),
      wrong: gives(
        (made) => [made.spec.nodeName, requiredTerms(made.spec)?.[0].matchFields?.[0].values],
        [undefined, ['member']],
      ),
    },
    {
      what: 'strict: nothing in an excluded namespace',
      send: createPod(plane, pod({}, { [ANNOTATION]: 'true' }), 'excluded'),
      wrong: gives((made) => requiredTerms(made.spec), undefined),
    },
  ];
}

function validating(plane: ControlPlane, mutates: boolean): Claim[] {
  const names = (nodeName: string, spec: object = {}): any => pod({ nodeName, ...spec });
  const binding = (node: string, namespace: string, older = false): Claim['send'] =>
    post(
      plane,
      older ? `/api/v1/namespaces/${namespace}/bindings` : `/api/v1/namespaces/${namespace}/pods/waiting/binding`,
      {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'waiting', namespace },
        target: { apiVersion: 'v1', kind: 'Node', name: node },
      },
    );
  const gate = refused(403, 'namespace default has no label edge.example/may=true');
  const inNetwork = (node: string): any => names(node, { hostNetwork: true });
  const mirror = pod({ nodeName: 'member' }, { 'kubernetes.io/config.mirror': 'x' });
  return [
    {
      what: 'a pod-network Pod names a host-network node',
      send: createPod(plane, names('member'), 'gated'),
      wrong: refused(403, 'node member is in a host-network pool'),
    },
    { what: 'it does in an excluded namespace', send: createPod(plane, names('member'), 'excluded'), wrong: allowed },
    {
      what: 'a hostNetwork Pod names it, in a namespace with the label',
      send: createPod(plane, inNetwork('member'), 'gated'),
      wrong: allowed,
    },
    {
      what: 'a hostNetwork Pod names it, in one without',
      send: createPod(plane, inNetwork('member')),
      wrong: mutates ? gives((made) => made.spec.nodeName, undefined) : gate,
    },
    {
      what: 'the same in an excluded namespace',
      send: createPod(plane, inNetwork('member'), 'excluded'),
      wrong: allowed,
    },
    { what: 'a hostNetwork Pod names another node', send: createPod(plane, inNetwork('outside')), wrong: allowed },
    {
      what: 'a hostNetwork Pod names a node that is not there',
      send: createPod(plane, inNetwork('nowhere')),
      wrong: allowed,
    },
    {
      what: 'a Pod that says it mirrors a static one',
      send: createPod(plane, mirror),
      wrong: mutates ? isNoMirror : refused(403, 'node member is in a host-network pool'),
    },
    {
      what: 'the mirror of a static Pod, by the kubelet',
      send: async () => (await mirrorByKubelet(plane))(),
      wrong: gives((made) => made.spec.nodeName, 'edge1'),
    },
    { what: 'a pod-network Pod names another node', send: createPod(plane, names('outside')), wrong: allowed },
    { what: 'a pod-network Pod names no node', send: createPod(plane, pod({})), wrong: allowed },
    { what: 'a binding to a host-network node', send: binding('member', 'default'), wrong: gate },
    { what: 'the same under its older address', send: binding('member', 'default', true), wrong: gate },
    { what: 'a binding to another node', send: binding('outside', 'default'), wrong: allowed },
    { what: 'a binding from a namespace with the label', send: binding('member', 'gated'), wrong: allowed },
    { what: 'a binding from an excluded namespace', send: binding('member', 'excluded'), wrong: allowed },
    {
      what: 'Warn: the removal of the label is allowed, with a warning',
      send: () =>
        plane.api.send(
          'PATCH',
          '/api/v1/nodes/free',
          { metadata: { labels: { [LABEL]: null } } },
          dry({ contentType: MERGE }),
        ),
      wrong: (answer) =>
        allowed(answer) ??
        (answer.warnings.some((text) => text.includes('cannot be changed or removed'))
          ? undefined
          : 'without a warning'),
    },
  ];
}

async function mirrorByKubelet(plane: ControlPlane): Promise<() => Promise<ApiAnswer>> {
  const { metadata } = await plane.nodes.get('edge1');
  const mirror = pod({ nodeName: 'edge1' }, { 'kubernetes.io/config.mirror': 'x' });
  mirror.metadata.ownerReferences = [
    { apiVersion: 'v1', kind: 'Node', name: 'edge1', uid: metadata.uid, controller: true },
  ];
  return createPod(plane, mirror, 'default', { token: 'node-token' });
}

function breakGlass(plane: ControlPlane): Claim[] {
  const change =
    (groups: string[]): (() => Promise<ApiAnswer>) =>
    () =>
      plane.api.send(
        'PATCH',
        '/apis/apps.openyurt.io/v1beta2/nodepools/hz',
        { spec: { hostNetwork: false } },
        dry({
          contentType: MERGE,
          impersonate: { user: 'alice', groups },
        }),
      );
  return [
    { what: 'no group', send: change(['system:authenticated']), wrong: refused(403, 'spec.hostNetwork is immutable') },
    {
      what: 'a group of a similar name',
      send: change([GROUP.slice(0, -1)]),
      wrong: refused(403, 'spec.hostNetwork is immutable'),
    },
    { what: 'a break-glass group', send: change([GROUP]), wrong: allowed },
    {
      what: 'a break-glass group removes the label of a node',
      send: () =>
        plane.api.send(
          'PATCH',
          '/api/v1/nodes/free',
          { metadata: { labels: { [LABEL]: null } } },
          dry({ contentType: MERGE, impersonate: { user: 'alice', groups: [GROUP] } }),
        ),
      wrong: (answer) =>
        gives((node) => node.metadata.labels[LABEL], undefined)(answer) ??
        (answer.warnings.length === 0 ? undefined : answer.warnings.join()),
    },
  ];
}

/** Two installations have the same effect as one. */
async function together(
  plane: ControlPlane,
  defaults: readonly any[],
  mutates: boolean,
  name: string,
  proof: Proof,
): Promise<void> {
  await plane.apply(defaults);
  await inForce(plane, mutates, proof);
  const terms = [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }];
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } };
  const { body } = await createPod(plane, pod({ affinity }, { [ANNOTATION]: 'true' }))();
  const expected = mutates ? [{ matchExpressions: [{ key: 'a', operator: 'Exists' }, EXCLUSION] }] : terms;
  proof.same(`${name}: two installations add the requirement once`, requiredTerms(body.spec), expected);
}

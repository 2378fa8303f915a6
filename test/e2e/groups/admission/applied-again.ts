import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type ControlPlane, toolsOf } from '../../harness/control-plane.js';
import type { Group, Proof } from '../../harness/group.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { openYurtCrds } from '../../harness/openyurt.js';
import { before } from './admission.js';
import { fleet, type Tier, TIERS } from './fleet.js';
import { remove } from './options.js';
import { affinities, affinityOf, manyTolerations, pod, requiredTerms } from './pod-requests.js';
import { ANNOTATION, LABEL } from './requests.js';

const WAYS = {
  'client-side': ['apply'],
  'server-side': ['apply', '--server-side'],
} as const;

/** What a manifest of a bare Pod can contain that a policy changes. */
function forms(): { readonly what: string; readonly spec: object; readonly annotated: boolean }[] {
  const tolerations = [{ key: 'dedicated', operator: 'Equal', value: 'x', effect: 'NoSchedule' }];
  const nodes = {
    'no node': {},
    'a regular node': { nodeName: 'outside' },
    'a host-network node': { nodeName: 'member' },
    'a node that does not exist': { nodeName: 'absent' },
    'a regular node and another scheduler': { nodeName: 'outside', schedulerName: 'other' },
  };
  const settings = [
    ...affinities().map(({ name, affinity }) => ({ name, spec: { affinity } })),
    { name: 'no affinity', spec: {} },
    { name: 'its own tolerations', spec: { tolerations } },
    { name: 'the toleration of everything', spec: { tolerations: [{ operator: 'Exists', effect: 'NoSchedule' }] } },
    { name: 'the host network', spec: { hostNetwork: true } },
    { name: 'the host network and its own tolerations', spec: { hostNetwork: true, tolerations } },
  ];
  const crowded = [100, 102].map((count) => ({
    name: `${count} tolerations`,
    spec: { tolerations: manyTolerations(count) },
  }));
  return Object.entries(nodes).flatMap(([node, named]) =>
    [...settings, ...(node === 'a regular node' ? crowded : [])].flatMap(({ name, spec }) =>
      [false, true].map((annotated) => ({
        what: `${node}, ${name}${annotated ? ', annotated' : ''}`,
        spec: { ...spec, ...named },
        annotated,
      })),
    ),
  );
}

/** Pods of every form are applied twice, and once more when they run: nothing is refused, and nothing of the Pod changes. */
async function prove(plane: ControlPlane, tier: Tier, proof: Proof): Promise<void> {
  const name = tier.kubernetes;
  for (const [mode, guarantees] of [
    ['defaults', {}],
    ['strict and toleration', { strict: true, hostNetworkToleration: true }],
    ['gate', { namespaceGate: true }],
  ] as const) {
    // what is not changed is only refused: the gate refuses some of these Pods. The modes take minutes: E2E_ALL_MODES=1 proves them by hand
    if (mode !== 'defaults' && !(tier.mutates && process.env.E2E_ALL_MODES !== undefined)) {
      continue;
    }
    const { policies } = fleet(tier.kubernetes, { ...tier.props, guarantees });
    await plane.apply(policies);
    await new Promise((done) => setTimeout(done, 2500));
    for (const [way, args] of Object.entries(WAYS)) {
      const pods = forms().map(({ what, spec, annotated }, index) => ({
        what,
        manifest: pod(spec, annotated ? { [ANNOTATION]: 'true' } : {}, `again-${index}`),
      }));
      const file = join(plane.folder, 'again.json');
      writeFileSync(
        file,
        JSON.stringify({ apiVersion: 'v1', kind: 'List', items: pods.map(({ manifest }) => manifest) }),
      );
      const apply = (): ReturnType<ControlPlane['kubectl']> => plane.kubectl([...args, '-f', file]);
      const stored = async (): Promise<Map<string, any>> => {
        const { items } = await plane.api.must('GET', '/api/v1/namespaces/default/pods');
        return new Map(items.map(({ metadata, spec }: any) => [metadata.name, spec]));
      };
      const created = apply();
      const first = await stored();
      const again = apply();
      const second = await stored();
      const told = `Kubernetes ${name}, ${mode}, ${way}`;
      proof.same(`${told}: ${pods.length} forms of Pods can be created`, created.stderr, '');
      proof.same(`${told}: and applied again`, again.stderr, '');
      const changed = pods.filter(
        ({ manifest }) => !isDeepStrictEqual(first.get(manifest.metadata.name), second.get(manifest.metadata.name)),
      );
      proof.same(
        `${told}: which changes none of them`,
        changed.map(({ what, manifest }) => ({
          what,
          first: first.get(manifest.metadata.name),
          second: second.get(manifest.metadata.name),
        })),
        [],
      );
      // bound, as by the scheduler
      for (const { manifest } of pods) {
        const { name: podName } = manifest.metadata;
        // Pods for a host-network node, or one that does not exist, stay Pending
        if (
          first.has(podName) &&
          first.get(podName).nodeName === undefined &&
          [undefined, 'outside'].includes(manifest.spec.nodeName)
        ) {
          await plane.api.must('POST', `/api/v1/namespaces/default/pods/${podName}/binding`, {
            apiVersion: 'v1',
            kind: 'Binding',
            metadata: { name: podName },
            target: { apiVersion: 'v1', kind: 'Node', name: 'outside' },
          });
        }
      }
      proof.same(`${told}: and a third time, when they have a node`, apply().stderr, '');
      if (tier.mutates && mode === 'defaults') {
        await laterChanges(plane, args, told, proof);
        const excluded = fleet(tier.kubernetes, { ...tier.props, excludedNamespaces: ['default'] });
        await plane.apply(excluded.policies);
        await new Promise((done) => setTimeout(done, 2500));
        proof.same(`${told}: and when their namespace has been excluded since`, apply().stderr, '');
        await plane.apply(policies);
        await new Promise((done) => setTimeout(done, 2500));
      }
      const changes = pods.find(({ what }) => what.startsWith('no node, its own tolerations'));
      writeFileSync(
        file,
        JSON.stringify({ ...changes?.manifest, spec: { ...changes?.manifest.spec, hostname: 'changed' } }),
      );
      proof.that(`${told}: another change of the Pod is refused as ever`, /Forbidden|immutable/.test(apply().stderr));
      await plane.api.must(
        'DELETE',
        '/api/v1/namespaces/default/pods',
        { gracePeriodSeconds: 0 },
        { query: { gracePeriodSeconds: '0' } },
      );
      await proof.eventually(`${told}: the Pods are gone`, async () => (await stored()).size === 0);
    }
    await remove(plane, policies);
  }
}

/** What may change in a Pod that was changed at its creation, and what may not. */
async function laterChanges(plane: ControlPlane, way: readonly string[], told: string, proof: Proof): Promise<void> {
  const apply = (name: string, spec: object): string => {
    const file = join(plane.folder, 'change.json');
    writeFileSync(file, JSON.stringify(pod(spec, { [ANNOTATION]: 'true' }, name)));
    return plane.kubectl([...way, '-f', file]).stderr;
  };
  const expression = (key: string): object => ({ key, operator: 'Exists' });
  const gated = (...keys: string[]): object => ({
    schedulingGates: [{ name: 'example.com/wait' }],
    ...affinityOf([{ matchExpressions: keys.map(expression) }]),
  });
  const keysOf = async (): Promise<unknown> => {
    const { spec } = await plane.api.must('GET', '/api/v1/namespaces/default/pods/gated');
    return requiredTerms(spec)?.[0].matchExpressions.map(({ key }: any) => key);
  };
  proof.same(`${told}: a Pod with a scheduling gate can be created`, apply('gated', gated('a')), '');
  proof.same(`${told}: and tightened`, apply('gated', gated('a', 'b')), '');
  proof.same(`${told}: with what keeps it off where it was`, await keysOf(), ['a', LABEL, 'b']);
  proof.same(`${told}: and applied again`, apply('gated', gated('a', 'b')), '');
  proof.same(`${told}: a Pod that names its node can be created`, apply('pinned', { nodeName: 'absent' }), '');
  proof.that(
    `${told}: another node is refused, not dropped`,
    /Forbidden|immutable/.test(apply('pinned', { nodeName: 'member' })),
  );
}

// each takes minutes, so the others, which have the same policies or none that changes Pods, are run by hand
const EVERY = process.env.E2E_ALL_MODES !== undefined;
const SERVERS = TIERS.filter(({ kubernetes, mutates }) =>
  EVERY ? mutates || kubernetes === '1.30' : mutates && kubernetes !== '1.37',
);

export const podsAppliedAgain: Group = {
  name: 'pods-applied-again',
  claim:
    'a bare Pod of every form that the policies change (node, affinity, tolerations, scheduler, annotation) can be applied a second and a third time, client-side and server-side, and does not change; another change is refused as ever',
  programs:
    'kube-apiserver 1.34 (with MutatingAdmissionPolicy v1beta1) and 1.36, by hand also 1.30 and 1.37; kubectl 1.36',
  tools: SERVERS.flatMap(({ kubernetes }) => toolsOf({ kubernetes })),
  run: async (proof) => {
    for (const tier of SERVERS) {
      await onControlPlane({ kubernetes: tier.kubernetes, ...tier.plane }, proof, async (plane) => {
        await plane.applyCrds(openYurtCrds('1.7', true));
        await before(plane);
        await plane.nodes.fake('outside');
        await prove(plane, tier, proof);
      });
    }
  },
};

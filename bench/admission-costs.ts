import type { ControlPlane } from '../test/e2e/harness/control-plane.js';
import {
  ANNOTATED,
  createPod,
  deletePods,
  type Form,
  heartbeat,
  measured,
  ms,
  REALISTIC,
  target,
  type Variant,
} from './admission-requests.js';

const FOREIGN = 200;
export const POD_ROUNDS = 250;

/**
 * What each stored request may cost with our policies, as a multiple of the same request without any, by the CPU time of the API server; `unchecked` without
 * checkPods, `labelled` in a cluster with labelsExcludedPods.
 */
const COSTS = {
  'realistic Pod': { policies: 1.25, unchecked: 1.1, labelled: 1.03 },
  'bare Pod': { policies: 1.25, unchecked: 1.1, labelled: 1.03 },
  'annotated realistic Pod': { policies: 1.9, unchecked: 1.9, labelled: 1.03 },
  'heartbeat of a Node': { policies: 1.2, unchecked: 1.2, labelled: 1.2 },
} as const;

const OURS = ['policies', 'unchecked', 'labelled'] as const;
const isOurs = (variant: Variant): variant is (typeof OURS)[number] => (OURS as readonly Variant[]).includes(variant);

/**
 * The requests that a cluster has most, with our policies and without, in turn. The bound is measured twice: how far it is from itself is the noise. A dry
 * run is shown beside it, and `false` is two policies whose only condition is `false`: what the API server itself takes for two policies.
 */
async function costs(plane: ControlPlane, foreign: number, form: Form, webhooks: boolean): Promise<object[]> {
  const requests = {
    'realistic Pod': (variant: Variant) => createPod(plane, variant, {}, form, REALISTIC),
    'bare Pod': (variant: Variant) => createPod(plane, variant, {}, form),
    'annotated realistic Pod': (variant: Variant) => createPod(plane, variant, ANNOTATED, form, REALISTIC),
    'heartbeat of a Node': (variant: Variant) => heartbeat(plane, isOurs(variant) ? 'listed' : variant, form),
  };
  const variants: readonly Variant[] = [
    'nothing',
    'policies',
    'unchecked',
    'labelled',
    ...(webhooks ? (['webhooks'] as const) : []),
    'false',
  ];
  const rows: object[] = [];
  for (const [request, most] of Object.entries(COSTS) as [keyof typeof COSTS, (typeof COSTS)[keyof typeof COSTS]][]) {
    const of = requests[request];
    // nothing concerns a heartbeat in the other namespaces
    const measurable = variants.filter((variant) => request !== 'heartbeat of a Node' || variant !== 'false');
    const all = await measured(plane, POD_ROUNDS, {
      ...Object.fromEntries(measurable.map((variant) => [variant, of(variant)])),
      again: of('nothing'),
    } as Record<Variant | 'again', () => Promise<unknown>>);
    const bound = (all.nothing.cpu + all.again.cpu) / 2;
    const timeBound = (all.nothing.time + all.again.time) / 2;
    for (const variant of OURS) {
      const ratio = all[variant].cpu / bound;
      if (form === 'stored') {
        const claim = `${foreign} foreign policies: ${request}, ${variant} <= ${most[variant]}x nothing`;
        target(claim, `${ratio.toFixed(2)}x`, ratio <= most[variant]);
      }
    }
    rows.push({
      'foreign policies': foreign,
      request: `${request}, ${form}`,
      'CPU, ms': ms(bound),
      ...Object.fromEntries(
        measurable
          .slice(1)
          .map((variant) => [
            variant,
            `${(all[variant].cpu / bound).toFixed(2)} (${(all[variant].time / timeBound).toFixed(2)})`,
          ]),
      ),
      noise: (all.again.cpu / all.nothing.cpu).toFixed(2),
    });
    for (const variant of measurable) {
      await deletePods(plane, variant);
    }
  }
  return rows;
}

/** Two policies for Pods of one namespace whose condition no Pod meets. */
function neverMet(objects: readonly any[]): any[] {
  return objects
    .filter(({ metadata }) => /-pods(-check)?$/.test(metadata.name as string))
    .map(({ metadata, spec, ...rest }) => ({
      ...rest,
      metadata: { name: `false-${metadata.name}` },
      spec: {
        ...spec,
        ...('matchConditions' in spec
          ? { matchConditions: [{ name: 'never', expression: 'false' }] }
          : {
              policyName: `false-${spec.policyName}`,
              matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'false' } } },
            }),
      },
    }));
}

/** Costs of our policies without and with policies of others, which are removed again. */
export async function allCosts(plane: ControlPlane, ours: readonly any[], webhooks: boolean): Promise<void> {
  const both = async (count: number): Promise<object[]> => [
    ...(await costs(plane, count, 'stored', webhooks)),
    ...(await costs(plane, count, 'dry run', webhooks)),
  ];
  await plane.ensureNamespace('false');
  await plane.apply(neverMet(ours));
  const rows = await both(0);
  const foreign = foreignPolicies(FOREIGN);
  await plane.apply(foreign);
  await new Promise((done) => setTimeout(done, 5000));
  rows.push(...(await both(FOREIGN)));
  for (const object of [...foreign].reverse()) {
    await plane.api.must('DELETE', await plane.api.pathOf(object));
  }
  console.log(
    `\nOne request, ${POD_ROUNDS} of each: ratio to nothing by the CPU time of the API server (by the median until the answer); noise is nothing to itself`,
  );
  console.table(rows);
}

/** Policies of others, for another kind. */
function foreignPolicies(count: number): any[] {
  return Array.from({ length: count }, (_, index) => `foreign-${index}`).flatMap((name) => [
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name },
      spec: {
        matchConstraints: {
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['services'], operations: ['CREATE'] }],
        },
        validations: [{ expression: 'object.metadata.name != "x"' }],
      },
    },
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name },
      spec: { policyName: name, validationActions: ['Deny'] },
    },
  ]);
}

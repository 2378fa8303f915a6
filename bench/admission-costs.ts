import type { ControlPlane } from '../test/e2e/harness/control-plane.js';
import {
  ANNOTATED,
  createPod,
  deletePods,
  type Form,
  heartbeat,
  ms,
  target,
  timed,
  type Variant,
} from './admission-requests.js';

const FOREIGN = 200;
export const POD_ROUNDS = 250;

/** What each stored request may cost with our policies, as a multiple of the same request without any. */
const COSTS = { 'unconcerned Pod': 1.1, 'annotated Pod': 1.7, 'heartbeat of a Node': 1.2 } as const;

/**
 * The requests that a cluster has most, with our policies and without, in turn. The bound is measured twice: how far it is from itself is the noise. A dry
 * run is shown beside it, and `false` is two policies whose only condition is `false`: what the API server itself takes for two policies.
 */
async function costs(plane: ControlPlane, foreign: number, form: Form): Promise<object[]> {
  const requests = {
    'unconcerned Pod': (variant: Variant) => createPod(plane, variant, {}, form),
    'annotated Pod': (variant: Variant) => createPod(plane, variant, ANNOTATED, form),
    'heartbeat of a Node': (variant: Variant) => heartbeat(plane, variant === 'policies' ? 'listed' : 'nothing', form),
  };
  const rows: object[] = [];
  for (const [request, most] of Object.entries(COSTS) as [keyof typeof COSTS, number][]) {
    const of = requests[request];
    const t = await timed(POD_ROUNDS, {
      nothing: of('nothing'),
      policies: of('policies'),
      false: of('false'),
      again: of('nothing'),
    });
    const bound = (t.nothing + t.again) / 2;
    const ratio = t.policies / bound;
    if (form === 'stored') {
      target(`${foreign} foreign policies: ${request} <= ${most}x nothing`, `${ratio.toFixed(2)}x`, ratio <= most);
    }
    rows.push({
      'foreign policies': foreign,
      request: `${request}, ${form}`,
      nothing: ms(bound),
      policies: ms(t.policies),
      ratio: ratio.toFixed(2),
      noise: (t.again / t.nothing).toFixed(2),
      ...(request === 'unconcerned Pod' ? { false: (t.false / bound).toFixed(2) } : {}),
    });
    for (const variant of ['nothing', 'policies', 'false'] as const) {
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
export async function allCosts(plane: ControlPlane, ours: readonly any[]): Promise<void> {
  const both = async (count: number): Promise<object[]> => [
    ...(await costs(plane, count, 'stored')),
    ...(await costs(plane, count, 'dry run')),
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
  console.log(`\nOne request, median of ${POD_ROUNDS}, ms; ratio to nothing; noise is nothing to itself`);
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

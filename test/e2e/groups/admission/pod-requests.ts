import { isDeepStrictEqual } from 'node:util';
import { workloadShapes } from '../../../corpus/workload-shapes.js';
import type { ApiAnswer } from '../../harness/api-client.js';
import type { ControlPlane } from '../../harness/control-plane.js';
import { ANNOTATION, dry, gives, LABEL, type Request, type User } from './requests.js';

const PODS = '/api/v1/namespaces/default/pods';

export const EXCLUSION = { key: LABEL, operator: 'NotIn', values: ['true'] };

// a refusal has no spec, and gives none: policies are in effect one after the other
export const requiredTerms = (podSpec: any): any =>
  podSpec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;

/** Terms as OpenYurt's webhook writes them, except for empty ones, which do not change and match nothing. */
export function excludedTerms(terms: any[] | undefined): any[] {
  if (terms === undefined || terms.length === 0) {
    return [{ matchExpressions: [EXCLUSION] }];
  }
  return terms.map((term) => {
    const { matchExpressions = [], matchFields = [] } = term;
    const isEmpty = matchExpressions.length + matchFields.length === 0;
    const has = matchExpressions.some((expression: object) => isDeepStrictEqual(expression, EXCLUSION));
    return isEmpty || has ? term : { ...term, matchExpressions: [...matchExpressions, EXCLUSION] };
  });
}

/** The same terms, each for one node only. */
function onNode(terms: any[], node: string): any[] {
  const field = { key: 'metadata.name', operator: 'In', values: [node] };
  return terms.map((term) => {
    const { matchExpressions = [], matchFields = [] } = term;
    const isEmpty = matchExpressions.length + matchFields.length === 0;
    return isEmpty ? term : { ...term, matchFields: [...matchFields, field] };
  });
}

export function pod(spec: object, annotations: Record<string, string> = {}, name = 'new'): any {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', annotations },
    spec: { containers: [{ name: 'a', image: 'a' }], ...spec },
  };
}

/** The node affinities of the workload shapes that a Pod can have. */
export function affinities(): { name: string; affinity: any }[] {
  return workloadShapes
    .map(({ name, workload }: any) => ({ name, affinity: workload.spec?.template?.spec?.affinity }))
    .filter(({ affinity }) => affinity !== undefined);
}

/** A node affinity without terms is not changed, so that the API server says what is wrong. */
export function withoutTerms(request: (affinity: object) => Request): Request[] {
  return [null, undefined, []].map((nodeSelectorTerms) => {
    const sent = request({ nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } });
    return {
      ...sent,
      what: `${sent.what}, nodeSelectorTerms is ${JSON.stringify(nodeSelectorTerms)}`,
      wrong: ({ status, body }) =>
        status === 422 && /must have at least one node selector term/.test(body.message as string)
          ? undefined
          : `${status} ${body.message}`,
    };
  });
}

/** Many different terms. */
export const manyTerms = (count: number): any[] =>
  Array.from({ length: count }, (_, index) => ({
    matchExpressions: [{ key: 'a', operator: 'In', values: [`v${index}`] }],
  }));

const crowded = (terms: number, requirements: number): any[] =>
  Array.from({ length: terms }, () => ({
    matchExpressions: Array.from({ length: requirements }, (_, index) => ({
      key: 'a',
      operator: 'NotIn',
      values: [`v${index}`],
    })),
  }));

const manyValues = (key: string, count: number): any[] => [
  {
    matchExpressions: [
      { key, operator: 'NotIn', values: [...Array.from({ length: count - 1 }, (_, index) => `v${index}`), 'true'] },
    ],
  },
];

export const manyTolerations = (count: number): object[] =>
  Array.from({ length: count }, (_, index) => ({ key: `k${index}`, operator: 'Exists' }));

/** The refusal of a Pod with more items than CEL walks, which says how many it may have. */
export const saysMost =
  (text: string) =>
  ({ status, body }: ApiAnswer): string | undefined =>
    status === 403 && (body.message as string).includes(text) ? undefined : `${status} ${body.message}`;

export const affinityOf = (nodeSelectorTerms: any[]): object => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
});

/** The refusal of a forged mirror Pod. */
export const isNoMirror = ({ status, body }: ApiAnswer): string | undefined =>
  status === 422 && /must set spec.nodeName if mirror pod annotation is set/.test(body.message as string)
    ? undefined
    : `${status} ${body.message}`;

/** Creations of Pods. */
export async function podRequests(plane: ControlPlane, mutates: boolean): Promise<Request[]> {
  const edge1 = await plane.nodes.get('edge1');
  const mirror = pod({ nodeName: 'edge1' }, { 'kubernetes.io/config.mirror': 'x' });
  mirror.metadata.ownerReferences = [
    { apiVersion: 'v1', kind: 'Node', name: 'edge1', uid: edge1.metadata.uid, controller: true },
  ];
  const expected = (affinity: any, isExcluded: boolean): unknown =>
    mutates && isExcluded ? excludedTerms(requiredTerms({ affinity })) : requiredTerms({ affinity });
  const create = (what: string, user: User, body: any, terms: unknown): Request => ({
    what: `Pod: ${what}`,
    user,
    method: 'POST',
    path: PODS,
    body,
    options: dry(),
    wrong: gives((made) => requiredTerms(made.spec), terms),
  });
  const yes = { [ANNOTATION]: 'true' };
  // a Pod with nodeName is handed to the scheduler, for this node only
  const named = (what: string, nodeName: string, spec: any, annotations: Record<string, string>): Request => ({
    ...create(what, 'admin', pod({ nodeName, ...spec }, annotations), undefined),
    wrong: gives(
      (made) => [
        made.spec.nodeName,
        made.metadata.annotations?.[ANNOTATION],
        requiredTerms(made.spec),
        (made.spec.tolerations ?? []).some((one: any) => one.key === undefined && one.effect === 'NoSchedule'),
        (spec.tolerations ?? []).every(({ key }: any) => made.spec.tolerations?.some((one: any) => one.key === key)),
      ],
      mutates
        ? [undefined, 'true', onNode(excludedTerms(requiredTerms(spec)), nodeName), true, true]
        : [nodeName, annotations[ANNOTATION], requiredTerms(spec), false, true],
    ),
  });
  const tooMany = (what: string, terms: any[]): Request => ({
    ...create(`annotated, ${what}`, 'plain', pod(affinityOf(terms), yes), undefined),
    wrong: saysMost('at most 100 node selector terms'),
  });
  const ours = {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [EXCLUSION] }] },
      },
    },
  };
  return [
    ...affinities().flatMap(({ name, affinity }) => [
      create(`annotated, ${name}`, 'plain', pod({ affinity }, yes), expected(affinity, true)),
      create(`not annotated, ${name}`, 'plain', pod({ affinity }), expected(affinity, false)),
    ]),
    ...(mutates
      ? [
          create('annotated, 100 terms', 'plain', pod(affinityOf(manyTerms(100)), yes), excludedTerms(manyTerms(100))),
          create(
            'annotated, 100 terms with 1,000 requirements',
            'plain',
            pod(affinityOf(crowded(100, 10)), yes),
            excludedTerms(crowded(100, 10)),
          ),
          // also where they are more than the cost limit of CEL
          ...[101, 7000, 12_000].map((count) => tooMany(`${count} terms`, manyTerms(count))),
          ...[1001, 7000, 12_000].map((count) => tooMany(`${count} requirements`, crowded(1, count))),
          tooMany('100 terms with 1,100 requirements', crowded(100, 11)),
          // the values of a requirement of another label are not searched, and of ours only few
          create(
            'annotated, 10,000 values of another label',
            'plain',
            pod(affinityOf(manyValues('a', 10_000)), yes),
            excludedTerms(manyValues('a', 10_000)),
          ),
          create(
            'annotated, our label among 10,000 values',
            'plain',
            pod(affinityOf(manyValues(LABEL, 10_000)), yes),
            excludedTerms(manyValues(LABEL, 10_000)),
          ),
          {
            ...create('names its node, 12,000 tolerations', 'plain', pod({}), undefined),
            body: pod({ nodeName: 'free', tolerations: manyTolerations(12_000) }),
            wrong: saysMost('at most 100 tolerations'),
          },
          create('12,000 tolerations', 'plain', pod({ tolerations: manyTolerations(12_000) }), undefined),
          {
            ...create('names its node, 100 tolerations', 'plain', pod({}), undefined),
            body: pod({ nodeName: 'free', tolerations: manyTolerations(100) }),
            wrong: gives((made) => made.spec.nodeName, undefined),
          },
          create('not annotated, 7,000 terms', 'plain', pod(affinityOf(manyTerms(7000))), manyTerms(7000)),
          // only a kubelet creates mirror Pods: the API server refuses one without nodeName, which is removed as from any Pod
          {
            ...create('says that it mirrors a static Pod', 'plain', pod({}), undefined),
            body: pod({ nodeName: 'member' }, { 'kubernetes.io/config.mirror': 'x' }),
            wrong: isNoMirror,
          },
          {
            ...create('names its node, with a scheduling gate', 'plain', pod({}), undefined),
            body: pod({ nodeName: 'free', schedulingGates: [{ name: 'example.com/wait' }] }),
            wrong: ({ status, body }: ApiAnswer) =>
              status === 422 && /nodeName/.test(body.message as string) ? undefined : `${status} ${body.message}`,
          },
          {
            ...create('names its node, and a scheduler that may not exist', 'plain', pod({}), undefined),
            body: pod({ nodeName: 'free', schedulerName: 'other' }),
            wrong: gives((made) => made.spec.schedulerName, 'default-scheduler'),
          },
        ]
      : []),
    create('annotated, no affinity', 'plain', pod({}, yes), expected(undefined, true)),
    create('annotated with another value', 'plain', pod({}, { [ANNOTATION]: 'True' }), undefined),
    create('annotated, hostNetwork', 'admin', pod({ hostNetwork: true }, yes), expected(undefined, true)),
    create('annotated, the exclusion is there', 'plain', pod(ours, yes), requiredTerms(ours)),
    ...[
      named('names its node', 'member', {}, {}),
      named('names a node that is not there', 'nowhere', {}, {}),
      named('names its node, annotated, hostNetwork', 'member', { hostNetwork: true }, yes),
      named('names its node, with tolerations', 'member', { tolerations: [{ key: 'a', operator: 'Exists' }] }, {}),
      ...affinities().map(({ name, affinity }) => named(`names its node, ${name}`, 'member', { affinity }, {})),
    ],
    ...withoutTerms((affinity) => create('annotated', 'plain', pod({ affinity }, yes), undefined)),
    ...withoutTerms((affinity) => create('names its node', 'plain', pod({ nodeName: 'member', affinity }), undefined)),
    create('names its node, hostNetwork', 'admin', pod({ nodeName: 'member', hostNetwork: true }), undefined),
    create('the mirror of a static Pod', 'node', mirror, undefined),
    create(
      'the mirror of a static Pod, annotated, 7,000 terms',
      'node',
      {
        ...mirror,
        metadata: { ...mirror.metadata, annotations: { ...mirror.metadata.annotations, ...yes } },
        spec: { ...mirror.spec, ...affinityOf(manyTerms(7000)) },
      },
      manyTerms(7000),
    ),
    create('hostNetwork', 'plain', pod({ hostNetwork: true }), undefined),
  ];
}

import type { ApiAnswer } from '../../harness/api-client.js';
import type { ControlPlane } from '../../harness/control-plane.js';
import { affinities, excludedTerms, pod, requiredTerms, saysMost, withoutTerms } from './pod-requests.js';
import { allowed, ANNOTATION, dry, gives, LABEL, type Request, SSA } from './requests.js';

/** Writes of workloads whose template is annotated. `annotated` is a stored DaemonSet of this kind. */
export async function templateRequests(plane: ControlPlane, mutates: boolean): Promise<Request[]> {
  const path = '/apis/apps/v1/namespaces/default/daemonsets';
  // stored before the policies: any next write adds the affinity
  const stored = await plane.api.must(
    'PATCH',
    `${path}/annotated`,
    {},
    { contentType: 'application/merge-patch+json' },
  );
  const workload = (kind: string, annotations: object, podSpec: object = {}): any => ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'new', namespace: 'default' },
    spec: {
      selector: { matchLabels: { app: 'a' } },
      template: { metadata: { labels: { app: 'a' }, annotations }, spec: pod(podSpec).spec },
    },
  });
  const yes = { [ANNOTATION]: 'true' };
  const terms = (made: any): unknown => requiredTerms(made.spec.template.spec);
  const ours = mutates ? excludedTerms(undefined) : undefined;
  const without = structuredClone(stored);
  delete without.spec.template.spec.affinity;
  const create = (kind: string, annotations: object, expected: unknown): Request => ({
    what: `${kind} with ${JSON.stringify(annotations)} in its template`,
    user: 'plain',
    method: 'POST',
    path: path.replace('daemonsets', `${kind.toLowerCase()}s`),
    body: workload(kind, annotations),
    options: dry(),
    wrong: gives(terms, expected),
  });
  return [
    create('DaemonSet', yes, ours),
    create('DaemonSet', {}, undefined),
    create('Deployment', yes, undefined),
    ...withoutTerms((affinity) => ({
      ...create('DaemonSet', yes, undefined),
      body: workload('DaemonSet', yes, { affinity }),
    })),
    ...affinities().map(({ name, affinity }) => ({
      ...create('DaemonSet', yes, undefined),
      what: `DaemonSet, annotated, ${name}`,
      body: workload('DaemonSet', yes, { affinity }),
      wrong: (answer: ApiAnswer) =>
        allowed(answer) ??
        (mutates && !everyTermExcludes(answer.body) ? JSON.stringify(terms(answer.body)) : undefined),
    })),
    {
      what: 'DaemonSet: an update without the affinity changes nothing',
      user: 'admin',
      method: 'PUT',
      path: `${path}/annotated`,
      body: without,
      options: dry(),
      wrong: gives((made) => [terms(made), made.metadata.generation], [ours, mutates ? 2 : 1]),
    },
    // stored before the policies, with more terms than are judged
    ...(
      [
        ['a label', { metadata: { labels: { a: 'b' } } }, undefined],
        ['the same template', { spec: { minReadySeconds: 5 } }, undefined],
        [
          'another template',
          { spec: { template: { metadata: { labels: { b: 'c' } } } } },
          mutates ? 'at most 100' : undefined,
        ],
      ] as const
    ).map(([what, body, refusal]): Request => ({
      what: `DaemonSet with 101 terms: ${what}`,
      user: 'plain',
      method: 'PATCH',
      path: `${path}/crowded`,
      body,
      options: dry({ contentType: 'application/merge-patch+json' }),
      wrong: refusal === undefined ? allowed : saysMost(refusal),
    })),
    {
      what: 'DaemonSet with 101 terms: its deletion is finished',
      user: 'admin',
      method: 'PATCH',
      path: `${path}/deleted`,
      body: { metadata: { finalizers: null } },
      options: dry({ contentType: 'application/merge-patch+json' }),
      wrong: allowed,
    },
    {
      what: 'DaemonSet: a server-side apply without the affinity',
      user: 'plain',
      method: 'PATCH',
      path: `${path}/annotated`,
      body: { ...workload('DaemonSet', yes), metadata: { name: 'annotated', namespace: 'default' } },
      options: dry({ contentType: SSA, query: { fieldManager: 'another-manager', force: true } }),
      wrong: gives((made) => [terms(made), made.metadata.generation], [ours, stored.metadata.generation]),
    },
  ];
}

/** Whether every non-empty term excludes host-network nodes. */
function everyTermExcludes(workload: any): boolean {
  return (requiredTerms(workload.spec.template.spec) ?? []).every(
    ({ matchExpressions = [], matchFields = [] }: any) =>
      matchExpressions.length + matchFields.length === 0 ||
      matchExpressions.some(
        ({ key, operator, values }: any) =>
          key === LABEL && (operator === 'DoesNotExist' || (operator === 'NotIn' && values.includes('true'))),
      ),
  );
}

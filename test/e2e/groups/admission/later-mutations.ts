import type { ApiAnswer } from '../../harness/api-client.js';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import { remove } from './options.js';
import { EXCLUSION, pod, requiredTerms } from './pod-requests.js';
import { ANNOTATION, dry } from './requests.js';

const NAMES = ['aa-foreign', 'zz-foreign'] as const;
const TRIGGER = 'example.com/late';

/** A mutating policy of somebody else, which changes objects with a label. There are two of each. */
function foreign(
  apiVersion: string,
  name: string,
  resource: 'pods' | 'daemonsets',
  what: string,
  patch: string,
): any[] {
  const id = `${name}-${resource}-${what}`;
  return [
    {
      apiVersion,
      kind: 'MutatingAdmissionPolicy',
      metadata: { name: id },
      spec: {
        failurePolicy: 'Fail',
        reinvocationPolicy: 'Never',
        matchConstraints: {
          resourceRules: [
            {
              apiGroups: [resource === 'pods' ? '' : 'apps'],
              apiVersions: ['v1'],
              resources: [resource],
              operations: ['CREATE'],
            },
          ],
        },
        matchConditions: [
          { name: 'late', expression: `object.metadata.?labels[?'${TRIGGER}'].orValue('') == '${name}-${what}'` },
        ],
        mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: `[JSONPatch{op: "add", ${patch}}]` } }],
      },
    },
    { apiVersion, kind: 'MutatingAdmissionPolicyBinding', metadata: { name: id }, spec: { policyName: id } },
  ];
}

const FOREIGN_AFFINITY = `{"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [{"key": "foreign", "operator": "Exists"}]}]}}}`;

const annotations = `value: {'${ANNOTATION}': 'true'}`;

/** What another policy adds after ours has seen the Pod does not get past it: the Pod is excluded, or refused with the reason. */
export async function laterMutations(
  plane: ControlPlane,
  apiVersion: string,
  name: string,
  proof: Proof,
): Promise<void> {
  const policies = NAMES.flatMap((foreigner) => [
    ...foreign(apiVersion, foreigner, 'pods', 'annotation', `path: "/metadata/annotations", ${annotations}`),
    ...foreign(apiVersion, foreigner, 'pods', 'node', `path: "/spec/nodeName", value: "member"`),
    ...foreign(apiVersion, foreigner, 'pods', 'affinity', `path: "/spec/affinity", value: ${FOREIGN_AFFINITY}`),
    ...foreign(
      apiVersion,
      foreigner,
      'daemonsets',
      'annotation',
      `path: "/spec/template/metadata/annotations", ${annotations}`,
    ),
  ]);
  await plane.apply(policies);
  const create = (late: string): Promise<ApiAnswer> => {
    const body = pod({});
    body.metadata.labels = { [TRIGGER]: late };
    delete body.metadata.annotations;
    return plane.api.send('POST', '/api/v1/namespaces/default/pods', body, dry());
  };
  const createSet = (late: string): Promise<ApiAnswer> => {
    const labels = { app: 'late' };
    const body = {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'late', labels: { [TRIGGER]: late } },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod({}).spec } },
    };
    return plane.api.send('POST', '/apis/apps/v1/namespaces/default/daemonsets', body, dry());
  };
  const isExcluded = (spec: any): boolean =>
    JSON.stringify(requiredTerms(spec) ?? []).includes(JSON.stringify(EXCLUSION));
  const isRefused = ({ status, body }: ApiAnswer): boolean =>
    status === 403 && (body.message as string).includes('must stay off host-network nodes');
  // the API server chooses the order of policies anew whenever one changes, and only a policy that is called after ours needs the check
  let refusals = 0;
  const escaped: object[] = [];
  for (let round = 0; round < 12 && refusals === 0; round++) {
    if (round > 0) {
      const annotated = policies.map((policy) => ({
        ...policy,
        metadata: { ...policy.metadata, annotations: { 'example.com/round': `${round}` } },
      }));
      await plane.apply(annotated);
      await new Promise((done) => setTimeout(done, 1500));
    }
    for (const late of NAMES.flatMap((foreigner) => [`${foreigner}-annotation`, `${foreigner}-node`])) {
      let seen = await create(late);
      // until the foreign policy is in force, nothing is added
      for (let attempt = 0; attempt < 50 && seen.status === 201 && isUntouched(seen.body); attempt++) {
        await new Promise((done) => setTimeout(done, 200));
        seen = await create(late);
      }
      refusals += isRefused(seen) ? 1 : 0;
      const isKept = seen.status === 201 && isExcluded(seen.body.spec) && seen.body.spec.nodeName === undefined;
      if (!isKept && !isRefused(seen)) {
        escaped.push({ late, seen: seen.body.message ?? seen.body.spec });
      }
    }
  }
  proof.same(
    `Kubernetes ${name}: a Pod to which another policy adds what excludes it is excluded or refused`,
    escaped,
    [],
  );
  proof.that(`Kubernetes ${name}: a Pod to which a policy after ours adds it is refused`, refusals > 0);
  for (const foreigner of NAMES) {
    const body = pod({ nodeName: 'member' });
    body.metadata.labels = { [TRIGGER]: `${foreigner}-affinity` };
    const send = (): Promise<ApiAnswer> => plane.api.send('POST', '/api/v1/namespaces/default/pods', body, dry());
    let seen = await send();
    for (let attempt = 0; attempt < 50 && !JSON.stringify(seen.body.spec ?? '').includes('foreign'); attempt++) {
      await new Promise((done) => setTimeout(done, 200));
      seen = await send();
    }
    proof.that(
      `Kubernetes ${name}: a Pod that named its node is excluded when ${foreigner} replaces its affinity`,
      isExcluded(seen.body.spec) && JSON.stringify(seen.body.spec).includes('foreign'),
      seen.body.message ?? seen.body.spec,
    );
  }
  for (const foreigner of NAMES) {
    let made = await createSet(`${foreigner}-annotation`);
    // the API server may have read this policy later than those for Pods
    for (let attempt = 0; attempt < 50 && made.status === 201 && isUntouched(made.body.spec.template); attempt++) {
      await new Promise((done) => setTimeout(done, 200));
      made = await createSet(`${foreigner}-annotation`);
    }
    proof.that(
      `Kubernetes ${name}: a DaemonSet to which ${foreigner} adds the annotation is excluded`,
      made.status === 201 && isExcluded(made.body.spec.template.spec),
      made.body.message ?? made.body.spec?.template,
    );
  }
  await remove(plane, policies);
}

function isUntouched({ metadata, spec }: any): boolean {
  return metadata.annotations === undefined && spec.nodeName === undefined && spec.affinity === undefined;
}

import type { ApiAnswer } from '../../harness/api-client.js';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import { remove } from './options.js';
import { dry, LABEL, MEMBERSHIP } from './requests.js';

/** The API server orders mutating policies anew whenever one changes, so that each round has its own order. */
const ROUNDS = 8;

/** A mutating policy of somebody else, for nodes with a label. */
function foreign(apiVersion: string, what: string, expression: string, reinvocationPolicy: string): any[] {
  const name = `foreign-${what}`;
  return [
    {
      apiVersion,
      kind: 'MutatingAdmissionPolicy',
      metadata: { name },
      spec: {
        failurePolicy: 'Fail',
        reinvocationPolicy,
        matchConstraints: {
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['nodes'], operations: ['CREATE'] }],
        },
        matchConditions: [{ name: 'late', expression: `object.metadata.?labels[?'site'].orValue('') == '${what}'` }],
        mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression } }],
      },
    },
    { apiVersion, kind: 'MutatingAdmissionPolicyBinding', metadata: { name }, spec: { policyName: name } },
  ];
}

const pointer = (key: string): string => `'/metadata/labels/${key.replace('/', '~1')}'`;

/** Whatever the order: a node to which another policy adds the pool gets the label of host-network nodes, or is refused. */
export async function laterLabels(plane: ControlPlane, apiVersion: string, name: string, proof: Proof): Promise<void> {
  const register = (site: string, labels: object): Promise<ApiAnswer> =>
    plane.api.send(
      'POST',
      '/api/v1/nodes',
      { apiVersion: 'v1', kind: 'Node', metadata: { name: `late-${site}`, labels: { site, ...labels } } },
      dry(),
    );
  const adds = `[JSONPatch{op: "add", path: ${pointer(MEMBERSHIP)}, value: "hz"}]`;
  const removes = `has(object.metadata.labels) && '${LABEL}' in object.metadata.labels ? [JSONPatch{op: "remove", path: ${pointer(LABEL)}}] : []`;
  const policies = [
    ...foreign(apiVersion, 'adds', adds, 'Never'),
    ...foreign(apiVersion, 'removes', removes, 'IfNeeded'),
  ];
  await plane.apply(policies);
  await proof.eventually(`Kubernetes ${name}: the policies of others are in effect`, async () => {
    const { body } = await register('adds', {});
    return body.metadata?.labels?.[MEMBERSHIP] === 'hz';
  });
  const escaped: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await plane.apply(
      policies.map((policy) => ({
        ...policy,
        metadata: { ...policy.metadata, annotations: { 'example.com/round': `${round}` } },
      })),
    );
    await new Promise((done) => setTimeout(done, 1300));
    const added = await register('adds', {});
    if (added.body.metadata?.labels?.[LABEL] !== 'true') {
      escaped.push(`added, round ${round}: ${added.status} ${added.body.message ?? ''}`);
    }
    const removed = await register('removes', { [MEMBERSHIP]: 'hz' });
    const isRefused =
      removed.status === 403 && /joins a host-network pool without label/.test(removed.body.message as string);
    if (!isRefused && removed.body.metadata?.labels?.[LABEL] !== 'true') {
      escaped.push(`removed, round ${round}: ${removed.status} ${removed.body.message ?? ''}`);
    }
  }
  proof.same(
    `Kubernetes ${name}: ${ROUNDS} orders of policies: no node joins a host-network pool without the label`,
    escaped,
    [],
  );
  await remove(plane, policies);
}

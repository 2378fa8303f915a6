import { isDeepStrictEqual } from 'node:util';
import type { ApiAnswer, ApiOptions } from '../../harness/api-client.js';
import type { ControlPlane } from '../../harness/control-plane.js';

export const LABEL = 'nodepool.openyurt.io/hostnetwork';
export const MEMBERSHIP = 'apps.openyurt.io/nodepool';
export const DESIRED = 'apps.openyurt.io/desired-nodepool';
export const ANNOTATION = 'apps.openyurt.io/exclude-host-network-pool';

/** Users: an administrator, the kubelet of the node edge1, and a user with permissions but without system privileges. */
export type User = 'admin' | 'node' | 'plain';

/** One request, and its expected result. */
export interface Request {
  readonly what: string;
  readonly user: User;
  readonly method: string;
  readonly path: string;
  readonly body: any;
  readonly options?: ApiOptions;
  /** What is wrong with the response; undefined if it is as expected. */
  readonly wrong: (answer: ApiAnswer) => string | undefined;
}

const NODES = '/api/v1/nodes';

const told = ({ status, body }: ApiAnswer): string => `${status} ${body.message ?? JSON.stringify(body)}`;

export const allowed = (answer: ApiAnswer): string | undefined => (answer.status < 300 ? undefined : told(answer));

/** Refused by a policy, with this reason. */
export function refused(status: number, text: string): (answer: ApiAnswer) => string | undefined {
  return (answer) =>
    answer.status === status &&
    answer.body.message.includes(text) &&
    /AdmissionPolicy/.test(answer.body.message as string)
      ? undefined
      : told(answer);
}

/** Allowed, and this is in the response. */
export function gives(look: (object: any) => unknown, expected: unknown): (answer: ApiAnswer) => string | undefined {
  return (answer) =>
    allowed(answer) ??
    (isDeepStrictEqual(look(answer.body), expected) ? undefined : `gave ${JSON.stringify(look(answer.body))}`);
}

export const SSA = 'application/apply-patch+yaml';
export const MERGE = 'application/merge-patch+json';
const USERS: readonly User[] = ['admin', 'node', 'plain'];
export const dry = (options: ApiOptions = {}): ApiOptions => ({
  ...options,
  query: { ...options.query, dryRun: 'All' },
});

/** The same change of a node's labels by every kind of write. */
function labelWrites(node: any, labels: Record<string, string | null>): Omit<Request, 'user' | 'wrong'>[] {
  const { managedFields: _fields, ...metadata } = node.metadata;
  const merged = Object.fromEntries(
    Object.entries({ ...metadata.labels, ...labels }).filter(([, value]) => value !== null),
  );
  const what = `${node.metadata.name}: ${JSON.stringify(labels)}`;
  const path = `${NODES}/${node.metadata.name}`;
  const replaced = { ...node, metadata: { ...metadata, labels: merged } };
  const patch = { metadata: { labels } };
  return [
    { what: `${what} by update`, method: 'PUT', path, body: replaced, options: dry() },
    { what: `${what} by merge patch`, method: 'PATCH', path, body: patch, options: dry({ contentType: MERGE }) },
    {
      what: `${what} by strategic patch`,
      method: 'PATCH',
      path,
      body: patch,
      options: dry({ contentType: 'application/strategic-merge-patch+json' }),
    },
    {
      what: `${what} by a patch of the status`,
      method: 'PATCH',
      path: `${path}/status`,
      body: patch,
      options: dry({ contentType: MERGE }),
    },
  ];
}

/** Writes of Nodes. `member` and `free` are stored nodes with the label, in a host-network pool and in none; edge1 is one that the kubelet may write, `odd` is in the pool with a label of another value, `loose` has no label, `aliased` names its pool with the older label. */
export async function nodeRequests(plane: ControlPlane, mutates: boolean): Promise<Request[]> {
  const [member, free, edge1, odd, loose, aliased] = await Promise.all(
    ['member', 'free', 'edge1', 'odd', 'loose', 'aliased'].map((name) => plane.nodes.get(name)),
  );
  const label = (answer: any): unknown => answer.metadata.labels[LABEL];
  const frozen = refused(403, `label ${LABEL} cannot be changed or removed`);
  const byStatus = refused(403, `a write of the status cannot change label ${LABEL} or label ${MEMBERSHIP}`);
  const of = (user: User): any => (user === 'node' ? edge1 : free);
  const changes = USERS.flatMap((user) => [
    ...labelWrites(of(user), { [LABEL]: null }).map((write) => ({ ...write, user, wrong: frozen })),
    ...labelWrites(of(user), { [LABEL]: 'false' }).map((write) => ({ ...write, user, wrong: frozen })),
    ...labelWrites(of(user), { site: 'hz' }).map((write) => ({ ...write, user, wrong: gives(label, 'true') })),
  ]);
  const isStatus = ({ path }: { path: string }): boolean => path.endsWith('/status');
  const members = [
    // the label is restored before validation; on a write of the status nothing is restored
    ...labelWrites(member, { [LABEL]: null }).map((write) => ({
      ...write,
      user: 'admin' as const,
      wrong: mutates && !isStatus(write) ? gives(label, 'true') : frozen,
    })),
    ...labelWrites(member, { [MEMBERSHIP]: 'other' }).map((write) => ({
      ...write,
      user: 'admin' as const,
      wrong: refused(403, `label ${MEMBERSHIP} cannot be changed`),
    })),
    ...labelWrites(member, { [MEMBERSHIP]: null }).map((write) => ({
      ...write,
      user: 'admin' as const,
      wrong: isStatus(write) ? byStatus : allowed,
    })),
  ];
  // a label with another value, from before the policies: it can only become "true"
  const odds = [
    ...labelWrites(odd, { [LABEL]: 'true' }).map((write) => ({
      ...write,
      wrong: isStatus(write) ? byStatus : gives(label, 'true'),
    })),
    ...labelWrites(odd, { site: 'hz' }).map((write) => ({
      ...write,
      wrong: gives(label, mutates && !isStatus(write) ? 'true' : 'no'),
    })),
    ...[null, 'false'].flatMap((value) =>
      labelWrites(odd, { [LABEL]: value }).map((write) => ({
        ...write,
        wrong: mutates && !isStatus(write) ? gives(label, 'true') : frozen,
      })),
    ),
  ].map((write) => ({ ...write, user: 'admin' as const }));
  // a node without any of the labels: a write of the Node sets the membership, and then also the label
  const joins = [MEMBERSHIP, DESIRED].flatMap((key) =>
    labelWrites(loose, { [key]: 'hz' }).map((write) => ({
      ...write,
      user: 'admin' as const,
      wrong: isStatus(write) ? byStatus : gives(label, mutates ? 'true' : undefined),
    })),
  );
  // who may write only the status cannot brand a node; by a write of the Node, its owner can
  const brandings = labelWrites(loose, { [LABEL]: 'true' }).map((write) => ({
    ...write,
    user: 'admin' as const,
    wrong: isStatus(write) ? byStatus : gives(label, 'true'),
  }));
  // the older label names the pool of `aliased`, which has no newer one
  const aliasStays = labelWrites(aliased, { [DESIRED]: 'other' }).map((write) => ({
    ...write,
    user: 'admin' as const,
    wrong: refused(403, `label ${MEMBERSHIP} cannot be changed`),
  }));
  const heartbeats = [odd, loose, member].map((node): Request => ({
    what: `${node.metadata.name}: a heartbeat`,
    user: 'admin',
    method: 'PATCH',
    path: `${NODES}/${node.metadata.name}/status`,
    body: { status: { conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }] } },
    options: dry({ contentType: 'application/strategic-merge-patch+json' }),
    wrong: allowed,
  }));
  const applied = (node: any, labels: object, user: User, wrong: Request['wrong']): Request => ({
    what: `${node.metadata.name}: ${JSON.stringify(labels)} by server-side apply`,
    user,
    method: 'PATCH',
    path: `${NODES}/${node.metadata.name}`,
    body: { apiVersion: 'v1', kind: 'Node', metadata: { name: node.metadata.name, labels } },
    options: dry({ contentType: SSA, query: { fieldManager: 'another-manager', force: true } }),
    wrong,
  });
  return [
    ...changes,
    ...members,
    ...odds,
    ...joins,
    ...aliasStays,
    ...brandings,
    ...heartbeats,
    applied(free, { [LABEL]: 'false' }, 'admin', frozen),
    applied(free, { [LABEL]: 'no' }, 'plain', frozen),
    applied(free, { site: 'hz' }, 'plain', gives(label, 'true')),
    applied(member, { [MEMBERSHIP]: 'other' }, 'admin', refused(403, `label ${MEMBERSHIP} cannot be changed`)),
    ...creations(mutates),
  ];
}

function creations(mutates: boolean): Request[] {
  const create = (labels: object, expected: string | undefined, user: User): Request => ({
    what: `a node registers with ${JSON.stringify(labels)}`,
    user,
    method: 'POST',
    path: NODES,
    body: {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: user === 'node' ? 'edge1' : 'new', labels: { site: 'hz', ...labels } },
    },
    options: dry(),
    wrong: gives((node) => node.metadata.labels[LABEL], mutates ? expected : (labels as any)[LABEL]),
  });
  return (['admin', 'plain'] as const).flatMap((user) => [
    create({ [MEMBERSHIP]: 'hz' }, 'true', user),
    create({ [MEMBERSHIP]: 'regular' }, undefined, user),
    create({ [MEMBERSHIP]: 'never-created' }, undefined, user),
    create({ [DESIRED]: 'hz' }, 'true', user),
    create({ [DESIRED]: 'hz', [MEMBERSHIP]: '' }, 'true', user),
    create({ [DESIRED]: 'hz', [MEMBERSHIP]: 'regular' }, undefined, user),
    create({ [MEMBERSHIP]: 'hz', [LABEL]: 'false' }, 'true', user),
    create({}, undefined, user),
  ]);
}

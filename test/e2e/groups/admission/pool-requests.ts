import type { ControlPlane } from '../../harness/control-plane.js';
import { allowed, dry, LABEL, MERGE, refused, type Request, SSA, type User } from './requests.js';

const POOLS = '/apis/apps.openyurt.io/v1beta2/nodepools';
const STORED = 'v1beta2';

function pool(name: string, spec: object, version = STORED, annotations = {}): any {
  return { apiVersion: `apps.openyurt.io/${version}`, kind: 'NodePool', metadata: { name, annotations }, spec };
}

const LEAVING = ['leaving-hz', 'leaving-regular'];
const FINALIZERS = ['edge.example/wait'];

/** Pools that were possible before the policies: a Cloud pool with hostNetwork, and one whose annotation says something else than its spec. Two are being deleted. */
export async function poolsBefore(plane: ControlPlane): Promise<void> {
  await plane.apply([
    pool('cloudy', { type: 'Cloud', hostNetwork: true }),
    pool('torn', { type: 'Edge' }, STORED, { [LABEL]: 'true' }),
    ...LEAVING.map((name) => pool(name, { type: 'Edge', hostNetwork: name === 'leaving-hz' })),
  ]);
  for (const name of LEAVING) {
    await plane.api.must('PATCH', `${POOLS}/${name}`, { metadata: { finalizers: FINALIZERS } }, { contentType: MERGE });
    await plane.api.must('DELETE', `${POOLS}/${name}`);
  }
}

/** Writes of NodePools, in the version that is stored and in older ones. `hz` is a host-network pool, `regular` is none. */
export function poolRequests(): Request[] {
  const at = (version: string): string => POOLS.replace(STORED, version);
  const create = (version: string, spec: object, wrong: Request['wrong'], annotation?: string): Request => ({
    what: `NodePool ${version} ${JSON.stringify(spec)} with annotation ${annotation} is created`,
    user: 'plain',
    method: 'POST',
    path: at(version),
    body: pool('new', spec, version, annotation === undefined ? {} : { [LABEL]: annotation }),
    options: dry(),
    wrong,
  });
  const write = (name: string, body: object, wrong: Request['wrong'], version = STORED, rest = ''): Request => ({
    what: `NodePool ${version} ${name}${rest}: ${JSON.stringify(body)} by merge patch`,
    user: 'admin',
    method: 'PATCH',
    path: `${at(version)}/${name}${rest}`,
    body,
    options: dry({ contentType: MERGE }),
    wrong,
  });
  const change = (name: string, spec: object, wrong: Request['wrong'], user: User = 'admin'): Request => ({
    ...write(name, { spec }, wrong),
    user,
  });
  const annotate = (name: string, value: string | null, wrong: Request['wrong']): Request =>
    write(name, { metadata: { annotations: { [LABEL]: value } } }, wrong);
  const cloud = refused(422, 'a Cloud NodePool cannot set hostNetwork');
  const disagrees = refused(422, `annotation ${LABEL} must say the same as spec.hostNetwork`);
  const labels = { metadata: { labels: { site: 'hz' } } };
  const older = ['v1alpha1', 'v1beta1'].flatMap((version) => {
    const byOlder = refused(403, `a change as ${version} can change spec.hostNetwork and lose fields`);
    return [
      create(version, { type: 'Edge' }, allowed),
      create(version, { type: 'Edge' }, allowed, 'true'),
      create(version, { type: 'Cloud' }, allowed),
      create(version, { type: 'Cloud' }, cloud, 'True'),
      // whatever it changes: what is lost is not in the request
      ...['hz', 'regular', 'torn'].map((name) => write(name, labels, byOlder, version)),
      write('hz', { status: { readyNodeNum: 1 } }, byOlder, version, '/status'),
    ];
  });
  return [
    ...older,
    // v1beta1 has the field, but its conversion reads only the annotation
    create('v1beta1', { type: 'Edge', hostNetwork: true }, disagrees),
    create('v1beta1', { type: 'Edge', hostNetwork: true }, allowed, 'true'),
    create(STORED, { type: 'Cloud', hostNetwork: true }, cloud),
    create(STORED, { type: 'Edge', hostNetwork: true }, allowed),
    create(STORED, { type: 'Edge', hostNetwork: true }, allowed, 'true'),
    create(STORED, { type: 'Edge', hostNetwork: true }, disagrees, 'false'),
    create(STORED, { type: 'Edge' }, disagrees, 'TRUE'),
    create(STORED, { type: 'Cloud', hostNetwork: false }, allowed),
    create(STORED, { type: 'Edge' }, allowed),
    change('hz', { hostNetwork: false }, refused(403, 'spec.hostNetwork is immutable')),
    change('hz', { hostNetwork: null }, refused(403, 'spec.hostNetwork is immutable'), 'plain'),
    change('regular', { hostNetwork: true }, refused(403, 'spec.hostNetwork is immutable')),
    change('hz', { type: 'Cloud' }, refused(403, 'spec.type is immutable (was "Edge")')),
    change('regular', { type: null }, refused(403, 'spec.type is immutable')),
    change('regular', { hostNetwork: false }, allowed),
    change('hz', { labels: { site: 'hz' } }, allowed, 'plain'),
    write('hz', { status: { readyNodeNum: 1 } }, allowed, STORED, '/status'),
    annotate('regular', 'true', disagrees),
    annotate('regular', 'false', allowed),
    annotate('hz', 'true', allowed),
    annotate('hz', 'no', disagrees),
    // from before the policies: they can be labelled, finalized, repaired and deleted
    ...['cloudy', 'torn'].flatMap((name): Request[] => [
      write(name, labels, allowed),
      write(name, { metadata: { finalizers: ['edge.example/done'] } }, allowed),
      // with a body, its options would be those of the request
      { ...write(name, {}, allowed), what: `NodePool ${name} is deleted`, method: 'DELETE', body: undefined },
    ]),
    // the garbage collector finalizes in the version that it found when it started
    ...LEAVING.flatMap((name) =>
      ['v1alpha1', 'v1beta1', STORED].map((version) =>
        write(name, { metadata: { finalizers: null } }, allowed, version),
      ),
    ),
    // nothing else of it changes
    ...['v1alpha1', 'v1beta1', STORED].map((version) =>
      write('leaving-regular', { metadata: { annotations: { [LABEL]: 'true' } } }, disagrees, version),
    ),
    change('leaving-hz', { hostNetwork: false }, refused(403, 'spec.hostNetwork is immutable')),
    change('cloudy', { type: 'Edge' }, allowed),
    change('cloudy', { hostNetwork: false }, allowed),
    annotate('torn', null, allowed),
    change('torn', { hostNetwork: true }, refused(403, 'spec.hostNetwork is immutable')),
    {
      what: 'NodePool hz: interConnectivity by server-side apply',
      user: 'admin',
      method: 'PATCH',
      path: `${POOLS}/hz`,
      body: pool('hz', { interConnectivity: true }),
      options: dry({ contentType: SSA, query: { fieldManager: 'another-manager', force: true } }),
      wrong: refused(403, 'spec.interConnectivity is immutable'),
    },
  ];
}

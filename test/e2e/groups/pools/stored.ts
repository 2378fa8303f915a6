import { corpus } from '../../../corpus/corpus.js';
import type { ApiAnswer } from '../../harness/api-client.js';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Group, Proof } from '../../harness/group.js';
import {
  besideYurtManager,
  KUBERNETES_OF,
  toolsBeside,
  type YurtManager,
  type YurtManagerRelease,
} from '../../harness/yurt-manager.js';
import { ofChosenMinors } from '../../harness/minors.js';

const HOST_NETWORK = 'nodepool.openyurt.io/hostnetwork';
const MEMBERSHIP = 'apps.openyurt.io/nodepool';

/** Where a host-network pool has hostNetwork. */
type Carrier = 'field' | 'annotation' | 'nothing';

/** The releases of our pools for each yurt-manager, and where hostNetwork is in each API version that it serves. */
const MANAGERS: readonly {
  readonly release: YurtManagerRelease;
  readonly written: readonly string[];
  readonly carriers: Readonly<Record<string, Carrier>>;
  /** How a webhook refuses a change. */
  readonly refusal: number;
}[] = [
  { release: '1.4', written: ['1.4'], carriers: { v1beta1: 'field', v1alpha1: 'nothing' }, refusal: 422 },
  { release: '1.5', written: ['1.5', '1.6'], carriers: { v1beta1: 'field', v1alpha1: 'annotation' }, refusal: 403 },
  {
    release: '1.7',
    written: ['1.7'],
    carriers: { v1beta2: 'field', v1beta1: 'annotation', v1alpha1: 'annotation' },
    refusal: 403,
  },
];
const CHOSEN = ofChosenMinors(MANAGERS, ({ release }) => KUBERNETES_OF[release]);

const pathIn = (version: string, name = ''): string => `/apis/apps.openyurt.io/${version}/nodepools/${name}`;

/** Where hostNetwork of our pool is: for 1.4 to 1.6 we write the annotation too, which every version keeps. */
function carrierOfOurs(openYurt: string, meant: Carrier): Carrier {
  return meant === 'nothing' && openYurt !== '1.7' ? 'annotation' : meant;
}

function carrierOf({ metadata, spec }: any): Carrier {
  if (spec.hostNetwork === true) {
    return 'field';
  }
  return metadata.annotations?.[HOST_NETWORK] === 'true' ? 'annotation' : 'nothing';
}

/** Whether the stored object contains everything that was written; additions of the server are ignored. */
function holds(stored: any, written: any): boolean {
  if (Array.isArray(written)) {
    return Array.isArray(stored) && written.every((item) => stored.some((other) => holds(other, item)));
  }
  if (written !== null && typeof written === 'object') {
    return Object.entries(written as object).every(([key, value]) => holds(stored?.[key], value));
  }
  return stored === written;
}

function ourPools(openYurt: string): any[] {
  return corpus()
    .filter(({ name }) => name.startsWith(`pools of OpenYurt ${openYurt} `))
    .flatMap(({ objects }) => objects);
}

/** Each pool of ours, stored and read back in every version that is served. */
async function storedAsMeant(
  plane: ControlPlane,
  openYurt: string,
  carriers: Readonly<Record<string, Carrier>>,
  claim: (what: string) => string,
  proof: Proof,
): Promise<void> {
  const pools = ourPools(openYurt);
  proof.that(claim(`there are pools of OpenYurt ${openYurt} to judge`), pools.length >= 3, String(pools.length));
  for (const pool of pools) {
    const { name } = pool.metadata as { name: string };
    const about = (what: string): string => claim(`pool ${name} of OpenYurt ${openYurt}: ${what}`);
    const [stored] = await plane.apply([pool]);
    proof.that(about('all that we write is stored'), holds(stored, pool), stored);
    const [again] = await plane.apply([pool]);
    proof.same(
      about('applied a second time changes nothing'),
      again.metadata.resourceVersion,
      stored.metadata.resourceVersion,
    );
    for (const [version, carrier] of Object.entries(carriers)) {
      const read = await plane.api.must('GET', pathIn(version, name));
      const meant = pool.spec.hostNetwork === true ? carrierOfOurs(openYurt, carrier) : 'nothing';
      proof.same(about(`read as ${version}: hostNetwork is in: ${meant}`), carrierOf(read), meant);
      proof.same(about(`read as ${version}: type`), read.spec.type, pool.spec.type);
      proof.that(
        about(`read as ${version}: labels, annotations and taints`),
        ['labels', 'annotations', 'taints'].every((field) => holds(read.spec[field], pool.spec[field])),
        read.spec,
      );
    }
    await plane.api.must('DELETE', await plane.api.pathOf(pool));
  }
}

function pool(version: string, name: string, spec: object, annotations?: object): any {
  return { apiVersion: `apps.openyurt.io/${version}`, kind: 'NodePool', metadata: { name, annotations }, spec };
}

const messageOf = ({ status, body }: ApiAnswer): string => `${status} ${(body as { message?: string }).message ?? ''}`;

/** What yurt-manager refuses: the reasons for checks of the library. */
async function refusals(
  { api, nodes }: ControlPlane,
  version: string,
  refusal: number,
  claim: (what: string) => string,
  proof: Proof,
): Promise<void> {
  const create = (name: string, spec: object): Promise<ApiAnswer> =>
    api.send('POST', pathIn(version), pool(version, name, spec));
  const change = (name: string, spec: object): Promise<ApiAnswer> =>
    api.send('PATCH', pathIn(version, name), { spec }, { contentType: 'application/merge-patch+json' });
  const refused = (what: string, answer: ApiAnswer, status: number, message: RegExp): void =>
    proof.that(claim(what), answer.status === status && message.test(messageOf(answer)), messageOf(answer));

  refused(
    'a Cloud pool with hostNetwork is refused',
    await create('cloud', { type: 'Cloud', hostNetwork: true }),
    422,
    /spec\.hostNetwork.*Cloud NodePool/,
  );
  refused('a type in lower case is refused', await create('lower', { type: 'edge' }), 422, /spec\.type/);
  await create('kept', { type: 'Edge', hostNetwork: true });
  await create('plain', { type: 'Edge' });
  refused('type cannot be changed', await change('plain', { type: 'Cloud' }), refusal, /type/i);
  refused('hostNetwork cannot be removed', await change('kept', { hostNetwork: false }), refusal, /hostNetwork/i);
  refused('hostNetwork cannot be set later', await change('plain', { hostNetwork: true }), refusal, /hostNetwork/i);
  proof.same(claim('labels can be changed later'), (await change('kept', { labels: { site: 'b' } })).body.spec.labels, {
    site: 'b',
  });

  await nodes.fake('member', { [MEMBERSHIP]: 'kept' });
  await proof.eventually(claim('the controller counts the member'), async () =>
    ((await api.must('GET', pathIn(version, 'kept'))).status?.nodes ?? []).includes('member'),
  );
  refused(
    'a pool with a member cannot be deleted',
    await api.send('DELETE', pathIn(version, 'kept')),
    refusal,
    /cannot remove nonempty pool/,
  );
  await nodes.delete('member');
  await proof.eventually(
    claim('without members it can'),
    async () => (await api.send('DELETE', pathIn(version, 'kept'))).status === 200,
  );
}

/** hostNetwork in the wrong API version: accepted, and lost. This is why the library writes the version of the release. */
async function lostInOldVersions(
  plane: ControlPlane,
  { release }: YurtManager,
  claim: (what: string) => string,
  proof: Proof,
): Promise<void> {
  const { api } = plane;
  const newest = release === '1.7' ? 'v1beta2' : 'v1beta1';
  const storedFrom = async (name: string, version: string, spec: object, annotations?: object): Promise<Carrier> => {
    const answer = await api.send('POST', pathIn(version), pool(version, name, spec, annotations));
    proof.that(claim(`${name} is accepted`), answer.status === 201, messageOf(answer));
    return carrierOf(await api.must('GET', pathIn(newest, name)));
  };
  const edge = { type: 'Edge' };
  const annotation = { [HOST_NETWORK]: 'true' };
  if (release === '1.7') {
    const answer = await api.send('POST', pathIn('v1beta1'), pool('v1beta1', 'warned', { ...edge, hostNetwork: true }));
    proof.same(claim('v1beta1 with spec.hostNetwork: there is no warning'), answer.warnings, []);
    proof.same(
      claim('v1beta1 with spec.hostNetwork: it is lost'),
      await storedFrom('field-in-v1beta1', 'v1beta1', { ...edge, hostNetwork: true }),
      'nothing',
    );
    proof.same(
      claim('v1beta1 with the annotation: it is stored'),
      await storedFrom('annotation-in-v1beta1', 'v1beta1', edge, annotation),
      'field',
    );
    const ours = ourPools('1.6').find(({ spec }) => spec.hostNetwork === true);
    proof.same(
      claim('a host-network pool of ours for OpenYurt 1.6, given to 1.7: its annotation preserves it'),
      await storedFrom('pool-of-1.6', 'v1beta1', ours.spec as object, ours.metadata.annotations as object),
      'field',
    );
  }
  if (release === '1.7') {
    const services = { group: '', version: 'v1', resource: 'services' };
    const partial = pool('v1beta2', 'partial', { ...edge, poolScopeMetadata: [services] });
    const [first] = await plane.apply([partial]);
    const [second] = await plane.apply([partial]);
    proof.same(
      claim('partial poolScopeMetadata: completed at creation, and a second apply reverts that'),
      [first, second].map(({ spec }) => spec.poolScopeMetadata.length as number),
      [2, 1],
    );
  }
  proof.same(
    claim('v1alpha1 with the annotation'),
    await storedFrom('annotation-in-v1alpha1', 'v1alpha1', edge, annotation),
    release === '1.4' ? 'annotation' : 'field',
  );
}

export const stored: Group = {
  name: 'stored',
  claim:
    'the yurt-manager of each release stores every pool as intended, and returns it in every served version; what OpenYurt refuses or silently drops is still refused and dropped',
  programs: 'yurt-manager 1.4.0 and 1.5.1 on kube-apiserver 1.30, yurt-manager 1.7.0 on kube-apiserver 1.36',
  tools: toolsBeside(CHOSEN.map(({ release }) => release)),
  run: async (proof) => {
    for (const { release, written, carriers, refusal } of CHOSEN) {
      await besideYurtManager(release, proof, async (plane, manager) => {
        const claim = (what: string): string => `yurt-manager ${release}: ${what}`;
        const crd = await plane.api.must(
          'GET',
          '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/nodepools.apps.openyurt.io',
        );
        const served = crd.spec.versions.filter((each: any) => each.served).map(({ name }: any) => name as string);
        proof.same(claim('serves the versions that we know'), served.sort(), Object.keys(carriers).sort());
        for (const openYurt of written) {
          await storedAsMeant(plane, openYurt, carriers, claim, proof);
        }
        const [newest] = Object.keys(carriers) as [string];
        await refusals(plane, newest, refusal, claim, proof);
        await lostInOldVersions(plane, manager, claim, proof);
      });
    }
  },
};

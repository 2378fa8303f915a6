import type { ApiAnswer } from '../../harness/api-client.js';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import type { YurtManagerRelease } from '../../harness/yurt-manager.js';
import { LABEL, MERGE, refused } from './requests.js';

/** The version that a release stores, the older ones, and whether their conversion reads the annotation. */
const VERSIONS: Readonly<
  Record<YurtManagerRelease, { readonly stored: string; readonly older: readonly string[]; readonly reads: boolean }>
> = {
  '1.4': { stored: 'v1beta1', older: ['v1alpha1'], reads: false },
  '1.5': { stored: 'v1beta1', older: ['v1alpha1'], reads: true },
  '1.7': { stored: 'v1beta2', older: ['v1alpha1', 'v1beta1'], reads: true },
};

const at = (version: string, name = ''): string => `/apis/apps.openyurt.io/${version}/nodepools${name && `/${name}`}`;

/** With the conversion of the real yurt-manager: what a write in an older version does to a pool, without our policies. Returns the check with them. */
export async function olderVersions(
  plane: ControlPlane,
  release: YurtManagerRelease,
  claim: (what: string) => string,
  proof: Proof,
): Promise<() => Promise<void>> {
  const { stored, older, reads } = VERSIONS[release];
  const spec = { type: 'Edge', ...(release === '1.7' ? { interConnectivity: true } : {}) };
  const make = (name: string): Promise<any> =>
    plane.api.must('POST', at(stored), {
      apiVersion: `apps.openyurt.io/${stored}`,
      kind: 'NodePool',
      metadata: { name },
      spec,
    });
  const patch = (version: string, name: string, metadata: object): Promise<ApiAnswer> =>
    plane.api.send('PATCH', at(version, name), { metadata }, { contentType: MERGE });
  const annotate = (name: string): Promise<ApiAnswer> => patch(stored, name, { annotations: { [LABEL]: 'true' } });
  const read = async (name: string): Promise<unknown[]> => {
    const { hostNetwork = false, interConnectivity } = (await plane.api.must('GET', at(stored, name))).spec;
    return [hostNetwork, interConnectivity];
  };
  for (const version of older) {
    const name = `flips-${version}`;
    await make(name);
    const answers = [await annotate(name), await patch(version, name, { labels: { site: 'hz' } })];
    proof.same(
      claim(`without policies, an annotation and a label in ${version} are accepted`),
      answers.map(({ status }) => status),
      [200, 200],
    );
    // where the release has interConnectivity, it is lost
    proof.same(claim(`and what the pool is changes through ${version}`), await read(name), [reads, undefined]);
  }
  await make('firm');
  await make('annotated-before');
  await annotate('annotated-before');
  const before = await read('firm');
  return async () => {
    const disagrees = refused(422, `annotation ${LABEL} must say the same as spec.hostNetwork`);
    const fault = disagrees(await annotate('firm'));
    proof.that(claim('the annotation is refused on a pool without hostNetwork'), fault === undefined, fault);
    for (const version of older) {
      for (const name of ['firm', 'annotated-before']) {
        const wrong = refused(
          403,
          `a change as ${version} can change spec.hostNetwork`,
        )(await patch(version, name, { labels: { site: 'hz' } }));
        proof.that(claim(`${name}: a change as ${version} is refused`), wrong === undefined, wrong);
        proof.same(claim(`${name}: it is what it was`), await read(name), before);
      }
    }
    const labelled = await patch(stored, 'annotated-before', {
      labels: { site: 'hz' },
      annotations: { [LABEL]: null },
    });
    proof.that(claim('the annotation can be removed'), labelled.status === 200, labelled.body);
  };
}

import { join } from 'node:path';
import type { EdgeApp } from 'edge-nodepools';
import { argoCd as argoCdEngine, FleetDelivery, fromGit, fromOci } from 'edge-nodepools/delivery';
import { ARGO_CD_NAMESPACE } from '../../harness/argo-cd.js';
import { inShell } from '../../harness/kubectl.js';
import { OciRegistry } from '../../harness/oci-registry.js';
import { type ArgoCdShops, isWell } from './argo-cd-shops.js';
import { ownChart } from './own-chart.js';
import { synthesized } from './shop-clusters.js';

/** A site from a registry, by the Argo CD of the headquarters. */
export async function byRegistry(shops: ArgoCdShops): Promise<void> {
  const { proof, argoCd, planes, folder } = shops;
  const registry = await OciRegistry.open(join(folder, 'registry'));
  const program =
    (value: string, sites: Readonly<Record<string, string>> = { beijing: 'artifact', headquarters: 'unpushed' }) =>
    (app: EdgeApp): void => {
      new FleetDelivery(app, 'delivery', {
        name: 'artifacts',
        source: fromOci({ url: `oci://${registry.host}/fleet` }),
        engine: argoCdEngine(),
        deletion: 'prune',
        sites: Object.entries(sites).map(([name, chart]) => ({
          name,
          cluster: { name },
          charts: [ownChart(app, chart, value)],
        })),
      });
    };
  const pushed = (value: string): { readonly outdir: string; readonly digest: string } => {
    const outdir = synthesized(shops, program(value));
    return { outdir, digest: registry.push(join(outdir, 'oci', 'beijing.tar.gz'), 'fleet/beijing', 'latest') };
  };
  const settings = async (): Promise<unknown> =>
    (await planes.beijing.api.send('GET', '/api/v1/namespaces/default/configmaps/artifact')).body.data?.value;
  try {
    await planes.headquarters.apply([
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: 'registry',
          namespace: ARGO_CD_NAMESPACE,
          labels: { 'argocd.argoproj.io/secret-type': 'repository' },
        },
        stringData: {
          name: 'registry',
          type: 'oci',
          url: `oci://${registry.host}/fleet/beijing`,
          insecureOCIForceHttp: 'true',
        },
      },
    ]);
    const { outdir, digest } = pushed('one');
    inShell(planes.headquarters, `kubectl apply --server-side -f ${outdir}/argo-cd/`);
    await proof.eventually(
      'a site is delivered from a registry',
      () => isWell(argoCd, 'artifacts-beijing', digest),
      240,
    );
    proof.same('with what the archive has', await settings(), 'one');
    const next = pushed('other').digest;
    await argoCd.refresh();
    await proof.eventually(
      'and a further artifact of the same tag',
      () => isWell(argoCd, 'artifacts-beijing', next),
      240,
    );
    proof.same('with its objects', await settings(), 'other');
    const without = synthesized(shops, program('other', { headquarters: 'unpushed' }));
    inShell(planes.headquarters, `kubectl apply --server-side -f ${without}/argo-cd/`);
    await proof.eventually(
      'with deletion: prune, a site that leaves the program loses what has a namespace, too',
      async () => (await settings()) === undefined,
      180,
    );
    proof.note(
      `from a registry: ${JSON.stringify((await argoCd.states()).filter(({ name }) => name.startsWith('art')))}`,
    );
  } finally {
    await registry.close();
  }
}

/** An Argo CD in the site: it delivers to its own cluster, and itself. */
export async function inSite(shops: ArgoCdShops): Promise<void> {
  const { proof, argoCd, planes, git } = shops;
  const program =
    (value: string) =>
    (app: EdgeApp): void => {
      new FleetDelivery(app, 'delivery', {
        name: 'own',
        source: fromGit({ url: 'https://git.example/own.git', path: 'dist' }),
        engine: argoCdEngine({ runsOn: 'sites' }),
        sites: ['headquarters', 'elsewhere'].map((name) => ({
          name,
          charts: [ownChart(app, `own-${name}`, value)],
        })),
      });
    };
  const outdir = synthesized(shops, program('one'));
  const commit = git.commit('own.git', outdir, 'own');
  inShell(planes.headquarters, `kubectl apply --server-side -f ${outdir}/argo-cd/headquarters/`);
  await proof.eventually(
    'an engine in a site delivers to its cluster',
    () => isWell(argoCd, 'own-headquarters', commit),
    240,
  );
  await proof.eventually('and itself', () => isWell(argoCd, 'own', commit), 120);
  proof.that(
    'and nothing of other sites',
    (await argoCd.states()).every(({ name }) => !name.includes('elsewhere')),
  );
  const next = git.commit('own.git', synthesized(shops, program('other')), 'other');
  await argoCd.refresh();
  await proof.eventually('a commit reaches it', () => isWell(argoCd, 'own-headquarters', next), 240);
  const { body } = await planes.headquarters.api.send('GET', '/api/v1/namespaces/default/configmaps/own-headquarters');
  proof.same('with its objects', body.data?.value, 'other');
}

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ApiObject } from 'cdk8s';
import type { EdgeApp } from 'edge-nodepools';
import { FleetDelivery, flux as fluxEngine, fromOci } from 'edge-nodepools/delivery';
import { PlatformChart, ShopChart, SHOPS as EXAMPLES } from '../../../../examples/flux/chart.js';
import { main } from '../../../../src/cli/main.js';
import { inShell } from '../../harness/kubectl.js';
import { OciRegistry } from '../../harness/oci-registry.js';
import { type FluxShops, isApplied } from './flux-shops.js';
import { imageOf, synthesized } from './shop-clusters.js';

const SITE = 'beijing';

/** A delivery of one shop from a registry. */
const fromRegistry =
  (host: string, more = false) =>
  (app: EdgeApp): void => {
    const [example] = EXAMPLES.filter(({ name }) => name === SITE);
    if (example === undefined) {
      throw new Error(`the example has no ${SITE}`);
    }
    const platform = new PlatformChart(app, `${SITE}-platform`, example);
    const shop = new ShopChart(app, `${SITE}-shop`, platform.pool);
    if (more) {
      new ApiObject(shop, 'more', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'more', namespace: 'tills' },
      });
    }
    new FleetDelivery(app, 'delivery', {
      name: 'artifacts',
      source: fromOci({ url: `oci://${host}/fleet`, insecure: true }),
      engine: fluxEngine(),
      partials: 'engine',
      sites: [
        {
          name: SITE,
          cluster: { kubeConfigSecret: example.kubeConfig },
          charts: [platform, shop],
        },
      ],
    });
  };

/** The archive of a site as an artifact of a registry, and a second one. */
export async function byRegistry(shops: FluxShops): Promise<void> {
  const { proof, flux, planes, folder } = shops;
  const registry = await OciRegistry.open(join(folder, 'registry'));
  try {
    const outdir = synthesized(shops, fromRegistry(registry.host));
    const archive = join(outdir, 'oci', `${SITE}.tar.gz`);
    const digest = registry.push(archive, `fleet/${SITE}`, 'latest');
    proof.same(
      'an archive is pushed twice: the digest is the same',
      registry.push(archive, `fleet/${SITE}`, 'again'),
      digest,
    );
    bundled(shops, outdir, registry, archive);
    inShell(planes.headquarters, `kubectl apply --server-side -R -f ${outdir}/flux/`);
    await proof.eventually(
      'a shop is delivered from a registry, all layers',
      () => isApplied(flux, `artifacts-${SITE}-patches`, digest.replace('sha256:', '')),
      120,
    );
    proof.same('with its image', await imageOf(shops, SITE), '3.1.0');
    const changed = join(synthesized(shops, fromRegistry(registry.host, true)), 'oci', `${SITE}.tar.gz`);
    const next = registry.push(changed, `fleet/${SITE}`, 'latest');
    await flux.fetch(`artifacts-${SITE}`, 'ocirepositories');
    await proof.eventually(
      'and a further artifact of the same tag',
      () => isApplied(flux, `artifacts-${SITE}-patches`, next.replace('sha256:', '')),
      120,
    );
    const path = '/api/v1/namespaces/tills/configmaps/more';
    proof.same('with its objects', (await planes[SITE].api.send('GET', path)).status, 200);
  } finally {
    await registry.close();
  }
}

/** All that the shop needs in one file: its images must be in the registry, as in a mirror of the one that the manifests name. */
function bundled({ proof, folder }: FluxShops, outdir: string, registry: OciRegistry, archive: string): void {
  const bundle = join(folder, 'bundle.tar.gz');
  const run = (): number => {
    const args = [join(outdir, 'sites', SITE), '--out', bundle, '--check', `http://${registry.host}`];
    return main(['bundle', ...args], { stdin: () => '', stdout: () => undefined, stderr: () => undefined });
  };
  proof.same('bundle: an image that is not in the registry is reported, and nothing written', run(), 1);
  proof.that('no file', !existsSync(bundle));
  // any image will do
  const digest = registry.push(archive, 'till', '3.1.0');
  proof.same('bundle: when it is there, the file is written', run(), 0);
  const images = execFileSync('tar', ['--extract', '--to-stdout', '--gzip', '--file', bundle, 'images.txt']).toString();
  proof.same('with the image by the digest of the registry', images, `registry.example/till:3.1.0@${digest}\n`);
}

import { Chart } from 'cdk8s';
import { type EdgeApp, EdgeCluster, OpenYurtWebhooks } from 'edge-nodepools';
import { type ArgoCdEngine, FleetDelivery, type FluxEngine, fromGit } from 'edge-nodepools/delivery';
import { auditedWrites } from '../../harness/audit-log.js';
import type { Proof } from '../../harness/group.js';
import { AS_IT_RUNS, lookedAt, storedIn } from '../webhooks/configurations.js';
import { type ShopClusters, synthesized } from './shop-clusters.js';

/** The repository and the name of the delivery. */
export const WEBHOOKS = 'webhooks';

/** The webhook configurations of yurt-manager, with another timeout than the chart has, for the cluster of the engine. */
function program(engine: ArgoCdEngine | FluxEngine): (app: EdgeApp) => void {
  return (app) => {
    const chart = new Chart(app, 'openyurt');
    const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36', name: 'headquarters' });
    new OpenYurtWebhooks(chart, 'webhooks', { cluster, ...AS_IT_RUNS, timeoutSeconds: 7 });
    new FleetDelivery(app, 'delivery', {
      name: WEBHOOKS,
      source: fromGit({ url: `https://git.example/${WEBHOOKS}.git`, path: 'dist' }),
      engine,
      sites: [{ name: 'headquarters', charts: [chart] }],
    });
  };
}

/** How an engine is asked. */
interface Asked {
  /** Delivers the output for the first time. */
  readonly begin: (outdir: string, commit: string) => Promise<void>;
  /** Compares and applies once more, at the same commit, and waits until the engine is well. */
  readonly again: (commit: string) => Promise<void>;
  /** Begin of the name under which it writes. */
  readonly agent: string;
}

/**
 * yurt-manager writes `caBundle` into the webhook configurations that an engine applies, and the API server reaches it through their Service. Neither
 * undoes what the other has written.
 */
export async function webhooksShared(
  shops: ShopClusters & { readonly proof: Proof },
  engine: ArgoCdEngine | FluxEngine,
  { begin, again, agent }: Asked,
): Promise<void> {
  const { proof, planes, git } = shops;
  const { headquarters } = planes;
  const outdir = synthesized(shops, program(engine));
  const commit = git.commit(`${WEBHOOKS}.git`, outdir, 'webhooks');
  await begin(outdir, commit);
  const webhooks = async (): Promise<any[]> =>
    (await storedIn(headquarters)).flatMap((configuration) => configuration.webhooks as any[]);
  const versions = async (): Promise<string[]> =>
    (await storedIn(headquarters)).map(({ metadata }) => metadata.resourceVersion as string);
  await proof.eventually(
    'the webhooks of yurt-manager have the timeout that the engine has applied, and the caBundle of yurt-manager',
    async () =>
      (await webhooks()).every(
        ({ timeoutSeconds, clientConfig }) => timeoutSeconds === 7 && clientConfig.caBundle !== undefined,
      ),
    60,
  );
  const before = await versions();
  const writes = auditedWrites(headquarters.auditLog).length;
  const written = (): string[] =>
    auditedWrites(headquarters.auditLog)
      .slice(writes)
      .filter(({ resource, isDryRun }) => resource.endsWith('webhookconfigurations') && !isDryRun)
      .map(({ userAgent, verb }) => `${userAgent.split('/')[0]} ${verb}`);
  await again(commit);
  await again(commit);
  await new Promise((done) => setTimeout(done, 10_000));
  proof.same('applied again, neither of them changes the webhooks', await versions(), before);
  await lookedAt(headquarters, 'delivered by an engine', proof);
  await again(commit);
  proof.that(
    'and the engine keeps it',
    (await webhooks()).every(({ clientConfig }) => clientConfig.caBundle !== undefined),
    written(),
  );
  for (const { kind, metadata } of await storedIn(headquarters)) {
    const owned = (metadata.managedFields as any[]).filter(
      ({ manager, operation, fieldsV1 }) =>
        manager.startsWith(agent) && operation === 'Apply' && JSON.stringify(fieldsV1).includes('caBundle'),
    );
    proof.same(`${kind}: the engine does not own caBundle`, owned, []);
  }
  const pool = {
    apiVersion: 'apps.openyurt.io/v1beta2',
    kind: 'NodePool',
    metadata: { name: 'cloud' },
    spec: { type: 'Cloud', hostNetwork: true },
  };
  const refused = await headquarters.api.send('POST', '/apis/apps.openyurt.io/v1beta2/nodepools', pool);
  proof.that(
    'and the API server reaches them: a Cloud pool with hostNetwork is refused',
    refused.status === 422 || /v\.v1beta2\.nodepool\.kb\.io/.test(String(refused.body.message)),
    refused.body,
  );
}

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EdgeApp, EdgeWarnings } from 'edge-nodepools';
import { auditedWrites } from '../../harness/audit-log.js';
import { ControlPlane, type ControlPlaneProps, toolsOf } from '../../harness/control-plane.js';
import { FakeKubelets } from '../../harness/fake-kubelets.js';
import { GitServer } from '../../harness/git-server.js';
import type { Proof } from '../../harness/group.js';
import { KUBEADM, KubeadmAddOns } from '../../harness/kubeadm-add-ons.js';
import { objectsIn, openYurtCrds } from '../../harness/openyurt.js';
import type { Tool } from '../../harness/tool.js';
import { withYurtManager, yurtManagerTools } from '../../harness/yurt-manager.js';

/** The shops of examples/flux and examples/argo-cd, and the minors of their API servers. The engine runs at the first. */
export const SHOPS = { headquarters: '1.36', beijing: '1.36', hangzhou: '1.34' } as const;
export type ShopName = keyof typeof SHOPS;
export const SHOP_NAMES = Object.keys(SHOPS) as ShopName[];

const propsOf = (name: ShopName, runsPods: boolean): ControlPlaneProps => ({
  kubernetes: SHOPS[name],
  scheduler: runsPods,
  controllers: [
    'daemonset-controller',
    'deployment-controller',
    'replicaset-controller',
    'namespace-controller',
    'garbage-collector-controller',
    'validatingadmissionpolicy-status-controller',
  ],
  audits: 'writes',
});

export const SHOP_TOOLS: readonly Tool[] = [
  ...SHOP_NAMES.flatMap((name) => toolsOf(propsOf(name, true))),
  ...yurtManagerTools('1.7'),
  KUBEADM,
];

/** The control planes of the shops, with the add-ons of kubeadm, and the repository from which they are delivered. */
export interface ShopClusters {
  readonly planes: Readonly<Record<ShopName, ControlPlane>>;
  readonly addOns: Readonly<Record<ShopName, KubeadmAddOns>>;
  readonly git: GitServer;
  /** Folder for outputs. */
  readonly folder: string;
}

/**
 * Runs something with the clusters of the shops. The headquarters have yurt-manager with its webhooks, Beijing has the resource definitions of OpenYurt,
 * and Hangzhou gets them later.
 *
 * @param runsPods whether each has a regular node with a kubelet, for engines that wait until Pods are ready
 */
export async function withShops(
  proof: Proof,
  runsPods: boolean,
  run: (clusters: ShopClusters) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-delivery-'));
  const started: ControlPlane[] = [];
  const kubelets: FakeKubelets[] = [];
  const before = proof.failures.length;
  const git = await GitServer.open(join(folder, 'git'), 'git.example');
  let ended = false;
  try {
    for (const name of SHOP_NAMES) {
      started.push(await ControlPlane.start(propsOf(name, runsPods)));
    }
    const [headquarters, beijing, hangzhou] = started as [ControlPlane, ControlPlane, ControlPlane];
    const planes = { headquarters, beijing, hangzhou };
    const addOns = Object.fromEntries(
      SHOP_NAMES.map((name) => [name, new KubeadmAddOns(planes[name].folder)]),
    ) as Record<ShopName, KubeadmAddOns>;
    for (const name of SHOP_NAMES) {
      if (runsPods) {
        await planes[name].nodes.fake('regular');
        kubelets.push(new FakeKubelets(planes[name].api));
      }
      addOns[name].install('kube-proxy', planes[name].kubeconfig);
      addOns[name].install('coredns', planes[name].kubeconfig);
    }
    await beijing.applyCrds(openYurtCrds('1.7', true));
    await withYurtManager(headquarters, '1.7', () => run({ planes, addOns, git, folder }));
    ended = true;
  } finally {
    const keepLogs = !ended || proof.failures.length > before;
    await Promise.all(kubelets.map((each) => each.stop()));
    await git.close();
    await Promise.all(started.map((plane) => plane.stop({ keepLogs })));
    if (keepLogs) {
      proof.note(`logs are kept in ${started.map((plane) => plane.folder).join(', ')} and ${folder}`);
    } else {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** The output of a program, in a folder of its own. */
export function synthesized(
  { folder }: ShopClusters,
  program: (app: EdgeApp) => void,
  outdir = mkdtempSync(join(folder, 'dist-')),
): string {
  const app = new EdgeApp({ outdir, prune: true });
  EdgeWarnings.setMode(app, 'silent');
  program(app);
  app.synth();
  return outdir;
}

/** The objects that a shop gets, by the folder of their layer. */
export function layersOf(outdir: string, shop: string): Record<string, any[]> {
  const root = join(outdir, 'sites', shop);
  return Object.fromEntries(
    readdirSync(root)
      .sort()
      .map((layer) => [
        layer,
        readdirSync(join(root, layer)).flatMap((file) => objectsIn(readFileSync(join(root, layer, file), 'utf8'))),
      ]),
  );
}

export function objectsOf(outdir: string, shop: string): any[] {
  return Object.values(layersOf(outdir, shop)).flat();
}

/** The resource version of each of some objects, by their path; empty for one that is missing. */
export async function versionsOf(plane: ControlPlane, objects: readonly any[]): Promise<Record<string, string>> {
  const versions: Record<string, string> = {};
  for (const object of objects) {
    const path = await plane.api.pathOf(object).catch(() => `${object.kind} ${object.metadata.name}`);
    const { status, body } = await plane.api.send('GET', path);
    versions[path] = status === 200 ? (body.metadata.resourceVersion as string) : '';
  }
  return versions;
}

/** A kubeconfig with the certificate of the API server, as a remote cluster has it: engines refuse one that verifies nothing. */
export function verifiedKubeconfig(plane: ControlPlane): any {
  const config = JSON.parse(readFileSync(plane.kubeconfig, 'utf8'));
  return {
    ...config,
    clusters: [
      {
        name: 'e2e',
        cluster: { server: `https://127.0.0.1:${plane.port}`, 'certificate-authority-data': certificateOf(plane) },
      },
    ],
  };
}

export function certificateOf(plane: ControlPlane): string {
  return readFileSync(join(plane.folder, 'certs-kube-apiserver', 'apiserver.crt')).toString('base64');
}

/** In which order the first objects of the layers were written, by resource. */
export function firstWrites(plane: ControlPlane, agent: string): string[] {
  const resources = auditedWrites(plane.auditLog)
    .filter(({ userAgent, isDryRun }) => userAgent.startsWith(agent) && !isDryRun)
    .map(({ resource, name }) => (['daemonsets', 'deployments'].includes(resource) ? `${resource}/${name}` : resource));
  return [...new Set(resources)];
}

const TILL = '/apis/apps/v1/namespaces/tills/daemonsets/till';
const IMAGE = 'registry.example/till:';

/** Replaces a text in the workloads of all shops. */
export function edit(outdir: string, from: string | RegExp, to: string): void {
  for (const name of readdirSync(join(outdir, 'sites'))) {
    const folder = join(outdir, 'sites', name, '30-workloads');
    for (const file of readdirSync(folder).map((each) => join(folder, each))) {
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll(from, to));
    }
  }
}

export async function imageOf({ planes }: ShopClusters, name: ShopName): Promise<string> {
  const { spec } = await planes[name].api.must('GET', TILL);
  return (spec.template.spec.containers[0].image as string).replace(IMAGE, '');
}

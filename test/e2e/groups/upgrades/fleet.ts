import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Chart, Testing } from 'cdk8s';
import { EdgeCluster, RegularNodePool, EdgeWarnings, HostNetworkNodePool } from 'edge-nodepools';
import { main } from '../../../../src/cli/main.js';
import type { ControlPlane } from '../../harness/control-plane.js';
import { HELM_3, helmShell } from '../../harness/helm.js';
import { chartFolder, chartObjects, isWebhookConfiguration } from '../../harness/openyurt.js';
import { tryScript } from '../../harness/script.js';
import type { AnyYurtManager } from '../../harness/yurt-manager.js';

const POOLS = 50;

/** The kinds that a dump has. */
export const KINDS = [
  'namespaces',
  'nodes',
  'pods',
  'configmaps',
  'deployments',
  'clusterroles',
  'services',
  'mutatingwebhookconfigurations',
  'validatingwebhookconfigurations',
  'customresourcedefinitions',
  'nodepools.apps.openyurt.io',
  'yurtappdaemons.apps.openyurt.io',
];

/** The pools of a fleet, half of them host-network pools, as the library writes them for a release. */
export function poolsOf(openYurt: string, kubernetes: string): any[] {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'fleet');
  const cluster = EdgeCluster.of({ openYurt, kubernetes });
  for (let index = 0; index < POOLS; index++) {
    const poolName = `site-${String(index).padStart(2, '0')}`;
    const site = { labels: { site: poolName }, taints: [{ key: 'edge', effect: 'NoSchedule' as const }] };
    const Pool = index % 2 === 0 ? HostNetworkNodePool : RegularNodePool;
    new Pool(chart, poolName, { cluster, poolName, ...site });
  }
  return Testing.synth(chart);
}

/** A dump as docs/upgrade.md has it. */
export function dump(plane: ControlPlane, kinds: readonly string[]): string {
  const folder = mkdtempSync(join(plane.folder, 'dump-'));
  for (const kind of kinds) {
    const { status, stdout, stderr } = plane.kubectl(['get', kind, '--all-namespaces', '--output=yaml']);
    if (status !== 0) {
      throw new Error(stderr);
    }
    writeFileSync(join(folder, `${kind}.yaml`), stdout);
  }
  return folder;
}

/** Runs the command. */
export function plan(args: readonly string[]): { readonly code: number; readonly said: string } {
  let said = '';
  const print = (text: string): void => void (said += text);
  return { code: main(['upgrade', ...args], { stdin: () => '', stdout: print, stderr: print }), said };
}

/** What a script of a plan said, with its exit code. */
export type ScriptEnd = Awaited<ReturnType<typeof tryScript>>;

/** Runs a script of a plan, with the real Helm and the unmodified chart of a release. */
export function runPlan(
  plane: ControlPlane,
  file: string,
  release: AnyYurtManager,
  ...args: string[]
): Promise<ScriptEnd> {
  return tryScript(plane, file, { args, env: { ...helmShell(plane, HELM_3), OPENYURT_CHART: chartFolder(release) } });
}

/** The scripts of the steps of a plan, in their order. */
export const scriptsIn = (out: string): string[] =>
  readdirSync(join(out, 'steps'))
    .sort()
    .map((name) => join(out, 'steps', name));

/** The names of the webhooks that are called, sorted. */
export const webhooksOf = async ({ api }: ControlPlane): Promise<string[]> => {
  const kinds = await Promise.all(
    ['mutating', 'validating'].map(async (type) =>
      api.must('GET', `/apis/admissionregistration.k8s.io/v1/${type}webhookconfigurations`),
    ),
  );
  return kinds
    .flatMap(({ items }) => items)
    .flatMap(({ webhooks }) => webhooks)
    .filter(({ clientConfig }) => clientConfig.caBundle !== undefined)
    .map(({ name }) => name as string)
    .sort();
};

/** The names of the webhooks in the chart of a release, sorted, without the one that is not served. */
export const shippedWebhooks = (release: string): string[] =>
  chartObjects(release)
    .filter(isWebhookConfiguration)
    .flatMap(({ webhooks }) => webhooks)
    .map(({ name }) => name as string)
    .filter((name) => !['1.6', '1.7'].includes(release) || !name.includes('platformadmin'))
    .sort();

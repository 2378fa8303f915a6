/** The output of a real `cdk8s synth` with errors and warnings. */
import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isFullDepth } from './depth.js';

const root = resolve(__dirname, '..');
const cache = join(root, '.cache');
const cli = join(root, 'node_modules', 'cdk8s-cli', 'bin', 'cdk8s');
const app = ['-r', 'tsx/cjs', 'main.ts'];

/** Runs a program with `cdk8s synth` at full depth, else directly: starting the command takes longer than the program itself. */
function synth(body: string): SpawnSyncReturns<string> & { readonly manifests: readonly string[] } {
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'terminal-'));
  writeFileSync(join(folder, 'cdk8s.yaml'), `language: typescript\napp: node ${app.join(' ')}\n`);
  writeFileSync(
    join(folder, 'main.ts'),
    `import { App, Chart } from 'cdk8s';
import { EdgeCluster, EdgeWarnings, ExcludedWorkload, HostNetworkNodePool } from 'edge-nodepools';
const app = new App();
const chart = new Chart(app, 'fleet');
const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });
${body}
app.synth();
`,
  );
  const args = isFullDepth ? [cli, 'synth', '--check-upgrade=false'] : app;
  const result = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  const dist = join(folder, 'dist');
  const manifests = existsSync(dist) ? readdirSync(dist) : [];
  rmSync(folder, { recursive: true });
  return { ...result, manifests };
}

describe('the terminal of cdk8s synth', () => {
  it('shows every problem with its path and its hint, and one line of the user’s program', () => {
    const { status, stderr } = synth(
      `new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'Bei_Jing', taints: [{ key: 'site', effect: 'noschedule' as any }] });`,
    );
    expect(status).not.toBe(0);
    expect(stderr).toContain('EdgeError: HostNetworkNodePool fleet/pool: 2 problems');
    expect(stderr).toMatch(/EDGE_NAME {2}poolName: "Bei_Jing" is not usable/);
    expect(stderr).toContain("-> write poolName: 'bei-jing'");
    expect(stderr).toMatch(/EDGE_TAINT {2}taints\[0\]\.effect: .*\n\s+-> write effect: 'NoSchedule'/);
    const own = stderr.slice(0, stderr.indexOf('Node.js v'));
    expect(own.split('\n').filter((line) => /^\s+at /.test(line))).toEqual([expect.stringContaining('main.ts')]);
  });

  it('shows warnings and still writes the manifests', () => {
    const { status, stderr, manifests } = synth(
      `new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'beijing' });`,
    );
    expect(status).toBe(0);
    expect(manifests).toEqual(['fleet.k8s.yaml']);
    expect(stderr.match(/EDGE_UNTESTED_PAIR/g)).toHaveLength(1);
  });

  // the same way of the same errors to the terminal as the first test
  (isFullDepth ? it : it.skip)('shows problems that are found at synth', () => {
    const workload = `{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: { template: { spec: { nodeSelector: { 'apps.openyurt.io/nodepool': 'beijing' } } } } }`;
    const { status, stderr } = synth(
      `EdgeWarnings.setMode(app, 'silent');
new ExcludedWorkload(chart, 'web', { cluster, workload: ${workload} });
new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'beijing' });`,
    );
    expect(status).not.toBe(0);
    expect(stderr).toContain('EdgeError: ExcludedWorkload fleet/web: 1 problem');
    expect(stderr).toContain(
      'EDGE_CONTRADICTION  workload.spec.template.spec.nodeSelector["apps.openyurt.io/nodepool"]',
    );
    const own = stderr.slice(0, stderr.indexOf('Node.js v'));
    expect(own.split('\n').filter((line) => /^\s+at /.test(line)).length).toBeLessThanOrEqual(1);
    expect(stderr).not.toContain('EDGE_UNTESTED_PAIR');
  });
});

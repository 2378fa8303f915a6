/** Mistakes that nothing refuses, and that a program is told of. */
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { ApiObject, App, Chart } from 'cdk8s';
import {
  EdgeCluster,
  EdgeSystemComponents,
  EdgeWarnings,
  ExcludedWorkload,
  HostNetworkNodePool,
  JoinToken,
  KubeadmConfigTemplate,
  NodeJoin,
  NodeReservation,
  SystemComponent,
  writeArtifacts,
} from 'edge-nodepools';
import { deployment, required, untyped } from '../bad-inputs/case.js';
import { isFullDepth } from '../depth.js';

describe('a reservation', () => {
  const reservation = NodeReservation.preset('kubespray');
  const warningsIn = (make: (chart: Chart, pool: HostNetworkNodePool) => unknown): string[] => {
    const chart = new Chart(new App(), 'c');
    const cluster = EdgeCluster.of({
      openYurt: '1.7',
      kubernetes: '1.34',
      apiServer: 'api.example:6443',
      caCertHashes: [`sha256:${'0f'.repeat(32)}`],
    });
    make(chart, new HostNetworkNodePool(chart, 'p', { cluster, poolName: 'p', reservation }));
    return EdgeWarnings.of(chart).flatMap(({ code, path }) => (path === 'reservation' ? [code] : []));
  };

  it('without a join has no effect, which is reported', () => {
    expect(warningsIn(() => undefined)).toEqual(['EDGE_UNUSED']);
    expect(
      warningsIn((chart, pool) => new NodeJoin(chart, 'j', { pool, token: JoinToken.fromFile('/var/lib/edge/token') })),
    ).toEqual([]);
    expect(warningsIn((chart, pool) => new KubeadmConfigTemplate(chart, 'j', { pool }))).toEqual([]);
  });
});

describe('a workload of another construct', () => {
  const found = (podSpec: object, kind = 'Deployment'): string[] => {
    const chart = new Chart(new App(), 'c');
    const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
    new HostNetworkNodePool(chart, 'p', { cluster, poolName: 'p' });
    new HostNetworkNodePool(chart, 'q', { cluster, poolName: 'q' });
    new ApiObject(
      chart,
      'w',
      kind === 'Pod' ? { apiVersion: 'v1', kind, spec: podSpec } : { ...deployment(podSpec), kind },
    );
    return EdgeWarnings.of(chart.node.root).flatMap(({ code, path, construct }) =>
      code === 'EDGE_NO_POD_NETWORK' ? [`${construct} ${path}`] : [],
    );
  };
  const pool = 'apps.openyurt.io/nodepool';
  const label = 'nodepool.openyurt.io/hostnetwork';
  const require = (key: string, ...values: readonly string[]): object =>
    required([{ matchExpressions: [{ key, operator: 'In', values }] }]);

  it.each<[string, object, boolean]>([
    ['the pool by nodeSelector', { nodeSelector: { [pool]: 'p' } }, true],
    ['host-network nodes by nodeSelector', { nodeSelector: { [label]: 'true' } }, true],
    ['the pools by affinity', require(pool, 'p', 'q'), true],
    ['one of several pools', require(pool, 'p', 'office'), false],
    ['another pool', { nodeSelector: { [pool]: 'office' } }, false],
    ['the pool, with host network', { nodeSelector: { [pool]: 'p' }, hostNetwork: true }, false],
    ['nothing', {}, false],
  ])('that requires %s', (_, podSpec, isTold) => {
    expect(found(podSpec)).toEqual(isTold ? ['c/w spec.template.spec.hostNetwork'] : []);
    expect(found(podSpec, 'Pod')).toEqual(isTold ? ['c/w spec.hostNetwork'] : []);
  });
});

describe('the end of a process', () => {
  /** What a program prints on stderr, which is no test. */
  function stderrOf(program: string): string {
    const src = JSON.stringify(resolve(__dirname, '../../src/index.ts'));
    const source = `
      const { App, Chart, Testing } = require('cdk8s');
      const { EdgeCluster, EdgeSystemComponents, EdgeWarnings, HostNetworkNodePool, SystemComponent, writeArtifacts } = require(${src});
      const outdir = require('node:fs').mkdtempSync(require('node:path').join(require('node:os').tmpdir(), 'edge-nodepools-end-'));
      const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
      const appWith = (name) => {
        const app = new App({ outdir });
        const chart = new Chart(app, name);
        new HostNetworkNodePool(chart, 'p', { cluster, poolName: 'p' });
        return app;
      };
      const withFiles = (name) => {
        const app = appWith(name);
        new EdgeSystemComponents(app.node.findChild(name), 's', { cluster, exclude: [SystemComponent.COREDNS] });
        return app;
      };
      ${program}`;
    const { JEST_WORKER_ID, NODE_ENV, ...env } = process.env;
    const { stderr } = spawnSync(process.execPath, ['-r', './scripts/sources.cjs', '-e', source], {
      cwd: resolve(__dirname, '../..'),
      encoding: 'utf8',
      env,
    });
    return stderr;
  }

  it('tells what was forgotten, once, and nothing that was not', () => {
    const forgotten = stderrOf(`
      appWith('a'); appWith('b');
      withFiles('c').synth();
      const whole = withFiles('d'); whole.synth(); writeArtifacts(whole);
      appWith('e').synth();
      appWith('f').synthYaml();
      Testing.synth(appWith('g').node.findChild('g'));
      EdgeWarnings.setMode(appWith('h'), 'silent');
      const late = appWith('i'); late.synth();
      const again = appWith('j'); again.synth();
      for (const app of [late, again]) {
        new HostNetworkNodePool(app.node.findChild(app === late ? 'i' : 'j'), 'q', { cluster, poolName: 'q' });
      }
      again.synth();`);
    expect(forgotten.match(/EDGE_\w+ .*/g)).toEqual([
      expect.stringMatching(/^EDGE_NOT_WRITTEN {2}app: nothing is written: .* without app\.synth\(\)$/),
      expect.stringMatching(
        /^EDGE_NOT_WRITTEN {2}app: the manifests are written, and 1 other file is not: kubeadm-patches\//,
      ),
      expect.stringMatching(/^EDGE_NOT_WRITTEN {2}app: i\/q was declared after app\.synth\(\), and is not written$/),
    ]);
    expect(forgotten).toContain('-> write writeArtifacts(app) after app.synth()');
  });

  it('tells of a mixin that nothing has, and not of one that is applied', () => {
    const told = stderrOf(`
      const { ExcludedWorkload } = require(${JSON.stringify(resolve(__dirname, '../../src/index.ts'))});
      const app = new App({ outdir });
      ExcludedWorkload.mixin({ cluster });
      new Chart(app, 'a').with(ExcludedWorkload.mixin({ cluster }));
      app.synth();`);
    expect(told.match(/EDGE_UNUSED .*/g)).toEqual([expect.stringMatching(/ExcludedWorkload\.mixin: .*not applied/)]);
    expect(told).toContain('-> write chart.with(ExcludedWorkload.mixin({ cluster }))');
  });

  // each program takes half a second of CPU
  (isFullDepth ? it : it.skip).each([
    ['a program that says that it failed', "appWith('a'); process.exitCode = 3;"],
    [
      'tests',
      `process.env.JEST_WORKER_ID = '1'; appWith('a'); delete process.env.JEST_WORKER_ID;
      globalThis.describe = () => {}; appWith('b'); delete globalThis.describe;`,
    ],
  ])('tells nothing of %s', (_, program) => {
    expect(stderrOf(program)).toBe('');
  });
});

describe('a message says what to write instead of', () => {
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
  const chart = new Chart(new App(), 'c');
  const excluded = (workload: unknown) => () =>
    new ExcludedWorkload(new Chart(new App(), 'c'), 'w', { cluster, workload: untyped(workload) });

  it.each<[string, () => unknown, RegExp]>([
    [
      'an object in a name',
      () => new HostNetworkNodePool(chart, 'p', { cluster, poolName: `${untyped<string>({})}` }),
      /EDGE_TYPE {2}poolName: "\[object Object\]" is an object that was converted to text\n.*write the field of the object/,
    ],
    [
      'a variable that is not set, in a name',
      () => new HostNetworkNodePool(chart, 'u', { cluster, poolName: `edge-${untyped<string>(undefined)}` }),
      /EDGE_NAME {2}poolName: "edge-undefined" has a part that was not set/,
    ],
    ['a promise', excluded(Promise.resolve({})), /the workload is an instance of Promise\n.*await loadWorkload/],
    [
      'a Buffer',
      excluded(Buffer.from('kind: Pod')),
      /the workload is an instance of Buffer\n.*readFileSync\('web\.yaml', 'utf8'\)/,
    ],
    [
      'openYurt: false',
      () => EdgeCluster.of({ openYurt: untyped(false), kubernetes: '1.34' }),
      /write openYurt: 'none' for a cluster without/,
    ],
    [
      'writeArtifacts(chart)',
      () => writeArtifacts(untyped(chart)),
      /EDGE_TYPE {2}app: the app is an instance of Chart[^]*App\.of\(chart\)/,
    ],
    [
      'writeArtifacts()',
      () => writeArtifacts(untyped(undefined)),
      /EDGE_MISSING {2}app: the app is missing[^]*after app\.synth\(\)/,
    ],
    ['writeArtifacts of a folder', () => writeArtifacts(untyped(join('dist'))), /EDGE_TYPE {2}app: the app is text/],
  ])('%s', (_, make, message) => {
    expect(make).toThrow(message);
  });
});

describe('settings that cannot all hold', () => {
  const warned = (declare: (chart: Chart) => unknown): string[] => {
    const chart = new Chart(new App(), 'chart');
    declare(chart);
    return EdgeWarnings.of(chart)
      .filter(({ code }) => code !== 'EDGE_UNCLAIMED_PAIR')
      .map(({ code, path }) => `${code} ${path}`);
  };
  const of = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34', yurthub: true });

  it.each<[object, readonly string[]]>([
    [{ leaderReplicas: 3 }, ['EDGE_UNUSED leaderReplicas']],
    [{ leaderReplicas: 3, enableLeaderElection: false }, ['EDGE_UNUSED leaderReplicas']],
    [{ leaderReplicas: 3, enableLeaderElection: true, expectedNodes: 2 }, ['EDGE_REPLICAS leaderReplicas']],
    [{ leaderReplicas: 3, enableLeaderElection: true, expectedNodes: 3 }, []],
    [{ leaderReplicas: 3, enableLeaderElection: true }, []],
    // what the webhook of OpenYurt writes itself
    [{ leaderReplicas: 1, poolScopeMetadata: [] }, []],
  ])('of a pool: %j', (props, expected) => {
    expect(warned((chart) => new HostNetworkNodePool(chart, 'p', { cluster: of, poolName: 'p', ...props }))).toEqual(
      expected,
    );
  });

  it('of components: two of which a cluster has one', () => {
    const { FLANNEL, FLANNEL_KUBE_SYSTEM, CALICO, KUBE_PROXY } = SystemComponent;
    const told = (...exclude: SystemComponent[]): string[] =>
      warned((chart) => new EdgeSystemComponents(chart, 's', { cluster: of, exclude }));
    expect(told(FLANNEL, FLANNEL_KUBE_SYSTEM)).toEqual(['EDGE_DUPLICATE exclude[1]']);
    expect(told(FLANNEL_KUBE_SYSTEM, KUBE_PROXY, FLANNEL)).toEqual(['EDGE_DUPLICATE exclude[2]']);
    expect([told(FLANNEL, CALICO, KUBE_PROXY), told(FLANNEL_KUBE_SYSTEM)]).toEqual([[], []]);
  });
});

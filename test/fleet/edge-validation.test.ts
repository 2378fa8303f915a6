/** The door `edge-nodepools/checks`, and its validation in `cdk8s synth`. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Validation, ValidationContext } from 'cdk8s-cli/plugins';
import { checkFiles, checkManifests, EdgeValidation, type EdgeValidationProps } from 'edge-nodepools/checks';
import { EdgeError } from 'edge-nodepools';
import { isFullDepth } from '../depth.js';

const root = resolve(__dirname, '..', '..');
let folder: string;
beforeEach(() => {
  mkdirSync(join(root, '.cache'), { recursive: true });
  folder = mkdtempSync(join(root, '.cache', 'validation-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const pool = {
  apiVersion: 'apps.openyurt.io/v1beta2',
  kind: 'NodePool',
  metadata: { name: 'hz' },
  spec: { type: 'Edge', hostNetwork: true },
};
const deployment = (name: string, more: object = {}): any => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'shop' },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name, image: name, ports: [{ containerPort: 8080 }] }], ...more },
    },
  },
});

const DECLARED = {
  name: 'edge-node',
  labels: { site: 'edge', mode: 'host' },
  taints: [],
  nodePoolLabel: 'site',
  hostNetworkLabel: { key: 'mode', value: 'host' },
};

/** Files as a synth writes them, and what the validation says of them. */
async function validated(
  files: Readonly<Record<string, string>>,
  props: EdgeValidationProps = {},
): Promise<{ violations: any[]; status: string; metadata: any }> {
  const violations: any[] = [];
  let submitted: any;
  for (const [path, text] of Object.entries(files)) {
    writeFileSync(join(folder, path), text);
  }
  const manifests = Object.keys(files).flatMap((path) => (path.endsWith('.yaml') ? [join(folder, path)] : []));
  const context = {
    manifests,
    report: {
      addViolation: (each: any) => void violations.push(each),
      submit: (status: string, metadata: any) => (submitted = { status, metadata }),
    },
  };
  // what cdk8s-cli calls a validation
  const plugin: Validation = new EdgeValidation(props);
  await plugin.validate(context as unknown as ValidationContext);
  return { violations, ...submitted };
}
const yaml = (...objects: object[]): string => objects.map((each) => JSON.stringify(each)).join('\n---\n');

describe('the policy pack of the page', () => {
  const page = readFileSync(join(__dirname, '..', '..', 'docs', 'command.md'), 'utf8');
  const program = /```js\n([^]*?PolicyPack[^]*?)```/.exec(page)?.[1] ?? '';

  /** What it reports of a stack. */
  function reported(resources: readonly { type: string; props: object }[]): string[] {
    const found: string[] = [];
    class PolicyPack {
      public constructor(_name: string, { policies }: any) {
        policies.forEach(({ validateStack }: any) => validateStack({ resources }, (each: string) => found.push(each)));
      }
    }
    const modules: Record<string, object> = {
      '@pulumi/policy': { PolicyPack },
      'edge-nodepools/checks': { checkManifests },
    };
    // eslint-disable-next-line @typescript-eslint/no-implied-eval
    new Function('require', program)((name: string) => modules[name]);
    return found;
  }

  it('finds nothing in a stack of other providers, and what check finds in the others', () => {
    const bucket = { type: 'aws:s3/bucket:Bucket', props: {} };
    expect(reported([])).toEqual([]);
    expect(reported([bucket])).toEqual([]);
    const web = { type: 'kubernetes:apps/v1:Deployment', props: deployment('web', { tolerationz: [] }) };
    expect(reported([bucket, web])).toEqual([expect.stringMatching(/^Deployment \S*web \S+tolerationz: .* -> /)]);
  });
});

describe('checkManifests', () => {
  it('knows the minors of the table, as simulate does', () => {
    for (const kubernetes of ['1.99', '2.0', '1.10', 'new']) {
      expect(() => checkManifests([deployment('web', {})], { kubernetes })).toThrow(
        /EDGE_UNKNOWN_RELEASE +settings.kubernetes/,
      );
    }
    expect(checkManifests([deployment('web', {})], { kubernetes: 'v1.37.1' }).findings).toEqual([]);
  });

  it('says of a field of a workload in a YurtAppSet where it belongs there', () => {
    const { spec } = deployment('web', {});
    const template = { ...spec.template, hostNetwork: true };
    const of = (version: string, workload: object): any => ({
      apiVersion: `apps.openyurt.io/${version}`,
      kind: 'YurtAppSet',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { pools: ['hz'], ...workload },
    });
    const workloadTemplate = { deploymentTemplate: { metadata: { labels: {} }, spec: { ...spec, template } } };
    const hints = checkManifests([
      of('v1beta1', { workload: { workloadTemplate } }),
      of('v1beta1', { workload: { workloadTemplate: { statefulSetTemplate: workloadTemplate.deploymentTemplate } } }),
    ]).findings.flatMap(({ code, hint }) => (code === 'EDGE_UNKNOWN_PROPERTY' ? [hint] : []));
    const base = 'spec.workload.workloadTemplate';
    expect(hints).toEqual(
      ['deploymentTemplate', 'statefulSetTemplate'].map(
        (kind) => `did you mean ${base}.${kind}.spec.template.spec.hostNetwork?`,
      ),
    );
  });

  it('refuses an empty list, in which nothing would be wrong', () => {
    expect(() => checkManifests([])).toThrow(/EDGE_MISSING +manifests: there is no manifest/);
  });

  it('finds in objects what it finds in files, without a place', () => {
    const objects = [pool, deployment('web', { tolerationz: [] }), deployment('host', { hostNetwork: true })];
    const of = ({ findings }: ReturnType<typeof checkFiles>): object[] =>
      findings.map(({ code, object, path, level }) => ({ code, object, path, level }));
    const inObjects = checkManifests(objects);
    expect(of(inObjects)).toHaveLength(2);
    expect(inObjects.findings.every(({ file, line }) => file === '' && line === undefined)).toBe(true);
    const inFiles = checkFiles([{ path: 'a.yaml', text: yaml(...objects) }]);
    expect(
      of(inFiles)
        .map((each) => JSON.stringify(each))
        .sort(),
    ).toEqual(
      of(inObjects)
        .map((each) => JSON.stringify(each))
        .sort(),
    );
    expect(inFiles).toMatchObject({ files: 1, objects: 3, pools: ['hz'] });
  });

  it('knows pools that have no object, and their number of nodes', () => {
    const edge = {
      name: 'edge',
      labels: { 'apps.openyurt.io/nodepool': 'edge', 'nodepool.openyurt.io/hostnetwork': 'true' },
    };
    const codes = (...given: Parameters<typeof checkManifests>): string[] =>
      checkManifests(...given).findings.map(({ code }) => code);
    expect(codes([deployment('web')])).toEqual([]);
    expect(codes([deployment('web')], { pools: [edge] })).toEqual(['EDGE_NEVER_STARTS']);
    expect(codes([deployment('web')], { pools: [{ name: 'b', labels: {} }] })).toEqual([]);
    expect(
      codes([deployment('web')], {
        pools: [{ name: 'b', labels: { a: 'b' } }],
        labels: { hostNetworkLabel: { key: 'a', value: 'b' } },
      }),
    ).toEqual(['EDGE_NEVER_STARTS']);
  });

  it.each<[string, () => unknown, string, string]>([
    ['no list', () => checkManifests(pool as any), 'EDGE_TYPE', 'manifests'],
    ['text', () => checkManifests(['a: 1'] as any), 'EDGE_NOT_AN_OBJECT', 'manifests[0]'],
    ['files', () => checkManifests([{ path: 'a.yaml', text: '' }]), 'EDGE_NOT_AN_OBJECT', 'manifests[0]'],
    ['a wrong setting', () => checkManifests([], { pool: [] } as any), 'EDGE_UNKNOWN_PROPERTY', 'settings.pool'],
    ['no settings', () => checkManifests([], 5 as any), 'EDGE_TYPE', 'settings'],
    ['half a node', () => checkManifests([], { nodes: { hz: 1.5 } }), 'EDGE_VALUE', 'settings.nodes.hz'],
    ['no file', () => checkFiles(['a.yaml'] as any), 'EDGE_TYPE', 'files[0]'],
    ['no files', () => checkFiles('a.yaml' as any), 'EDGE_TYPE', 'files'],
    ['a wrong level', () => new EdgeValidation({ failOn: 'note' as any }), 'EDGE_VALUE', 'failOn'],
    ['a wrong property', () => new EdgeValidation({ fail: 1 } as any), 'EDGE_UNKNOWN_PROPERTY', 'fail'],
    ['a wrong label', () => new EdgeValidation({ hostNetworkLabel: 'a=b' as any }), 'EDGE_TYPE', 'hostNetworkLabel'],
    ['a wrong pool', () => new EdgeValidation({ hostNetworkPools: [5 as any] }), 'EDGE_TYPE', 'hostNetworkPools[0]'],
  ])('refuses %s', (_, run, code, path) => {
    let problem: any;
    try {
      run();
    } catch (error) {
      problem = error;
    }
    expect(problem).toBeInstanceOf(EdgeError);
    expect([problem.code, problem.path]).toEqual([code, path]);
  });
});

describe('EdgeValidation', () => {
  it('reports each finding at its object, and fails by its level', async () => {
    const files = { 'a.yaml': yaml(pool, deployment('web'), deployment('odd', { hostNetwork: true, newField: 1 })) };
    const { violations, status, metadata } = await validated(files);
    expect([status, metadata]).toEqual(['failure', { objects: '3', pools: '1' }]);
    expect(violations).toEqual([
      {
        ruleName: 'EDGE_NEVER_STARTS',
        recommendation: 'Pods that can be scheduled to nodes on which they cannot start',
        fix: expect.stringContaining('ExcludedWorkload'),
        violatingResources: [
          {
            resourceName: 'web',
            manifestPath: join(folder, 'a.yaml'),
            locations: [
              expect.stringMatching(/^Deployment shop\/web spec\.template\.spec: never starts .*\(line 3\)$/),
            ],
          },
        ],
      },
      expect.objectContaining({ ruleName: 'EDGE_UNKNOWN_PROPERTY (warning)' }),
    ]);
    const warned = { 'a.yaml': yaml(deployment('odd', { newField: 1 })) };
    expect((await validated(warned)).status).toBe('success');
    expect((await validated(warned, { failOn: 'warning' })).status).toBe('failure');
    expect(await validated({ 'a.yaml': yaml(pool) })).toMatchObject({ status: 'success', violations: [] });
  });

  it('names an object in full if another one has its name, because cdk8s knows the construct of one of them', async () => {
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: {} };
    const { violations } = await validated({ 'a.yaml': yaml(pool, deployment('web'), service) });
    expect(violations[0].violatingResources[0].resourceName).toBe('Deployment shop/web');
  });

  it('knows the pools of the program and the named ones, with their labels', async () => {
    const text = { 'a.yaml': yaml(deployment('web')) };
    expect((await validated(text)).violations).toEqual([]);
    expect((await validated(text, { hostNetworkPools: ['edge'] })).violations).toHaveLength(1);
    const written = { ...text, 'pools.jsonl': `${JSON.stringify(DECLARED)}\n` };
    expect((await validated(written)).violations).toHaveLength(1);
    const other = {
      ...written,
      'pools.jsonl': `${JSON.stringify(DECLARED)}\n${JSON.stringify({ ...DECLARED, nodePoolLabel: 'b' })}\n`,
    };
    await expect(validated(other)).rejects.toThrow(/different labels[^]*write nodePoolLabel: "site" or "b"/);
    expect((await validated(other, { nodePoolLabel: 'site' })).violations).toHaveLength(1);
    await expect(validated({ ...text, 'pools.jsonl': '[]' })).rejects.toThrow(/run cdk8s synth again/);
  });
});

// starting the command takes longer than all other tests of this file
(isFullDepth ? describe : describe.skip)('the real cdk8s synth', () => {
  const synth = (body: string, properties: string): { status: number | null; stdout: string; report: any } => {
    writeFileSync(
      join(folder, 'cdk8s.yaml'),
      `language: typescript
app: node -r ${join(root, 'scripts', 'sources.cjs')} main.ts
validations:
  - package: ./validation.js
    version: 0.1.0
    class: EdgeValidation
    properties: ${properties}
`,
    );
    writeFileSync(
      join(folder, 'validation.js'),
      "require('../../scripts/sources.cjs');\nmodule.exports = require('../../src/checks.ts');\n",
    );
    writeFileSync(
      join(folder, 'main.ts'),
      `import { ApiObject, App, Chart } from 'cdk8s';
import { EdgeCluster, EdgeWarnings, HostNetworkNodePool, writeArtifacts } from 'edge-nodepools';
const app = new App();
EdgeWarnings.setMode(app, 'silent');
const chart = new Chart(app, 'fleet');
const cluster = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.34' });
new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'hz', expectedNodes: 2 });
${body}
app.synth();
writeArtifacts(app);
`,
    );
    const cli = join(root, 'node_modules', 'cdk8s-cli', 'bin', 'cdk8s');
    const args = [cli, 'synth', '--check-upgrade=false', '--validation-reports-output-file', 'report.json'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    expect(stderr).not.toContain('Error:');
    return { status, stdout, report: JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')).reports[0] };
  };

  it('fails with the construct path of what never starts', () => {
    const web = JSON.stringify(deployment('web'));
    const { status, stdout, report } = synth(`new ApiObject(chart, 'web', ${web});`, '{ failOn: warning }');
    expect(status).toBe(2);
    expect(report.violations).toHaveLength(1);
    expect(report.violations[0]).toMatchObject({
      ruleName: 'EDGE_NEVER_STARTS',
      violatingConstructs: [{ constructPath: 'fleet/web', resourceName: 'web', manifestPath: 'dist/fleet.k8s.yaml' }],
    });
    expect(stdout).toContain('Construct Path: fleet/web');
  });

  it('succeeds with what is right', () => {
    const host = JSON.stringify(deployment('agent', { hostNetwork: true }));
    const { status, report } = synth(`new ApiObject(chart, 'agent', ${host});`, '{}');
    expect([status, report.summary.status, report.violations]).toEqual([0, 'success', []]);
  });
});

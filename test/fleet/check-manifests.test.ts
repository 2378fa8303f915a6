/** `edge-nodepools check`: findings, their lines, and the forms of the report. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Chart } from 'cdk8s';
import fc from 'fast-check';
import { EdgeCluster, EdgeSystemComponents, HostNetworkNodePool, PoolAdmission, SystemComponent } from 'edge-nodepools';
import { main } from '../../src/cli/main.js';
import { checkFiles } from '../../src/fleet/check-manifests.js';
import { CHECK_FORMATS, checkReport } from '../../src/fleet/finding-reports.js';
import { writeArtifacts } from '../../src/index.js';
import { EDGE_CODES } from '../../src/base/error-codes.js';
import { runs } from '../depth.js';
import { oddPodSpec } from '../properties/pod-specs.js';
import { neverRuns } from '../workloads/refused-shapes.js';
import { codePages } from '../../src/cli/check.js';
import { acceptedOfCheck, acceptedValues, refusedOfCheck, refusedShapes } from '../workloads/refused-values.js';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'check-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const POOL = `apiVersion: apps.openyurt.io/v1beta2
kind: NodePool
metadata: { name: hz }
spec: { type: Edge, hostNetwork: true }
`;
const deploymentOf = (podSpec: string): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers:
        - name: web
          image: web
${podSpec}`;

const found = (...texts: string[]): string[] =>
  checkFiles(texts.map((text, index) => ({ path: `${index}.yaml`, text }))).findings.map(
    ({ file, line, level, code, object, path }) => `${file}:${line} ${level} ${code} ${object} ${path}`.trim(),
  );

describe('check', () => {
  it('reads integers that JavaScript rounds: nothing is written', () => {
    const large =
      'apiVersion: example.com/v1\nkind: Disk\nmetadata: { name: a }\nspec: { size: 18446744073709551607 }\n';
    expect(found(large)).toEqual([]);
  });

  it('finds what the API server refuses and where Pods never start, with the line of the field', () => {
    const text = deploymentOf(`          livenessProbe:
            httpGet: { path: /, port: "80" }
      # a comment
      tolerationz: []
      newField: 1
`);
    expect(found(POOL, `# first\n---\n${text}`)).toEqual([
      '1.yaml:12 error EDGE_NEVER_STARTS Deployment shop/web spec.template.spec',
      '1.yaml:17 error EDGE_PORT Deployment shop/web spec.template.spec.containers[0].livenessProbe.httpGet.port',
      '1.yaml:19 error EDGE_UNKNOWN_PROPERTY Deployment shop/web spec.template.spec.tolerationz',
      '1.yaml:20 warning EDGE_UNKNOWN_PROPERTY Deployment shop/web spec.template.spec.newField',
    ]);
  });

  it.each<[string, string, string[]]>([
    [
      'items of a List',
      `kind: List\napiVersion: v1\nitems:\n  - kind: Pod\n    apiVersion: v1\n    metadata: { name: a }\n    spec: { containers: [{ name: a }] }\n`,
      ['0.yaml:7 error EDGE_MISSING Pod a spec.containers[0].image'],
    ],
    [
      'JSON on one line',
      JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers: [] } }),
      ['0.yaml:1 error EDGE_MISSING Pod a spec.containers'],
    ],
    ['YAML that cannot be read', 'a: 1\nb: [\n', ['0.yaml:3 error EDGE_YAML']],
    ['a second document that is none', 'a: 1\n---\n- b\n', ['0.yaml:undefined error EDGE_YAML']],
    ['other things', 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata: { selector: x }\n', []],
    ['nothing', '', []],
  ])('says the place in %s', (_, text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  it.each([...refusedShapes, ...refusedOfCheck, ...neverRuns])('finds %s', (_, workload, path, code) => {
    expect(found(JSON.stringify(workload)).map((each) => each.split(' ')[2])).toEqual([code]);
    expect(found(JSON.stringify(workload))[0]).toContain(path);
  });

  it.each([...acceptedValues, ...acceptedOfCheck])('finds nothing wrong with %s', (_, workload) => {
    expect(found(JSON.stringify(workload))).toEqual([]);
  });

  it('warns of a hostPort that takes the traffic of kubelet', () => {
    const text = deploymentOf('          ports: [{ containerPort: 80, hostPort: 10250 }]\n');
    const regular = POOL.replace('hostNetwork: true', 'hostNetwork: false');
    expect(found(regular, text)).toEqual([
      expect.stringContaining('warning EDGE_PORT Deployment shop/web spec.template.spec.containers'),
    ]);
    expect(found(regular, text.replace('10250', '10251'))).toEqual([]);
  });

  it('warns of what a host-network Pod cannot reach where it runs, and only there', () => {
    const text = deploymentOf(`          args: ['--api=http://api.shop.svc:80']
          ports: [{ containerPort: 40000 }]
        - { name: side, image: side }
      hostNetwork: true
      dnsPolicy: ClusterFirstWithHostNet
`);
    expect(found(POOL, text)).toEqual([
      '1.yaml:14 warning EDGE_CLUSTER_SERVICE Deployment shop/web spec.template.spec.containers[0].args[0]',
      '1.yaml:15 warning EDGE_PORT Deployment shop/web spec.template.spec.containers[0].ports[0]',
      '1.yaml:16 warning EDGE_NO_PORTS Deployment shop/web spec.template.spec.containers[1]',
      '1.yaml:18 warning EDGE_DNS Deployment shop/web spec.template.spec.dnsPolicy',
    ]);
    expect(found(text)).toEqual([]);
    expect(found(POOL.replace('hostNetwork: true', 'hostNetwork: false'), text)).toEqual([]);
  });

  it('counts ports and requests against the nodes of a pool', () => {
    const node = (name: string): string =>
      `---\napiVersion: v1\nkind: Node\nmetadata: { name: ${name}, labels: { apps.openyurt.io/nodepool: hz, nodepool.openyurt.io/hostnetwork: "true" } }\nstatus: { allocatable: { cpu: "1", memory: 1Gi, pods: "10" } }\n`;
    const daemon = (name: string, more: string): string =>
      `---\napiVersion: apps/v1\nkind: DaemonSet\nmetadata: { name: ${name} }\nspec:\n  selector: { matchLabels: { app: a } }\n  template:\n    metadata: { labels: { app: a } }\n    spec: { hostNetwork: true, containers: [{ name: a, image: a, ${more} }] }\n`;
    const text = [
      POOL,
      node('a'),
      daemon('one', 'ports: [{ containerPort: 80, hostPort: 80 }]'),
      daemon('two', 'ports: [{ containerPort: 80, hostPort: 80 }]'),
      daemon('big', 'resources: { requests: { memory: 2Gi } }'),
    ].join('');
    expect(found(text)).toEqual([
      '0.yaml:27 error EDGE_PORT_CONFLICT DaemonSet two spec.template.spec',
      '0.yaml:36 error EDGE_NO_ROOM DaemonSet big spec.template.spec',
    ]);
  });

  it('finds nothing in what this library writes', () => {
    const app = new App({ outdir: folder });
    const chart = new Chart(app, 'fleet');
    const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });
    new HostNetworkNodePool(chart, 'hz', { cluster, poolName: 'hz', expectedNodes: 3 });
    new EdgeSystemComponents(chart, 'system', { cluster, exclude: [SystemComponent.KUBE_PROXY] });
    new PoolAdmission(chart, 'admission', { cluster });
    writeArtifacts(app);
    app.synth();
    const { code, out } = run('check', folder);
    expect([code, out.split('\n').at(-2)]).toEqual([
      0,
      expect.stringMatching(/^nothing found in \d+ objects of \d+ files on 1 pool$/),
    ]);
  });

  it('answers for any Pod spec', () => {
    fc.assert(
      fc.property(oddPodSpec, fc.boolean(), (spec, hostNetwork) => {
        const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'odd' }, spec: { ...spec, hostNetwork } };
        const { findings } = checkFiles([
          { path: 'a.json', text: JSON.stringify(pod, undefined, 1) },
          { path: 'pool.yaml', text: POOL },
        ]);
        expect(findings.every(({ line }) => line !== undefined && line > 0)).toBe(true);
      }),
      runs(400),
    );
  });
});

/** Runs the command. */
function run(...args: string[]): { code: number; out: string; err: string } {
  let [out, err] = ['', ''];
  const code = main(args, {
    stdin: () => POOL + '---\n' + deploymentOf(''),
    stdout: (text) => (out += text),
    stderr: (text) => (err += text),
  });
  return { code, out, err };
}

it('takes a part with resources of containers for a part, and a workload without an image for none', () => {
  const workload = (spec: string, image = ''): string =>
    `apiVersion: apps/v1\nkind: DaemonSet\nmetadata: { name: a, namespace: kube-system }\nspec:\n  ${spec}template:\n    spec:\n      containers: [{ name: a${image}, resources: { limits: { cpu: 100m } } }]\n`;
  const errors = (text: string): string[] =>
    checkFiles([{ path: 'a.yaml', text }]).findings.flatMap(({ level, path }) => (level === 'error' ? [path] : []));
  expect(errors(workload(''))).toEqual([]);
  expect(errors(workload('', ', image: a:1'))).not.toEqual([]);
  expect(errors(workload('selector: { matchLabels: { app: a } }\n  '))).not.toEqual([]);
});

describe('edge-nodepools check', () => {
  it('exits with 1 for what it finds, and with 2 for nothing to check', () => {
    expect(run('check', '-').code).toBe(1);
    expect(run('check', '-').out).toBe(`stdin:15  error  Deployment shop/web
  EDGE_NEVER_STARTS  spec.template.spec: never starts on hz: it needs a Pod network, which the node does not have
      -> keep it off these nodes (ExcludedWorkload, or edge-nodepools post-render), or make it run there: hostNetwork: true
1 error, 0 warnings in 2 objects of 1 file on 1 pool
`);
    writeFileSync(join(folder, 'a.yaml'), deploymentOf('      newField: 1\n'));
    expect(run('check', folder).code).toBe(0);
    expect(run('check', folder).out).toContain('0 errors, 1 warning in 1 object of 1 file; no pool is known');
    expect(run('check', folder, '--fail-on', 'warning').code).toBe(1);
    mkdirSync(join(folder, 'empty'));
    expect(run('check', join(folder, 'empty'))).toMatchObject({
      code: 2,
      err: expect.stringContaining('there is no YAML'),
    });
    expect(run('check', join(folder, 'none'))).toMatchObject({ code: 2 });
    expect(run('check', folder, '--format', 'xml')).toMatchObject({ code: 2 });
  });

  it('judges API versions by the minor of --kubernetes, and refuses one that there is not', () => {
    const file = join(folder, 'a.yaml');
    writeFileSync(file, 'apiVersion: batch/v1beta1\nkind: CronJob\nmetadata: { name: a }\n');
    expect(run('check', file)).toMatchObject({ code: 1, out: expect.stringContaining('since Kubernetes 1.25') });
    expect(run('check', file, '--kubernetes', 'v1.24.3')).toMatchObject({
      code: 0,
      out: expect.stringContaining('1 warning'),
    });
    expect(run('check', file, '--kubernetes', '1.x')).toMatchObject({ code: 2 });
  });

  it('names files from where it runs, and reads the pools of a program', () => {
    writeFileSync(join(folder, 'a.yaml'), deploymentOf(''));
    const { out, code } = run('check', folder, '--host-network-pool', 'edge');
    expect(code).toBe(1);
    expect(out).toMatch(new RegExp(`^${join(folder, 'a.yaml')}:10 {2}error`));
    expect(out).toContain('never starts on edge');
  });
});

it('any object that a folder has twice is a warning, one in another folder only with other content', () => {
  const map = (value: string): string =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata: { key: ${value} }\n`;
  const found = (...files: readonly [path: string, text: string][]): string[] =>
    checkFiles(files.map(([path, text]) => ({ path, text }))).findings.map(({ code, level }) => `${level} ${code}`);
  const twice = ['warning EDGE_DUPLICATE'];
  expect(found(['a/one.yaml', map('x')], ['a/two.yaml', map('x')])).toEqual(twice);
  expect(found(['a/one.yaml', `${map('x')}---\n${map('z')}`])).toEqual(twice);
  expect(found(['a/one.yaml', map('x')], ['b/one.yaml', map('x')])).toEqual([]);
  expect(found(['a/one.yaml', map('x')], ['b/one.yaml', map('z')])).toEqual(twice);
  // a later step
  expect(found(['one.yaml', map('x')], ['patches/one.yaml', map('z')])).toEqual([]);
});

describe('the reports of a check', () => {
  const odd = checkFiles([
    { path: 'a, b:%\n"<&>.yaml', text: deploymentOf('      tolerationz: []\n') },
    { path: 'c.yaml', text: 'a: [' },
  ]);
  const source = { version: '1.2.3', meanings: EDGE_CODES };

  it('are the same twice, and say each finding', () => {
    for (const format of CHECK_FORMATS) {
      const report = checkReport(odd, format, source);
      expect(checkReport(odd, format, source)).toBe(report);
      expect(report).toContain('EDGE_UNKNOWN_PROPERTY');
      expect(report).toContain('EDGE_YAML');
      expect(report).toMatch(/\n$/);
    }
    expect(JSON.parse(checkReport(odd, 'json', source))).toEqual(odd);
  });

  it('SARIF: rules, levels and places', () => {
    const {
      version,
      runs: [run],
    } = JSON.parse(checkReport(odd, 'sarif', source));
    expect(version).toBe('2.1.0');
    expect(run.tool.driver.rules.map(({ id }: any) => id)).toEqual(['EDGE_UNKNOWN_PROPERTY', 'EDGE_YAML']);
    // what is shown beside a finding: no path that nobody can open
    const help = (rules: any): string[] => rules.map((rule: any) => rule.help.text);
    expect(help(run.tool.driver.rules)).toEqual([EDGE_CODES.EDGE_UNKNOWN_PROPERTY, EDGE_CODES.EDGE_YAML]);
    const pages = codePages();
    expect(Object.keys(pages).sort()).toEqual(Object.keys(EDGE_CODES).sort());
    expect(Object.values(pages).filter((page) => page.length < 40 || /\]\(|^#/m.test(page))).toEqual([]);
    const withPages = JSON.parse(checkReport(odd, 'sarif', { ...source, pages })).runs[0].tool.driver.rules;
    expect(help(withPages)).toEqual([pages.EDGE_UNKNOWN_PROPERTY, pages.EDGE_YAML]);
    for (const result of run.results) {
      expect(run.tool.driver.rules[result.ruleIndex].id).toBe(result.ruleId);
      expect(['error', 'warning']).toContain(result.level);
    }
    expect(run.results[0].locations[0].physicalLocation).toEqual({
      artifactLocation: { uri: 'a%2C%20b%3A%25%0A%22%3C%26%3E.yaml' },
      region: { startLine: 14 },
    });
  });

  it('JUnit: XML without what would end a value', () => {
    const report = checkReport(odd, 'junit', source);
    expect(report).toContain('a, b:%\n&quot;&lt;&amp;&gt;.yaml');
    expect(report).toContain('tests="2" failures="2"');
    expect(checkReport({ ...odd, findings: [] }, 'junit', source)).toContain('tests="1" failures="0"');
    // a warning fails nothing, unless it is asked to
    const warned = { ...odd, findings: odd.findings.map((each) => ({ ...each, level: 'warning' as const })) };
    expect(checkReport(warned, 'junit', source)).toContain('tests="2" failures="0"');
    expect(checkReport(warned, 'junit', source)).toContain('<system-out>warning: ');
    expect(checkReport(warned, 'junit', { ...source, failOn: 'warning' })).toContain('tests="2" failures="2"');
  });

  it('GitHub: one line for each finding', () => {
    const lines = checkReport(odd, 'github', source).trimEnd().split('\n');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(
      /^::error file=a%2C b%3A%25%0A"<&>\.yaml,line=14,title=EDGE_UNKNOWN_PROPERTY::Deployment shop\/web /,
    );
    expect(checkReport({ ...odd, findings: [] }, 'github', source)).toBe('');
  });
});

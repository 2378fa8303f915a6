/** What pages and comments tell users to change in a project that `init` wrote. The tests of the project must stay green. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type Kind = 'cdk8s' | 'pulumi';

export interface ProjectChange {
  readonly what: string;
  /** Where it is advised: a page, or the text that the project has itself. */
  readonly advice: { readonly page?: string; readonly text: RegExp };
  /** Classes of the library that the program does not have yet. */
  readonly imports?: readonly string[];
  /** Added to the program. `@` stands for the scope of a construct, `$edge` for the pool. */
  readonly adds?: string;
  /** Replacements in the program. */
  readonly replaces?: readonly (readonly [string, string])[];
  /** A pool of the program that its test needs, too. */
  readonly pool?: string;
  /** Rows in the list of the test: `$pool` stands for the pool of the same name. */
  readonly tests?: readonly (readonly [string, string])[];
  /** Other files. */
  readonly files?: Readonly<Record<string, string>>;
}

const manifest = (kind: string, name: string): string =>
  `{ apiVersion: 'apps/v1', kind: '${kind}', metadata: { name: '${name}' }, spec: { selector: { matchLabels: { app: '${name}' } }, template: { metadata: { labels: { app: '${name}' } }, spec: { automountServiceAccountToken: false, containers: [{ name: '${name}', image: 'registry.example/${name}:1.0' }] } } } }`;

const DEPOT = "new HostNetworkNodePool(@'depot', { cluster, poolName: 'depot' })";
const HELLO_ROW = "workloads: ['hello'] }";
const POOL = "{ cluster, poolName: 'edge', registrationTaint: true }";

export const PROJECT_CHANGES: readonly ProjectChange[] = [
  {
    what: 'the CNI among the system components',
    advice: { text: /Add the CNI of your cluster to the list, for example SystemComponent\.FLANNEL\./ },
    replaces: [['SystemComponent.COREDNS]', 'SystemComponent.COREDNS, SystemComponent.FLANNEL]']],
  },
  {
    what: 'a further workload on the pool',
    advice: { text: /the names of the workloads on (their nodes|them)\. Add yours to the list\./ },
    adds: `new HostNetworkWorkload(@'collector', { pool: $edge, workload: ${manifest('DaemonSet', 'collector')} });`,
    tests: [[HELLO_ROW, "workloads: ['hello', 'collector'] }"]],
  },
  {
    what: 'a second pool with a workload of its own',
    advice: { text: /(Host-network pools|Nodes of host-network pools), and [^]* Add yours to the list\./ },
    pool: DEPOT,
    adds: `new HostNetworkWorkload(@'timetable', { pool: $depot, workload: ${manifest('Deployment', 'timetable')} });`,
    tests: [[`${HELLO_ROW}]`, `${HELLO_ROW}, { pool: $depot, workloads: ['timetable'] }]`]],
  },
  {
    what: 'a second pool, with one workload on both',
    advice: { page: 'docs/faq.md', text: /What does a second pool cost\?\*\* One object, and one name/ },
    pool: DEPOT,
    replaces: [['pool: $edge,\n', 'pools: [$edge, $depot],\n']],
    tests: [[`${HELLO_ROW}]`, `${HELLO_ROW}, { pool: $depot, workloads: ['hello'] }]`]],
  },
  {
    what: 'a workload of a file that is excluded',
    advice: { page: 'docs/post-render.md', text: /`workload: readFileSync\('flannel\.yaml', 'utf8'\)`/ },
    adds: `new ExcludedWorkload(@'shop', { cluster, workload: readFileSync(join(__dirname, 'shop.yaml'), 'utf8') });`,
    replaces: [['import {', "import { readFileSync } from 'node:fs';\nimport { join } from 'node:path';\nimport {"]],
    files: { 'shop.yaml': manifest('Deployment', 'shop') },
  },
  {
    what: 'another name, no taint at registration, labels and taints of the pool',
    advice: { page: 'docs/faq.md', text: /`registrationTaint: true` of a pool adds one for everything else/ },
    replaces: [
      [
        POOL,
        "{ cluster, poolName: 'shops', labels: { site: 'north' }, taints: [{ key: 'site', value: 'north', effect: 'NoSchedule' }] }",
      ],
    ],
  },
  {
    what: 'a pool that exists already, in place of a new one',
    advice: { page: 'docs/adopt.md', text: /HostNetworkNodePool\.fromPoolName\(chart, 'depot', \{ cluster/ },
    replaces: [
      ["new HostNetworkNodePool(@'edge', ", "HostNetworkNodePool.fromPoolName(@'edge', "],
      ['readonly edge: HostNetworkNodePool;', 'readonly edge: IHostNetworkNodePool;'],
    ],
    imports: ['type IHostNetworkNodePool'],
  },
  {
    what: 'a regular pool, and policies for the pools',
    advice: { page: 'docs/admission.md', text: /new PoolAdmission\(chart, 'admission', \{/ },
    imports: ['PoolAdmission', 'RegularNodePool'],
    adds: `new RegularNodePool(@'office', { cluster, poolName: 'office' });
new PoolAdmission(@'admission', { cluster });`,
  },
  {
    what: 'a system component of another chart',
    advice: { page: 'examples/existing-cluster/chart.ts', text: /SystemComponent\.fromManifest\(readFileSync/ },
    replaces: [
      [
        'SystemComponent.COREDNS]',
        `SystemComponent.COREDNS, SystemComponent.fromManifest(${manifest('DaemonSet', 'log-shipper').replace("name: 'log-shipper' }", "name: 'log-shipper', namespace: 'logging' }")})]`,
      ],
    ],
  },
  {
    what: 'what each node reserves',
    advice: { page: 'docs/join.md', text: /const reservation = NodeReservation\.preset\('edge-small'\);/ },
    imports: ['NodeReservation'],
    replaces: [[POOL, POOL.replace(' }', ", reservation: NodeReservation.preset('edge-small'), expectedNodes: 3 }")]],
  },
  {
    what: 'a warning that is accepted',
    advice: { page: 'docs/warnings.md', text: /EdgeWarnings\.accept\(agent, 'EDGE_REPLICAS', / },
    imports: ['EdgeWarnings'],
    adds: `const agent = new HostNetworkWorkload(@'agent', { pool: $edge, workload: ${manifest('Deployment', 'agent')} });
EdgeWarnings.accept(agent, 'EDGE_REPLICAS', 'one is enough here');`,
    tests: [[HELLO_ROW, "workloads: ['hello', 'agent'] }"]],
  },
];

function replaced(text: string, search: string, by: string): string {
  if (!text.includes(search)) {
    throw new Error(`there is no ${search} in\n${text}`);
  }
  return text.replace(search, () => by);
}

/** Makes a change in a project, as its user would. */
export function makeChange(project: string, kind: Kind, change: ProjectChange): void {
  const isCdk8s = kind === 'cdk8s';
  const program = join(project, isCdk8s ? 'fleet.ts' : 'index.ts');
  const test = join(project, isCdk8s ? 'fleet.test.ts' : 'index.test.ts');
  const own = (text: string): string =>
    text.replaceAll('@', isCdk8s ? 'this, ' : '').replace(/\$(edge|depot)\b/g, isCdk8s ? 'this.$1' : '$1');
  let source = readFileSync(program, 'utf8');
  for (const [search, by] of change.replaces ?? []) {
    // only constructs are fields of a class
    source = !isCdk8s && search.startsWith('readonly ') ? source : replaced(source, own(search), own(by));
  }
  if (!isCdk8s && change.what.startsWith('a pool that exists')) {
    source = replaced(source, "fromPoolName('edge', ", 'fromPoolName(');
  }
  const imports = (change.imports ?? []).map((name) => `  ${name},\n`).join('');
  source = replaced(source, '  SystemComponent,\n}', `  SystemComponent,\n${imports}}`);
  const marker = `${isCdk8s ? '    ' : ''}// Needs a Pod network`;
  if (change.pool !== undefined) {
    const hello = `${isCdk8s ? '    ' : ''}// One Pod on each node`;
    const declared = isCdk8s ? 'this.depot' : 'const depot';
    const node =
      "export const depotNode = { name: 'depot1', labels: depot.joinLabels, taints: depot.registrationTaints };";
    source = replaced(source, hello, `${declared} = ${own(change.pool)};\n${isCdk8s ? '' : `${node}\n`}${hello}`);
    source = isCdk8s
      ? replaced(source, '  readonly edge:', '  readonly depot: HostNetworkNodePool;\n  readonly edge:')
      : source;
  }
  writeFileSync(program, replaced(source, marker, `${own(change.adds ?? '')}\n${marker}`));
  const inTest = (text: string): string =>
    text.replaceAll('$depot', isCdk8s ? 'fleet.depot' : 'preview.outputs.depotNode as PlacementNode');
  const tested = (change.tests ?? []).reduce(
    (text, [search, by]) => replaced(text, search, inTest(by)),
    readFileSync(test, 'utf8'),
  );
  writeFileSync(test, tested);
  Object.entries(change.files ?? {}).forEach(([name, text]) => writeFileSync(join(project, name), text));
}

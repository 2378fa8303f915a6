/** Objects that differ in a few fields from what a class makes: the program has the class, and keeps these fields as they are. */
import type * as pulumi from '@pulumi/pulumi';
import { App, Chart } from 'cdk8s';
import { EdgeCluster, HostNetworkNodePool, manifestsOf, OpenYurtWebhooks, PoolAdmission } from 'edge-nodepools';
import { Testing } from '../../src/testing.js';
import { collector, storedPool } from './imported-dump.js';
import { distOf, imported, stacksOf, objectsOf, sorted } from './programs.js';

beforeEach(() => {
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  jest.spyOn(console, 'warn').mockReturnValue();
});
afterEach(() => jest.restoreAllMocks());

const RELEASES = { openYurt: '1.7', kubernetes: '1.36' };
const cluster = EdgeCluster.of(RELEASES);

function made(declare: (chart: Chart) => void): any[] {
  const app = new App();
  declare(new Chart(app, 'fleet'));
  return sorted(manifestsOf(app));
}

const sourceOf = (program: ReturnType<typeof imported>): string =>
  program.files.flatMap(({ path, content }) => (path.endsWith('.ts') ? [content] : [])).join('\n');

/** The objects of a Pulumi program, without annotations for the provider. */
async function ofPulumi(objects: readonly any[]): Promise<any[]> {
  const { objects: found } = await Testing.preview(() => stacksOf(imported(objects, 'pulumi', RELEASES)));
  await jest.requireActual<typeof pulumi>('@pulumi/pulumi').runtime.disconnect();
  return sorted(found);
}

describe('policies whose list of pools is older than the pools', () => {
  const policies = made((chart) => {
    new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'beijing' });
    new PoolAdmission(chart, 'admission', { cluster, breakGlassGroups: ['sre'] });
  }).filter(({ kind }) => kind !== 'NodePool');
  const pool = (name: string): object => {
    const { apiVersion, kind, spec } = storedPool(name);
    return { apiVersion, kind, metadata: { name }, spec };
  };
  const all = [pool('beijing'), pool('paris'), ...policies];

  it('are a PoolAdmission, and keep their list', () => {
    const program = imported(all, 'cdk8s', RELEASES);
    expect(program.counts).toMatchObject({ recognized: all.length, byClass: { PoolAdmission: 1 } });
    expect(sourceOf(program).match(/ in \['beijing'\]/g)).toHaveLength(2);
    expect(program.report).toMatch(/MutatingAdmissionPolicy edge-nodepools-node-label +spec\.variables\.0\.expression/);
    expect(program.details).toMatch(
      /^policies that do not name all[^]*?MutatingAdmissionPolicy edge-nodepools-node-label +paris/,
    );
    expect(objectsOf(program)).toEqual(sorted(all));
    expect(imported(distOf(program), 'cdk8s', RELEASES).files).toEqual(program.files);
  });

  it('keep it with Pulumi', async () => {
    expect(await ofPulumi(all)).toEqual(sorted(all));
  });

  it('are plain if one of them exempts another group', () => {
    const [first = '', second = '', ...others] = JSON.stringify(policies).split(`group in ['sre']`);
    const changed = JSON.parse(`${first}group in ['sre', 'x']${[second, ...others].join(`group in ['sre']`)}`);
    const { counts } = imported([pool('beijing'), ...changed], 'cdk8s', RELEASES);
    expect(counts.byClass).toEqual({ HostNetworkNodePool: 1 });
  });
});

describe('the webhooks of the chart of OpenYurt', () => {
  const shipped = made((chart) => {
    new OpenYurtWebhooks(chart, 'webhooks', { cluster, template: false });
  });
  const labelled = (labels?: object): any[] =>
    shipped.map(({ metadata: { name }, ...object }) => ({
      ...object,
      metadata: { name, ...(labels === undefined ? {} : { labels }) },
    }));

  /** As the API server stores it: with defaults, with the CA of yurt-manager and its annotation. */
  const stored = labelled({ 'app.kubernetes.io/managed-by': 'Helm' }).map((object, index) => ({
    ...object,
    metadata: {
      ...object.metadata,
      annotations: { 'yurt-manager-template': '[]', 'meta.helm.sh/release-name': 'yurt-manager' },
      uid: `w-${index}`,
    },
    webhooks: object.webhooks.map(({ clientConfig, rules, ...webhook }: any) => ({
      ...webhook,
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
      timeoutSeconds: 10,
      ...(object.kind.startsWith('Mutating') ? { reinvocationPolicy: 'Never' } : {}),
      clientConfig: { caBundle: 'QQ==', service: { ...clientConfig.service, port: 443 } },
      rules: rules.map((rule: object) => ({ ...rule, scope: '*' })),
    })),
  }));

  it.each([
    ['as helm template prints them', labelled()],
    ['with labels of their own', labelled({ team: 'x' })],
  ])('%s are OpenYurtWebhooks, and stay without its labels', (_, objects) => {
    const program = imported(objects, 'cdk8s', RELEASES);
    expect(program.counts).toMatchObject({ recognized: 2, ofEdge: 2, byClass: { OpenYurtWebhooks: 1 } });
    expect(objectsOf(program)).toEqual(sorted(objects));
    expect(imported(distOf(program), 'cdk8s', RELEASES).files).toEqual(program.files);
  });

  it('as they run are OpenYurtWebhooks, and stay those of Helm', async () => {
    const expected = shipped.map((object) => ({
      ...object,
      metadata: {
        ...object.metadata,
        labels: { 'app.kubernetes.io/managed-by': 'Helm' },
        annotations: { 'meta.helm.sh/release-name': 'yurt-manager' },
      },
    }));
    const program = imported(stored, 'cdk8s', RELEASES);
    expect(program.counts).toMatchObject({ recognized: 2, ofEdge: 2, byClass: { OpenYurtWebhooks: 1 } });
    expect(objectsOf(program)).toEqual(sorted(expected));
    expect(await ofPulumi(stored)).toEqual(sorted(expected));
  });

  it('that fail where the chart ignores are found with that setting', () => {
    const failing = stored.map((object) => ({
      ...object,
      webhooks: object.webhooks.map((webhook: object) => ({ ...webhook, failurePolicy: 'Fail' })),
    }));
    const program = imported(failing, 'cdk8s', RELEASES);
    expect(program.counts.byClass).toEqual({ OpenYurtWebhooks: 1 });
    expect(sourceOf(program)).toContain("failurePolicy: 'Fail'");
  });
});

it('keeps a host-network workload without the dnsPolicy that means the same', async () => {
  const given = collector();
  given.spec.template.spec.dnsPolicy = 'ClusterFirst';
  const pool = storedPool('beijing');
  const program = imported([pool, given], 'cdk8s', RELEASES);
  expect(program.counts.byClass).toEqual({ HostNetworkNodePool: 1, HostNetworkWorkload: 1 });
  const [daemonSet] = objectsOf(program);
  expect(daemonSet.spec.template.spec).not.toHaveProperty('dnsPolicy');
  expect(imported(distOf(program), 'cdk8s', RELEASES).files).toEqual(program.files);
  expect(await ofPulumi([pool, given])).toHaveLength(2);
});

/** Pools and workloads that people have written without this library, as each release of OpenYurt reads them: classes, which change nothing. */
describe('what people have written without this library', () => {
  const pool = (name: string, version: string, spec: object, metadata: object = {}): any => ({
    apiVersion: `apps.openyurt.io/${version}`,
    kind: 'NodePool',
    metadata: { name, ...metadata },
    spec: { type: 'Edge', ...spec },
  });
  const pools = (version: string): any[] => [
    pool('plain', version, { hostNetwork: true }),
    pool('noted', version, { hostNetwork: true }, { annotations: { 'nodepool.openyurt.io/hostnetwork': 'true' } }),
    pool('owned', version, { hostNetwork: true }, { labels: { team: 'a' }, annotations: { a: 'b' } }),
    pool('regular', version, {}),
    pool('written', version, { hostNetwork: false, labels: { a: 'b' } }, { labels: { x: 'z' } }),
  ];

  const deployment = (name: string, podSpec: object, annotations?: object): any => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'a' },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name }, ...(annotations === undefined ? {} : { annotations }) },
        spec: { containers: [{ name: 'c', image: 'c:1' }], ...podSpec },
      },
    },
  });
  const selecting = (operator: string, ...others: object[]): object => ({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'apps.openyurt.io/nodepool', operator, values: ['plain'] }, ...others] },
          ],
        },
      },
    },
  });
  const arm = { key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] };

  async function expectSame(all: readonly any[], releases: object): Promise<ReturnType<typeof imported>> {
    const program = imported(all, 'cdk8s', releases);
    expect(objectsOf(program)).toEqual(sorted(all));
    expect(imported(distOf(program), 'cdk8s', releases).files).toEqual(program.files);
    const { objects } = await Testing.preview(() => stacksOf(imported(all, 'pulumi', releases)));
    await jest.requireActual<typeof pulumi>('@pulumi/pulumi').runtime.disconnect();
    const plain = JSON.parse(JSON.stringify(objects), (key, value) =>
      key.startsWith('pulumi.com/') ? undefined : value,
    );
    const applied = plain.map(({ metadata: { annotations, ...metadata }, ...object }: any) => ({
      ...object,
      metadata: { ...metadata, ...(Object.keys(annotations ?? {}).length === 0 ? {} : { annotations }) },
    }));
    expect(sorted(applied)).toEqual(sorted(all));
    return program;
  }

  it.each([
    ['1.4', 'v1beta1'],
    ['1.5', 'v1beta1'],
    ['1.6', 'v1beta2'],
    ['1.6', 'v1beta1'],
    ['1.7', 'v1beta2'],
    ['1.7', 'v1beta1'],
  ])('pools of OpenYurt %s in %s are classes', async (openYurt, version) => {
    const all = pools(version);
    const { counts } = await expectSame(all, { openYurt, kubernetes: '1.30' });
    expect(counts.byClass).toEqual({ HostNetworkNodePool: 3, RegularNodePool: 2 });
  });

  it('workloads that another field binds to one pool are plain, with the field that their class would add', async () => {
    const { metadata, spec } = deployment('set', { hostNetwork: true });
    const set = {
      apiVersion: 'apps.openyurt.io/v1beta1',
      kind: 'YurtAppSet',
      metadata,
      spec: {
        pools: ['plain'],
        workload: { workloadTemplate: { deploymentTemplate: { metadata: { labels: { app: 'set' } }, spec } } },
      },
    };
    const one = deployment('one', { hostNetwork: true, ...selecting('In', arm) });
    const all = [pool('plain', 'v1beta1', { hostNetwork: true }), set, one];
    const { counts, report } = await expectSame(all, { openYurt: '1.5', kubernetes: '1.30' });
    expect(counts.byClass).toEqual({ HostNetworkNodePool: 1 });
    const text = report.replace(/\s+/g, ' ');
    expect(text.match(/its affinity or its list binds it/g)).toHaveLength(2);
  });

  it('workloads that are kept off pools by name, or only by a webhook, are counted, with what their class would do', () => {
    const noted = { 'apps.openyurt.io/exclude-host-network-pool': 'true' };
    const all = [deployment('off', selecting('NotIn')), deployment('noted', {}, noted)];
    const { counts, report } = imported(all);
    expect(counts).toMatchObject({ ofEdge: 2, recognized: 0 });
    const text = report.replace(/\s+/g, ' ');
    expect(text).toContain('it is kept off pools by their names, and a later one is not among them');
    expect(text).toContain('only the webhook of OpenYurt');
  });
});

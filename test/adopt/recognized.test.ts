/** What becomes a declaration of this library: only what that makes exactly. */
import { App, Chart } from 'cdk8s';
import {
  EdgeCluster,
  EdgeSystemComponents,
  ExcludedWorkload,
  HostNetworkNodePool,
  HostNetworkWorkload,
  manifestsOf,
  OpenYurtWebhooks,
  PoolAdmission,
  SystemComponent,
} from 'edge-nodepools';
import { collector, storedDeployment, storedPool, WRITTEN_DEPLOYMENT } from './imported-dump.js';
import { distOf, imported, objectsOf, sorted } from './programs.js';
import { asWritten } from '../../src/fleet/server-fields.js';

beforeEach(() => {
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
});
afterEach(() => jest.restoreAllMocks());

const RELEASES = { openYurt: '1.7', kubernetes: '1.36' };
const cluster = EdgeCluster.of(RELEASES);

/** The objects of a chart. */
function made(declare: (chart: Chart) => void): any[] {
  const app = new App();
  declare(new Chart(app, 'fleet'));
  return sorted(manifestsOf(app));
}

const keptOff = (...matchExpressions: object[]): object => ({
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
});
const OFF = { key: 'nodepool.openyurt.io/hostnetwork', operator: 'NotIn', values: ['true'] };

const sourceOf = (program: ReturnType<typeof imported>): string =>
  program.files.flatMap(({ path, content }) => (path.endsWith('.ts') ? [content] : [])).join('\n');

describe('objects of this library', () => {
  const workload = WRITTEN_DEPLOYMENT;
  const all = made((chart) => {
    const pool = new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'beijing', registrationTaint: true });
    new PoolAdmission(chart, 'admission', { cluster, guarantees: { strict: true } });
    new ExcludedWorkload(chart, 'web', { cluster, workload });
    const { metadata, ...rest } = asWritten(collector()) as any;
    new HostNetworkWorkload(chart, 'collector', { pool, workload: { ...rest, metadata } });
  });
  const program = imported(all, 'cdk8s', RELEASES);

  it('are the declarations that have made them, with what these were given', () => {
    expect(program.counts).toMatchObject({ objects: all.length, recognized: all.length, ofEdge: all.length });
    expect(program.counts.byClass).toMatchObject({
      HostNetworkNodePool: 1,
      PoolAdmission: 1,
      ExcludedWorkload: 1,
      HostNetworkWorkload: 1,
    });
    const source = sourceOf(program);
    expect(source).toContain('guarantees: { strict: true }');
    expect(source).toContain('registrationTaint: true');
    expect(source).not.toMatch(/taints:|affinity:|hostNetwork: true|exclude-host-network-pool|managed-by/);
    expect(objectsOf(program)).toEqual(all);
  });

  it('are plain objects as soon as one field is another one, with the field', () => {
    const changed = all.map((object) =>
      object.kind === 'NodePool'
        ? { ...object, spec: { ...object.spec, type: 'Cloud' } }
        : object.kind === 'Deployment'
          ? {
              ...object,
              spec: {
                ...object.spec,
                template: { ...object.spec.template, spec: workload.spec.template.spec },
              },
            }
          : object,
    );
    const other = imported(changed, 'cdk8s', RELEASES);
    expect(objectsOf(other)).toEqual(sorted(changed));
    expect(other.counts.byClass).not.toHaveProperty('ExcludedWorkload');
    expect(sourceOf(other)).toMatch(/A plain object: ExcludedWorkload would write another\s+(\/\/ )?spec\.template/);
    expect(sourceOf(other)).toContain('A plain object: HostNetworkNodePool refuses type');
  });
});

it('finds system components that are kept off, and webhooks of OpenYurt', () => {
  const exclude = [SystemComponent.KUBE_PROXY, SystemComponent.FLANNEL];
  const all = made((chart) => {
    new EdgeSystemComponents(chart, 'system', { cluster, exclude });
    new OpenYurtWebhooks(chart, 'webhooks', { cluster });
  });
  const isPart = ({ kind }: any): boolean => kind === 'DaemonSet';
  const files = [
    { path: 'dist/fleet.k8s.yaml', text: JSON.stringify({ kind: 'List', items: all.filter((each) => !isPart(each)) }) },
    { path: 'dist/patches/a.k8s.yaml', text: JSON.stringify({ kind: 'List', items: all.filter(isPart) }) },
  ];
  const program = imported(files, 'cdk8s', RELEASES);
  expect(program.counts.byClass).toEqual({ EdgeSystemComponents: 1, OpenYurtWebhooks: 1 });
  expect(program.counts.recognized).toBe(all.length);
  expect(objectsOf(program)).toEqual(all);
  expect(imported(distOf(program), 'cdk8s', RELEASES).files).toEqual(program.files);
});

it.each([
  [{ failurePolicy: 'Fail' as const }],
  [{ timeoutSeconds: 5, exclude: ['nodes', 'm.v1beta2.nodepool.kb.io'] }],
  [{ webhooks: { pods: { timeoutSeconds: 3, objectSelector: { matchLabels: { a: 'b' } } } } }],
  [{ namespace: 'yurt', template: false, metadata: { labels: { team: 'x' } } }],
  [{ failurePolicy: 'Ignore' as const, webhooks: { endpoints: { failurePolicy: 'Fail' as const } } }],
])('finds webhooks of OpenYurt with their settings: %j', (settings) => {
  const all = made((chart) => {
    new OpenYurtWebhooks(chart, 'webhooks', { cluster, ...settings });
  });
  const program = imported(all, 'cdk8s', RELEASES);
  expect(program.counts).toMatchObject({ recognized: 2, ofEdge: 2, byClass: { OpenYurtWebhooks: 1 } });
  expect(objectsOf(program)).toEqual(all);
  expect(imported(distOf(program), 'cdk8s', RELEASES).files).toEqual(program.files);
});

describe('pools that nobody has made with this library', () => {
  it('are declared by their spec, and stay without its labels', () => {
    const pools = ['beijing', 'paris'].map((name) => storedPool(name));
    const program = imported(pools);
    expect(program.counts.byClass).toEqual({ HostNetworkNodePool: 2 });
    expect(objectsOf(program)).toEqual(pools.map(asWritten));
    expect(sourceOf(program)).toContain("without(this.beijing, '/metadata/labels'");
  });

  it('keep the annotation of a release before the upgrade', () => {
    const annotations = { 'nodepool.openyurt.io/hostnetwork': 'true', team: 'north' };
    const berlin = storedPool('berlin');
    const pool = { ...berlin, metadata: { ...berlin.metadata, annotations } };
    const program = imported([pool, collector('berlin')]);
    expect(program.counts.byClass).toEqual({ HostNetworkNodePool: 1, HostNetworkWorkload: 1 });
    expect(objectsOf(program)).toEqual(sorted([pool, collector('berlin')].map(asWritten)));
  });

  it('from five on are a table', () => {
    const pools = ['1', '2', '3', '4', '5'].map((index) =>
      storedPool(`site-${index}`, { labels: { site: index }, annotations: { team: 'north' } }),
    );
    const program = imported([...pools, collector('site-3')]);
    const source = sourceOf(program);
    expect(source).toContain("{ poolName: 'site-3', labels: { site: '3' } },");
    expect(source).toContain('for (const pool of SITE_POOLS) {');
    expect(source.match(/team: 'north'/g)).toHaveLength(1);
    expect(source).toContain("pool: pools.sitePools['site-3']");
    expect(objectsOf(program)).toEqual(sorted([...pools, collector('site-3')].map(asWritten)));
  });
});

describe('workloads', () => {
  it('on a pool whose NodePool is not there refer to it by its name', () => {
    const program = imported([collector('elsewhere')]);
    expect(sourceOf(program)).toContain("HostNetworkNodePool.fromPoolName(this, 'elsewhere', {");
    expect(sourceOf(program)).toContain('// Its NodePool is not among what was imported.');
    const other = imported([collector('elsewhere')], 'cdk8s', { openYurt: 'none', kubernetes: '1.34' });
    expect(sourceOf(other)).toContain('// Without OpenYurt a pool is what its nodes are labelled with.');
    const old = { ...storedPool('elsewhere'), apiVersion: 'apps.openyurt.io/v1alpha1' };
    const annotations = { 'nodepool.openyurt.io/hostnetwork': 'true' };
    const plain = imported([{ ...old, metadata: { ...old.metadata, annotations } }, collector('elsewhere')]);
    expect(sourceOf(plain)).toContain('// Its NodePool is a plain object, below.');
    expect(objectsOf(program)).toEqual([asWritten(collector('elsewhere'))]);
  });

  it('on a regular pool are plain', () => {
    const objects = [storedPool('paris', { hostNetwork: false }), collector('paris')];
    expect(imported(objects).counts.byClass).toEqual({ RegularNodePool: 1 });
    expect(imported(objects).report.replace(/\s+/g, ' ')).toContain('paris is none');
  });

  it('that take a port from each other are not both declared', () => {
    const other = { ...collector(), metadata: { ...collector().metadata, name: 'other' } };
    const program = imported([storedPool('beijing'), collector(), other]);
    expect(program.counts.byClass).toMatchObject({ HostNetworkWorkload: 1 });
    expect(program.report.replace(/\s+/g, ' ')).toContain('port 9110/TCP on the pool beijing is also used by');
    expect(objectsOf(program)).toHaveLength(3);
  });

  it('that are excluded by their affinity alone are declared, and stay as they are', () => {
    const affinity = keptOff({ key: 'disk', operator: 'In', values: ['ssd'] }, OFF);
    const web = storedDeployment({}, { affinity });
    const noted = storedDeployment({ name: 'noted' }, { affinity });
    noted.spec.template.metadata.annotations = { team: 'x' };
    const { replicas: _, strategy: _strategy, progressDeadlineSeconds: _deadline, ...spec } = web.spec;
    const orders = {
      ...storedDeployment({ name: 'orders' }),
      kind: 'StatefulSet',
      spec: {
        ...spec,
        serviceName: 'orders',
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      },
    };
    const podSpec = { ...spec.template.spec, restartPolicy: 'Never' };
    const report = {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { ...web.metadata, name: 'report' },
      spec: { schedule: '0 * * * *', jobTemplate: { spec: { template: { spec: podSpec } } } },
    };
    const objects = [web, noted, orders, report];
    const program = imported(objects);
    expect(sourceOf(program)).not.toContain('A plain object');
    expect(program.counts).toMatchObject({ ofEdge: 4, recognized: 4, byClass: { ExcludedWorkload: 4 } });
    expect(objectsOf(program)).toEqual(sorted(objects.map(asWritten)));
    expect(sourceOf(program)).toContain("without(webDeployment, '/spec/template/metadata/annotations');");
    expect(sourceOf(program)).not.toContain('hostnetwork');
    expect(imported(distOf(program)).files).toEqual(program.files);
  });

  it('of all edge nodes, and objects of OpenYurt for pools, are counted, and plain', () => {
    const all = collector();
    all.spec.template.spec.nodeSelector = { 'nodepool.openyurt.io/hostnetwork': 'true' };
    const sets = ['YurtAppSet', 'YurtStaticSet'].map((kind) => ({
      apiVersion: 'apps.openyurt.io/v1beta1',
      kind,
      metadata: { name: 'a', namespace: 'shop' },
      spec: {},
    }));
    const webhooks = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'yurt-manager-validating-webhook-configuration' },
      webhooks: [],
    };
    const token = {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'bootstrap.kubernetes.io/token',
      metadata: { name: 'bootstrap-token-abcdef', namespace: 'kube-system' },
      data: {},
    };
    const program = imported([all, ...sets, webhooks, token]);
    expect(program.counts).toMatchObject({ objects: 5, ofEdge: 5, recognized: 0 });
    expect(sourceOf(program)).toContain('A plain object: it runs on every host-network pool, also on later ones');
    expect(program.report.replace(/\s+/g, ' ')).toContain('BootstrapToken makes one of JoinToken.inline(…)');
    expect(objectsOf(program)).toHaveLength(5);
  });

  it('that say nothing of host-network nodes are not counted', () => {
    expect(imported([storedDeployment()]).counts).toMatchObject({ objects: 1, ofEdge: 0, recognized: 0 });
  });
});

/** Pools and workloads that people have written without this library, as each release of OpenYurt reads them: classes, which change nothing. */
import type * as pulumi from '@pulumi/pulumi';
import { Testing } from '../../src/testing/testing.js';
import { distOf, imported, moduleOf, objectsOf, sorted } from './programs.js';

beforeEach(() => {
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  jest.spyOn(console, 'warn').mockReturnValue();
});
afterEach(() => jest.restoreAllMocks());

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
  const { objects } = await Testing.preview(() => moduleOf(imported(all, 'pulumi', releases), 'index'));
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

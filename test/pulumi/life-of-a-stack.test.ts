/** What a stack needs to live through releases, offline nodes, other stacks and its end. */
import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import {
  EdgeCluster,
  RegularNodePool,
  EdgePreconditions,
  EdgeSystemComponents,
  ExcludedWorkload,
  HostNetworkNodePool,
  HostNetworkWorkload,
  JoinToken,
  KubeadmConfigTemplate,
  NodeJoin,
  PoolAdmission,
  SystemComponent,
  type WorkloadArgument,
} from 'edge-nodepools/pulumi';
import { waysOn } from '../../src/pulumi/resource.js';
import { record, type Recorded } from './recorded.js';

const isObject = ({ type }: Recorded): boolean => type.startsWith('kubernetes:');
const annotationsOf = ({ inputs }: Recorded): any => (inputs as any).metadata.annotations ?? {};

const joined = EdgeCluster.of({
  openYurt: '1.7',
  kubernetes: '1.36',
  apiServer: '10.0.0.1:6443',
  caCertHashes: [`sha256:${'0'.repeat(64)}`],
});

describe('life of a stack', () => {
  it.each<[string, object, string, boolean]>([
    ['a ConfigMap, which is adopted if it exists', {}, 'ConfigMapPatch', true],
    ['a ConfigMap that is not kept', { retainPublished: false }, 'ConfigMap', false],
    ['a Secret', { token: pulumi.secret('abcdef.0123456789abcdef'), publish: true }, 'Secret', false],
  ])('%s of a join', async (_, given, kind, isRetained) => {
    const { resources: made } = await record(() => {
      const pool = HostNetworkNodePool.fromPoolName({ cluster: joined, poolName: 'east' });
      new NodeJoin('join', { pool, token: JoinToken.fromFile('/run/token'), ...given });
    });
    const [published] = made.filter(isObject);
    expect([published?.type, published?.options.retainOnDelete]).toEqual([`kubernetes:core/v1:${kind}`, isRetained]);
  });

  it('a ConfigMap that is kept has the same owner in each life of the stack, and its former type', async () => {
    const made = async (given: object): Promise<Recorded> =>
      (
        await record(() => {
          const pool = HostNetworkNodePool.fromPoolName({ cluster: joined, poolName: 'east' });
          new NodeJoin('join', { pool, token: JoinToken.fromFile('/run/token'), ...given });
        })
      ).resources.find(isObject) as Recorded;
    const [kept, deleted] = [await made({}), await made({ retainPublished: false })];
    expect(annotationsOf(kept)).toEqual({
      'pulumi.com/patchFieldManager': 'edge-nodepools-retained',
      'pulumi.com/patchForce': 'true',
    });
    expect([kept, deleted].map(({ options }) => options.aliases)).toEqual([
      [{ type: 'kubernetes:core/v1:ConfigMap' }],
      [{ type: 'kubernetes:core/v1:ConfigMapPatch' }],
    ]);
    expect(annotationsOf(deleted)).toEqual({});
  });

  it('a preview that does not know the name of a kept ConfigMap gives it one, because the provider refuses a patch without', async () => {
    const program = (): void => {
      const cluster = EdgeCluster.of({
        openYurt: '1.7',
        kubernetes: '1.36',
        apiServer: new k8s.core.v1.ConfigMap('address', {}).data.apply(({ address }) => address as string),
        caCertHashes: [`sha256:${'0'.repeat(64)}`],
      });
      const pool = HostNetworkNodePool.fromPoolName({ cluster, poolName: 'east' });
      new NodeJoin('join', { pool, token: JoinToken.fromFile('/run/token') });
    };
    const { resources: made } = await record(program, true);
    const kept = made.find(({ type }) => type === 'kubernetes:core/v1:ConfigMapPatch') as Recorded;
    expect((kept.wire as any).metadata.name).toBe('known-after-preview');
  });

  it('a Secret with a token cannot be kept', async () => {
    await record(() => {
      const pool = HostNetworkNodePool.fromPoolName({ cluster: joined, poolName: 'east' });
      const token = pulumi.secret('abcdef.0123456789abcdef');
      expect(() => new NodeJoin('join', { pool, token, publish: true, retainPublished: true })).toThrow(
        /EDGE_CONTRADICTION +retainPublished: .*\n +-> leave it out/,
      );
    });
  });

  it('a field manager is named if it is given', async () => {
    const { resources: made } = await record(() => {
      const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });
      const exclude = [SystemComponent.KUBE_PROXY];
      new EdgeSystemComponents('system', { cluster, exclude, fieldManager: 'shops', force: true });
      new EdgePreconditions('dns', { cluster, only: ['coreDnsService'], fieldManager: 'dns' });
    });
    const patches = made.filter(({ type }) => type.endsWith('Patch'));
    expect(Object.fromEntries(patches.map((each) => [each.type.split(':')[2], annotationsOf(each)]))).toEqual({
      DaemonSetPatch: {
        'edge-nodepools-system-components/patched': 'true',
        'pulumi.com/patchFieldManager': 'shops',
        'pulumi.com/patchForce': 'true',
        'pulumi.com/skipAwait': 'true',
      },
      ServicePatch: expect.objectContaining({ 'pulumi.com/patchFieldManager': 'dns', 'pulumi.com/patchForce': 'true' }),
    });
  });

  it.each([
    [{}, { DaemonSet: 'true', Deployment: 'true' }, { DaemonSet: 'true', Deployment: undefined }],
    [{ await: true }, { DaemonSet: undefined, Deployment: undefined }, { DaemonSet: undefined, Deployment: undefined }],
    [{ await: false }, { DaemonSet: 'true', Deployment: 'true' }, { DaemonSet: 'true', Deployment: 'true' }],
  ])(
    'workloads with %j: skipAwait of host-network ones is %j, of excluded ones %j',
    async (given, onEdge, excluded) => {
      const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });
      const workload = (kind: string): any => ({
        apiVersion: 'apps/v1',
        kind,
        // metadata may be known later
        metadata: pulumi.output({ name: kind.toLowerCase(), annotations: { 'example.com/kept': 'yes' } }),
        spec: {
          selector: { matchLabels: { app: 'a' } },
          template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image: 'a:1' }] } },
        },
      });
      const { resources: made } = await record(() => {
        const pool = HostNetworkNodePool.fromPoolName({ cluster, poolName: 'east' });
        for (const kind of ['DaemonSet', 'Deployment']) {
          new HostNetworkWorkload(`edge-${kind}`, { pool, workload: workload(kind), ...given });
          new ExcludedWorkload(`excluded-${kind}`, { cluster, workload: workload(kind), ...given });
        }
      });
      const skipped = (prefix: string): unknown =>
        Object.fromEntries(
          ['DaemonSet', 'Deployment'].map((kind) => {
            const one = made.find(({ name, type }) => name === `${prefix}-${kind}` && type.startsWith('kubernetes:'));
            const annotations = annotationsOf(one as Recorded);
            expect(annotations['example.com/kept']).toBe('yes');
            return [kind, annotations['pulumi.com/skipAwait']];
          }),
        );
      expect([skipped('edge'), skipped('excluded')]).toEqual([onEdge, excluded]);
    },
  );

  it("a workload's own annotation decides whether it is awaited", async () => {
    const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });
    const { resources: made } = await record(() => {
      const workload: WorkloadArgument = {
        apiVersion: 'apps/v1',
        kind: 'DaemonSet',
        metadata: { name: 'a', annotations: { 'pulumi.com/skipAwait': 'false' } },
        spec: {
          selector: { matchLabels: { app: 'a' } },
          template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image: 'a:1' }] } },
        },
      };
      new ExcludedWorkload('own', { cluster, workload });
    });
    expect(annotationsOf(made.find(isObject) as Recorded)['pulumi.com/skipAwait']).toBe('false');
  });

  it('other releases and minors are the same resources: their types are aliases', async () => {
    const declared = async (
      openYurt: string,
      kubernetes: string,
      version: 'v1beta1' | 'v1beta2',
    ): Promise<Recorded[]> => {
      const { resources: made } = await record(() => {
        const cluster = EdgeCluster.of({ openYurt, kubernetes });
        const pool = new HostNetworkNodePool('host-network', { cluster, poolName: 'host-network' });
        new RegularNodePool('regular', { cluster, poolName: 'regular' });
        new PoolAdmission('admission', {
          cluster,
          mutatingAdmissionPolicy: kubernetes === '1.34' ? 'v1beta1' : undefined,
        });
        new KubeadmConfigTemplate('machines', { pool, version, name: 'machines' });
        new ExcludedWorkload('apps', {
          cluster,
          workload: {
            apiVersion: `apps.openyurt.io/${openYurt === '1.7' ? 'v1beta1' : 'v1alpha1'}`,
            kind: 'YurtAppSet',
            metadata: { name: 'apps' },
            spec: { workloadTemplate: { deploymentTemplate: { spec: { template: { spec: { containers: [] } } } } } },
          },
        });
      });
      return made.filter(isObject);
    };
    const [older, newer] = [await declared('1.5', '1.34', 'v1beta1'), await declared('1.7', '1.36', 'v1beta2')];
    const typesOf = ({ type, options }: Recorded): (string | undefined)[] => [
      type,
      ...options.aliases.map((alias) => alias.type),
    ];
    const moved = newer.filter(({ name, type }) => older.find((one) => one.name === name)?.type !== type);
    expect(new Set(moved.map(({ type }) => type.split(':')[2]))).toEqual(
      new Set([
        'NodePool',
        'MutatingAdmissionPolicy',
        'MutatingAdmissionPolicyBinding',
        'KubeadmConfigTemplate',
        'YurtAppSet',
      ]),
    );
    for (const one of moved) {
      const former = older.find(({ name }) => name === one.name) as Recorded;
      expect([one.name, typesOf(one)]).toEqual([one.name, expect.arrayContaining([former.type])]);
      expect([one.name, typesOf(former)]).toEqual([one.name, expect.arrayContaining([one.type])]);
    }
  });

  it.each<[string, string, string, RegExp | undefined]>([
    [
      'a conflict',
      'apps/v1:DaemonSetPatch',
      'Apply failed with 2 conflicts: conflict with "helm" using apps/v1: .a conflict with "helm" using apps/v1: .b',
      /^DaemonSet kube-system\/kube-proxy: .* field manager "helm"\. .*write force: true/,
    ],
    [
      'a component that does not exist',
      'apps/v1:DaemonSetPatch',
      'DaemonSet.apps "kube-proxy" is invalid: spec.selector: Required value',
      /^DaemonSet kube-system\/kube-proxy does not exist/,
    ],
    [
      'a policy of another stack',
      'admissionregistration.k8s.io/v1:MutatingAdmissionPolicy',
      'mutatingadmissionpolicies.admissionregistration.k8s.io "kube-proxy" already exists',
      /^MutatingAdmissionPolicy kube-system\/kube-proxy exists: .*policyName/,
    ],
    ['anything else', 'apps/v1:DaemonSetPatch', 'connection refused', undefined],
  ])('the ways on are reported: %s', (_, type, error, expected) => {
    const object = { metadata: { namespace: 'kube-system', name: 'kube-proxy' } };
    const told = waysOn({ type: `kubernetes:${type}`, object, errors: [error] });
    expect(told ?? 'nothing').toMatch(expected ?? /^nothing$/);
  });
});

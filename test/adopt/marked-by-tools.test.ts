/** Objects that a tool has marked with its labels and annotations: they are classes as others are, and stay marked. */
import type * as pulumi from '@pulumi/pulumi';
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
  RegularNodePool,
  SystemComponent,
} from 'edge-nodepools';
import { asWritten } from '../../src/fleet/server-fields.js';
import { Testing } from '../../src/testing.js';
import { isFullDepth } from '../depth.js';
import { collector, WRITTEN_DEPLOYMENT, storedDeployment } from './imported-dump.js';
import { distOf, imported, stacksOf, objectsOf, sorted, sourcesOf, type TextFile } from './programs.js';

beforeEach(() => {
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  jest.spyOn(console, 'warn').mockReturnValue();
});
afterEach(() => jest.restoreAllMocks());

const RELEASES = { openYurt: '1.7', kubernetes: '1.36' };
const cluster = EdgeCluster.of(RELEASES);

function made(): any[] {
  const app = new App();
  const chart = new Chart(app, 'fleet');
  const pool = new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'beijing' });
  new RegularNodePool(chart, 'paris', { cluster, poolName: 'paris' });
  ['1', '2', '3', '4', '5'].forEach(
    (site) => new HostNetworkNodePool(chart, site, { cluster, poolName: `site-${site}`, labels: { site } }),
  );
  new PoolAdmission(chart, 'admission', { cluster, metadata: { labels: { team: 'x' } } });
  new OpenYurtWebhooks(chart, 'webhooks', { cluster });
  new EdgeSystemComponents(chart, 'system', {
    cluster,
    exclude: [SystemComponent.KUBE_PROXY, SystemComponent.FLANNEL],
  });
  new ExcludedWorkload(chart, 'web', { cluster, workload: WRITTEN_DEPLOYMENT });
  new HostNetworkWorkload(chart, 'collector', { pool, workload: asWritten(collector()) as never });
  return sorted(manifestsOf(app));
}

const TOOLS: Readonly<Record<string, (object: any) => { labels?: object; annotations?: object }>> = {
  'Argo CD': ({ kind, metadata: { name } }) => ({
    annotations: { 'argocd.argoproj.io/tracking-id': `edge:${kind}:/${name}` },
  }),
  'Argo CD with labels': () => ({
    labels: { 'argocd.argoproj.io/instance': 'edge', 'app.kubernetes.io/instance': 'e' },
  }),
  Helm: () => ({
    labels: { 'app.kubernetes.io/managed-by': 'Helm', 'helm.sh/chart': 'edge-1.0.0' },
    annotations: { 'meta.helm.sh/release-name': 'edge', 'meta.helm.sh/release-namespace': 'default' },
  }),
  Flux: ({ metadata: { name } }) => ({
    labels: { 'kustomize.toolkit.fluxcd.io/name': 'edge', 'kustomize.toolkit.fluxcd.io/namespace': 'flux-system' },
    annotations: { 'kustomize.toolkit.fluxcd.io/prune': 'disabled', 'example.com/name': name },
  }),
};

it('parts for Flux, which have the selector so that it can merge them, are those of a class', () => {
  const all = made().flatMap((object) => {
    const { kind, metadata, spec } = object;
    const isPart = kind === 'DaemonSet' && spec.selector === undefined;
    const labels = { app: metadata.name };
    return isPart
      ? {
          ...object,
          metadata: {
            ...metadata,
            annotations: { ...metadata.annotations, 'kustomize.toolkit.fluxcd.io/ssa': 'Merge' },
          },
          spec: { selector: { matchLabels: labels }, template: { ...spec.template, metadata: { labels } } },
        }
      : object;
  });
  const files = [{ path: 'dist/platform.yaml', text: JSON.stringify({ kind: 'List', items: all }) }];
  const program = imported(files, 'cdk8s', RELEASES);
  expect(program.counts).toMatchObject({ recognized: all.length, byClass: { EdgeSystemComponents: 1 } });
  expect(objectsOf(program)).toEqual(sorted(all));
  expect(sourcesOf(imported(distOf(program), 'cdk8s', RELEASES))).toEqual(sourcesOf(program));
});

describe.each(Object.entries(TOOLS))('marked by %s', (tool, marksOf) => {
  const all = made().map((object) => {
    const { labels, annotations } = marksOf(object);
    const { metadata } = object;
    return {
      ...object,
      metadata: {
        ...metadata,
        ...(labels === undefined ? {} : { labels: { ...metadata.labels, ...labels } }),
        ...(annotations === undefined ? {} : { annotations: { ...metadata.annotations, ...annotations } }),
      },
    };
  });
  const isPart = ({ kind, spec }: any): boolean => kind === 'DaemonSet' && spec.selector === undefined;
  const files: TextFile[] = [
    ['dist/fleet.k8s.yaml', all.filter((each) => !isPart(each))] as const,
    ['dist/patches/system-patches.k8s.yaml', all.filter(isPart)] as const,
  ].map(([path, items]) => ({ path, text: JSON.stringify({ kind: 'List', items }) }));

  it('are classes, which keep the marks', () => {
    const program = imported(files, 'cdk8s', RELEASES);
    expect(program.counts.byClass).toEqual({
      HostNetworkNodePool: 6,
      RegularNodePool: 1,
      PoolAdmission: 1,
      OpenYurtWebhooks: 1,
      EdgeSystemComponents: 1,
      ExcludedWorkload: 1,
      HostNetworkWorkload: 1,
    });
    expect(program.counts).toMatchObject({ recognized: all.length, ofEdge: all.length });
    expect(program.report).not.toContain('kept as they are, although');
    expect(objectsOf(program)).toEqual(sorted(all));
    if (isFullDepth || tool === 'Flux') {
      expect(sourcesOf(imported(distOf(program), 'cdk8s', RELEASES))).toEqual(sourcesOf(program));
    }
  });

  // a preview takes a second of CPU
  const inPulumi = isFullDepth || tool === 'Helm' ? it : it.skip;
  inPulumi('are components of Pulumi, which keep the marks', async () => {
    const program = imported(files, 'pulumi', RELEASES);
    const { objects } = await Testing.preview(() => stacksOf(program));
    await jest.requireActual<typeof pulumi>('@pulumi/pulumi').runtime.disconnect();
    const withoutPulumi = JSON.parse(JSON.stringify(objects), (key, value) =>
      key === 'pulumi.com/skipAwait' || key === 'pulumi.com/patchForce' ? undefined : value,
    );
    const plain = withoutPulumi.map(({ metadata: { annotations, ...metadata }, ...object }: any) => ({
      ...object,
      metadata: { ...metadata, ...(Object.keys(annotations ?? {}).length === 0 ? {} : { annotations }) },
    }));
    expect(sorted(plain)).toEqual(sorted(all));
  });
});

/** System components of a running cluster that are kept off host-network nodes, while another tool writes the rest of them. */
describe('system components that another tool writes', () => {
  const LINUX = { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] };
  const OFF = { key: 'nodepool.openyurt.io/hostnetwork', operator: 'NotIn', values: ['true'] };

  const required = (...matchExpressions: object[]): object => ({
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] },
    },
  });

  const owned = (manager: string, operation: string, podSpec: object): object => ({
    manager,
    operation,
    fieldsV1: { 'f:spec': { 'f:template': { 'f:spec': podSpec } } },
  });
  const CONTAINERS = { 'f:containers': {} };
  const AFFINITY = {
    'f:affinity': { 'f:nodeAffinity': { 'f:requiredDuringSchedulingIgnoredDuringExecution': {} } },
  };

  function component(kind: string, namespace: string, name: string, affinity: object, metadata: object): any {
    const {
      replicas: _,
      strategy: _strategy,
      progressDeadlineSeconds: _deadline,
      ...spec
    } = storedDeployment({}, { affinity }).spec;
    return { ...storedDeployment({ name, namespace, annotations: {}, ...metadata }), kind, spec };
  }

  const byPatch = {
    managedFields: [owned('kubeadm', 'Update', CONTAINERS), owned('edge-nodepools', 'Apply', AFFINITY)],
  };
  const byMark = { annotations: { 'edge-nodepools-system-components/patched': 'true' } };

  const part = (kind: string, namespace: string, name: string, affinity: object, annotations?: object): object => ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace, ...(annotations === undefined ? {} : { annotations }) },
    spec: { template: { spec: { affinity } } },
  });

  describe('system components that are kept off', () => {
    it.each([
      ['by a patch, which its owners show', byPatch],
      ['by hand, where kubeadm upgrades them', {}],
    ])('%s are a declaration, and stay with their tool', (_, metadata) => {
      const program = imported(
        [
          component('DaemonSet', 'kube-system', 'kube-proxy', required(OFF), metadata),
          component('Deployment', 'kube-system', 'coredns', required(OFF), metadata),
        ],
        'cdk8s',
        RELEASES,
      );
      expect(program.counts).toMatchObject({ ofEdge: 2, recognized: 2, byClass: { EdgeSystemComponents: 1 } });
      expect(objectsOf(program)).toEqual([
        part('DaemonSet', 'kube-system', 'kube-proxy', required(OFF)),
        part('Deployment', 'kube-system', 'coredns', required(OFF)),
      ]);
      expect(program.report.replace(/\s+/g, ' ')).toContain('2 written by another tool');
      expect(sourcesOf(imported(distOf(program), 'cdk8s', RELEASES))).toEqual(sourcesOf(program));
    });

    it('keep the term that they ship with', () => {
      const flannel = component('DaemonSet', 'kube-flannel', 'kube-flannel-ds', required(LINUX, OFF), byPatch);
      const program = imported([flannel], 'cdk8s', RELEASES);
      expect(program.counts.byClass).toEqual({ EdgeSystemComponents: 1 });
      expect(objectsOf(program)).toEqual([part('DaemonSet', 'kube-flannel', 'kube-flannel-ds', required(LINUX, OFF))]);
    });

    it('keep the mark of a policy, also where their owners are not in the dump', () => {
      const marked = component('DaemonSet', 'kube-flannel', 'kube-flannel-ds', required(LINUX, OFF), byMark);
      const program = imported([marked], 'cdk8s', RELEASES);
      expect(objectsOf(program)).toEqual([
        part('DaemonSet', 'kube-flannel', 'kube-flannel-ds', required(LINUX, OFF), byMark.annotations),
      ]);
    });

    it('are imported as a whole by whom they were written as a whole', () => {
      const metadata = { managedFields: [owned('kubectl', 'Apply', { ...CONTAINERS, ...AFFINITY })] };
      const flannel = component('DaemonSet', 'kube-flannel', 'kube-flannel-ds', required(LINUX, OFF), metadata);
      const [made, ...others] = objectsOf(imported([flannel], 'cdk8s', RELEASES));
      expect(others).toEqual([]);
      expect(made.spec.template.spec.containers).toHaveLength(1);
    });

    it('are patches with Pulumi', async () => {
      const given = component('DaemonSet', 'kube-system', 'kube-proxy', required(OFF), byPatch);
      const program = imported([given], 'pulumi', RELEASES);
      const { objects } = await Testing.preview(() => stacksOf(program));
      await jest.requireActual<typeof pulumi>('@pulumi/pulumi').runtime.disconnect();
      expect(objects.map(({ metadata, ...object }: any) => [metadata.name, object])).toEqual([
        [
          'kube-proxy',
          { apiVersion: 'apps/v1', kind: 'DaemonSet', spec: { template: { spec: { affinity: required(OFF) } } } },
        ],
      ]);
    });
  });
});

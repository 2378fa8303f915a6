/** System components of a running cluster that are kept off host-network nodes, while another tool writes the rest of them. */
import type * as pulumi from '@pulumi/pulumi';
import { Testing } from '../../src/testing/testing.js';
import { storedDeployment } from './dump.js';
import { distOf, imported, moduleOf, objectsOf } from './programs.js';

beforeEach(() => {
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  jest.spyOn(console, 'warn').mockReturnValue();
});
afterEach(() => jest.restoreAllMocks());

const RELEASES = { openYurt: '1.7', kubernetes: '1.36' };
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

const byPatch = { managedFields: [owned('kubeadm', 'Update', CONTAINERS), owned('edge-nodepools', 'Apply', AFFINITY)] };
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
    expect(imported(distOf(program), 'cdk8s', RELEASES).files).toEqual(program.files);
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
    const { objects } = await Testing.preview(() => moduleOf(program, 'index'));
    await jest.requireActual<typeof pulumi>('@pulumi/pulumi').runtime.disconnect();
    expect(objects.map(({ metadata, ...object }: any) => [metadata.name, object])).toEqual([
      [
        'kube-proxy',
        { apiVersion: 'apps/v1', kind: 'DaemonSet', spec: { template: { spec: { affinity: required(OFF) } } } },
      ],
    ]);
  });
});

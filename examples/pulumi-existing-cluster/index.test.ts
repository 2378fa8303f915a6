import * as pulumi from '@pulumi/pulumi';
import { type Chart, Testing } from 'cdk8s';
import { YardChart } from '../existing-cluster/chart.js';
import type * as Program from './index.js';

type Manifest = Record<string, any>;

const registered: pulumi.runtime.MockResourceArgs[] = [];

// only the real engine calls transforms for the children of a chart, so this calls the transforms of the options
const transforms: pulumi.ResourceTransform[] = [];

/** The Kubernetes objects that the program registers, without the annotations for Pulumi. */
function objects(): Manifest[] {
  return registered
    .filter(({ type, custom }) => type.startsWith('kubernetes:') && custom)
    .map(({ inputs }) => {
      const { annotations = {}, ...metadata } = inputs.metadata;
      const others = Object.entries(annotations as object).filter(([key]) => !key.startsWith('pulumi.com/'));
      return {
        ...inputs,
        metadata: { ...metadata, ...(others.length > 0 ? { annotations: Object.fromEntries(others) } : {}) },
      };
    });
}

const key = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;

const byKey = (manifests: Manifest[]): Record<string, Manifest> =>
  Object.fromEntries(manifests.map((manifest) => [key(manifest), manifest]));

/** A child of the chart, as the engine passes it to transforms. */
async function transformed(kind: string, podSpec: object): Promise<any> {
  const [transform] = transforms as [pulumi.ResourceTransform];
  const props = { metadata: { name: 'agent' }, spec: { template: { spec: podSpec } } };
  const name = 'agent:kube-system/agent';
  const result = await transform({ custom: true, type: `kubernetes:apps/v1:${kind}`, name, props, opts: {} });
  return result?.props ?? props;
}

describe('pulumi-existing-cluster', () => {
  let excluded: { workload: string; by: string; applyAgainAfter: string }[];

  beforeAll(async () => {
    jest.spyOn(console, 'warn').mockImplementation();
    await pulumi.runtime.setMocks({
      newResource: (resource) => {
        registered.push(resource);
        return { id: `${resource.name}-id`, state: resource.inputs };
      },
      call: ({ inputs }) => inputs,
    });
    await pulumi.runtime.runInPulumiStack(() => {
      pulumi.runtime.registerStackTransformation(({ props, opts }) => {
        transforms.push(...((opts as pulumi.ComponentResourceOptions).transforms ?? []));
        return { props, opts: { ...opts, transforms: [] } };
      });
      jest.requireActual<typeof Program>('./index.js').excluded.apply((rows) => (excluded = rows));
      return Promise.resolve();
    });
    await pulumi.runtime.disconnect();
    // warnings are shown when the program has ended
    await new Promise((resolve) => setImmediate(resolve));
  });

  it('creates the same objects as the cdk8s example', () => {
    const chart = new YardChart(Testing.app(), 'yard');
    const patches = Testing.synth(chart.systemComponents.patchChart as Chart);
    expect(byKey(objects())).toEqual(byKey([...Testing.synth(chart), ...patches]));
  });

  it('patches existing components, and has a policy for those of other tools', () => {
    const patched = registered.filter(({ type }) => type.endsWith('Patch')).map(({ inputs }) => inputs.metadata.name);
    expect(patched.sort()).toEqual(['coredns', 'kube-flannel-ds', 'kube-proxy']);
    const rows = Object.fromEntries(excluded.map(({ workload, by }) => [workload, by]));
    expect(rows).toMatchObject({
      'DaemonSet kube-system/kube-proxy': 'ADMISSION_POLICY + SERVER_SIDE_APPLY',
      'Deployment kube-system/coredns': 'SERVER_SIDE_APPLY + KUBEADM_PATCH',
      'DaemonSet monitoring/node-exporter': 'ADMISSION_POLICY',
      'DaemonSet calico-system/calico-node': 'ADMISSION_POLICY',
    });
  });

  it('excludes the workloads of the chart from host-network nodes', async () => {
    expect(registered.filter(({ type }) => type === 'kubernetes:helm.sh/v4:Chart')).toHaveLength(1);
    expect(transforms).toHaveLength(1);
    for (const kind of ['DaemonSet', 'Deployment']) {
      const { template } = (await transformed(kind, { containers: [] })).spec;
      expect(template.metadata.annotations).toEqual({ 'apps.openyurt.io/exclude-host-network-pool': 'true' });
      expect(template.spec.affinity.nodeAffinity).toEqual({
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'nodepool.openyurt.io/hostnetwork', operator: 'NotIn', values: ['true'] }] },
          ],
        },
      });
    }
  });
});

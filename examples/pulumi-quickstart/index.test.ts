import * as pulumi from '@pulumi/pulumi';
import { type Chart, Testing } from 'cdk8s';
import { FleetChart } from '../quickstart/chart.js';
import type * as Program from './index.js';

type Manifest = Record<string, any>;

const registered: pulumi.runtime.MockResourceArgs[] = [];

/** The Kubernetes objects that the program registers, without the annotations for Pulumi. */
function objects(): Manifest[] {
  return registered
    .filter(({ type }) => type.startsWith('kubernetes:'))
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

describe('pulumi-quickstart', () => {
  let exported: { joinLabels: pulumi.Output<unknown>; kubeadmPatches: pulumi.Output<{ path: string }[]> };

  beforeAll(async () => {
    await pulumi.runtime.setMocks({
      newResource: (resource) => {
        registered.push(resource);
        return { id: `${resource.name}-id`, state: resource.inputs };
      },
      call: ({ inputs }) => inputs,
    });
    const program = jest.requireActual<typeof Program>('./index.js');
    const joinLabels = pulumi.output(program.joinLabels);
    exported = { joinLabels, kubeadmPatches: pulumi.output(program.kubeadmPatches) };
    await pulumi.runtime.disconnect();
  });

  it('creates the same objects as the cdk8s example', () => {
    const chart = new FleetChart(Testing.app(), 'fleet');
    const partials = Testing.synth(chart.systemComponents.patchChart as Chart);
    expect(byKey(objects())).toEqual(byKey([...Testing.synth(chart), ...partials]));
    const patches = registered.map(({ type }) => type.split(':').at(-1)).filter((kind) => kind?.endsWith('Patch'));
    expect(patches.sort()).toEqual(['DaemonSetPatch', 'DaemonSetPatch', 'DeploymentPatch']);
  });

  it('forces only the patch of flannel, and awaits no rollout of a patched component', () => {
    const annotations = registered
      .filter(({ type }) => type.endsWith('Patch'))
      .map(({ inputs }) => [inputs.metadata.name, inputs.metadata.annotations]);
    const ours = { 'pulumi.com/skipAwait': 'true' };
    expect(Object.fromEntries(annotations)).toEqual({
      'kube-proxy': ours,
      coredns: ours,
      'kube-flannel-ds': { ...ours, 'pulumi.com/patchForce': 'true' },
    });
  });

  it('exports the labels of nodes, and the file for kubeadm', async () => {
    const values = await new Promise<unknown[]>((resolve) => {
      pulumi.all([exported.joinLabels, exported.kubeadmPatches]).apply(resolve);
    });
    const labels = (name: string): object => ({
      'apps.openyurt.io/nodepool': name,
      'nodepool.openyurt.io/hostnetwork': 'true',
    });
    expect(values[0]).toEqual({ beijing: labels('beijing'), hangzhou: labels('hangzhou') });
    expect((values[1] as { path: string }[]).map(({ path }) => path)).toEqual([
      'kubeadm-patches/corednsdeployment+strategic.json',
    ]);
  });
});

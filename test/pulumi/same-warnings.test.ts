/** What a construct tells of a workload, a component tells too, also of values that are Outputs. */
import * as pulumi from '@pulumi/pulumi';
import { withQos } from 'edge-nodepools/control-plane';
import * as components from 'edge-nodepools/pulumi';
import { daemonSet, deployment } from '../bad-inputs/case.js';
import { container } from '../workloads/refused-shapes.js';
import { record } from './recorded.js';

const { EdgeCluster } = components;
const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });

it('a misspelt field, also beside values that are Outputs', async () => {
  const { warnings } = await record(() => {
    expect(() => new components.ExcludedWorkload('a', { cluster, workload: deployment({ contianers: [] }) })).toThrow(
      /did you mean containers/,
    );
    const spec = pulumi.output({ quantumTunnel: true, containers: [container] });
    for (const name of ['b', 'c']) {
      new components.ExcludedWorkload(name, {
        cluster,
        workload: {
          ...deployment(),
          spec: { ...deployment().spec, template: { ...deployment().spec.template, spec } },
        },
      });
    }
  });
  expect(warnings.filter((warning) => /EDGE_UNKNOWN_PROPERTY, 2 times[^]*  b [^]*  c /.test(warning))).toHaveLength(1);
  const wrong = { ...deployment(), spec: { ...deployment().spec, selector: { matchLabels: { app: 'other' } } } };
  await record(() => {
    expect(() => new components.ExcludedWorkload('a', { cluster, workload: wrong })).toThrow(/spec.selector|selector/);
  });
});

it('a guarantee that keeps a workload off its pool, where other resources are not seen', async () => {
  const { warnings } = await record(() => {
    const of = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });
    new components.PoolAdmission('admission', { cluster: of, guarantees: { namespaceGate: true } });
    const pool = new components.HostNetworkNodePool('pool', { cluster: of, poolName: 'beijing' });
    new components.HostNetworkWorkload('agent', {
      pool,
      workload: { ...daemonSet(), metadata: { name: 'agent', namespace: 'shop' } },
    });
  });
  expect(warnings.join('\n')).toMatch(/guarantees\.namespaceGate: it keeps DaemonSet shop\/agent off its pool/);
});

describe('two objects of one kind, namespace and name', () => {
  const of = (metadata: object): any => ({ ...deployment(), metadata });

  it('are a warning in a Pulumi program, whose providers may be two clusters', async () => {
    const { warnings } = await record(() => {
      new components.ExcludedWorkload('a', { cluster, workload: deployment() });
      new components.ExcludedWorkload('b', { cluster, workload: deployment() });
    });
    expect(warnings.filter((text) => text.includes('EDGE_DUPLICATE'))).toEqual([
      expect.stringContaining('a already creates Deployment web'),
    ]);
  });

  it.each<[string, object, object, boolean]>([
    ['the same name', { name: 'web' }, { name: 'web', namespace: 'default' }, true],
    ['another name', { name: 'web' }, { name: 'api' }, false],
    ['a name that is given later', { name: 'web' }, {}, false],
  ])('are a warning in a Pulumi program with the transform: %s', async (_, own, plain, isTold) => {
    for (const isPlainFirst of [true, false]) {
      const { warnings } = await record(() => {
        const transform = components.excludeFromHostNetworkPools(cluster);
        // mocks have no transforms
        const see = (name: string, metadata: object): unknown => {
          const { spec } = deployment();
          const type = 'kubernetes:apps/v1:Deployment';
          return transform({ custom: true, type, name, props: { metadata, spec }, opts: {} });
        };
        const makeOwn = (): void => {
          new components.ExcludedWorkload('own', { cluster, workload: of(own) });
          see('own', own);
        };
        const both = [() => see('plain', plain), makeOwn];
        (isPlainFirst ? both : both.reverse()).forEach((make) => make());
      });
      expect(warnings.filter((text) => text.includes('EDGE_DUPLICATE'))).toEqual(
        isTold ? [expect.stringMatching(/(own|plain) already creates Deployment (default\/)?web/)] : [],
      );
    }
  });
});

it('withQos finds the Pod template of any object, also without a kind and with Outputs', () => {
  const image = pulumi.output('registry.example/web');
  const args = { spec: { jobTemplate: { spec: { template: { spec: { containers: [{ name: 'a', image }] } } } } } };
  const made = withQos(args, { qosClass: 'burstable', containers: { a: { requests: { cpu: '10m' } } } });
  expect(made.spec.jobTemplate.spec.template.spec.containers[0]).toEqual({
    name: 'a',
    image,
    resources: { requests: { cpu: '10m' } },
  });
  expect(made.spec.jobTemplate.spec.template.spec.containers[0]?.image).toBe(image);
});

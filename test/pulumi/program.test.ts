import * as pulumi from '@pulumi/pulumi';
import { EdgeCluster, EdgeWarnings, HostNetworkNodePool, HostNetworkWorkload } from 'edge-nodepools/pulumi';
import { daemonSet, deployment } from '../bad-inputs/case.js';
import { record } from './recorded.js';
import { changesByImport } from '../../src/pulumi/imported.js';
import { withQos } from 'edge-nodepools/control-plane';
import * as components from 'edge-nodepools/pulumi';
import { container } from '../workloads/refused-shapes.js';

/** Warnings of a Pulumi program: one entry per code, and those that are accepted are not shown. */
const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34', yurthub: true });

/** Declares workloads without ports, which is a warning of each. */
function declare(count: number, parent?: pulumi.Resource): HostNetworkWorkload[] {
  const pool = new HostNetworkNodePool('pool', { cluster, poolName: 'hz' });
  return Array.from({ length: count }, (_, index) => {
    const workload = daemonSet({ containers: [{ name: 'a', image: 'b' }] });
    return new HostNetworkWorkload(
      `w${index}`,
      { pool, workload: { ...workload, metadata: { name: `w${index}` } } },
      { parent },
    );
  });
}

function named(name: string, podSpec: object): any {
  return { ...daemonSet(podSpec), metadata: { name } };
}

const noPorts = (warnings: readonly string[]): string[] => warnings.filter((text) => text.includes('EDGE_NO_PORTS'));

describe('warnings of a program', () => {
  it('have one entry per code, with the count and the first three places', async () => {
    const { warnings } = await record(() => declare(5));
    const [entry, ...others] = noPorts(warnings);
    expect(others).toEqual([]);
    expect(entry).toMatch(
      /EDGE_NO_PORTS, 5 times:\n {2}w0 spec\S*: .*\n {2}w1 .*\n {2}w2 .*\n {4}-> .*\n {2}and 2 more/,
    );
  });

  it('have their places in the order of declaration, also those that depend on an Output', async () => {
    const ports = [60001, pulumi.output(60002), 60003].map((containerPort) => ({ containerPort }));
    const late = { containers: [{ name: 'a', image: 'b', ports: [{ containerPort: pulumi.output(60000) }] }] };
    const { warnings } = await record(() => {
      const pool = new HostNetworkNodePool('pool', { cluster, poolName: 'hz' });
      new HostNetworkWorkload('late', { pool, workload: named('late', late) });
      new HostNetworkWorkload('mixed', {
        pool,
        workload: named('mixed', { containers: [{ name: 'a', image: 'b', ports }] }),
      });
    });
    const [entry, ...others] = warnings.filter((text) => text.includes('EDGE_PORT'));
    expect(others).toEqual([]);
    expect(entry).toMatch(/4 times:\n {2}late .*: 60000 .*\n {2}mixed .*: 60001 .*\n {2}mixed .*: 60002 .*\n/);
  });

  it('about a secret are neither shown nor counted', async () => {
    const entryWith = async (secret: number): Promise<string[]> => {
      const ports = [pulumi.secret(secret), 60003, 60004].map((containerPort) => ({ containerPort }));
      const { warnings } = await record(() => {
        const pool = new HostNetworkNodePool('pool', { cluster, poolName: 'hz' });
        const workload = named('w', { containers: [{ name: 'a', image: 'b', ports }] });
        new HostNetworkWorkload('w', { pool, workload });
      });
      return warnings.filter((text) => text.includes('EDGE_PORT'));
    };
    const bad = await entryWith(60001);
    expect(bad).toEqual([expect.stringMatching(/EDGE_PORT, 2 times:\n.* 60003 .*\n.* 60004 /)]);
    expect(await entryWith(8080)).toEqual(bad);
  });

  it('are accepted at a component, at its parent, and for the whole program', async () => {
    const reason = 'it listens on a socket';
    const one = await record(() => EdgeWarnings.accept(declare(2)[0] as HostNetworkWorkload, 'EDGE_NO_PORTS', reason));
    expect(noPorts(one.warnings)).toEqual([expect.stringMatching(/EDGE_NO_PORTS spec/)]);
    const parent = await record(() => {
      const site = new pulumi.ComponentResource('a:b:C', 'site');
      declare(2, site);
      EdgeWarnings.accept(site, 'EDGE_NO_PORTS', reason);
    });
    expect(noPorts(parent.warnings)).toEqual([]);
    const all = await record(() => {
      EdgeWarnings.accept('program', 'EDGE_NO_PORTS', reason);
      declare(2);
    });
    expect(noPorts(all.warnings)).toEqual([]);
    const other = await record(() => {
      EdgeWarnings.accept('program', 'EDGE_DNS', reason);
      declare(2);
    });
    expect(noPorts(other.warnings)).toHaveLength(1);
  });

  it('are accepted only with a scope, a code and a reason', async () => {
    await record(() => {
      expect(() => EdgeWarnings.accept(undefined as never, 'EDGE_DNS', 'r')).toThrow(/the scope is missing/);
      expect(() => EdgeWarnings.accept('stack' as never, 'EDGE_DNS', 'r')).toThrow(/the scope is text/);
      expect(() => EdgeWarnings.accept('program', 'EDGE_DSN' as never, 'r')).toThrow(/did you mean 'EDGE_DNS'/);
      expect(() => EdgeWarnings.accept('program', 'EDGE_DNS', '')).toThrow(/the reason is missing/);
    });
  });

  it('a component without a name is refused', async () => {
    await record(() => {
      expect(() => new HostNetworkNodePool(undefined as never, { cluster, poolName: 'a' })).toThrow(
        /name .*is missing/,
      );
      expect(() => new (HostNetworkNodePool as any)({ cluster, poolName: 'a' })).toThrow(/name .*is a map/);
    });
  });
});

/** What is imported is not changed: the comparison of a live object with the one of the program. */
const type = 'kubernetes:apps.openyurt.io/v1beta2:NodePool';

const live = (spec: object, metadata: object = {}): any => ({
  metadata: { name: 'default-pool', uid: '1', ...metadata },
  spec: { type: 'Edge', hostNetwork: false, interConnectivity: false, ...spec },
  status: { readyNodeNum: 3 },
});

const declared = (spec: object, metadata: object = {}): any => ({
  metadata: { name: 'default-pool', ...metadata },
  spec: { type: 'Edge', ...spec },
});

/** An object that kubectl has written, with labels and annotations of its own. */
const byKubectl = (labels: Record<string, string>, manager = 'kubectl-client-side-apply'): object => ({
  labels,
  managedFields: [
    {
      manager,
      fieldsV1: {
        'f:metadata': { 'f:labels': Object.fromEntries(Object.keys(labels).map((key) => [`f:${key}`, {}])) },
      },
    },
  ],
});

const TAINTS = [{ key: 'site', value: 'a', effect: 'NoSchedule' }];

describe('an imported object', () => {
  it.each<[string, object, object]>([
    ['declared as it is', live({}), declared({})],
    [
      'with the same labels and taints',
      live({ labels: { a: '1' }, taints: TAINTS }),
      declared({ labels: { a: '1' }, taints: TAINTS }),
    ],
    ['with nothing in other words', live({ labels: {}, taints: [] }), declared({ annotations: {} })],
    ['with a value that is not known yet', live({ labels: { a: '1' } }), declared({ labels: { a: undefined } })],
    ['with labels that are not known yet', live({ labels: { a: '1' } }), declared({ labels: undefined })],
    ['with a label of another controller', live({}, byKubectl({ a: '1' }, 'yurt-manager')), declared({})],
    ['with one more annotation', live({}), declared({}, { annotations: { 'pulumi.com/x': 'y' } })],
  ])('%s is accepted', (_, present, wanted) => {
    expect(changesByImport({ type, live: present, declared: wanted } as any)).toBeUndefined();
  });

  it.each<[string, object, object, string]>([
    [
      'a label that would be removed',
      live({ labels: { a: '1' } }),
      declared({}),
      'the object has spec.labels.a: "1", and the program does not',
    ],
    [
      'one label of two',
      live({ labels: { a: '1', b: '2' } }),
      declared({ labels: { a: '1' } }),
      'the object has spec.labels.b: "2", and the program does not',
    ],
    [
      'taints that would be removed',
      live({ taints: TAINTS }),
      declared({}),
      'the object has spec.taints: [{"key":"site","value":"a","effect":"NoSchedule"}], and the program does not',
    ],
    [
      'other taints',
      live({ taints: TAINTS }),
      declared({ taints: [{ ...TAINTS[0], value: 'b' }] }),
      'spec.taints is [{"key":"site","value":"a","effect":"NoSchedule"}], and the program has another value',
    ],
    [
      'one more taint',
      live({ taints: TAINTS }),
      declared({ taints: [...TAINTS, ...TAINTS] }),
      'and the program has another value',
    ],
    ['another type', live({ type: 'Cloud' }), declared({}), 'spec.type is "Cloud", and the program has another value'],
    [
      'one more label',
      live({}),
      declared({ labels: { a: 'secret' } }),
      'the program has spec.labels, and the object does not',
    ],
    ['hostNetwork', live({}), declared({ hostNetwork: true }), 'the program has spec.hostNetwork'],
    [
      'a label of kubectl',
      live({}, byKubectl({ team: 'a' })),
      declared({}),
      'the object has metadata.labels.team: "a", and the program does not',
    ],
    [
      'another label of its own',
      live({}, { labels: { team: 'a' } }),
      declared({}, { labels: { team: 'b' } }),
      'metadata.labels.team is "a", and the program has another value',
    ],
  ])('%s is refused', (_, present, wanted, text) => {
    const refusal = changesByImport({ type, live: present, declared: wanted } as any);
    expect(refusal).toContain('NodePool default-pool is imported');
    expect(refusal).toContain(text);
    expect(refusal).not.toContain('secret');
  });
});

/** What a construct tells of a workload, a component tells too, also of values that are Outputs. */
describe('what a construct tells, a component tells too', () => {
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
    expect(warnings.filter((warning) => /EDGE_UNKNOWN_PROPERTY, 2 times[^]*  b [^]*  c /.test(warning))).toHaveLength(
      1,
    );
    const wrong = { ...deployment(), spec: { ...deployment().spec, selector: { matchLabels: { app: 'other' } } } };
    await record(() => {
      expect(() => new components.ExcludedWorkload('a', { cluster, workload: wrong })).toThrow(
        /spec.selector|selector/,
      );
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
});

import fc from 'fast-check';
import { App, Chart, Testing } from 'cdk8s';
import {
  EdgeCluster,
  RegularNodePool,
  EdgeSystemComponents,
  EdgeWarnings,
  ExcludedWorkload,
  HostNetworkNodePool,
  HostNetworkWorkload,
  SystemComponent,
} from 'edge-nodepools';
import { whyNotOn } from '../../src/fleet/pod-placement.js';
import { daemonSet, deployment } from '../bad-inputs/case.js';
import { node } from './arbitraries.js';
import { runs } from '../depth.js';

const PAIRS: [string, string][] = [
  ['1.4', '1.23'],
  ['1.5', '1.28'],
  ['1.6', '1.30'],
  ['1.7', '1.34'],
  ['none', '1.37'],
];
const clusters = PAIRS.map(([openYurt, kubernetes]) => EdgeCluster.of({ openYurt, kubernetes, yurthub: true }));

const taint = fc.record(
  {
    key: fc.constantFrom('site', 'zone', 'gpu'),
    value: fc.constantFrom('a', 'b'),
    effect: fc.constantFrom('NoSchedule' as const, 'NoExecute' as const, 'PreferNoSchedule' as const),
  },
  { requiredKeys: ['key', 'effect'] },
);
const taints = fc.uniqueArray(taint, { maxLength: 3, selector: ({ key, effect }) => `${key}:${effect}` });

/** A fleet as data: pools, and workloads with different ports. */
const fleet = fc.record({
  cluster: fc.constantFrom(...clusters),
  pools: fc.uniqueArray(
    fc.record({
      name: fc.stringMatching(/^[a-z]([a-z0-9-]{0,8}[a-z0-9])?$/),
      hostNetwork: fc.boolean(),
      taints,
      labels: fc.dictionary(fc.constantFrom('site', 'rank'), fc.constantFrom('a', 'b')),
      registrationTaint: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4, selector: ({ name }) => name },
  ),
  workloads: fc.integer({ min: 0, max: 3 }),
  excluded: fc.integer({ min: 0, max: 3 }),
});

type Fleet = typeof fleet extends fc.Arbitrary<infer T> ? T : never;

function build({ cluster, pools, workloads, excluded }: Fleet, reversed = false): App {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'fleet');
  const steps: (() => void)[] = [];
  const hostNetwork: HostNetworkNodePool[] = [];
  for (const { name, hostNetwork: isHostNetwork, registrationTaint, ...props } of pools) {
    if (isHostNetwork) {
      // workloads need their pools, so these come first in every order
      hostNetwork.push(
        new HostNetworkNodePool(chart, `pool-${name}`, { cluster, poolName: name, registrationTaint, ...props }),
      );
    } else {
      steps.push(() => new RegularNodePool(chart, `pool-${name}`, { cluster, poolName: name, ...props }));
    }
  }
  for (let index = 0; index < (hostNetwork.length > 0 ? workloads : 0); index++) {
    const workload = {
      ...daemonSet({ containers: [{ name: 'a', image: 'a', ports: [{ containerPort: 8000 + index }] }] }),
      metadata: { name: `daemon-${index}` },
    };
    steps.push(() => new HostNetworkWorkload(chart, `daemon-${index}`, { pools: hostNetwork, workload }));
  }
  for (let index = 0; index < excluded; index++) {
    steps.push(
      () =>
        new ExcludedWorkload(chart, `web-${index}`, {
          cluster,
          workload: { ...deployment(), metadata: { name: `web-${index}` } },
        }),
    );
  }
  steps.push(
    () =>
      new EdgeSystemComponents(chart, 'system', {
        cluster,
        exclude: [SystemComponent.KUBE_PROXY, SystemComponent.COREDNS, SystemComponent.FLANNEL],
      }),
  );
  (reversed ? steps.reverse() : steps).forEach((step) => step());
  return app;
}

const documents = (app: App): string[] =>
  app
    .synthYaml()
    .split('---\n')
    .map((text) => text.trim())
    .sort();

describe('a fleet', () => {
  it('is synthesized deterministically', () => {
    fc.assert(
      fc.property(fleet, (data) => {
        const app = build(data);
        const once = app.synthYaml();
        expect(app.synthYaml()).toBe(once);
        expect(build(data).synthYaml()).toBe(once);
      }),
      runs(100),
    );
  });

  it('has the same objects in any order of declaration', () => {
    fc.assert(
      fc.property(fleet, (data) => {
        expect(documents(build(data, true))).toEqual(documents(build(data)));
      }),
      runs(100),
    );
  });

  it('has the labels of the library on every created object, and on no patched one', () => {
    fc.assert(
      fc.property(fleet, (data) => {
        const app = build(data);
        for (const chart of app.charts) {
          for (const object of Testing.synth(chart)) {
            const marks = [
              object.metadata.labels?.['app.kubernetes.io/managed-by'],
              object.metadata.labels?.['edge-nodepools/manifest-format'],
            ];
            expect(marks).toEqual(
              /^NodePool$|Policy(Binding)?$/.test(object.kind as string)
                ? ['edge-nodepools', '1']
                : [undefined, undefined],
            );
          }
        }
      }),
      runs(50),
    );
  });

  it('runs its workloads on nodes of its host-network pools, and on no other node', () => {
    fc.assert(
      fc.property(
        fleet.filter(({ pools, workloads }) => workloads > 0 && pools.some(({ hostNetwork }) => hostNetwork)),
        node,
        (data, stranger) => {
          const app = build(data);
          const chart = app.charts.find(({ node: { id } }) => id === 'fleet') as Chart;
          const daemons = Testing.synth(chart).filter(({ kind }) => kind === 'DaemonSet');
          const members = chart.node.children.filter(
            (child): child is HostNetworkNodePool => child instanceof HostNetworkNodePool,
          );
          expect(daemons).toHaveLength(data.workloads);
          for (const { spec } of daemons) {
            for (const { joinLabels, taints: own } of members) {
              expect(
                whyNotOn(spec.template.spec, { name: 'member', labels: joinLabels, taints: own }, true),
              ).toBeUndefined();
            }
            const labels = { ...stranger.labels };
            if (!members.some(({ poolName }) => poolName === labels['apps.openyurt.io/nodepool'])) {
              expect(whyNotOn(spec.template.spec, { ...stranger, labels }, true)).toBeDefined();
            }
          }
        },
      ),
      runs(100),
    );
  });

  it('has workloads that do not change when they are passed again', () => {
    fc.assert(
      fc.property(
        fleet.filter(({ pools }) => pools.some(({ hostNetwork }) => hostNetwork)),
        ({ cluster, pools }) => {
          const give = (workload: any): HostNetworkWorkload => {
            const chart = Testing.chart();
            const on = pools
              .filter(({ hostNetwork }) => hostNetwork)
              .map(
                ({ name, taints: own, registrationTaint }) =>
                  new HostNetworkNodePool(chart, name, { cluster, poolName: name, taints: own, registrationTaint }),
              );
            return new HostNetworkWorkload(chart, 'the-workload', { pools: on, workload, apiServer: '192.0.2.1:6443' });
          };
          const once = give(deployment());
          const twice = give(once.manifest);
          expect(twice.manifest).toEqual(once.manifest);
          expect(twice.changes).toEqual([]);
        },
      ),
      runs(100),
    );
  });
});

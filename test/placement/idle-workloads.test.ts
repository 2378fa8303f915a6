/** Workloads that make no Pods: every command says so, and none finds a fault in where they would run. */
import { checkManifests, provesNoPodNetwork } from 'edge-nodepools/checks';
import { explainOnPools } from '../../src/placement/explain.js';
import { fleetOverview } from '../../src/placement/fleet-overview.js';
import { hn, pool, workload } from './dumped.js';

const template = { spec: { containers: [{ name: 'a', image: 'a' }], restartPolicy: 'Never' } };
const of = (apiVersion: string, kind: string, fields: object): any => ({
  apiVersion,
  kind,
  metadata: { name: 'w', namespace: 'default' },
  ...fields,
});
const cronJob = (suspend: boolean): any =>
  of('batch/v1', 'CronJob', { spec: { suspend, schedule: '0 0 * * *', jobTemplate: { spec: { template } } } });
const appSet = (replicas: number | undefined, written = 1): any => ({
  ...of('apps.openyurt.io/v1beta1', 'YurtAppSet', {}),
  spec: {
    pools: ['hn', 'b'],
    workload: {
      workloadTemplate: {
        deploymentTemplate: {
          spec: {
            replicas: written,
            selector: { matchLabels: { app: 'w' } },
            template: { ...template, metadata: { labels: { app: 'w' } } },
          },
        },
      },
      workloadTweaks: replicas === undefined ? [] : [{ pools: ['hn'], tweaks: { replicas } }],
    },
  },
});

/** What becomes of the last object in the host-network pool. */
function told(...objects: readonly any[]): string {
  const { groups } = fleetOverview([hn, pool('b', false), ...objects]);
  const { runs = [], others = [] } = groups.find(({ pools }) => pools.includes('hn')) ?? {};
  const name = `${objects.at(-1).kind} default/${objects.at(-1).metadata.name}`;
  const other = others.find((each) => each.workload === name);
  return other === undefined ? String(runs.includes(name) && 'runs') : `${other.outcome}: ${other.reason}`;
}

it.each<[what: string, object: any, expected: RegExp]>([
  [
    'a Job that is suspended',
    of('batch/v1', 'Job', { spec: { suspend: true, template } }),
    /^waits: for spec\.suspend/,
  ],
  ['a CronJob that is suspended', cronJob(true), /^waits: for spec\.suspend/],
  ['a Job without parallelism', of('batch/v1', 'Job', { spec: { parallelism: 0, template } }), /^waits: for replicas/],
  ['a PodTemplate', of('v1', 'PodTemplate', { template }), /^waits: for a controller/],
  ['a Deployment without replicas', workload('Deployment', { hostNetwork: false }, { replicas: 0 }), /^waits: for rep/],
  [
    'a Pod that has ended',
    of('v1', 'Pod', { spec: template.spec, status: { phase: 'Succeeded' } }),
    /^(waits: for nothing|false$)/,
  ],
  ['a pool of a YurtAppSet without replicas', appSet(0), /^waits: for replicas/],
  ['a YurtAppSet whose template has none', appSet(undefined, 0), /^waits: for replicas/],
])('%s', (_, object, expected) => {
  expect(told(object)).toMatch(expected);
  const explained = explainOnPools([hn, object], object).map(({ outcome }) => outcome);
  expect(explained).toEqual(['waits']);
  expect(provesNoPodNetwork([hn, object], { pods: 'written' }).map(({ outcome }) => outcome)).toEqual(['proven']);
  const { findings } = checkManifests([hn, object]);
  expect(findings.filter(({ code }) => code === 'EDGE_NEVER_STARTS')).toEqual([]);
});

it.each<[what: string, object: any]>([
  ['a Job', of('batch/v1', 'Job', { spec: { suspend: false, template } })],
  ['a CronJob', cronJob(false)],
  ['a YurtAppSet with replicas for the pool', appSet(1, 0)],
])('%s that is not idle is judged', (_, object) => {
  expect(told(object)).toMatch(/^never starts/);
  expect(provesNoPodNetwork([hn, object], { pods: 'written' }).map(({ outcome }) => outcome)).toEqual(['refuted']);
});

it('a Job that a CronJob made before it was suspended goes on', () => {
  const made = of('batch/v1', 'Job', { spec: { template } });
  const owner = [{ controller: true, kind: 'CronJob', name: 'w' }];
  const job = { ...made, metadata: { ...made.metadata, name: 'w-1', ownerReferences: owner } };
  expect(told(cronJob(true), job)).toMatch(/^never starts/);
  expect(told(cronJob(false), job)).toBe('false');
});

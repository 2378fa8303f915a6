/** OpenYurt makes a Deployment of a YurtAppSet in each pool (e2e group yurt-sets), so each pool has a fate of its own; static Pods are never evicted. */
import { App, Chart, Testing } from 'cdk8s';
import {
  EdgeCluster,
  EdgeWarnings,
  HostNetworkNodePool,
  YurtAppSet,
  type YurtAppSetProps,
  YurtStaticSet,
} from 'edge-nodepools';
import { type Outage, simulateOutage } from 'edge-nodepools/checks';

const template = (port: number): Record<string, unknown> => ({
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'web:1', ports: [{ containerPort: port }] }] },
    },
  },
});
const TWO = [{ pools: ['site-18'], tweaks: { replicas: 2 } }];

function simulate(props: Partial<YurtAppSetProps>, outage: Omit<Outage, 'down'> & { down: Outage['down'] }) {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'sites');
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
  const pools = ['site-17', 'site-18'].map(
    (poolName) => new HostNetworkNodePool(chart, poolName, { cluster, poolName, expectedNodes: 3 }),
  );
  const metadata = (name: string) => ({ name, namespace: 'edge' });
  new YurtAppSet(chart, 'web', { pools, metadata: metadata('web'), ...props });
  const agent = { spec: { containers: [{ name: 'agent', image: 'agent:1' }] } };
  new YurtStaticSet(chart, 'agent', { pools, metadata: metadata('agent'), template: agent });
  return simulateOutage(Testing.synth(chart), { otherNodes: 3, ...outage }, pools);
}

const fates = (props: Partial<YurtAppSetProps>, down: Outage['down']) =>
  simulate(props, { down }).workloads.map(({ workload, pool, pods, outcome, then, replacedOn }) => [
    workload,
    pool,
    `${pods.min}-${pods.max}`,
    outcome,
    then,
    replacedOn,
  ]);

const DEPLOYMENT = { deploymentTemplate: template(8080), workloadTweaks: TWO };
const STATIC = (most: number): unknown[] => [
  'YurtStaticSet edge/agent',
  undefined,
  `0-${most}`,
  'stays',
  undefined,
  undefined,
];

describe('an outage of a pool with a YurtAppSet', () => {
  it('has the Pods of that pool, which run nowhere else', () => {
    const web = ['YurtAppSet edge/web', 'site-18', '2-2', 'evicted', 'waits for a Node', undefined];
    expect(fates(DEPLOYMENT, { pools: ['site-18'] })).toEqual([web, STATIC(3)]);
  });

  it('of one Node has a replacement in its pool', () => {
    const web = ['YurtAppSet edge/web', 'site-18', '0-1', 'perhaps evicted', 'replaced', ['site-18']];
    expect(fates(DEPLOYMENT, { nodes: ['site-18-1'] })).toEqual([web, STATIC(1)]);
  });

  it('of StatefulSets waits for its Nodes', () => {
    const [db] = fates({ statefulSetTemplate: template(8080) }, { pools: ['site-17'] });
    expect(db?.slice(1)).toEqual(['site-17', '1-1', 'evicted', 'waits for the same Node', undefined]);
  });

  it('that is patched is evicted perhaps, because the patch may say otherwise', () => {
    const patches = [{ operation: 'add', path: '/metadata/labels/a', value: 'b' }] as const;
    const patched = [{ pools: ['site-18'], tweaks: { patches: [...patches] } }];
    const [web] = fates({ deploymentTemplate: template(8080), workloadTweaks: patched }, { pools: ['site-18'] });
    expect(web?.slice(1, 4)).toEqual(['site-18', '1-1', 'perhaps evicted']);
  });

  it('is one row in the table for pools with the same fate', () => {
    const text = String(simulate({ deploymentTemplate: template(8080) }, { down: { pools: ['site-17', 'site-18'] } }));
    expect(text.match(/YurtAppSet edge\/web/g)).toHaveLength(1);
  });
});

describe('an update of a YurtAppSet', () => {
  const update = (props: Partial<YurtAppSetProps>, down: Outage['down']) => {
    const { pods, away, updated, outcome, rule } =
      simulate({ ...DEPLOYMENT, ...props }, { down, update: 'YurtAppSet edge/web' }).update ?? {};
    return [pods, away?.max, updated?.min, outcome, rule];
  };

  it('finishes in the other pools while a whole pool is away', () => {
    expect(update({}, { pools: ['site-18'] })).toEqual([
      3,
      2,
      1,
      'finishes',
      expect.stringMatching(/^in site-18: all/),
    ]);
  });

  it('hangs, or not, by the rollout of the Deployment of a pool', () => {
    const down = { nodes: ['site-18-1'] };
    const given = template(8080);
    const own = given.spec as any;
    own.strategy = { type: 'Recreate' };
    expect(update({ deploymentTemplate: given }, down).slice(3)).toEqual([
      'perhaps hangs',
      expect.stringMatching(/^in site-18: Recreate/),
    ]);
    expect(update({ rollout: 'rolling', nodesAway: 1 }, down)[3]).toBe('finishes');
  });
});

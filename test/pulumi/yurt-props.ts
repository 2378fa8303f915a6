/** Samples of YurtAppSet and YurtStaticSet. */
import fc from 'fast-check';
import { EdgeCluster } from 'edge-nodepools';
import { container, taints, word } from './props.js';

const labels = fc.dictionary(fc.constantFrom('site', 'example.com/rank'), word, { maxKeys: 2 });
const annotations = fc.dictionary(fc.constantFrom('note', 'example.com/owner'), fc.string({ maxLength: 9 }), {
  maxKeys: 2,
});
/** A cluster for each sample: the pools of all are in one program. */
const cluster = fc
  .record({
    name: fc.uuid(),
    pair: fc.constantFrom(
      { openYurt: '1.7', kubernetes: '1.34' } as const,
      { openYurt: '1.5', kubernetes: '1.28' } as const,
    ),
  })
  .map(({ name, pair }) => EdgeCluster.of({ ...pair, name }));

const somePools = fc.uniqueArray(fc.record({ poolName: word, taints, expectedNodes: fc.integer({ min: 0, max: 9 }) }), {
  minLength: 1,
  maxLength: 3,
  selector: ({ poolName }) => poolName,
});

const template = (one: object, podLabels: object): object => ({
  metadata: { labels: { ...podLabels, app: 'x' } },
  spec: { containers: [one] },
});

export const yurtAppSet: fc.Arbitrary<any> = fc
  .record({
    cluster,
    pools: somePools,
    kind: fc.constantFrom('deploymentTemplate', 'statefulSetTemplate'),
    container,
    podLabels: labels,
    annotations,
    replicas: fc.integer({ min: 0, max: 5 }),
    tweaks: fc.record(
      {
        replicas: fc.integer({ min: 0, max: 5 }),
        images: word,
        patches: fc.constant([{ operation: 'add', path: '/spec/template/metadata/labels/tier', value: 'edge' }]),
      },
      { requiredKeys: [] },
    ),
    settings: fc.record(
      {
        portConflicts: fc.constant('warn'),
        autonomy: fc.constantFrom('forever', 'default', '90s'),
        wave: fc.integer({ min: 0, max: 3 }),
        revisionHistoryLimit: fc.integer({ min: 0, max: 9 }),
      },
      { requiredKeys: [] },
    ),
  })
  .map(({ cluster: on, pools, kind, container: one, podLabels, annotations: notes, replicas, tweaks, settings }) => ({
    cluster: on,
    pools,
    ...settings,
    metadata: { name: one.name, namespace: 'edge', annotations: notes },
    [kind]: {
      metadata: { labels: podLabels },
      spec: { replicas, selector: { matchLabels: { app: 'x' } }, template: template(one, podLabels) },
    },
    workloadTweaks: [
      {
        pools: [pools[0]?.poolName],
        tweaks: {
          ...('replicas' in tweaks ? { replicas: tweaks.replicas } : {}),
          ...('images' in tweaks ? { containerImages: [{ name: one.name, targetImage: tweaks.images }] } : {}),
          ...('patches' in tweaks ? { patches: tweaks.patches } : {}),
        },
      },
    ],
  }));

export const yurtStaticSet: fc.Arbitrary<any> = fc
  .record({
    cluster,
    pools: somePools,
    container,
    podLabels: labels,
    settings: fc.record(
      {
        portConflicts: fc.constant('warn'),
        staticPodManifest: word,
        upgradeStrategy: fc.constantFrom({ type: 'OTA' }, { type: 'AdvancedRollingUpdate', maxUnavailable: '20%' }),
        revisionHistoryLimit: fc.integer({ min: 0, max: 9 }),
      },
      { requiredKeys: [] },
    ),
  })
  .map(({ cluster: on, pools, container: one, podLabels, settings }) => ({
    cluster: on,
    pools,
    ...settings,
    metadata: { name: one.name, namespace: 'edge' },
    template: template(one, podLabels),
  }));

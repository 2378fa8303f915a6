/** The workloads of OpenYurt. */
import { yurtAppSet, yurtStaticSet } from '../pulumi/yurt-props.js';
import { type Component, type Noun, RESOURCE, somePools } from './noun.js';

const APP_SET = {
  metadata: { name: 'sites', namespace: 'edge' },
  deploymentTemplate: {
    spec: {
      selector: { matchLabels: { app: 'sites' } },
      template: {
        metadata: { labels: { app: 'sites' } },
        spec: { containers: [{ name: 'sites', image: 'sites', ports: [{ containerPort: 8091 }] }] },
      },
    },
  },
  workloadTweaks: [{ pools: ['shops'], tweaks: { replicas: 2 } }],
};

const STATIC_SET = {
  metadata: { name: 'resident', namespace: 'edge' },
  template: { spec: { containers: [{ name: 'resident', image: 'registry.example/resident:1' }] } },
  upgradeStrategy: { type: 'OTA' as const },
};

type Named = Pick<{ readonly [Name in Component]: Noun<Name> }, 'YurtAppSet' | 'YurtStaticSet'>;

export const YURT_NOUNS: Named = {
  YurtAppSet: {
    samples: yurtAppSet,
    prepare: somePools,
    attributes: ['changes'],
    required: ['cluster'],
    leftOut: { resource: RESOURCE },
    examples: {
      'web-sites': {
        args: ({ pool }) => ({ pool, ...APP_SET }),
        data: ({ cluster, pool }) => ({ cluster, pool, ...APP_SET }),
      },
    },
  },
  YurtStaticSet: {
    samples: yurtStaticSet,
    prepare: somePools,
    attributes: [],
    required: ['cluster', 'metadata', 'pools', 'template'],
    leftOut: { resource: RESOURCE },
    examples: {
      'static-agent': {
        args: ({ pool }) => ({ pools: [pool], ...STATIC_SET }),
        data: ({ cluster, pool }) => ({ cluster, pools: [pool], ...STATIC_SET }),
      },
    },
  },
};

import { EdgeCluster } from 'edge-nodepools';
import type { OpenYurtWebhook } from 'edge-nodepools/types';
import { chosenWebhooks, openYurtWebhookConfiguration } from '../../src/admission/openyurt-configurations.js';
import { SHIPPED } from './shipped-webhooks.js';
import { openYurtKeepsMatchConditions } from '../../src/cluster/openyurt-capabilities.js';
import { hasWebhookMatchConditions } from '../../src/cluster/kubernetes-capabilities.js';

const MINORS: Readonly<Record<string, string>> = { '1.4': '1.23', '1.5': '1.28', '1.6': '1.30', '1.7': '1.34' };
const clusterOf = (openYurt: string): EdgeCluster =>
  EdgeCluster.of({ openYurt, kubernetes: MINORS[openYurt] ?? '1.34' });
const releases = Object.keys(SHIPPED);

/** A webhook of a manifest as a line of the table. */
function lineOf({ name, clientConfig, rules, failurePolicy, admissionReviewVersions }: any): string {
  const [{ apiGroups, apiVersions, operations, resources }] = rules;
  const resource = [apiGroups, apiVersions, resources].map((list) => list.join('+')).join('/');
  return [
    name,
    clientConfig.service.path,
    resource,
    operations.join(','),
    failurePolicy,
    admissionReviewVersions.join(','),
  ].join(' ');
}

const configurations = (openYurt: string, props: object = {}): any[] =>
  (['mutating', 'validating'] as const).map((type) =>
    openYurtWebhookConfiguration(type, { cluster: clusterOf(openYurt), ...props }),
  );

describe('the webhooks of each release', () => {
  it('covers every release of the table', () => {
    expect(releases).toEqual(['1.4', '1.5', '1.6', '1.7']);
    expect(releases.map((release) => SHIPPED[release]?.length)).toEqual([17, 18, 20, 15]);
  });

  it.each(releases)('OpenYurt %s: equals the chart, in its order', (release) => {
    const made = configurations(release);
    expect(made.flatMap(({ webhooks }) => webhooks.map(lineOf))).toEqual(SHIPPED[release]);
    for (const { kind, webhooks } of made) {
      const verb = kind === 'MutatingWebhookConfiguration' ? '/mutate-' : '/validate-';
      for (const webhook of webhooks) {
        // no field that the chart does not have, and no caBundle, which yurt-manager writes
        expect(Object.keys(webhook).sort()).toEqual(
          ['admissionReviewVersions', 'clientConfig', 'failurePolicy', 'name', 'rules', 'sideEffects'].sort(),
        );
        expect(Object.keys(webhook.clientConfig)).toEqual(['service']);
        expect(webhook.clientConfig.service.path.startsWith(verb)).toBe(true);
        expect(webhook.sideEffects).toBe('None');
      }
    }
  });

  it.each(releases)('OpenYurt %s: each is controlled by one flag, and has a unique name', (release) => {
    const webhooks = clusterOf(release).openYurtWebhooks();
    expect(new Set(webhooks.map(({ name }) => name)).size).toBe(webhooks.length);
    expect(new Set(webhooks.map(({ path }) => path)).size).toBe(webhooks.length);
    for (const { controller, independentWebhook } of webhooks) {
      expect([controller, independentWebhook].filter((flag) => flag !== undefined)).toHaveLength(1);
    }
  });

  it('has none without OpenYurt', () => {
    const cluster = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36' });
    expect(cluster.openYurtWebhooks()).toEqual([]);
    expect(openYurtKeepsMatchConditions(cluster)).toBe(false);
  });

  it.each([
    ['1.4', '1.27', false, false],
    ['1.4', '1.28', true, false],
    ['1.5', '1.27', false, true],
    ['1.5', '1.28', true, true],
    ['1.7', '1.36', true, true],
  ])(
    'OpenYurt %s on Kubernetes %s: which of them preserves matchConditions',
    (openYurt, kubernetes, server, manager) => {
      const cluster = EdgeCluster.of({ openYurt, kubernetes });
      expect([hasWebhookMatchConditions(cluster), openYurtKeepsMatchConditions(cluster)]).toEqual([server, manager]);
    },
  );
});

describe('the flags of yurt-manager', () => {
  const resourcesWith = (openYurt: string, props: object): string[] => [
    ...new Set(
      chosenWebhooks({ cluster: clusterOf(openYurt), ...props }).map(({ resource }: OpenYurtWebhook) => resource),
    ),
  ];
  const controlled = ['gateways', 'nodepools', 'yurtappsets', 'yurtstaticsets'];
  const independent = ['endpoints', 'endpointslices', 'nodes', 'pods'];

  // IsControllerEnabled: the first entry with the name of a controller decides, then the star
  it.each<[string[], string[]]>([
    [['*'], controlled],
    [['-nodelifecycle', '*'], controlled],
    [[], []],
    [['nodepool'], ['nodepools']],
    [['nodepool-controller'], ['nodepools']],
    [
      ['-nodepool', '*'],
      ['gateways', 'yurtappsets', 'yurtstaticsets'],
    ],
    [
      ['*', '-yurt-app-set-controller'],
      ['gateways', 'nodepools', 'yurtstaticsets'],
    ],
    [['nodepool', '-nodepool'], ['nodepools']],
    [['-nodepool', 'nodepool'], []],
  ])('--controllers=%j', (controllers, expected) => {
    expect(resourcesWith('1.7', { controllers }).sort()).toEqual([...expected, ...independent].sort());
  });

  it.each<[string[], string[]]>([
    [[], independent],
    [['pod'], ['endpoints', 'endpointslices', 'nodes']],
    [['node', 'endpoints', 'endpointslice'], ['pods']],
    [['*'], []],
  ])('--disable-independent-webhooks=%j', (disableIndependentWebhooks, expected) => {
    expect(resourcesWith('1.7', { disableIndependentWebhooks }).sort()).toEqual([...expected, ...controlled].sort());
  });

  it('omits PlatformAdmin if the chart has a path that is not served (1.6 and 1.7)', () => {
    const served = (openYurt: string): boolean =>
      resourcesWith(openYurt, { controllers: ['*'] }).includes('platformadmins');
    expect(releases.map(served)).toEqual([true, true, false, false]);
    expect(releases.every((release) => resourcesWith(release, {}).includes('platformadmins'))).toBe(true);
  });

  it('creates both objects even if one is empty: yurt-manager exits without them', () => {
    const made = configurations('1.4', { controllers: [], disableIndependentWebhooks: ['*'] });
    expect(made.map(({ kind, webhooks }) => [kind, webhooks])).toEqual([
      ['MutatingWebhookConfiguration', []],
      ['ValidatingWebhookConfiguration', []],
    ]);
  });
});

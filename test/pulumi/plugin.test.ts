import { join } from 'node:path';
import * as pulumi from '@pulumi/pulumi';
import { ComponentProvider } from '@pulumi/pulumi/provider/experimental/provider.js';
import * as plugin from '../../pulumi-plugin/index.js';
import * as library from '../../src/pulumi/index.js';
import { daemonSet, deployment } from '../bad-inputs/case.js';
import { isFullDepth } from '../depth.js';
import { objectsIn, record } from './recorded.js';

const dirname = join(__dirname, '..', '..', 'pulumi-plugin');

const TOKEN = 'edge-nodepools:index:';

/** Components, and what must be said of each. */
const REQUIRED: Readonly<Record<string, string[]>> = {
  EdgeNodePool: ['cluster', 'poolName'],
  HostNetworkNodePool: ['cluster', 'poolName'],
  HostNetworkWorkload: ['cluster', 'pools', 'workload'],
  ExcludedWorkload: ['cluster', 'workload'],
  EdgeSystemComponents: ['cluster'],
  PoolAdmission: ['cluster'],
  OpenYurtWebhooks: ['cluster'],
  NodeJoin: ['cluster', 'pool'],
  BootstrapToken: ['expiration', 'token'],
};

const releases = { openYurt: '1.7', kubernetes: '1.34' } as const;
const cluster = library.EdgeCluster.of(releases);
const reachable = { apiServer: '10.0.0.1:6443', caCertHashes: [`sha256:${'0'.repeat(64)}`] };
const TOKEN_TEXT = 'canary.0123456789canary';
const taints = [{ key: 'site', value: 'east', effect: 'NoSchedule' as const }];

const EVERY_FIELD = {
  poolName: 'east',
  type: 'Cloud' as const,
  labels: { a: 'b' },
  enableLeaderElection: true,
  leaderElectionStrategy: 'mark' as const,
  leaderNodeLabelSelector: { leader: 'yes' },
  leaderReplicas: 2,
  poolScopeMetadata: [{ group: '', version: 'v1', resource: 'services' }],
  metadata: { labels: { team: 'edge' } },
  extraSpec: { later: true },
};

const TYPESCRIPT = 'for programs in TypeScript';
const OTHERWISE = 'written in another way';

type Component = keyof typeof plugin;
type ArgumentsOf<C> = C extends new (name: string, args: infer Args, ...rest: never[]) => unknown ? keyof Args : never;
type Differences = {
  [Name in Component]: {
    readonly leftOut: Record<
      Exclude<ArgumentsOf<(typeof library)[Name]>, ArgumentsOf<(typeof plugin)[Name]>>,
      typeof TYPESCRIPT | typeof OTHERWISE
    >;
    readonly own: Exclude<ArgumentsOf<(typeof plugin)[Name]>, ArgumentsOf<(typeof library)[Name]>>[];
  };
};

/** Where the arguments differ from those of the library: any other difference is a compile error. */
const DIFFERENCES: Differences = {
  BootstrapToken: { leftOut: { usages: TYPESCRIPT }, own: [] },
  NodeJoin: {
    leftOut: {
      yurtadm: TYPESCRIPT,
      format: TYPESCRIPT,
      artifactFolder: TYPESCRIPT,
      timeouts: TYPESCRIPT,
      reservation: TYPESCRIPT,
      runtime: TYPESCRIPT,
      files: TYPESCRIPT,
      preJoinCommands: TYPESCRIPT,
      postJoinCommands: TYPESCRIPT,
      retainPublished: TYPESCRIPT,
    },
    own: ['cluster', 'tokenFile', 'tokenCommand'],
  },
  EdgeNodePool: { leftOut: { reservation: TYPESCRIPT }, own: [] },
  // its type is always Edge
  HostNetworkNodePool: { leftOut: { reservation: TYPESCRIPT, type: OTHERWISE }, own: [] },
  HostNetworkWorkload: { leftOut: { pool: OTHERWISE, await: TYPESCRIPT }, own: ['cluster'] },
  ExcludedWorkload: { leftOut: { await: TYPESCRIPT }, own: [] },
  EdgeSystemComponents: {
    leftOut: {
      artifactFolder: TYPESCRIPT,
      kustomizeFolder: TYPESCRIPT,
      fieldManager: TYPESCRIPT,
      force: TYPESCRIPT,
      await: TYPESCRIPT,
      components: OTHERWISE,
      strategy: OTHERWISE,
    },
    own: ['workloads', 'strategies', 'namespaces'],
  },
  PoolAdmission: {
    leftOut: {
      metadata: TYPESCRIPT,
      templates: TYPESCRIPT,
      namespaceGateLabel: TYPESCRIPT,
      validationActions: TYPESCRIPT,
      otherPools: OTHERWISE,
    },
    own: ['disabledGuarantees'],
  },
  OpenYurtWebhooks: {
    leftOut: {
      metadata: TYPESCRIPT,
      disableIndependentWebhooks: TYPESCRIPT,
      webhooks: TYPESCRIPT,
      template: TYPESCRIPT,
      namespaceSelector: TYPESCRIPT,
      objectSelector: TYPESCRIPT,
      matchConditions: TYPESCRIPT,
    },
    own: [],
  },
};

/** The same thing through the plugin, and with the library. */
const CASES: readonly (readonly [string, () => unknown, () => unknown])[] = [
  [
    'HostNetworkNodePool',
    () => new plugin.HostNetworkNodePool('x', { cluster: releases, poolName: 'east', taints, registrationTaint: true }),
    () => new library.HostNetworkNodePool('x', { cluster, poolName: 'east', taints, registrationTaint: true }),
  ],
  [
    'EdgeNodePool',
    () => new plugin.EdgeNodePool('x', { cluster: releases, ...EVERY_FIELD }),
    () => new library.EdgeNodePool('x', { cluster, ...EVERY_FIELD }),
  ],
  [
    'HostNetworkWorkload',
    () =>
      new plugin.HostNetworkWorkload('x', {
        cluster: releases,
        pools: [{ poolName: 'east', taints }],
        workload: daemonSet({}),
      }),
    () =>
      new library.HostNetworkWorkload('x', {
        pools: [library.HostNetworkNodePool.fromPoolName({ cluster, poolName: 'east', taints })],
        workload: daemonSet({}),
      }),
  ],
  [
    'ExcludedWorkload',
    () => new plugin.ExcludedWorkload('x', { cluster: releases, workload: deployment({}) }),
    () => new library.ExcludedWorkload('x', { cluster, workload: deployment({}) }),
  ],
  [
    'EdgeSystemComponents',
    () =>
      new plugin.EdgeSystemComponents('x', {
        cluster: releases,
        exclude: ['kube-proxy', 'flannel'],
        workloads: [{ kind: 'DaemonSet', namespace: 'monitoring', name: 'node-exporter' }],
        strategies: ['SERVER_SIDE_APPLY'],
        namespaces: { flannel: 'cni' },
      }),
    () =>
      new library.EdgeSystemComponents('x', {
        cluster,
        exclude: [
          library.SystemComponent.KUBE_PROXY,
          library.SystemComponent.FLANNEL,
          library.SystemComponent.of({ kind: 'DaemonSet', namespace: 'monitoring', name: 'node-exporter' }),
        ],
        strategy: library.ExclusionStrategy.SERVER_SIDE_APPLY,
        components: { flannel: { namespace: 'cni' } },
      }),
  ],
  [
    'PoolAdmission',
    () =>
      new plugin.PoolAdmission('x', { cluster: releases, pools: ['east'], disabledGuarantees: ['frozenNodeLabels'] }),
    () =>
      new library.PoolAdmission('x', {
        cluster,
        otherPools: ['east'],
        guarantees: { frozenNodeLabels: false },
      }),
  ],
  [
    'OpenYurtWebhooks',
    () => new plugin.OpenYurtWebhooks('x', { cluster: releases, timeoutSeconds: 5, exclude: ['pods'] }),
    () => new library.OpenYurtWebhooks('x', { cluster, timeoutSeconds: 5, exclude: ['pods'] }),
  ],
  [
    'NodeJoin',
    () =>
      new plugin.NodeJoin('x', {
        cluster: { ...releases, ...reachable },
        pool: { poolName: 'east', taints },
        token: TOKEN_TEXT,
        publish: true,
      }),
    () =>
      new library.NodeJoin('x', {
        pool: library.HostNetworkNodePool.fromPoolName({
          cluster: library.EdgeCluster.of({ ...releases, ...reachable }),
          poolName: 'east',
          taints,
        }),
        token: pulumi.secret(TOKEN_TEXT),
        publish: true,
      }),
  ],
  [
    'BootstrapToken',
    () => new plugin.BootstrapToken('x', { token: TOKEN_TEXT, expiration: '2100-01-01T00:00:00Z' }),
    () => new library.BootstrapToken('x', { token: pulumi.secret(TOKEN_TEXT), expiration: '2100-01-01T00:00:00Z' }),
  ],
];

// the compiler that infers it costs as much as all other tests of the plugin
(isFullDepth ? describe : describe.skip)('the schema for other languages', () => {
  let schema: any;

  beforeAll(async () => {
    const provider = new ComponentProvider({ components: Object.values(plugin), dirname, name: 'edge-nodepools' });
    schema = JSON.parse(await provider.getSchema());
  });

  it('has every component under the token of the library, and what must be said of it', () => {
    const required = Object.entries(schema.resources as Record<string, any>).map(([token, { requiredInputs }]) => [
      token,
      requiredInputs,
    ]);
    const expected = Object.entries(REQUIRED).map(([name, inputs]) => [`${TOKEN}${name}`, inputs]);
    expect(Object.fromEntries(required)).toEqual(Object.fromEntries(expected));
  });

  it.each(Object.entries(DIFFERENCES))(
    'has the arguments of the library for %s, but these',
    (name, { leftOut, own }) => {
      const { inputProperties } = schema.resources[`${TOKEN}${name}`];
      expect(Object.keys(leftOut).filter((argument) => argument in inputProperties)).toEqual([]);
      expect(own.filter((argument) => !(argument in inputProperties))).toEqual([]);
    },
  );

  it('describes every component, every argument and every output', () => {
    const described = [...Object.values<any>(schema.resources), ...Object.values<any>(schema.types)];
    const properties = described.flatMap((type) => Object.entries({ ...type.inputProperties, ...type.properties }));
    expect(properties.length).toBeGreaterThan(50);
    expect(properties.filter(([, property]: any) => !property.description).map(([name]) => name)).toEqual([]);
    const without = Object.entries<any>(schema.resources).filter(([, { description }]) => !description);
    expect(without.map(([token]) => token)).toEqual([]);
  });

  it('takes the name of a pool as a value that is unknown at preview', () => {
    const { inputProperties, properties } = schema.resources[`${TOKEN}HostNetworkNodePool`];
    expect(inputProperties.poolName.plain).toBeUndefined();
    expect(inputProperties.cluster).toMatchObject({ $ref: `#/types/${TOKEN}Cluster`, plain: true });
    expect(Object.keys(properties as object)).toEqual(['poolName', 'joinLabels', 'nodeSelector']);
  });
});

describe('the components of the plugin', () => {
  beforeAll(() => jest.spyOn(console, 'warn').mockImplementation());

  it('are all held against the library', () => {
    expect(CASES.map(([name]) => name).sort()).toEqual(Object.keys(REQUIRED).sort());
  });

  it.each(CASES)('%s makes what the library makes', async (name, ofPlugin, ofLibrary) => {
    const through = await record(ofPlugin);
    const own = await record(ofLibrary);
    expect(objectsIn(through).length).toBeGreaterThan(0);
    expect(objectsIn(through)).toEqual(objectsIn(own));
    expect(through.resources.map(({ type }) => type)).toContain(`${TOKEN}${name}`);
  });

  it('take null for what another language does not say', async () => {
    const args = { cluster: { ...releases, name: null }, poolName: 'east', labels: null, taints: null };
    const { resources } = await record(() => new plugin.HostNetworkNodePool('x', args as never));
    expect(resources.map(({ name }) => name)).toEqual(['x', 'x']);
  });

  it('take a token from a file or a command, refuse none, and let none of them be seen', async () => {
    const args = { cluster: { ...releases, ...reachable }, pool: { poolName: 'east' } };
    const { resources } = await record(() => {
      new plugin.NodeJoin('file', { ...args, tokenFile: '/run/join/token' });
      new plugin.NodeJoin('command', { ...args, tokenCommand: ['get-token', '--pool', 'east'] });
      new plugin.NodeJoin('text', { ...args, token: TOKEN_TEXT, publish: true });
      expect(() => new plugin.NodeJoin('none', args)).toThrow(/token/);
    });
    const isSecret = (value: unknown): boolean => Object(value)['4dabf18193072939515e22adb298388d'] !== undefined;
    const wire = JSON.stringify(resources, (key, value) => (key === 'inputs' || isSecret(value) ? 'hidden' : value));
    expect(wire.includes(TOKEN_TEXT)).toBe(false);
    expect(wire.includes('get-token')).toBe(true);
  });

  it('say which system components there are', async () => {
    await record(() => {
      const make = (): unknown => new plugin.EdgeSystemComponents('x', { cluster: releases, exclude: ['kubeproxy'] });
      expect(make).toThrow(/there is no component "kubeproxy"; write one of kube-proxy, coredns, /);
      try {
        make();
      } catch (error) {
        expect(pulumi.InputPropertyError.isInstance(error)).toBe(true);
      }
    });
  });
});

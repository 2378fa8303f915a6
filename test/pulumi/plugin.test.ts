import * as pulumi from '@pulumi/pulumi';
import schema from '../../pulumi-plugin/schema.json';
import type { Data } from '../../src/pulumi/provider.js';
import type { ReservationPresetOptions } from '../../src/types.js';
import type * as library from '../doors/pulumi.js';
import { daemonSet } from '../bad-inputs/case.js';
import { setProgramLanguage } from '../../src/base/program-language.js';
import { FOREIGN } from '../foreign-words.js';
import { ALWAYS_EDGE, type Component } from '../nouns/noun.js';
import { NOUNS, TOKEN_TEXT } from '../nouns/nouns.js';
import { CASES, through } from './plugin-cases.js';
import { objectsIn, record } from './recorded.js';
import { type Described, shapesIn } from './schema-shapes.js';

const TOKEN = 'edge-nodepools:index:';

const LEFT_OUT = Object.fromEntries(Object.entries(NOUNS).map(([name, { leftOut }]) => [name, leftOut]));

const releases = { openYurt: '1.7', kubernetes: '1.34' } as const;
const reachable = { apiServer: '10.0.0.1:6443', caCertHashes: [`sha256:${'0'.repeat(64)}`] };

type Types = typeof schema.types;

/** Interfaces in place of classes: what they lack is a compile error. */
const IN_PLACE_OF_CLASSES: {
  readonly Cluster: Record<
    Exclude<keyof library.EdgeClusterArgs, keyof Types['edge-nodepools:index:Cluster']['properties']>,
    never
  >;
  readonly PoolReference: Record<
    Exclude<
      keyof library.ImportedHostNetworkNodePoolArgs,
      keyof Types['edge-nodepools:index:PoolReference']['properties'] | 'cluster'
    >,
    never
  >;
  readonly Reservation: Record<
    Exclude<
      keyof library.NodeReservationProps | keyof ReservationPresetOptions,
      keyof Types['edge-nodepools:index:Reservation']['properties']
    >,
    never
  >;
} = { Cluster: {}, PoolReference: {}, Reservation: {} };

describe('the schema for other languages', () => {
  const resources: Readonly<Record<string, Described>> = schema.resources;
  const types: Readonly<Record<string, Described>> = schema.types;
  const named = (kind: Component): Required<Described> => resources[`${TOKEN}${kind}`] as Required<Described>;
  const properties = Object.entries({ ...resources, ...types }).flatMap(([of, type]) =>
    Object.entries({ ...type.inputProperties, ...type.properties }).map(([name, shape]) => ({ of, name, shape })),
  );

  it('has every component, and every argument and output, but those with a reason', () => {
    expect(Object.keys(resources).sort()).toEqual(
      Object.keys(LEFT_OUT)
        .map((name) => `${TOKEN}${name}`)
        .sort(),
    );
    Object.entries(LEFT_OUT).forEach(([name, reasons]) => {
      const { inputProperties, properties: outputs } = named(name as Component);
      const needless = Object.entries(reasons).filter(([property, reason]) =>
        reason === ALWAYS_EDGE ? property in inputProperties : property in outputs,
      );
      expect([name, needless]).toEqual([name, []]);
    });
    Object.keys(IN_PLACE_OF_CLASSES).forEach((name) => expect(types).toHaveProperty([`${TOKEN}${name}`]));
  });

  it('requires what the library requires', () => {
    const required = Object.entries(resources).map(([token, { requiredInputs }]) => [
      token.slice(TOKEN.length),
      [...(requiredInputs ?? [])].sort(),
    ]);
    const listed = Object.entries(NOUNS).map(([name, noun]) => [name, [...noun.required].sort()]);
    expect(Object.fromEntries(required)).toEqual(Object.fromEntries(listed));
  });

  it('describes everything, in words of every language', () => {
    const described = [
      ...Object.entries(resources).map(([name, { description }]) => [name, description]),
      ...Object.entries(types).map(([name, { description }]) => [name, description]),
      ...properties.map(({ of, name, shape }) => [`${of}.${name}`, shape.description]),
    ];
    expect(described.length).toBeGreaterThan(400);
    const wrong = described.filter(
      ([, text = '']) =>
        text === '' ||
        /\{@|=>|\b(JoinToken|SystemComponent|ExclusionStrategy|console)\.|\.of\(|\bOutputs?\b|\bconstructs?\b/.test(
          text,
        ),
    );
    expect(wrong).toEqual([]);
  });

  it('has a shape for everything but objects of Kubernetes and fields of any name', () => {
    const free = properties.filter(({ shape }) => shapesIn(shape).some(({ $ref }) => $ref === 'pulumi.json#/Any'));
    expect([...new Set(free.map(({ name }) => name))].sort()).toEqual([
      'clusterConfiguration',
      'configMap',
      'daemonSet',
      'deployment',
      'deploymentTemplate',
      'driverValues',
      'extraSpec',
      'helmValues',
      'initConfiguration',
      'joinConfiguration',
      'kubeletConfiguration',
      'manifests',
      'service',
      'spec',
      'statefulSetTemplate',
      'staticPods',
      'template',
      'value',
      'workload',
    ]);
    const numbers = properties.filter(({ shape }) => shapesIn(shape).some(({ type }) => type === 'number'));
    // quantities and shares of nodes, which may also be text
    expect([...new Set(numbers.map(({ of }) => of))].sort()).toEqual([
      `${TOKEN}HostNetworkWorkload`,
      `${TOKEN}NodeCapacity`,
      `${TOKEN}ReservedResources`,
      `${TOKEN}YurtAppSet`,
      `${TOKEN}YurtStaticSetUpgradeStrategy`,
    ]);
  });

  it('marks tokens as secrets, and names no type Args', () => {
    const secrets = properties.filter(({ shape }) => shape.secret).map(({ of, name }) => `${of}.${name}`);
    expect(secrets).toEqual([`${TOKEN}BootstrapToken.token`, `${TOKEN}NodeJoin.token`]);
    expect(Object.keys(types).filter((name) => /(Args|Props|Input)$/.test(name))).toEqual([]);
  });

  it('lets every value be unknown at preview that the library lets be', () => {
    const plain = (kind: Component): string[] =>
      Object.entries(named(kind).inputProperties).flatMap(([name, { plain: isPlain }]) => (isPlain ? [name] : []));
    expect(plain('HostNetworkNodePool')).toEqual(['autonomy']);
    // a list of plain objects is an undefined type in the SDK for Go, so `machines` is none
    expect(plain('NodeJoin').sort()).toEqual([
      'cniFolder',
      'criSocket',
      'format',
      'gzip',
      'ignorePreflightErrors',
      'kubeletConfiguration',
      'kubeletExtraArgs',
      'ntpServers',
      'packages',
      'provider',
      'publish',
      'retainPublished',
      'runtime',
      'service',
      'timeouts',
      'via',
    ]);
    const cluster = types[`${TOKEN}Cluster`]?.properties ?? {};
    expect(Object.keys(cluster).filter((name) => !cluster[name]?.plain)).toEqual([
      'apiServer',
      'caCertHashes',
      'yurthub',
      'clusterDomain',
    ]);
  });
});

describe('the components of the plugin', () => {
  beforeAll(() => setProgramLanguage('any'));
  afterAll(() => setProgramLanguage('typescript'));

  beforeAll(() => jest.spyOn(console, 'warn').mockImplementation());

  it.each(CASES)('%s %s: what the library makes', async (name, _, ofPlugin, ofLibrary) => {
    const made = await record(ofPlugin);
    const own = await record(ofLibrary);
    expect(objectsIn(made)).toEqual(objectsIn(own));
    expect(made.resources.map(({ type }) => type)).toContain(`${TOKEN}${name}`);
    expect([made.errors, own.errors]).toEqual([[], []]);
  });

  it('take null for what another language does not say', async () => {
    const args = { cluster: { ...releases, name: null }, poolName: 'east', labels: null, taints: null };
    const { resources } = await record(() => through('HostNetworkNodePool', args));
    expect(resources.map(({ name }) => name)).toEqual(['x', 'x']);
  });

  it('warn of a pair of releases once, although each has a cluster of its own', async () => {
    const args = { cluster: { openYurt: '1.7', kubernetes: '1.37' } };
    const runs = [];
    // the engine constructs each with a connection of its own
    for (const poolName of ['east', 'west']) {
      runs.push(await record(() => through('RegularNodePool', { ...args, poolName }, poolName)));
    }
    expect(runs.map(({ warnings }) => warnings.length)).toEqual([1, 0]);
  });

  it('take a token from a file or a command, refuse none, and let none of them be seen', async () => {
    const args = { cluster: { ...releases, ...reachable }, pool: { poolName: 'east' } };
    const { resources } = await record(() => {
      through('NodeJoin', { ...args, tokenFile: '/run/join/token' }, 'file');
      through('NodeJoin', { ...args, tokenCommand: ['get-token', '--pool', 'east'] }, 'command');
      through('NodeJoin', { ...args, token: TOKEN_TEXT, publish: true }, 'text');
      expect(() => through('NodeJoin', args, 'none')).toThrow(/token/);
    });
    const isSecret = (value: unknown): boolean => Object(value)['4dabf18193072939515e22adb298388d'] !== undefined;
    const wire = JSON.stringify(resources, (key, value) => (key === 'inputs' || isSecret(value) ? 'hidden' : value));
    expect(wire.includes(TOKEN_TEXT)).toBe(false);
    expect(wire.includes('get-token')).toBe(true);
  });

  it.each<[string, Component, Data, string, RegExp]>([
    [
      'a release',
      'RegularNodePool',
      { cluster: { openYurt: '0.1', kubernetes: '1.34' }, poolName: 'a' },
      'cluster.openYurt',
      /0\.1/,
    ],
    ['an absent cluster', 'RegularNodePool', { poolName: 'a' }, 'cluster', /write cluster: \{ openYurt: '1\.7'/],
    [
      'an absent cluster of a pool',
      'HostNetworkWorkload',
      { pools: [], workload: {} },
      'cluster',
      /openYurt and kubernetes/,
    ],
    [
      'a cluster that is no map',
      'RegularNodePool',
      { cluster: '1.7', poolName: 'a' },
      'cluster',
      /this is text, not a map/,
    ],
    ['an unknown cluster', 'RegularNodePool', { cluster: pulumi.output({}), poolName: 'a' }, 'cluster', /plain value/],
    [
      'a name in a list of pools',
      'HostNetworkWorkload',
      { cluster: releases, pools: [{ poolName: 'a' }, { poolName: 'No Name' }], workload: daemonSet({}) },
      'pools[1].poolName',
      /EDGE_/,
    ],
    [
      'pools that are no list',
      'HostNetworkWorkload',
      { cluster: releases, pools: { poolName: 'a' }, workload: daemonSet({}) },
      'pools',
      /not a list/,
    ],
    [
      'a component',
      'EdgeSystemComponents',
      { cluster: releases, exclude: ['kubeproxy'] },
      'exclude[0]',
      /there is no component "?'?kubeproxy[^]*write one of kube-proxy, coredns, /,
    ],
    [
      'a workload of a component',
      'EdgeSystemComponents',
      { cluster: releases, workloads: [{ kind: 'DaemonSet', namespace: 'a' }] },
      'workloads[0].name',
      /EDGE_/,
    ],
    [
      'a reservation',
      'RegularNodePool',
      { cluster: releases, poolName: 'a', reservation: { preset: 'mine' } },
      'reservation',
      /edge-small/,
    ],
    [
      'a preset with amounts',
      'RegularNodePool',
      { cluster: releases, poolName: 'a', reservation: { preset: 'aks', kubeReserved: { cpu: '1' } } },
      'reservation',
      /either the preset or the amounts/,
    ],
    ['no token', 'BootstrapToken', { expiration: 'never' }, 'token', /write one of token/],
    [
      'two tokens',
      'NodeJoin',
      { cluster: { ...releases, ...reachable }, pool: { poolName: 'a' }, tokenFile: '/a', tokenCommand: ['b'] },
      'token',
      /more than one token: tokenFile, tokenCommand/,
    ],
    [
      'the file of a token',
      'NodeJoin',
      { cluster: { ...releases, ...reachable }, pool: { poolName: 'a' }, tokenFile: 'a' },
      'tokenFile',
      /absolute path/,
    ],
    [
      'what the component itself refuses',
      'RegularNodePool',
      { cluster: releases, poolName: 'a', lables: {} },
      'lables',
      /did you mean labels/,
    ],
  ])('refuse %s with its path, in words of every language', async (_, kind, args, path, says) => {
    await record(() => {
      let thrown: unknown;
      try {
        through(kind, args);
      } catch (error) {
        thrown = error;
      }
      const { message, errors = [] } = thrown as pulumi.InputPropertiesError;
      expect(pulumi.InputPropertiesError.isInstance(thrown)).toBe(true);
      // the engine would print them below the message, a second time and with their values, also that of a token
      expect(errors).toEqual([]);
      expect(message).toContain(`  ${path}: `);
      expect(message).toMatch(says);
      expect(message).toMatch(/in Python, hostNetwork is host_network/);
      expect(message).not.toMatch(FOREIGN);
    });
  });
});

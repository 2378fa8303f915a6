import * as pulumi from '@pulumi/pulumi';
import schema from '../../pulumi-plugin/schema.json';
import type { Data } from '../../src/plugin/conversion.js';
import type * as library from '../../src/pulumi/index.js';
import { daemonSet } from '../bad-inputs/case.js';
import { FOREIGN } from '../foreign-words.js';
import { CASES, type Component, reachable, releases, through, TOKEN_TEXT } from './plugin-cases.js';
import { objectsIn, record } from './recorded.js';
import { type Described, shapesIn } from './schema-shapes.js';

const TOKEN = 'edge-nodepools:index:';

type Resources = typeof schema.resources;
type Library = typeof library;
type InSchema<Name extends Component> = Resources[`edge-nodepools:index:${Name}`];
type ArgumentsOf<Name> = Name extends Component
  ? Library[Name] extends new (name: string, args: infer Args, ...rest: never[]) => unknown
    ? keyof Args
    : never
  : never;
type OutputsOf<Name extends Component> = Exclude<keyof InstanceType<Library[Name]>, keyof pulumi.ComponentResource>;

const RESOURCE = 'a resource of another package';
const GIVEN = 'an argument of the program';
const ALWAYS_EDGE = 'always Edge';
type Reason = typeof RESOURCE | typeof GIVEN | typeof ALWAYS_EDGE;

/** What the schema does not have, and why: anything else that is missing is a compile error, and so is a component without a row. */
const LEFT_OUT: {
  readonly [Name in Component]: Record<
    | Exclude<ArgumentsOf<Name>, keyof InSchema<Name>['inputProperties']>
    | Exclude<OutputsOf<Name>, keyof InSchema<Name>['properties']>,
    Reason
  >;
} = {
  BootstrapToken: { resource: RESOURCE },
  CinderStorageClass: { resource: RESOURCE },
  ControlPlaneQos: { resources: RESOURCE },
  EdgeNodePool: { cluster: GIVEN, reservation: GIVEN, nodePool: RESOURCE },
  EdgePreconditions: { resources: RESOURCE },
  EdgeSystemComponents: { patches: RESOURCE },
  EtcdCluster: {},
  ExcludedWorkload: { resource: RESOURCE },
  HostNetworkNodePool: { type: ALWAYS_EDGE, cluster: GIVEN, reservation: GIVEN, nodePool: RESOURCE },
  HostNetworkWorkload: { resource: RESOURCE },
  KubeadmConfigTemplate: { resource: RESOURCE },
  KuryrKubernetes: {},
  ManilaCredentials: { resource: RESOURCE },
  ManilaStorageClass: { resource: RESOURCE },
  NfsVolume: { volume: RESOURCE, claim: RESOURCE },
  NodeJoin: { published: RESOURCE },
  OpenStackMachines: { resources: RESOURCE },
  OpenYurtWebhooks: {},
  PersistentData: {},
  PoolAdmission: { cluster: GIVEN },
  PoolWebhook: { resource: RESOURCE },
  ServingCertificateApprover: {},
  VolumeSnapshotClass: { resource: RESOURCE },
};

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
      keyof library.NodeReservationProps | keyof library.ReservationPresetOptions,
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
    expect(Object.keys(resources).sort()).toEqual(Object.keys(LEFT_OUT).map((name) => `${TOKEN}${name}`));
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
    expect(Object.fromEntries(required)).toEqual({
      BootstrapToken: ['expiration', 'token'],
      CinderStorageClass: ['name'],
      ControlPlaneQos: ['cluster'],
      EdgeNodePool: ['cluster', 'poolName'],
      EdgePreconditions: ['cluster'],
      EdgeSystemComponents: ['cluster'],
      EtcdCluster: ['certificates', 'cluster', 'members', 'name'],
      ExcludedWorkload: ['cluster', 'workload'],
      HostNetworkNodePool: ['cluster', 'poolName'],
      HostNetworkWorkload: ['cluster', 'workload'],
      KubeadmConfigTemplate: ['cluster', 'pool'],
      KuryrKubernetes: ['acknowledgeRetired', 'cluster', 'images', 'podSecurityGroups', 'podSubnet', 'project'],
      ManilaCredentials: ['authUrl', 'name', 'region'],
      ManilaStorageClass: ['name', 'protocol', 'secret', 'shareType'],
      NfsVolume: ['name', 'size'],
      NodeJoin: ['cluster', 'pool'],
      OpenStackMachines: ['bootstrapTemplate', 'cluster', 'clusterName', 'flavor', 'pool', 'version'],
      OpenYurtWebhooks: ['cluster'],
      PersistentData: ['consumer', 'name', 'size', 'storage'],
      PoolAdmission: ['cluster'],
      PoolWebhook: ['cluster', 'type', 'webhooks'],
      ServingCertificateApprover: ['cluster'],
      VolumeSnapshotClass: ['name'],
    });
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
      'driverValues',
      'extraSpec',
      'helmValues',
      'initConfiguration',
      'joinConfiguration',
      'kubeletConfiguration',
      'manifests',
      'service',
      'spec',
      'workload',
    ]);
    const numbers = properties.filter(({ shape }) => shapesIn(shape).some(({ type }) => type === 'number'));
    // quantities, which may also be text
    expect([...new Set(numbers.map(({ of }) => of))].sort()).toEqual([
      `${TOKEN}NodeCapacity`,
      `${TOKEN}ReservedResources`,
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
    expect(plain('HostNetworkNodePool')).toEqual([]);
    // a list of plain objects is an undefined type in the SDK for Go, so `boxes` is none
    expect(plain('NodeJoin').sort()).toEqual(['gzip', 'publish', 'retainPublished', 'service', 'via']);
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
  beforeAll(() => jest.spyOn(console, 'warn').mockImplementation());

  it('are all held against the library', () => {
    expect([...new Set(CASES.map(([name]) => name))].sort()).toEqual(Object.keys(LEFT_OUT).sort());
  });

  it.each(CASES)('%s makes what the library makes', async (name, ofPlugin, ofLibrary) => {
    const made = await record(ofPlugin);
    const own = await record(ofLibrary);
    expect(objectsIn(made).length).toBeGreaterThan(0);
    expect(objectsIn(made)).toEqual(objectsIn(own));
    expect(made.resources.map(({ type }) => type)).toContain(`${TOKEN}${name}`);
    expect([made.errors, own.errors]).toEqual([[], []]);
  });

  it('take null for what another language does not say', async () => {
    const args = { cluster: { ...releases, name: null }, poolName: 'east', labels: null, taints: null };
    const { resources } = await record(() => through('HostNetworkNodePool', args));
    expect(resources.map(({ name }) => name)).toEqual(['x', 'x']);
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
      'EdgeNodePool',
      { cluster: { openYurt: '0.1', kubernetes: '1.34' }, poolName: 'a' },
      'cluster.openYurt',
      /0\.1/,
    ],
    ['an absent cluster', 'EdgeNodePool', { poolName: 'a' }, 'cluster', /write cluster: \{ openYurt: '1\.7'/],
    [
      'an absent cluster of a pool',
      'HostNetworkWorkload',
      { pools: [], workload: {} },
      'cluster',
      /openYurt and kubernetes/,
    ],
    [
      'a cluster that is no map',
      'EdgeNodePool',
      { cluster: '1.7', poolName: 'a' },
      'cluster',
      /this is text, not a map/,
    ],
    ['an unknown cluster', 'EdgeNodePool', { cluster: pulumi.output({}), poolName: 'a' }, 'cluster', /plain value/],
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
      /there is no component "?'?kubeproxy.*write one of kube-proxy, coredns, /,
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
      'EdgeNodePool',
      { cluster: releases, poolName: 'a', reservation: { preset: 'mine' } },
      'reservation',
      /edge-small/,
    ],
    [
      'a preset with amounts',
      'EdgeNodePool',
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
      'EdgeNodePool',
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
      expect(errors.map(({ propertyPath }) => propertyPath)).toEqual([path]);
      expect(errors[0]?.reason).toMatch(says);
      expect(message).toMatch(/in Python, hostNetwork is host_network/);
      expect(`${message}${errors[0]?.reason}`).not.toMatch(FOREIGN);
    });
  });
});

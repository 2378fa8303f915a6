import { App, Chart } from 'cdk8s';
import {
  BootstrapToken,
  EDGE_CODES,
  EdgeCluster,
  EdgeError,
  EdgePreconditions,
  EdgeSystemComponents,
  ExcludedWorkload,
  HostNetworkNodePool,
  HostNetworkWorkload,
  NodeJoin,
  OpenYurtWebhooks,
  PoolWebhook,
  PoolAdmission,
} from 'edge-nodepools';
import { CinderStorageClass, PersistentData, VolumeSnapshotClass } from 'edge-nodepools/control-plane';
import { admissions } from './bad-inputs/admission.js';
import { beginners } from './bad-inputs/beginners.js';
import { type BadInput, cluster, cluster16, daemonSet, pool, untyped } from './bad-inputs/case.js';
import { clusters } from './bad-inputs/clusters.js';
import { controlPlaneQos } from './bad-inputs/control-plane-qos.js';
import { etcdClusters } from './bad-inputs/etcd.js';
import { etcdCredentials } from './bad-inputs/etcd-credentials.js';
import { excludedWorkloads } from './bad-inputs/excluded-workloads.js';
import { guarantees } from './bad-inputs/guarantees.js';
import { hostNetworkPorts } from './bad-inputs/host-network-ports.js';
import { hostNetworkWorkloads } from './bad-inputs/host-network-workloads.js';
import { joinFiles } from './bad-inputs/join-files.js';
import { joinFlags } from './bad-inputs/join-flags.js';
import { joinMachines } from './bad-inputs/join-machines.js';
import { servingCertificates } from './bad-inputs/serving-certificates.js';
import { machineSettings } from './bad-inputs/machine-settings.js';
import { joinProxies } from './bad-inputs/join-proxies.js';
import { joinPackages } from './bad-inputs/join-packages.js';
import { joinNodes } from './bad-inputs/join-nodes.js';
import { joinIgnition } from './bad-inputs/join-ignition.js';
import { joinRuntime } from './bad-inputs/join-runtime.js';
import { joinServices } from './bad-inputs/join-services.js';
import { joinTokens } from './bad-inputs/join-tokens.js';
import { joins } from './bad-inputs/joins.js';
import { nodeAccess } from './bad-inputs/node-access.js';
import { misplaced } from './bad-inputs/misplaced.js';
import { newcomers } from './bad-inputs/newcomers.js';
import { kubeletValues } from './bad-inputs/kubelet-values.js';
import { kuryr } from './bad-inputs/kuryr.js';
import { offline } from './bad-inputs/offline.js';
import { openStackMachines } from './bad-inputs/openstack-machines.js';
import { openYurtWebhooks } from './bad-inputs/openyurt-webhooks.js';
import { poolFields } from './bad-inputs/pool-fields.js';
import { poolWebhooks } from './bad-inputs/pool-webhooks.js';
import { pools } from './bad-inputs/pools.js';
import { qos } from './bad-inputs/qos.js';
import { reservations } from './bad-inputs/reservations.js';
import { preconditions } from './bad-inputs/preconditions.js';
import { brokenCorefiles, preconditionsCorefile } from './bad-inputs/preconditions-corefile.js';
import { secondHour } from './bad-inputs/second-hour.js';
import { shares } from './bad-inputs/shares.js';
import { staticPods } from './bad-inputs/static-pods.js';
import { yurtSets } from './bad-inputs/yurt-sets.js';
import { storage } from './bad-inputs/storage.js';
import { thirdHour } from './bad-inputs/third-hour.js';
import { systemComponentPolicies } from './bad-inputs/system-component-policies.js';
import { systemComponents } from './bad-inputs/system-components.js';
import { setProgramLanguage } from '../src/base/program-language.js';
import { isFullDepth } from './depth.js';
import { FOREIGN } from './foreign-words.js';

const all: BadInput[] = [
  ...beginners,
  ...secondHour,
  ...thirdHour,
  ...misplaced,
  ...clusters,
  ...pools,
  ...nodeAccess,
  ...poolFields,
  ...excludedWorkloads,
  ...hostNetworkWorkloads,
  ...offline,
  ...hostNetworkPorts,
  ...systemComponents,
  ...reservations,
  ...joinTokens,
  ...joinMachines,
  ...machineSettings,
  ...staticPods,
  ...yurtSets,
  ...joinProxies,
  ...joinPackages,
  ...servingCertificates,
  ...joinNodes,
  ...joinIgnition,
  ...joinRuntime,
  ...kubeletValues,
  ...joinServices,
  ...joinFiles,
  ...joinFlags,
  ...joins,
  ...preconditionsCorefile,
  ...preconditions,
  ...openYurtWebhooks,
  ...poolWebhooks,
  ...admissions,
  ...guarantees,
  ...systemComponentPolicies,
  ...storage,
  ...etcdClusters,
  ...etcdCredentials,
  ...shares,
  ...openStackMachines,
  ...kuryr,
  ...qos,
  ...newcomers,
  ...controlPlaneQos,
];

const errors = new Map<BadInput, EdgeError>();

/** The error for an input. It is the same for every test, so each input is tried once. */
function errorOf(input: BadInput): EdgeError {
  const known = errors.get(input) ?? tryOut(input);
  errors.set(input, known);
  return known;
}

function tryOut(input: BadInput): EdgeError {
  const chart = new Chart(new App(), 'chart');
  try {
    input.make(chart);
  } catch (error) {
    expect(error).toBeInstanceOf(EdgeError);
    return error as EdgeError;
  }
  throw new Error(`accepted: ${input.what}`);
}

describe('bad input', () => {
  it('has many cases, each once', () => {
    expect(all.length).toBeGreaterThanOrEqual(300);
    expect(new Set(all.map(({ what, code, path }) => `${what} ${code} ${path}`)).size).toBe(all.length);
  });

  // also what the terminal shows: what to do, not how the library is built
  it.each(all.map((input) => [input.what, input] as const))('%s', (_, input) => {
    const error = errorOf(input);
    const { code, path, hint } = error;
    expect({ code, path }).toEqual({ code: input.code, path: input.path });
    expect(hint).toMatch(
      typeof input.hint === 'string' ? new RegExp(input.hint.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')) : input.hint,
    );
    expect(Object.keys(EDGE_CODES)).toContain(code);
    expect(error.problems[0]).toMatchObject({ code, path, hint });
    expect(error.message).toContain(code);
    expect(error.message).toContain(hint);
    const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
    expect(frames.length).toBeLessThanOrEqual(1);
    expect(error.stack).not.toMatch(/[\\/]src[\\/](manifests|constructs|placement)|undefined|\[object Object\]/);
  });
});

describe('the messages of the plugin for other languages', () => {
  afterEach(() => setProgramLanguage('typescript'));

  // what only cdk8s has: scopes, charts and mixins
  const isOfConstructs = /\binstance of\b|\bchart\b|\bapp\b|\bconstruct\b|\bscope\b|cdk8s|new [A-Z]\w+\(/;

  it('have nothing that only TypeScript has', () => {
    setProgramLanguage('any');
    const said = all
      .filter((_, index) => isFullDepth || index % 3 === 0)
      .flatMap((input) => tryOut(input).problems)
      .flatMap(({ message, hint }) => [message, hint])
      .filter((text) => !isOfConstructs.test(text));
    expect(said.length).toBeGreaterThan(isFullDepth ? 2000 : 600);
    expect(said.filter((text) => FOREIGN.test(text))).toEqual([]);
  });
});

describe('a broken Corefile', () => {
  it('is refused in at least 50 cases', () => {
    expect(preconditionsCorefile.length + preconditions.length).toBeGreaterThanOrEqual(50);
  });

  it.each(brokenCorefiles.map((input) => [input.what, input] as const))(
    '%s: the error has line and column',
    (_, input) => {
      expect(errorOf(input).message).toContain(`${input.place}: `);
    },
  );
});

describe('an error', () => {
  it('has all problems of one construct at once', () => {
    const error = errorOf({
      what: 'a pool with five mistakes',
      code: 'EDGE_NAME',
      path: 'poolName',
      hint: '',
      make: (chart) =>
        new HostNetworkNodePool(
          chart,
          'pool',
          untyped({
            cluster: cluster16,
            poolName: 'Hz',
            type: 'Cloud',
            labels: { 'a b': 'c' },
            taints: [{ key: 'a' }],
            interConnectivity: true,
          }),
        ),
    });
    expect(error.problems.map(({ code, path }) => `${code} ${path}`)).toEqual([
      'EDGE_NAME poolName',
      'EDGE_CLOUD_HOST_NETWORK type',
      'EDGE_LABEL labels["a b"]',
      'EDGE_MISSING taints[0].effect',
      'EDGE_FIELD_NOT_IN_RELEASE interConnectivity',
    ]);
    expect(error.subject).toBe('HostNetworkNodePool chart/pool');
    expect(error.message).toContain('5 problems');
  });

  it('leaves no object in the tree', () => {
    const chart = new Chart(new App(), 'chart');
    expect(() => new HostNetworkNodePool(chart, 'pool', { cluster: cluster16, poolName: 'Hz' })).toThrow(EdgeError);
    expect(chart.toJson()).toEqual([]);
  });

  it.each([
    ['HostNetworkNodePool', (chart: Chart) => new HostNetworkNodePool(chart, 'x', untyped(undefined))],
    ['ExcludedWorkload', (chart: Chart) => new ExcludedWorkload(chart, 'x', untyped(undefined))],
    ['ExcludedWorkload.mixin', () => ExcludedWorkload.mixin(untyped(undefined))],
    ['HostNetworkWorkload', (chart: Chart) => new HostNetworkWorkload(chart, 'x', untyped(undefined))],
    ['NodeJoin', (chart: Chart) => new NodeJoin(chart, 'x', untyped(undefined))],
    ['BootstrapToken', (chart: Chart) => new BootstrapToken(chart, 'x', untyped(undefined))],
    ['OpenYurtWebhooks', (chart: Chart) => new OpenYurtWebhooks(chart, 'x', untyped(undefined))],
    ['PoolWebhook', (chart: Chart) => new PoolWebhook(chart, 'x', untyped(undefined))],
    ['EdgeSystemComponents', (chart: Chart) => new EdgeSystemComponents(chart, 'x', untyped(undefined))],
    ['EdgePreconditions', (chart: Chart) => new EdgePreconditions(chart, 'x', untyped(undefined))],
    ['PoolAdmission', (chart: Chart) => new PoolAdmission(chart, 'x', untyped(undefined))],
    ['CinderStorageClass', (chart: Chart) => new CinderStorageClass(chart, 'x', untyped(undefined))],
    ['PersistentData', (chart: Chart) => new PersistentData(chart, 'x', untyped(undefined))],
  ])('%s without any properties is an EdgeError, not a TypeError', (_, make) => {
    expect(() => make(new Chart(new App(), 'chart'))).toThrow(EdgeError);
  });

  it.each<[string, (chart: Chart, props: object) => unknown, (chart: Chart) => object]>([
    ['EdgeCluster', (_, props) => EdgeCluster.of(untyped(props)), () => ({ openYurt: '1.7', kubernetes: '1.34' })],
    ['HostNetworkNodePool', (chart, props) => new HostNetworkNodePool(chart, 'x', untyped(props)), () => NAMED],
    ['ExcludedWorkload', (chart, props) => new ExcludedWorkload(chart, 'x', untyped(props)), () => WORKLOAD],
    [
      'HostNetworkWorkload',
      (chart, props) => new HostNetworkWorkload(chart, 'x', untyped(props)),
      (chart) => ({ pool: pool(chart), workload: daemonSet() }),
    ],
    ['NodeJoin', (chart, props) => new NodeJoin(chart, 'x', untyped(props)), (chart) => ({ pool: pool(chart) })],
    ['BootstrapToken', (chart, props) => new BootstrapToken(chart, 'x', untyped(props)), () => ({})],
    ['OpenYurtWebhooks', (chart, props) => new OpenYurtWebhooks(chart, 'x', untyped(props)), () => ({ cluster })],
    ['PoolWebhook', (chart, props) => new PoolWebhook(chart, 'x', untyped(props)), () => ({ cluster })],
    ['EdgeSystemComponents', (chart, props) => new EdgeSystemComponents(chart, 'x', untyped(props)), () => NAMED],
    ['EdgePreconditions', (chart, props) => new EdgePreconditions(chart, 'x', untyped(props)), () => ({ cluster })],
    ['PoolAdmission', (chart, props) => new PoolAdmission(chart, 'x', untyped(props)), () => ({ cluster })],
    ['CinderStorageClass', (chart, props) => new CinderStorageClass(chart, 'x', untyped(props)), () => ({})],
    ['VolumeSnapshotClass', (chart, props) => new VolumeSnapshotClass(chart, 'x', untyped(props)), () => ({})],
    ['PersistentData', (chart, props) => new PersistentData(chart, 'x', untyped(props)), () => ({})],
  ])('of %s is one for values that JSON does not have, in every property', (_, make, good) => {
    const problemsOf = (props: object): EdgeError['problems'] => {
      const chart = new Chart(new App(), 'chart');
      try {
        make(chart, { ...good(chart), ...props });
      } catch (error) {
        if (error instanceof EdgeError) {
          return error.problems;
        }
        throw new Error(`${Object.keys(props).join()}: ${String(error)}`);
      }
      return [];
    };
    const [unknown] = problemsOf({ Σ: 1 }).filter(({ code }) => code === 'EDGE_UNKNOWN_PROPERTY');
    const names = /^write one of: (.*)$/.exec(unknown?.hint ?? '')?.[1]?.split(', ') ?? [];
    expect(names.length).toBeGreaterThan(2);
    for (const value of isFullDepth ? [5n, { a: 5n }, [5n], [{ key: 5n }], [null], null] : [[5n]]) {
      names.forEach((name) => problemsOf({ [name]: value }));
    }
  });
});

const NAMED = { cluster, poolName: 'hz' };
const WORKLOAD = { cluster, workload: daemonSet() };

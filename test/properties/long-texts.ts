/**
 * Every public noun, with a long text at every place of its properties: at each text and each key in samples of them, and at each property of each
 * validation table. The tables themselves tell their properties: they answer an unknown one with the list of all.
 */
import * as cdk8s from 'cdk8s';
import fc from 'fast-check';
import * as edge from 'edge-nodepools';
import { main } from '../../src/app/command/main.js';
import { isMap } from '../../src/validation/plain-data.js';
import { corednsConfigMap } from '../corpus/kube-system.js';
import * as controlPlane from '../pulumi/control-plane-props.js';
import * as preconditions from '../pulumi/precondition-props.js';
import * as props from '../pulumi/props.js';

const cluster = { openYurt: '1.7', kubernetes: '1.34' };
const pool = (scope: cdk8s.Chart, described: any): unknown =>
  edge.HostNetworkNodePool.fromPoolName(scope, `pool-${described.poolName}`, described);
const poolIn = ({ cluster: on, pools: [one], ...rest }: any, chart: cdk8s.Chart): any => ({
  ...rest,
  pool: pool(chart, { cluster: on, ...one }),
});

/** Something that takes properties. */
interface Noun {
  readonly name: string;
  readonly samples: fc.Arbitrary<any>;
  readonly use: (given: any) => unknown;
}

/** A construct, from its properties to the manifest. */
function construct(
  name: string,
  samples: fc.Arbitrary<any>,
  prepare: (given: any, chart: cdk8s.Chart) => any = (given) => given,
): Noun {
  return {
    name,
    samples,
    use: (given) => {
      const app = new cdk8s.App();
      edge.EdgeWarnings.setMode(app, 'silent');
      const chart = new cdk8s.Chart(app, 'chart');
      new (edge as any)[name](chart, 'it', prepare(given, chart));
      return app.charts.map((one) => one.toJson());
    },
  };
}

const single = (name: string, samples: fc.Arbitrary<any>): Noun => ({
  ...construct('EdgePreconditions', samples, ({ cluster: on, era, artifactFolder, ...settings }) => ({
    cluster: on,
    era,
    artifactFolder,
    only: [name],
    [name]: settings,
  })),
  name: `EdgePreconditions ${name}`,
});

const given = fc.constant<any>;
const command = (name: string, args: (value: any) => readonly string[], value: object): Noun => ({
  name: `edge-nodepools ${name}`,
  samples: given({ stdin: 'a: b', ...value }),
  use: (written) =>
    main([name, ...args(written)], {
      stdin: () => `${written.stdin}`,
      stdout: () => undefined,
      stderr: () => undefined,
    }),
});

export const NOUNS: readonly Noun[] = [
  construct('HostNetworkNodePool', props.hostNetworkNodePool),
  construct('EdgeNodePool', props.edgeNodePool),
  construct('ExcludedWorkload', props.excludedWorkload),
  construct('HostNetworkWorkload', props.hostNetworkWorkload, ({ cluster: on, pools, ...rest }, chart) => ({
    ...rest,
    pools: Array.isArray(pools) ? pools.map((one: any) => pool(chart, { cluster: on, ...one })) : pools,
  })),
  construct('EdgeSystemComponents', props.edgeSystemComponents),
  construct('PoolAdmission', props.poolAdmission),
  construct('OpenYurtWebhooks', props.openYurtWebhooks),
  construct('PoolWebhook', props.poolWebhook),
  construct('NodeJoin', props.nodeJoin, poolIn),
  construct('KubeadmConfigTemplate', props.kubeadmConfigTemplate, poolIn),
  construct('BootstrapToken', props.bootstrapToken, ({ cluster: _, ...rest }) => rest),
  ...Object.entries(controlPlane).map(([name, samples]) => construct(name, samples)),
  construct('EdgePreconditions', preconditions.edgePreconditions),
  single('kubeControllerManager', preconditions.kubeControllerManager),
  single('corefile', preconditions.corefile),
  single('coreDnsService', preconditions.coreDnsService),
  single('coreDnsDaemonSet', preconditions.coreDnsDaemonSet),
  single('kubeProxy', preconditions.kubeProxy),
  {
    name: 'PoolWebhook of a caBundle',
    samples: given({ certificate: 'MIIB' }),
    use: ({ certificate }) => {
      const caBundle = [`${certificate}`, `-----BEGIN CERTIFICATE-----${certificate}`].map((text) =>
        Buffer.from(text).toString('base64'),
      );
      const webhook = { name: 'a.guard.example', rules: ['nodepools'], url: 'https://guard.example/admit' };
      return caBundle.map((one) =>
        construct('PoolWebhook', given({})).use({
          cluster: edge.EdgeCluster.of(cluster),
          type: 'validating',
          metadata: { name: 'guard' },
          webhooks: [{ ...webhook, caBundle: one }],
        }),
      );
    },
  },
  { name: 'EdgeCluster', samples: given(cluster), use: (value) => edge.EdgeCluster.of(value as edge.EdgeClusterProps) },
  {
    name: 'NodeReservation',
    samples: given({ kubeReserved: { cpu: '100m' }, evictionHard: { 'memory.available': '5%' } }),
    use: (value) => edge.NodeReservation.of(value as edge.NodeReservationProps),
  },
  {
    name: 'SystemComponent',
    samples: given({ kind: 'DaemonSet', name: 'a', requiredTerms: [{ matchExpressions: [{ key: 'a' }] }] }),
    use: (value) => edge.SystemComponent.of(value as edge.SystemComponentProps),
  },
  ...(['inline', 'fromCommand', 'fromFile', 'fromSecret'] as const).map((way) => ({
    name: `JoinToken.${way}`,
    samples: given({ value: way === 'fromSecret' ? { name: 'a', namespace: 'b', key: 'c' } : 'a' }),
    use: ({ value }: any) => (edge.JoinToken as any)[way](value),
  })),
  {
    name: 'Corefile',
    samples: given({
      text: '.:53 {\n    kubernetes cluster.local\n}',
      other: '',
      file: '/etc/hosts',
      zone: 'a',
      to: 'b',
    }),
    use: ({ text, other, file, zone, to }) => {
      const corefile = edge.Corefile.parse(text as string);
      corefile.diff(edge.Corefile.parse(other as string));
      const edits = [
        () => corefile.withHosts({ file }),
        () => corefile.withoutHosts(file as string),
        () => corefile.withForwarder({ zone, to: [to] }),
        () => corefile.withoutForwarder(zone as string),
        () => corefile.withNodeLocalCache({ addresses: [to] }),
      ];
      return edits
        .map((edit) => attempt(edit))
        .map((after) => (after instanceof edge.Corefile ? after.diff(corefile) : ''));
    },
  },
  {
    name: 'placeFleet, footprint and fleetDiff',
    samples: given({
      objects: [
        {
          apiVersion: 'v1',
          kind: 'Node',
          metadata: { name: 'a', labels: { a: 'b' } },
          status: { allocatable: { cpu: '1' } },
        },
        corednsConfigMap(),
      ],
    }),
    use: ({ objects }) => {
      attempt(() => edge.footprint(objects));
      return edge.fleetDiff(objects, []).toString();
    },
  },
  command('post-render', () => ['--openyurt=1.7'], {}),
  command(
    'post-render',
    ({ only, skip, path }) => ['--openyurt=1.7', `--only=${only}`, `--skip=${skip}`, `--pod-template-path=${path}`],
    {
      only: 'A',
      skip: 'B',
      path: 'A=spec',
    },
  ),
  command('preconditions', () => ['--from=-', '--openyurt=1.7', '--kubernetes=1.34'], {}),
  command(
    'upgrade',
    ({ name }) => ['--dump=-', '--from=1.6', '--to=1.7', '--kubernetes=1.30', `--cluster-name=${name}`],
    { name: 'a' },
  ),
  command('show', ({ label }) => ['-', `--node-pool-label=${label}`], { label: 'a' }),
];

/** What a use returns or throws. Only an EdgeError may be thrown. */
function attempt(use: () => unknown): unknown {
  try {
    return use();
  } catch (error) {
    if (error instanceof edge.EdgeError) {
      return error;
    }
    throw error;
  }
}

const repeated =
  (unit: string, before = '', after = '') =>
  (length: number): string =>
    before + unit.repeat(Math.ceil((length - before.length - after.length) / unit.length)) + after;

/** Texts that a careless pattern or parser reads again and again. */
export const SHAPES: readonly ((length: number) => string)[] = [
  ...[...'aA0 -./=,:\n\t"\'\\{[(*%\u2028€', '\r\n'].map((unit) => repeated(unit)),
  repeated('a.'),
  repeated('a,'),
  repeated('\\"', '"'),
  repeated('a/', 'https://'),
  repeated('- '),
  repeated('a: b\n'),
  repeated('{a: '),
  repeated('# a\n'),
  repeated(' ', 'a', 'a'),
  repeated('0', '1.', 'x'),
  repeated('%41', 'https://a/'),
  repeated('-----BEGIN A-----\n'),
  repeated('a {\n'),
  repeated('x a\n', '.:53 {\n', '}\n'),
  repeated("''"),
  repeated('&a '),
  repeated('a: &a\n'),
];

type Path = readonly (string | number)[];

/** One place for a text. */
export interface Place {
  readonly noun: string;
  readonly path: string;
  /** Uses the noun with a text there. Only an EdgeError is caught. */
  readonly use: (text: unknown) => unknown;
}

/** All places of texts in a value; `true` as the last step is the key of a map. */
function* textsIn(value: unknown, path: Path = []): Generator<{ path: Path; isMap: boolean }> {
  if (typeof value === 'string') {
    yield { path, isMap: false };
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield* textsIn(item, [...path, index]);
    }
  } else if (isMap(value)) {
    yield { path, isMap: true };
    for (const [key, item] of Object.entries(value)) {
      yield* textsIn(item, [...path, key]);
    }
  }
}

function replaced(root: any, path: Path, change: (value: any) => unknown): any {
  const [step, ...rest] = path;
  if (step === undefined) {
    return change(root);
  }
  if (Array.isArray(root)) {
    return root.map((item, index) => (index === step ? replaced(item, rest, change) : item));
  }
  return { ...root, [step]: replaced(root[step], rest, change) };
}

const UNKNOWN = 'q'.repeat(40);
/** The properties of the validation tables that see a map, as they answer an unknown property. */
function propertiesAt(noun: Noun, sample: any, path: Path): string[] {
  const error = attempt(() => noun.use(replaced(sample, path, (map) => ({ ...map, [UNKNOWN]: 'x' }))));
  const { problems } = error instanceof edge.EdgeError ? error : { problems: [] };
  return problems.flatMap(({ code, path: at, hint }) =>
    code === 'EDGE_UNKNOWN_PROPERTY' && at.endsWith(UNKNOWN)
      ? (/^write one of: (.*)$/.exec(hint)?.[1]?.split(', ') ?? [])
      : [],
  );
}

/** All places of texts in the properties of all nouns. */
export function places(samples = 40): Place[] {
  return NOUNS.flatMap((noun) => {
    const found = new Map<string, Place>();
    const add = (path: string, use: Place['use']): void => {
      if (!found.has(path)) {
        found.set(path, { noun: noun.name, path, use });
      }
    };
    const tables = new Set<string>();
    for (const sample of fc.sample(noun.samples, { numRuns: samples, seed: 1 })) {
      const at =
        (path: Path, change: (text: any) => (value: any) => unknown): Place['use'] =>
        (text) =>
          attempt(() => noun.use(replaced(sample, path, change(text))));
      for (const { path, isMap: holds } of textsIn(sample)) {
        const shown = path.map((step) => (typeof step === 'number' ? '*' : step)).join('.');
        if (!holds) {
          add(
            shown,
            at(path, (text) => () => text),
          );
          continue;
        }
        add(
          `${shown}{key}`,
          at(path, (text) => (map) => ({ ...map, [text]: 'x' })),
        );
        if (tables.has(shown)) {
          continue;
        }
        tables.add(shown);
        for (const name of propertiesAt(noun, sample, path)) {
          const inner = `${shown}.${name}`;
          add(
            `${inner}=`,
            at(path, (text) => (map) => ({ ...map, [name]: text })),
          );
          add(
            `${inner}=[]`,
            at(path, (text) => (map) => ({ ...map, [name]: [text] })),
          );
          add(
            `${inner}={}`,
            at(path, (text) => (map) => ({ ...map, [name]: { [text]: text } })),
          );
        }
      }
    }
    return [...found.values()];
  });
}

/** Everything public that takes properties, and samples of them. A test compares the names with what is exported. */
import * as cdk8s from 'cdk8s';
import fc from 'fast-check';
import * as edge from '../doors/cdk8s.js';
import { fleetDiff } from 'edge-nodepools/checks';
import { isMap } from '../../src/base/plain-data.js';
import { daemonSet } from '../bad-inputs/case.js';
import { corednsConfigMap } from '../corpus/kube-system.js';
import type { Noun as Row } from '../nouns/noun.js';
import { NOUNS as ROWS } from '../nouns/nouns.js';
import * as preconditions from '../pulumi/precondition-props.js';
import { COMMANDS, type Noun } from './long-text-commands.js';

export type { Noun };

const cluster = { openYurt: '1.7', kubernetes: '1.34' };
const pool = (scope: cdk8s.Chart, described: any): unknown =>
  edge.HostNetworkNodePool.fromPoolName(scope, `pool-${described?.poolName}`, described);

const { edgePreconditions: _, ...SINGLE } = preconditions;

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
  ...construct('EdgePreconditions', samples, ({ cluster: on, guide, artifactFolder, ...settings }) => ({
    cluster: on,
    guide,
    artifactFolder,
    only: [name],
    [name]: settings,
  })),
  name: `EdgePreconditions ${name}`,
});

const given = fc.constant<any>;
export const NOUNS: readonly Noun[] = [
  ...Object.entries<Row<any>>(ROWS).map(([name, { samples, prepare }]) =>
    construct(name, samples, (given, chart) =>
      (prepare ?? ((sample) => sample))(given, (described) => pool(chart, described)),
    ),
  ),
  ...Object.entries(SINGLE).map(([name, samples]) => single(name, samples)),
  {
    name: 'ExcludedWorkload.mixin',
    samples: given({ kinds: ['DaemonSet'], names: ['a'], labels: { a: 'b' }, podTemplatePaths: { 'A.b': 'spec' } }),
    use: (filter) => edge.ExcludedWorkload.mixin({ cluster: edge.EdgeCluster.of(cluster), ...filter }),
  },
  {
    name: 'withQos',
    samples: given({ workload: daemonSet(), profile: { preset: 'prometheus', priorityClassName: 'a' } }),
    use: ({ workload, profile }) => edge.withQos(workload, profile),
  },
  {
    name: 'EdgeWarnings.accept, EdgeWarnings.setMode',
    samples: given({ code: 'EDGE_UNUSED', reason: 'why', mode: 'silent' }),
    use: ({ code, reason, mode }) => [
      attempt(() => edge.EdgeWarnings.accept(new cdk8s.App(), code, reason)),
      edge.EdgeWarnings.setMode(new cdk8s.App(), mode),
    ],
  },
  {
    name: 'HostNetworkNodePool.fromPoolName',
    samples: given({
      poolName: 'a',
      registrationTaint: true,
      taints: [{ key: 'a', value: 'b', effect: 'NoSchedule' }],
    }),
    use: (described) =>
      pool(
        new cdk8s.Chart(new cdk8s.App(), 'chart'),
        isMap(described) ? { cluster: edge.EdgeCluster.of(cluster), ...described } : described,
      ),
  },
  {
    name: 'EdgeApp',
    // what cdk8s' App takes is not read before a synth
    samples: given({ prune: true }),
    use: (props) => new edge.EdgeApp(props),
  },
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
  {
    name: 'EdgeCluster.of',
    samples: given(cluster),
    use: (value) => edge.EdgeCluster.of(value as edge.EdgeClusterProps),
  },
  {
    name: 'NodeReservation.of',
    samples: given({ kubeReserved: { cpu: '100m' }, evictionHard: { 'memory.available': '5%' }, diskSize: '16Gi' }),
    use: (value) => edge.NodeReservation.of(value as edge.NodeReservationProps),
  },
  {
    name: 'NodeReservation.preset',
    samples: given({ name: 'gke', capacity: { cpu: '4', memory: '8Gi' }, diskSize: '16Gi' }),
    use: ({ name, ...options }) => edge.NodeReservation.preset(name, options),
  },
  {
    name: 'SystemComponent.fromManifest',
    samples: fc.constantFrom<any>({ manifest: daemonSet() }, { manifest: 'a: b' }),
    use: ({ manifest }) => edge.SystemComponent.fromManifest(manifest),
  },
  {
    name: 'SystemComponent.of',
    samples: given({ kind: 'DaemonSet', name: 'a', requiredTerms: [{ matchExpressions: [{ key: 'a' }] }] }),
    use: (value) => edge.SystemComponent.of(value as edge.SystemComponentProps),
  },
  ...(['inline', 'fromCommand', 'fromFile', 'fromSecret'] as const).map((way) => ({
    name: `JoinToken.${way}`,
    samples: given({ value: way === 'fromSecret' ? { name: 'a', namespace: 'b', key: 'c' } : 'a' }),
    use: ({ value }: any) => (edge.JoinToken as any)[way](value),
  })),
  {
    name: 'Corefile.parse',
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
    name: 'parseMachines',
    samples: given({ csv: 'name\na', yaml: '- name: a', labels: 'a=b', file: 'machines.json' }),
    use: ({ csv, yaml, labels, file }) =>
      [
        () => edge.parseMachines(csv),
        () => edge.parseMachines(`name,labels,ntp\na,${labels},${labels}`),
        () => edge.parseMachines(yaml, 'machines.yaml'),
        () => edge.parseMachines('[{"name": 1}]', file),
      ].map((use) => attempt(use)),
  },
  {
    name: 'placeFleet, footprint, fleetDiff',
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
      attempt(() => edge.placeFleet(objects).toString());
      return fleetDiff(objects, []).toString();
    },
  },
  ...COMMANDS,
];

/** What a use returns or throws. Only an EdgeError may be thrown. */
export function attempt(use: () => unknown): unknown {
  try {
    return use();
  } catch (error) {
    if (error instanceof edge.EdgeError) {
      return error;
    }
    throw error;
  }
}

import type { Chart } from 'cdk8s';
import type { BadInput } from './case.js';
import { join } from './join-flags.js';

type Row = readonly [what: string, code: BadInput['code'], path: string, hint: string, make: (chart: Chart) => unknown];

/** A field of the KubeletConfiguration in another type than that of Go. */
const kubelet = (field: string, value: unknown, hint: string, inside = ''): Row => [
  `${JSON.stringify(value)} for ${field} of kubelet`,
  'EDGE_TYPE',
  `kubeletConfiguration.${field}${inside}`,
  hint,
  join({ kubeletConfiguration: { [field]: value } }),
];

/** What was accepted in silence, or refused without a word of what to write. */
const ROWS: readonly Row[] = [
  kubelet('clusterDNS', '169.254.20.10', "write ['169.254.20.10']"),
  kubelet('clusterDNS', '10.0.0.1, 10.0.0.2', "write ['10.0.0.1', '10.0.0.2']"),
  kubelet('clusterDNS', [10], "write '10', in quotes", '[0]'),
  kubelet('featureGates', 'A=true,B=false', 'write { A: true, B: false }'),
  kubelet('featureGates', ['A'], 'write a map of true and false'),
  kubelet('featureGates', { A: 'true' }, 'write true, without quotes', '.A'),
  kubelet('maxPods', '40', 'write 40, without quotes'),
  kubelet('maxPods', 40.5, 'write a whole number'),
  kubelet('nodeStatusUpdateFrequency', 10, "write '10s', with a unit"),
  kubelet('nodeStatusUpdateFrequency', '10', "write '10s', with a unit"),
  kubelet('shutdownGracePeriod', '30 seconds', "write a time span such as '30s'"),
  kubelet('containerLogMaxSize', 10, "write '10', in quotes"),
  kubelet('tlsCurvePreferences', ['X25519'], 'write a whole number', '[0]'),
  kubelet('logging', 'json', 'write a map'),
  kubelet('staticPodURLHeader', { a: 'b' }, "write ['b']", '.a'),
  kubelet(
    'topologyManagerPolicyOptions',
    { 'prefer-closest-numa-nodes': true },
    "write 'true', in quotes",
    '["prefer-closest-numa-nodes"]',
  ),
  kubelet('cpuManagerPolicyOptions', 'full-pcpus-only=true', "write { 'full-pcpus-only': 'true' }"),
];

export const thirdHour: BadInput[] = ROWS.map(([what, code, path, hint, make]) => ({
  what: `a newcomer writes ${what}`,
  code,
  path,
  hint,
  make,
}));

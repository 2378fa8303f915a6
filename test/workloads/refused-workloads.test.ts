/** What the API server refuses of a workload is reported, wherever the workload comes from. */
import { ApiObject, App, Chart } from 'cdk8s';
import type { EdgeError } from 'edge-nodepools';
import { type EdgeProblem, EdgeWarnings, ExcludedWorkload, HostNetworkWorkload } from 'edge-nodepools';
import { cluster, deployment, pool, required } from '../bad-inputs/case.js';

const SPEC = 'spec.template.spec';

type Maker = [noun: string, isGiven: boolean, make: (chart: Chart, workload: any) => unknown];
const makers: Maker[] = [
  ['ExcludedWorkload', true, (chart, workload) => new ExcludedWorkload(chart, 'it', { cluster, workload })],
  [
    'HostNetworkWorkload',
    true,
    (chart, workload) => new HostNetworkWorkload(chart, 'it', { pool: pool(chart), workload }),
  ],
  [
    'ExcludedWorkload.mixin',
    false,
    (chart, workload) => {
      new ApiObject(chart, 'it', workload);
      chart.with(ExcludedWorkload.mixin({ cluster }));
    },
  ],
];

/** The problems of a refused workload, or its warnings. */
function problemsOf(make: Maker[2], workload: object): EdgeProblem[] {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  try {
    make(new Chart(app, 'chart'), workload);
  } catch (error) {
    return [...(error as EdgeError).problems];
  }
  return EdgeWarnings.of(app);
}

describe.each(makers)('%s', (_noun, isGiven, make) => {
  it.each<[string, (workload: any) => void, string, string, RegExp]>([
    [
      'a workload without selector',
      ({ spec }) => delete spec.selector,
      'EDGE_MISSING',
      'spec.selector',
      /matchLabels: \{"app":"web"\} \}, labels of/,
    ],
    [
      'an empty selector',
      ({ spec }) => (spec.selector = { matchLabels: {} }),
      'EDGE_MISSING',
      'spec.selector',
      /write selector/,
    ],
    [
      'a container without image',
      ({ spec }) => delete spec.template.spec.containers[0].image,
      'EDGE_MISSING',
      `${SPEC}.containers[0].image`,
      /write image: '/,
    ],
    [
      'an empty image',
      ({ spec }) => (spec.template.spec.containers[0].image = ''),
      'EDGE_MISSING',
      `${SPEC}.containers[0].image`,
      /write image: '/,
    ],
    [
      'a container without name',
      ({ spec }) => delete spec.template.spec.containers[0].name,
      'EDGE_MISSING',
      `${SPEC}.containers[0].name`,
      /write name/,
    ],
    [
      'an image that is a number',
      ({ spec }) => (spec.template.spec.containers[0].image = 1.25),
      'EDGE_TYPE',
      `${SPEC}.containers[0].image`,
      /write image/,
    ],
    [
      'two containers of one name',
      ({ spec }) => (spec.template.spec.initContainers = [{ name: 'web', image: 'a' }]),
      'EDGE_DUPLICATE',
      `${SPEC}.containers[0].name`,
      /its own name/,
    ],
    [
      'no containers',
      ({ spec }) => (spec.template.spec.containers = []),
      'EDGE_MISSING',
      `${SPEC}.containers`,
      /containers: \[/,
    ],
    [
      'a command that is text',
      ({ spec }) => (spec.template.spec.containers[0].command = 'sleep 1'),
      'EDGE_TYPE',
      `${SPEC}.containers[0].command`,
      /write command: \["sleep","1"\]/,
    ],
    [
      'arguments that are text',
      ({ spec }) => (spec.template.spec.containers[0].args = '--x'),
      'EDGE_TYPE',
      `${SPEC}.containers[0].args`,
      /write args: \["--x"\]/,
    ],
    [
      'a container name with "_"',
      ({ spec }) => (spec.template.spec.containers[0].name = 'my_web'),
      'EDGE_NAME',
      `${SPEC}.containers[0].name`,
      /lower-case/,
    ],
    [
      'a pull policy in lower case',
      ({ spec }) => (spec.template.spec.containers[0].imagePullPolicy = 'always'),
      'EDGE_VALUE',
      `${SPEC}.containers[0].imagePullPolicy`,
      /did you mean 'Always'/,
    ],
    [
      'a restart policy of Jobs',
      ({ spec }) => (spec.template.spec.restartPolicy = 'OnFailure'),
      'EDGE_VALUE',
      `${SPEC}.restartPolicy`,
      /write 'Always'/,
    ],
    [
      'memory in GB',
      ({ spec }) => (spec.template.spec.containers[0].resources = { limits: { memory: '1GB' } }),
      'EDGE_QUANTITY',
      `${SPEC}.containers[0].resources.limits.memory`,
      /'1Gi'/,
    ],
    [
      'a volume mount that is text',
      ({ spec }) => (spec.template.spec.containers[0].volumeMounts = ['/data']),
      'EDGE_TYPE',
      `${SPEC}.containers[0].volumeMounts[0]`,
      /write \{ name/,
    ],
    [
      'volumes that are a map',
      ({ spec }) => (spec.template.spec.volumes = { name: 'data' }),
      'EDGE_TYPE',
      `${SPEC}.volumes`,
      /write a list of maps/,
    ],
    [
      'a required node affinity without terms',
      ({ spec }) => Object.assign(spec.template.spec, required([])),
      'EDGE_AFFINITY',
      `${SPEC}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`,
      /or write a term/,
    ],
  ])('tells what the API server refuses: %s', (_, change, code, path, hint) => {
    const workload = deployment();
    change(workload);
    const [first, ...others] = problemsOf(make, workload).filter((problem) => problem.code !== 'EDGE_NO_PORTS');
    expect(others).toEqual([]);
    expect(first).toMatchObject({ code, path: isGiven ? `workload.${path}` : path, hint: expect.stringMatching(hint) });
  });
});

/** What the API server refuses of a workload is reported, wherever the workload comes from. */
import { Testing as Cdk8sTesting } from 'cdk8s';
import { EdgeWarnings, ExcludedWorkload, HostNetworkWorkload, EdgeCluster, HostNetworkNodePool } from 'edge-nodepools';
import { deployment, required } from '../bad-inputs/case.js';
import { makers, problemsOf, rowsFor } from './workload-makers.js';
import { describe, expect, it } from '@jest/globals';
import { ProblemList } from '../../src/base/errors.js';
import { postRender } from '../../src/workloads/post-render.js';

const SPEC = 'spec.template.spec';

describe.each(makers)('%s', (noun, isGiven, make) => {
  it.each(
    rowsFor<[string, (workload: any) => void, string, string, RegExp]>(noun, [
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
    ]),
  )('tells what the API server refuses: %s', (_, change, code, path, hint) => {
    const workload = deployment();
    change(workload);
    const [first, ...others] = problemsOf(make, workload).filter((problem) => problem.code !== 'EDGE_NO_PORTS');
    expect(others).toEqual([]);
    expect(first).toMatchObject({ code, path: isGiven ? `workload.${path}` : path, hint: expect.stringMatching(hint) });
  });
});

/** What the API server accepts and nobody means: a warning, wherever the workload comes from. */
describe('unlikely values', () => {
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
  const CODES = ['EDGE_NAME', 'EDGE_VALUE', 'EDGE_UNKNOWN_PROPERTY'];
  const FIRST = 'spec.template.spec.containers[0]';

  const withContainer = (fields: object, metadata: object = {}): object => ({
    ...deployment({ containers: [{ name: 'web', image: 'web', ports: [{ containerPort: 8080 }], ...fields }] }),
    metadata: { name: 'web', ...metadata },
  });

  /** Paths and hints of the warnings of each noun, which are the same. */
  function warned(workload: object): string[] {
    const text = (list: readonly { code: string; path: string; hint: string }[]): string[] =>
      list.filter(({ code }) => CODES.includes(code)).map(({ path, hint }) => `${path} -> ${hint}`);
    const excluded = Cdk8sTesting.chart();
    EdgeWarnings.setMode(excluded, 'silent');
    new ExcludedWorkload(excluded, 'web', { cluster, workload: workload as never });
    const onPool = Cdk8sTesting.chart();
    EdgeWarnings.setMode(onPool, 'silent');
    const pool = new HostNetworkNodePool(onPool, 'pool', { cluster, poolName: 'edge' });
    new HostNetworkWorkload(onPool, 'web', { pool, workload: workload as never });
    const inStream = text(postRender(JSON.stringify(workload), { cluster }, new ProblemList()).warnings);
    expect(text(EdgeWarnings.of(excluded))).toEqual(inStream.map((each) => each.replace(/^Deployment \S+: /, '')));
    expect(text(EdgeWarnings.of(onPool))).toEqual(text(EdgeWarnings.of(excluded)));
    return text(EdgeWarnings.of(excluded));
  }

  describe('a workload with a value that nobody means', () => {
    it.each<[what: string, workload: object, told: string]>([
      [
        'a command that no shell divides',
        withContainer({ command: ['/bin/web --port 8080'] }),
        `${FIRST}.command -> write command: ["/bin/web","--port","8080"]`,
      ],
      [
        'words behind a script',
        withContainer({ command: ['sh', '-c', 'echo', 'hi'] }),
        `${FIRST}.command -> write command: ["sh","-c","echo hi"]`,
      ],
      [
        'a variable that no shell reads',
        withContainer({ args: ['--node=$NODE'], env: [{ name: 'NODE', value: 'a' }] }),
        `${FIRST}.args[0] -> write "--node=$(NODE)"`,
      ],
      [
        'a variable in braces',
        withContainer({ command: ['web', '${NODE}'], env: [{ name: 'NODE', value: 'a' }] }),
        `${FIRST}.command[1] -> write "$(NODE)"`,
      ],
      [
        'a variable that nobody declares',
        withContainer({ args: ['--node=$(NODE)', '$$(NODE)'] }),
        `${FIRST}.args[0] -> add NODE to env, or write $$(NODE) if this is the text`,
      ],
      [
        'a misspelt variable',
        withContainer({ command: ['web', '$(NODE_NAM)'], env: [{ name: 'NODE_NAME', value: 'a' }] }),
        `${FIRST}.command[1] -> did you mean $(NODE_NAME)?`,
      ],
      [
        'a variable that is declared later',
        withContainer({
          env: [
            { name: 'URL', value: 'http://$(HOST)' },
            { name: 'HOST', value: 'a' },
          ],
        }),
        `${FIRST}.env[0].value -> move HOST to the start of env`,
      ],
      [
        'claims of another kind',
        { ...withContainer({}), spec: { ...(withContainer({}) as any).spec, volumeClaimTemplates: [] } },
        'spec.volumeClaimTemplates -> did you mean a StatefulSet, which has volumeClaimTemplates?',
      ],
    ])('warns of %s', (_, workload, told) => {
      expect(warned(workload)).toEqual([expect.stringContaining(told)]);
    });

    it.each<[what: string, container: object]>([
      ['an image of that name', { image: 'a.example/undefinedbehaviour/web:1' }],
      ['a script', { command: ['sh', '-c', 'echo "$1"', 'name', 'word'] }],
      ['a script in one word, with its own words', { command: ['sh', '-c', '"$0"', 'date'] }],
      ['an option before the script', { command: ['bash', '-c', '--', 'echo hi'] }],
      ['a file that is a script', { command: ['/scripts/run.sh'], args: ['-c', 'echo', 'hi'] }],
      ['a program with a blank in its name', { command: ['/opt/my tools/web'] }],
      ['a variable for the shell', { command: ['sh', '-c', 'web $NODE'], env: [{ name: 'NODE', value: 'a' }] }],
      ['a variable that is replaced', { args: ['$(NODE)', '$$(NODE)'], env: [{ name: 'NODE', value: 'a' }] }],
      ['a variable of a Service', { args: ['$(KUBERNETES_SERVICE_HOST)', '$(WEB_PORT_80_TCP_ADDR)'] }],
      ['a variable of a ConfigMap', { args: ['$(NODE)'], envFrom: [{ configMapRef: { name: 'a' } }] }],
      ['a variable of a device', { args: ['$(GPU)'], resources: { limits: { 'a.example/gpu': 1 } } }],
      [
        'a variable that is declared before',
        {
          env: [
            { name: 'A', value: 'a' },
            { name: 'B', value: '$(A)' },
          ],
        },
      ],
      ['a command that a shell replaces', { command: ['sh', '-c', 'echo $(date)'] }],
      ['an amount of money', { args: ['$NODE', '$5'], env: [{ name: 'OTHER', value: 'a' }] }],
    ])('says nothing of %s', (_, container) => {
      expect(warned(withContainer(container))).toEqual([]);
    });
  });
});

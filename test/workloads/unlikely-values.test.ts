/** What the API server accepts and nobody means: a warning, wherever the workload comes from. */
import { describe, expect, it } from '@jest/globals';
import { Testing as Cdk8sTesting } from 'cdk8s';
import { EdgeCluster, EdgeWarnings, ExcludedWorkload, HostNetworkNodePool, HostNetworkWorkload } from 'edge-nodepools';
import { ProblemList } from '../../src/errors.js';
import { postRender } from '../../src/workloads/post-render.js';
import { deployment } from '../bad-inputs/case.js';

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
    ['an image of a tag that is not set', withContainer({ image: 'web:undefined' }), `${FIRST}.image -> give the var`],
    ['an image of a team that is not set', withContainer({ image: 'a.example/undefined/web' }), `${FIRST}.image -> g`],
    ['a name that is not set', withContainer({}, { name: 'web-undefined' }), 'metadata.name -> give the variable'],
    ['a namespace that is not set', withContainer({}, { namespace: 'undefined' }), 'metadata.namespace -> give the v'],
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

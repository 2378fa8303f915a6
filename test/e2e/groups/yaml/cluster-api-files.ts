import { Testing } from 'cdk8s';
import { EdgeCluster, HostNetworkNodePool, KubeadmConfigTemplate } from 'edge-nodepools';
import fc from 'fast-check';
import type { Proof } from '../../harness/group.js';
import { askJudge } from '../../harness/yaml-judge.js';

const PLAIN = [
  'a',
  'b: c',
  '- d',
  '# e',
  '---',
  '...',
  '%',
  ' ',
  '  ',
  '\t',
  '\n',
  '\n\n',
  '"',
  "'",
  'é',
  '🙂',
  '\u00a0',
];
const ODD = ['\r', '\r\n', '{{ x }}', '\u0085', '\u2028', '\u2029', '\uFEFF', '\x7f', '\x1b', '\x01'];
const piece = fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...PLAIN) }, fc.constantFrom(...ODD));
const content = fc
  .tuple(fc.constantFrom('a', ''), fc.array(piece, { maxLength: 10 }), fc.constantFrom('z\n', 'z\n', '\n', ''))
  .map(([first, pieces, last]) => `${first}${pieces.join('')}${last}`);

/** A file as Cluster API puts it into the user data, with the next one after it (`files.go` and `utils.go` of its cloudinit). */
function inUserData({ path, encoding, content: text = '' }: Readonly<Record<string, string>>): string {
  return [
    `-   path: ${path}`,
    ...(encoding === undefined ? [] : [`    encoding: "${encoding}"`]),
    `    content: |\n      ${text.split('\n').join('\n      ')}`,
    '-   path: /etc/next\n    content: |\n      x\n      ',
  ].join('\n');
}

/** Files of a KubeadmConfigTemplate with random content: the YAML in Go reads the bytes that were given. */
export function readsFilesOfClusterApi(proof: Proof): void {
  const texts = fc.sample(content, { numRuns: 2000, seed: 3 });
  const files = texts.map((text, index) => ({ path: `/etc/file-${index}`, content: text }));
  const chart = Testing.chart();
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34', apiServer: '192.0.2.10:6443' });
  const pool = new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'beijing' });
  new KubeadmConfigTemplate(chart, 'join', { pool, files });
  const [template] = Testing.synth(chart).filter(({ kind }: { kind: string }) => kind === 'KubeadmConfigTemplate');
  const own = (template.spec.template.spec.files as Record<string, string>[]).filter(({ path = '' }) =>
    path.startsWith('/etc/file-'),
  );
  const answers = askJudge(own.map((file) => ['value', inUserData(file)]));
  const wrong = own.flatMap(({ encoding }, index) => {
    const [read] = (answers[index]?.value ?? []) as { content?: string }[];
    const text = encoding === undefined ? read?.content : Buffer.from(read?.content ?? '', 'base64').toString();
    return text === texts[index] ? [] : [[texts[index], answers[index]]];
  });
  const readable = own.filter(({ encoding }) => encoding === undefined).length;
  proof.that(
    `${own.length} files of a KubeadmConfigTemplate have the given bytes`,
    wrong.length === 0,
    wrong.slice(0, 3),
  );
  proof.that('some of them stay readable', own.length === texts.length && readable > 200, readable);
}

/**
 * npm run bench:post-render: CPU time and memory of `edge-nodepools post-render` for 14 MB of manifests in several shapes.
 *
 * The bound is the time in which the package `yaml` parses the same manifests, without which no other post-renderer for Node.js can keep comments. It is
 * measured in the same run on a tenth of them, because it needs gigabytes for all. Times are CPU seconds of a process of its own; a busy machine can
 * double them, so only the ratio and the memory decide.
 */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { stringify } from 'yaml';

const SIZE = 14e6;
const MOST_MEGABYTES = 400;
/** Of the time of the bound. */
const MOST_OF_BOUND = 0.4;
/** A list of 400 objects, of the time for 400 documents. */
const MOST_OF_DOCUMENTS = 1.5;
const root = resolve(__dirname, '..');

const workload = (index: number, lines: number): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: `web-${index}`, namespace: 'shop', labels: { app: `web-${index}` } },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: `web-${index}` } },
    template: {
      metadata: { labels: { app: `web-${index}` } },
      spec: {
        containers: [
          {
            name: 'web',
            image: `registry.example/web:1.2.${index}`,
            ports: [{ containerPort: 8080 }],
            env: Array.from({ length: lines }, (_, line) => ({
              name: `VARIABLE_${line}`,
              value: `the value of ${line}`,
            })),
          },
        ],
      },
    },
  },
});

const settings = (index: number): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: `settings-${index}` },
  data: Object.fromEntries(Array.from({ length: 60 }, (_, line) => [`key.${line}`, `the value of ${line}`])),
});

const documents = (objects: readonly object[]): string => objects.map((each) => stringify(each)).join('---\n');
const list = (objects: readonly object[]): string =>
  stringify({ apiVersion: 'v1', items: objects, kind: 'List' }, { aliasDuplicateObjects: false });
const json = (objects: readonly object[]): string =>
  JSON.stringify({ apiVersion: 'v1', items: objects, kind: 'List' }, undefined, 4);

const SHAPES: readonly [
  name: string,
  print: (objects: readonly object[]) => string,
  make: (index: number) => object,
][] = [
  ['small Deployments, documents', documents, (index) => workload(index, 2)],
  ['small Deployments, one List', list, (index) => workload(index, 2)],
  ['small Deployments, one List in JSON', json, (index) => workload(index, 2)],
  ['large Deployments, documents', documents, (index) => workload(index, 80)],
  ['large Deployments, one List', list, (index) => workload(index, 80)],
  ['ConfigMaps, documents', documents, settings],
];

/** CPU seconds and peak memory of a program in a process of its own that reads a text. */
function run(program: string, input: string): { readonly seconds: number; readonly megabytes: number } {
  const measured = `
    process.on('exit', () => {
      const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
      process.stderr.write(JSON.stringify({ seconds: (userCPUTime + systemCPUTime) / 1e6, megabytes: maxRSS / 1024 }));
    });
    ${program}`;
  const { stderr, status } = spawnSync(process.execPath, ['-e', measured], {
    cwd: root,
    input,
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  if (status !== 0) {
    throw new Error(stderr);
  }
  return JSON.parse(stderr) as { seconds: number; megabytes: number };
}

const ours = (input: string): { readonly seconds: number; readonly megabytes: number } =>
  run("process.exitCode = require('./lib/cli/main.js').main(['post-render']);", input);
const bound = (input: string): number =>
  run("require('yaml').parseAllDocuments(require('fs').readFileSync(0, 'utf8'));", input).seconds;

const idle = ours('');
const idleBound = bound('');
let isMet = true;
const report = (isFine: boolean, text: string): void => {
  isMet &&= isFine;
  console.log(`${isFine ? 'met   ' : 'MISSED'} ${text}`);
};

for (const [name, print, make] of SHAPES) {
  const sample = print(Array.from({ length: 20 }, (_, index) => make(index)));
  const count = Math.floor((SIZE / sample.length) * 20);
  const objects = Array.from({ length: count }, (_, index) => make(index));
  const { seconds, megabytes } = ours(print(objects));
  const least = (bound(print(objects.slice(0, Math.ceil(count / 10)))) - idleBound) * 10;
  const ratio = (seconds - idle.seconds) / least;
  report(
    megabytes <= MOST_MEGABYTES && ratio <= MOST_OF_BOUND,
    `${name}: ${seconds.toFixed(1)} s of CPU, ${megabytes.toFixed(0)} MB (at most ${MOST_MEGABYTES}), ${ratio.toFixed(2)}x of parsing with yaml (at most ${MOST_OF_BOUND})`,
  );
}
const few = Array.from({ length: 400 }, (_, index) => workload(index, 2));
const ratio = ours(list(few)).seconds / ours(documents(few)).seconds;
report(
  ratio <= MOST_OF_DOCUMENTS,
  `400 Deployments in one List: ${ratio.toFixed(2)}x of 400 documents (at most ${MOST_OF_DOCUMENTS})`,
);
process.exitCode = isMet ? 0 : 1;

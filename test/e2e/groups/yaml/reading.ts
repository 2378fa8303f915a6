import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ProblemList } from '../../../../src/base/errors.js';
import { parseNodes } from '../../../../src/base/yaml-nodes.js';
import { splitStream } from '../../../../src/base/yaml-stream.js';
import { valueOf } from '../../../../src/base/yaml-values.js';
import { postRender } from '../../../../src/workloads/post-render.js';
import { on } from '../../../corpus/kube-system.js';
import { isExcludedEverywhere, withoutExclusion } from '../../../reference/exclusion.js';
import type { Group, Proof } from '../../harness/group.js';
import { kubernetesTool, sourcesOf, yurtManagerTool } from '../../harness/tool.js';
import { type Answer, asJudged, askJudge, normalized, type Question, YAML_JUDGE } from '../../harness/yaml-judge.js';
import { readsFilesOfClusterApi } from './cluster-api-files.js';
import { randomStreams } from './random-streams.js';
import { scalars } from './scalars.js';

const cluster = on('none', '1.34');

/** What we read, as the judge prints it; undefined if we refuse it, or JSON cannot hold it. */
function readByUs(text: string): unknown {
  try {
    const values = splitStream(text).flatMap(({ marker, body }) =>
      parseNodes(marker + body).roots.map((root) => asJudged(valueOf(root))),
    );
    return /"number":"(NaN|-?Infinity)"/.test(JSON.stringify(values)) ? undefined : values;
  } catch {
    return undefined;
  }
}

function readScalars(proof: Proof): void {
  const texts = scalars().flatMap((scalar) => [`k: ${scalar}\n`, `${scalar}: v\n`, `[${scalar}]`]);
  const answers = askJudge(texts.map((text): Question => ['value', text]));
  const wrong = texts.filter((text, index) => {
    const { value, error } = answers[index] ?? {};
    const expected = error === undefined ? [normalized(value)] : undefined;
    // a text of comments only has no document
    const seen = readByUs(text);
    return !isDeepStrictEqual(isDeepStrictEqual(seen, []) ? [null] : seen, expected);
  });
  proof.that(`${texts.length} scalars, as values, keys and items`, wrong.length === 0, wrong.slice(0, 20));
}

function yamlFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(ya?ml)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Every YAML file in the sources of some projects: what kubectl reads, we read, and post-render changes nothing else in it. */
function readFiles(proof: Proof): void {
  const sources = [kubernetesTool('kubectl', '1.37'), kubernetesTool('kubectl', '1.30'), yurtManagerTool('1.7')];
  const files = sources.flatMap((tool) => yamlFiles(sourcesOf(tool)));
  // kubectl ends the last line
  const texts = files.map((file) => readFileSync(file, 'utf8').replace(/([^\n])$/, '$1\n'));
  const before = askJudge(texts.map((text): Question => ['stream', text]));
  const rendered = texts.map((text) => postRender(text, { cluster }, new ProblemList()));
  const after = askJudge(rendered.map(({ text }): Question => ['stream', text]));
  const documents = (value: unknown): unknown[] => (normalized(value) as unknown[]).filter((each) => each !== null);
  const isRead = (index: number): boolean =>
    isDeepStrictEqual(
      (readByUs(texts[index] as string) as unknown[] | undefined)?.filter((each) => each !== null),
      documents(before[index]?.value),
    );
  const isKept = (index: number): boolean =>
    isDeepStrictEqual(withoutExclusion(after[index]?.value), withoutExclusion(before[index]?.value));
  const readable = files.flatMap((_, index) => (before[index]?.error === undefined ? [index] : []));
  const unread = readable.filter((index) => !isRead(index)).map((index) => files[index]);
  const damaged = readable.filter((index) => !isKept(index)).map((index) => files[index]);
  const unstable = rendered.filter(({ text }) => postRender(text, { cluster }, new ProblemList()).text !== text);
  const changed = rendered.filter((each) => each.changed.length > 0).length;
  proof.that(
    `${readable.length} YAML files of Kubernetes and OpenYurt are read as kubectl reads them`,
    unread.length === 0,
    unread,
  );
  proof.that(`the exclusion in ${changed} of them changes nothing else`, damaged.length === 0 && changed > 20, damaged);
  proof.that('and nothing the second time', unstable.length === 0);
}

/** Random workloads in random styles of YAML: what kubectl reads before and after differs in the exclusion, and in nothing else. */
function readRandom(proof: Proof): void {
  const streams = randomStreams(1000);
  const judged = (texts: readonly string[]): Answer[] => askJudge(texts.map((text): Question => ['stream', text]));
  // the writer makes some that kubectl does not read
  const answers = judged(streams);
  const texts = streams.filter((_, index) => answers[index]?.error === undefined);
  const before = answers.filter(({ error }) => error === undefined).map(({ value }) => value);
  const unread: string[] = [];
  const rendered = texts.map((text) => {
    const problems = new ProblemList();
    const { text: written } = postRender(text, { cluster }, problems);
    unread.push(...(problems.problems.some(({ code }) => code === 'EDGE_YAML') ? [text] : []));
    // a contradiction in the workload: nothing is written
    return problems.problems.length > 0 ? undefined : written;
  });
  const after = judged(rendered.map((text) => text ?? '')).map(({ error, value }) => error ?? value);
  const isDone = (index: number): boolean => rendered[index] !== undefined;
  const done = texts.map((_, index) => index).filter(isDone);
  const damaged = done.filter(
    (index) => !isDeepStrictEqual(withoutExclusion(after[index]), withoutExclusion(before[index])),
  );
  const free = done.filter((index) => !isExcludedEverywhere(after[index]));
  const show = (indices: readonly number[]): unknown =>
    indices.slice(0, 2).map((index) => [texts[index], rendered[index]]);
  proof.that(`${done.length} random streams: only the exclusion is added`, damaged.length === 0, show(damaged));
  proof.that('and every workload in them is excluded', free.length === 0, show(free));
  proof.that('every one that kubectl reads is read', unread.length === 0, unread.slice(0, 2));
  proof.that('most are not refused', done.length > 300, done.length);
}

export const yamlReading: Group = {
  name: 'yaml',
  claim:
    'YAML is read as sigs.k8s.io/yaml reads it, scalar by scalar and in every YAML file of Kubernetes and OpenYurt, and post-render changes nothing else in them; files of a KubeadmConfigTemplate are read with the bytes that they have',
  programs: 'sigs.k8s.io/yaml 1.6, with which kubectl and Helm read YAML',
  tools: [YAML_JUDGE],
  run: (proof) => {
    readScalars(proof);
    readFiles(proof);
    readRandom(proof);
    readsFilesOfClusterApi(proof);
    return Promise.resolve();
  },
};

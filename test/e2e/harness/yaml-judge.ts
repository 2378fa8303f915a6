import { spawnSync } from 'node:child_process';
import { pathOf, type Tool } from './tool.js';

/** sigs.k8s.io/yaml, with which kubectl, Helm and the other clients of Kubernetes read YAML. */
export const YAML_JUDGE: Tool = { name: 'yaml-judge', module: 'yaml-judge', package: '.' };

/** `value`: one document; `stream`: a stream, as kubectl splits it. */
export type Question = readonly ['value' | 'stream', string];

/** What the judge reads; numbers are `{ number: '…' }`. */
export interface Answer {
  readonly value?: unknown;
  readonly error?: string;
}

/** Asks for many texts at once. */
export function askJudge(questions: readonly Question[]): Answer[] {
  const { status, stdout, stderr } = spawnSync(pathOf(YAML_JUDGE), {
    input: questions.map((question) => JSON.stringify(question)).join('\n'),
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  });
  const lines = stdout.split('\n').slice(0, -1);
  if (status !== 0 || lines.length !== questions.length) {
    throw new Error(`yaml-judge answered ${lines.length} of ${questions.length} questions: ${stderr}`);
  }
  return lines.map((line) => JSON.parse(line) as Answer);
}

/** Plain data as the judge prints it; -0 is 0, as in JSON of Go. */
export function asJudged(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(asJudged);
  }
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, asJudged(item)]));
  }
  return typeof value === 'number' || typeof value === 'bigint' ? { number: String(value) } : value;
}

/** An answer with numbers as JavaScript prints them. */
export function normalized(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(normalized);
  }
  if (value !== null && typeof value === 'object') {
    const { number, ...more } = value as { number?: unknown };
    if (typeof number === 'string' && Object.keys(more).length === 0) {
      return {
        number:
          /^-?\d+$/.test(number) && !Number.isSafeInteger(Number(number)) ? exactText(number) : String(Number(number)),
      };
    }
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, normalized(item)]));
  }
  return value;
}

/** Large floats are printed as integers by Go. */
function exactText(integer: string): string {
  const value = BigInt(integer);
  return value >= -(2n ** 63n) && value < 2n ** 64n ? integer : String(Number(integer));
}

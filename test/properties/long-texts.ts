/**
 * Every public noun, with a long text at every place of its properties: at each text and each key in samples of them, and at each property of each
 * validation table. The tables themselves tell their properties: they answer an unknown one with the list of all.
 */
import fc from 'fast-check';
import * as edge from '../doors/cdk8s.js';
import { isMap } from '../../src/base/plain-data.js';
import { attempt, type Noun, NOUNS } from './long-text-nouns.js';

const repeated =
  (unit: string, before = '', after = ''): Shape =>
  (length) =>
    before + unit.repeat(Math.ceil((length - before.length - after.length) / unit.length)) + after;

/** Text of about a length. */
export type Shape = (length: number) => string;

/** Texts that a careless pattern or parser reads again and again. */
export const SHAPES: readonly Shape[] = [
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

/** Manifests of others and of the unit tests: each becomes a program that makes the same objects, and that program is imported as itself. */
import { corpus } from '../corpus/corpus.js';
import { bootstrapTokens, configTemplates } from '../corpus/joins.js';
import { isFullDepth } from '../depth.js';
import { distOf, imported, objectsOf, sorted } from './programs.js';

beforeEach(() => {
  jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  jest.spyOn(console, 'warn').mockReturnValue();
});
afterEach(() => jest.restoreAllMocks());

/** The first object of each name: a set may have several states of one. */
function distinct(objects: readonly any[]): any[] {
  const keyOf = ({ apiVersion, kind, metadata }: any): string =>
    [apiVersion.replace(/[^/]*$/, ''), kind, metadata.namespace, metadata.name].join(' ');
  return [...new Map([...objects].reverse().map((object) => [keyOf(object), object])).values()];
}

const SETS = [...corpus(), ...bootstrapTokens(), ...configTemplates()]
  .filter(({ objects }) => objects.length < 200)
  .filter((_, index) => isFullDepth || index % 12 === 0);

it('makes the same objects, and the same program again', () => {
  expect(SETS.length).toBeGreaterThanOrEqual(isFullDepth ? 30 : 2);
  let [ofEdge, recognized] = [0, 0];
  for (const { name, objects } of SETS) {
    const all = distinct(objects);
    const program = imported(all);
    program.secrets.forEach(({ variable }) => (process.env[variable] = `<${variable}>`));
    const withoutValues = (some: readonly any[]): any[] =>
      some.map((each) => (each.kind === 'Secret' ? { ...each, data: {}, stringData: {} } : each));
    expect([name, withoutValues(objectsOf(program))]).toEqual([name, withoutValues(sorted(all))]);
    expect([name, imported(distOf(program)).files]).toEqual([name, program.files]);
    ofEdge += program.counts.ofEdge;
    recognized += program.counts.recognized;
  }
  expect(recognized).toBeLessThanOrEqual(ofEdge);
});

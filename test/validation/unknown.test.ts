import { ProblemList } from '../../src/errors.js';
import { checkProperties, optional, plain, setOf } from '../../src/validation/property-table.js';
import {
  Computed,
  compute,
  concatenated,
  holdsUnknown,
  holdsUnknownText,
  merged,
  text,
  Unknown,
} from '../../src/validation/unknown.js';

describe('an unknown value', () => {
  it('has a marker in text and in JSON, and a problem that quotes it is dropped', () => {
    const unknown = new Unknown();
    for (const quoted of [`${unknown as unknown as string}`, JSON.stringify({ list: [unknown] })]) {
      const problems = new ProblemList();
      problems.add('EDGE_VALUE', `${quoted} is not a name`, 'write a name');
      expect([holdsUnknownText({ deep: [quoted] }), problems.problems]).toEqual([true, []]);
    }
    expect(JSON.stringify(unknown)).not.toBe(JSON.stringify(new Unknown()));
  });

  it('delays only rules that read it', () => {
    const unknown = new Unknown() as unknown as string;
    expect(compute({ name: 'a' }, ({ name }) => `${name}!`)).toBe('a!');
    expect(compute({ deep: [unknown] }, () => 'too early')).toBeInstanceOf(Computed);
    expect(compute({ name: 'a', passed: unknown }, ({ passed }) => [passed], 'a')).toEqual([unknown]);
    expect(text`a ${unknown}`).toBeInstanceOf(Computed);
    expect(merged({ a: 1 }, { b: unknown })).toEqual({ a: 1, b: unknown });
    expect(merged({ a: 1 }, unknown as unknown as object)).toBeInstanceOf(Computed);
    expect(concatenated([unknown], ['b'])).toEqual([unknown, 'b']);
  });

  it('is not a plain value, at any depth', () => {
    const check = plain(() => undefined);
    for (const value of [new Unknown(), [new Unknown()], { deep: { deeper: new Unknown() } }]) {
      const problems = new ProblemList('', [], ['']);
      check(value, problems);
      expect([holdsUnknown(value), problems.problems.map(({ code }) => code)]).toEqual([true, ['EDGE_KNOWN_LATER']]);
    }
  });
});

describe('a table of properties', () => {
  const names = setOf(() => undefined, 'write a list');
  const codesOf = (props: object): string[] => {
    const problems = new ProblemList();
    checkProperties<{ names: unknown; size: unknown }>(props, { names, size: optional(() => undefined) }, problems);
    return problems.problems.map(({ code, path }) => `${code} ${path}`);
  };

  it('refuses unknown properties, and duplicates in a list', () => {
    expect(codesOf({ names: ['a', 'b'], size: 1 })).toEqual([]);
    expect(codesOf({ nmaes: [] })).toEqual(['EDGE_UNKNOWN_PROPERTY nmaes']);
    expect(codesOf({ names: ['a', 'b', 'a'] })).toEqual(['EDGE_DUPLICATE names[2]']);
  });
});

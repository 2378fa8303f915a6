import { ProblemList } from '../../src/errors.js';
import { checkPlain, copyOf, withChangeAt } from '../../src/validation/plain-data.js';
import { quoted, showValue } from '../../src/validation/properties.js';

describe('plain data', () => {
  it('is copied with all maps and lists, and instances are not copied', () => {
    const instance = new Date(0);
    const original = { list: [{ deep: ['a'] }], map: { instance } };
    const copy = copyOf(original);
    expect(copy).toEqual(original);
    copy.list[0]?.deep.push('b');
    copy.list.push({ deep: [] });
    expect(original.list).toEqual([{ deep: ['a'] }]);
    expect(copy.map).not.toBe(original.map);
    expect(copy.map.instance).toBe(instance);
  });

  it('is changed at a path in a copy', () => {
    const original = { items: [{ a: 1 }, { a: 2 }] };
    expect(withChangeAt(original, ['items', 1, 'b'], () => ({ c: 3 }))).toEqual({
      items: [{ a: 1 }, { a: 2, b: { c: 3 } }],
    });
    expect(original).toEqual({ items: [{ a: 1 }, { a: 2 }] });
  });

  it('must not contain cycles, but can contain an object twice', () => {
    const problemsOf = (value: unknown): string[] => {
      const problems = new ProblemList();
      checkPlain(value, problems);
      return problems.problems.map(({ path }) => path);
    };
    const cycle: Record<string, unknown> = {};
    cycle.list = [cycle];
    const shared = { a: 1 };
    expect([problemsOf(cycle), problemsOf({ one: shared, two: [shared] })]).toEqual([['list[0]'], []]);
  });

  it('is shown in messages even if it is not JSON', () => {
    const cycle: Record<string, unknown> = {};
    cycle.list = [cycle];
    const shown = [5n, [5n], cycle, Symbol('a'), 'a', 5, undefined].map((value) => [quoted(value), showValue(value)]);
    expect(shown).toEqual([
      ['5n', '5n'],
      ['a list', 'a list'],
      ['a map', 'a map'],
      ['symbol', 'symbol'],
      ['"a"', 'a'],
      ['5', '5'],
      ['undefined', 'nothing'],
    ]);
  });
});

import { ProblemList } from '../../src/base/errors.js';
import { checkPlain, copyOf, withChangeAt } from '../../src/base/plain-data.js';
import { quoted, showValue } from '../../src/base/properties.js';
import { checkProperties, optional, plain, setOf } from '../../src/base/property-table.js';
import {
  Computed,
  compute,
  concatenated,
  holdsUnknown,
  holdsUnknownText,
  merged,
  text,
  Unknown,
} from '../../src/base/unknown.js';
import { Corefile, EdgeError, JoinToken, NodeReservation, SystemComponent } from 'edge-nodepools';
import { isAbsolutePath, pathProblem } from '../../src/join/machine-path.js';

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

describe('unknown properties', () => {
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
});

describe('constructors', () => {
  /** Programs in JavaScript, or with a cast, get as far as the constructors, which TypeScript calls private. */
  describe('classes with factory methods', () => {
    it.each<[written: string, Class: unknown, given: unknown, hint: RegExp]>([
      ['new JoinToken', JoinToken, 'abcdef.0123456789abcdef', /^write JoinToken\.fromFile\(/],
      ['new NodeReservation', NodeReservation, 'edge-small', /^write NodeReservation\.preset\(/],
      ['new SystemComponent', SystemComponent, 'kube-proxy', /^write SystemComponent\.KUBE_PROXY or /],
      ['new Corefile', Corefile, '.:53 {}', /^write Corefile\.parse\(/],
    ])('refuse %s, and name the method', (_, Class, given, hint) => {
      let error: unknown;
      try {
        new (Class as new (given: unknown) => unknown)(given);
      } catch (thrown) {
        error = thrown;
      }
      expect(error).toBeInstanceOf(EdgeError);
      expect((error as EdgeError).problems).toEqual([
        expect.objectContaining({ code: 'EDGE_TYPE', hint: expect.stringMatching(hint) }),
      ]);
      expect((error as EdgeError).message).not.toContain('abcdef');
    });
  });
});

describe('absolute paths', () => {
  it.each([
    ['/etc/a', undefined],
    [`/etc/${'a'.repeat(255)}`, undefined],
    ['etc/a', 'is not an absolute path'],
    ['', 'is not an absolute path'],
    [undefined, 'is not an absolute path'],
    ['/', 'has an empty name: two slashes, or one at its end'],
    ['/etc//a', 'has an empty name: two slashes, or one at its end'],
    ['/etc/a/', 'has an empty name: two slashes, or one at its end'],
    ['/etc/../a', 'has a name . or ..'],
    ['/etc/a b', 'has other characters than letters, digits and ._@:+=,- between its slashes'],
    ['/etc/a\u007f', 'has other characters than letters, digits and ._@:+=,- between its slashes'],
    [`/etc/${'a'.repeat(256)}`, 'has a name of more than 255 bytes'],
    [`/${'a/'.repeat(2047)}ab`, 'has more than 4095 bytes'],
  ])('a path is absolute, or what is wrong with it is said: %j', (path, wrong) => {
    expect(isAbsolutePath(path)).toBe(wrong === undefined);
    if (wrong !== undefined) {
      expect(pathProblem(path)).toBe(wrong);
    }
  });
});

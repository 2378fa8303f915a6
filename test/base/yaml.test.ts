import { Yaml } from 'cdk8s';
import fc from 'fast-check';
import { ProblemList } from '../../src/base/errors.js';
import { YamlText } from '../../src/base/yaml-edit.js';
import { parseNodes } from '../../src/base/yaml-nodes.js';
import { printManifests } from '../../src/base/yaml-print.js';
import { floatAsKey, resolveScalar } from '../../src/base/yaml-scalars.js';
import { objectsFromYaml } from '../../src/base/yaml-text.js';
import { valueOf } from '../../src/base/yaml-values.js';
import { writeYaml } from '../../src/base/yaml-writer.js';
import { runs, samples } from '../depth.js';
import { parseDocument } from 'yaml';
import { yamlOf, type YamlValue } from '../../src/base/yaml-emitter.js';
import { anyCharacter, hostileText } from '../properties/hostile-text.js';

const read = (text: string): unknown => parseNodes(text).roots.map((root) => valueOf(root))[0];
const TEXT = undefined;

/** Scalars that parsers read differently, as sigs.k8s.io/yaml reads them. The end-to-end group yaml compares tens of thousands with it. */
const SCALARS: readonly (readonly [string, unknown])[] = [
  // a machine family, the current folder, and other text that is no number
  ...['.', '-.', '+.', '._', 'e2', '-e2', 'E3', '._8', '.3_e4', '..', '.e5', '1.2.3', '-', '+', '_', '_1', '1e400'].map(
    (text) => [text, TEXT] as const,
  ),
  ...['2001-01-01', '22:22', '1:20', '0x', '0b12', '0x1p-2', 'inf', 'nan', 'yEs', 'nULL', '=', '1,000', '100m'].map(
    (text) => [text, TEXT] as const,
  ),
  // no range, but no point either: text
  ['0xFFFFFFFFFFFFFFFFF', TEXT],
  // numbers
  ['.5', 0.5],
  ['.5_5', 0.55],
  ['1.', 1],
  ['+.5', 0.5],
  ['1__2', 12],
  ['1_0.5', 10.5],
  ['08', 8],
  ['010', 8],
  ['0o10', 8],
  ['0O10', 8],
  ['0b101', 5],
  ['-0b101', -5],
  ['0x_F', 15],
  ['-0', 0],
  ['1e3', 1000],
  ['9007199254740992', 9007199254740992],
  ['-9007199254740992', -9007199254740992],
  ['9007199254740993', 9007199254740993n],
  ['18446744073709551615', 18446744073709551615n],
  ['18446744073709551616', 18446744073709552000],
  ['+18446744073709551615', 18446744073709552000],
  ['-9223372036854775809', -9223372036854776000],
  // words
  ...['y', 'Y', 'yes', 'On', 'TRUE'].map((text) => [text, true] as const),
  ...['n', 'No', 'off', 'False'].map((text) => [text, false] as const),
  ...['', '~', 'null', 'NULL'].map((text) => [text, null] as const),
  ['.nan', Number.NaN],
  ['-.INF', Number.NEGATIVE_INFINITY],
];

describe('a plain scalar', () => {
  it.each(SCALARS)('%j', (text, value) => {
    expect(resolveScalar(text)?.value).toEqual(value);
  });

  it('as a key is what Go prints', () => {
    const keys =
      '{1: a, 0x10: a, 1.0: a, 1.50: a, 1e6: a, 16777217.0: a, 1e-5: a, .inf: a, yes: a, 2001-01-01: a, e2: a}';
    const names = ['1', '16', '1.5', '1e+06', '1.6777216e+07', '1e-05', '.inf', 'true', '2001-01-01', 'e2'];
    expect(Object.keys(read(keys) as object).sort()).toEqual(names.sort());
    expect([0.0001, 100000.5, -0, 3.4e38, 3.5e38].map(floatAsKey)).toEqual([
      '0.0001',
      '100000.5',
      '-0',
      '3.4e+38',
      '.inf',
    ]);
  });

  it('of a type that its tag does not allow is refused', () => {
    expect(read('[!!str 1, !!float 1, !!int "0x1", !!binary aGk=, ! 1, !x yes]')).toEqual([
      '1',
      1,
      1,
      'hi',
      '1',
      'yes',
    ]);
    for (const text of ['!!int a', '!!int 1.5', '!!bool 1', '!!null a', '!!binary a', '!e!x a']) {
      expect(() => read(text)).toThrow();
    }
  });
});

/** Text that a parser of YAML 1.2 refuses or reads differently. */
const DOCUMENTS: readonly (readonly [string, unknown])[] = [
  ['a: 1\na: 2\n', { a: 2 }],
  ['spec:\n  a: "x\ny"\n  b: 1\n', { spec: { a: 'x y', b: 1 } }],
  ['a: "x\u2028y\u0085z"\n', { a: 'x\u2028y z' }],
  ['# c\u2028a: 1\rb: 2\n', { a: 1, b: 2 }],
  ['a: |2\n  \tx\n', { a: '\tx\n' }],
  ['a: | # c\n\nb: >-\n  x\n  y\n\n  z', { a: '', b: 'x y\nz' }],
  ['a: |+\n  x\n\n', { a: 'x\n\n' }],
  ['--- # c\n- a\n-\n- b: c\n  d:\n  - e\n', ['a', null, { b: 'c', d: ['e'] }]],
  ['? a\n: - b\n? c\n', { a: ['b'], c: null }],
  ['{a: [b: c, {d}], "e":f, g: h:i,}', { a: [{ b: 'c' }, { d: null }], e: 'f', g: 'h:i' }],
  ['\ta: 1', Error],
  ['a: {\n\tb: 1\n}\n', { a: { b: 1 } }],
  ["a: 'it''s\n\n  b'\n", { a: "it's\nb" }],
  ['a: "\\x41\\u00e9\\\n   \\ b\\/\\ud83d\\ude00"\n', { a: 'A\u00e9 b/\u{1f600}' }],
  [
    'a: &x {b: 1, c: 2}\nd: {c: 3, <<: *x}\ne: {<<: [*x, {c: 4, f: 5}], b: 6}\n',
    {
      a: { b: 1, c: 2 },
      // the order decides, also against the own field
      d: { c: 2, b: 1 },
      e: { c: 2, f: 5, b: 6 },
    },
  ],
  ['a: b: c', Error],
  ['a: 1\n b: 2', Error],
  ['a:\n- b\n c', { a: ['b c'] }],
  ['{a: 1} b', Error],
  ['a: 1\n---\nb: 2', Error],
  ['a: *x', Error],
  ['a: &x [*x]', Error],
  ['~: 1', Error],
  ['{[a]: 1}', Error],
  ['a: \u0007', Error],
  ['[a', Error],
  ['a: "b', Error],
  ['a: |0\n  b', Error],
  ['a: %b', Error],
  ['\ufeffa: 1', { a: 1 }],
  ['__proto__: {a: 1}', JSON.parse('{"__proto__":{"a":1}}')],
];

describe('a document', () => {
  it.each(DOCUMENTS)('%j', (text, expected) => {
    if (expected === Error) {
      expect(() => read(text)).toThrow();
    } else {
      expect(JSON.stringify(read(text))).toBe(JSON.stringify(expected));
    }
  });

  it('in Windows line ends is the same', () => {
    for (const [text, expected] of DOCUMENTS.filter(([each, value]) => value !== Error && !/[\r]/.test(each))) {
      expect(read(text.replaceAll('\n', '\r\n'))).toEqual(expected);
    }
  });

  it('that becomes much larger by aliases is refused, as by Go', () => {
    const levels = Array.from(
      { length: 9 },
      (_, index) => `a${index + 1}: &a${index + 1} [${`*a${index},`.repeat(9)}]`,
    );
    expect(() => read(['a0: &a0 [x]', ...levels].join('\n'))).toThrow('excessive aliasing');
    expect(() => read(`${'['.repeat(20_000)}`)).toThrow();
  });

  it('of JSON may be followed by another', () => {
    expect(objectsFromYaml('{"a":1}{"b":2}\n{"c":3}\n', new ProblemList())).toEqual([{ a: 1 }, { b: 2 }, { c: 3 }]);
  });

  it('names a document that is no object as people count documents, empty ones too', () => {
    const problems = new ProblemList();
    expect(objectsFromYaml('a: 1\n---\n---\ntext\n', problems)).toBeUndefined();
    expect(problems.problems.map(({ message }) => message)).toEqual(['document 3 of the text is not a YAML mapping']);
  });

  it('of JSON may have characters that YAML refuses or reads differently', () => {
    const object = { a: 'x\u007f \u0085\u2028 \u0000y', '\u009f': '\ufeff\uffff' };
    for (const [lead, end] of [
      ['', ''],
      ['---\n', '\n---\nb: 1\n'],
    ]) {
      const problems = new ProblemList();
      const [first] = objectsFromYaml(`${lead}${JSON.stringify(object)}${end}`, problems) ?? [];
      expect([first, problems.problems]).toEqual([object, []]);
    }
    for (const text of ['{a: x\u007f}', '{"a": "\u007f",}', 'a: "\u007f"']) {
      const problems = new ProblemList();
      expect(objectsFromYaml(text, problems)).toBeUndefined();
      expect(problems.problems[0]?.message).toContain('control characters are not allowed');
    }
  });
});

const HOSTILE = fc.string({
  unit: fc.constantFrom(...'a \n\t:#-"\'\\0o7.\u2028\u0085\r|\u0001\u007f'),
  maxLength: 12,
});

describe('an edit next to an empty value', () => {
  it.each([
    ['{a: , b: 1}', { a: null }],
    ['{a: # c\n, b: 1}', { a: null }],
    ['{"a":, b: 1}', { a: null }],
    ['[{a: , b: 1}]', [{ a: null }]],
  ])('removes a field of %j', (text, expected) => {
    const path = Array.isArray(expected) ? ['x', 0, 'b'] : ['x', 'b'];
    const edited = YamlText.read(`x: ${text}\n`, new ProblemList())?.without(path);
    expect(read(String(edited))).toEqual({ x: expected });
  });

  it.each(['[a: ]', '[b, a: # c\n ]', '["a":]'])('adds an item to %j', (text) => {
    const before = read(text) as unknown[];
    const edited = YamlText.read(`x: ${text}\n`, new ProblemList())?.withItem(['x'], 'c');
    expect(read(String(edited))).toEqual({ x: [...before, 'c'] });
  });
});

it.each(['\n\ta', '\n\n\ta\n', '\n', '\ta\nb', '\n  a', ' \n\ta', '\n\na\n\n', '\u0001', 'a\u007f\nb'])(
  'what is printed for Kubernetes clients is read again as it was: %j',
  (text) => {
    for (const value of [{ a: text }, { [text]: [text, { b: text }] }]) {
      expect(read(printManifests([value]))).toEqual(value);
    }
  },
);

it('what is printed for Kubernetes clients is read again as it was', () => {
  const value = fc.dictionary(
    HOSTILE,
    fc.oneof(
      HOSTILE,
      fc.array(HOSTILE, { maxLength: 2 }),
      fc.double({ min: -1e9, max: 1e9, noNaN: true }),
      fc.boolean(),
    ),
  );
  fc.assert(
    fc.property(value, (map) => {
      const finite = JSON.parse(JSON.stringify(map)) as unknown;
      expect(read(printManifests([finite]))).toEqual(finite);
    }),
    { numRuns: samples(500), seed: 1, examples: [[{ a: '0o7' }], [{ '0o7': '\tx\ny' }], [{ a: 'x\u2028y' }]] },
  );
});

const readAs = (text: string, version: '1.1' | '1.2'): unknown => {
  const document = parseDocument(text, { version, merge: false });
  expect(document.errors).toEqual([]);
  return document.toJS();
};

describe('YAML that has the same meaning in two versions', () => {
  it.each([
    'yes',
    'No',
    'on',
    '~',
    'null',
    '0644',
    '22:22',
    '1e3',
    '0x1f',
    '.inf',
    '2026-01-31',
    '',
    ' ',
    '- a',
    '# a',
    '{}',
    '*a',
    '&a',
    '!a',
    '%a',
    '`',
    '@',
    '"',
    '\\',
    'C:\\new',
  ])('%j stays text', (text) => {
    const yaml = yamlOf({ value: text, list: [text], [text === '' ? 'empty' : text]: 'key' });
    for (const version of ['1.1', '1.2'] as const) {
      expect(readAs(yaml, version)).toEqual({ value: text, list: [text], [text === '' ? 'empty' : text]: 'key' });
    }
  });

  it('writes plain text of several lines as a literal block', () => {
    expect(yamlOf({ content: 'a: 1\n  b "c"\n\nd\n' })).toBe('content: |\n  a: 1\n    b "c"\n\n  d\n');
    expect(yamlOf({ content: 'a\nb' })).toBe('content: |-\n  a\n  b\n');
    expect(yamlOf({ content: ' a\nb' })).toBe('content: " a\\nb"\n');
  });

  it('can be parsed back in both versions, for any text', () => {
    const value = fc.letrec<{ value: YamlValue }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        hostileText,
        fc.boolean(),
        fc.integer(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(
          hostileText.filter((key) => key !== '__proto__'),
          tie('value'),
          { maxKeys: 3 },
        ),
      ),
    })).value;
    fc.assert(
      fc.property(value, (given) => {
        const yaml = yamlOf({ given });
        expect(readAs(yaml, '1.1')).toEqual({ given });
        expect(readAs(yaml, '1.2')).toEqual({ given });
      }),
      runs(500),
    );
  });

  it('escapes line breaks of only YAML 1.1, and characters that it refuses', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(yamlOf({ text })).toMatch(
          /^[\t\n\x20-\x7e\u00a0-\u2027\u202a-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]*$/u,
        );
      }),
      runs(100),
    );
  });
});

/** Text of which YAML 1.1 or a number of Go could make something else. */
const MISREAD = fc.constantFrom('yes', 'No', '~', 'null', '=', '<<', '0b1', '1_000', '.inf', '190:20:30', '2001-01-01');
const NUMERIC = fc.stringMatching(/^[-+]?[0-9_.:xoebinfTZ ]{1,12}$/);

it('the writer of plain objects writes the bytes of cdk8s, or leaves the object to it', () => {
  const text = fc.oneof(hostileText, MISREAD, NUMERIC, fc.string(), fc.string({ unit: anyCharacter, maxLength: 8 }));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      text,
      fc.constantFrom(true, false, null, undefined),
      fc.integer(),
      fc.double(),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(text, tie('value'), { maxKeys: 4 }),
    ),
  }));
  let written = 0;
  fc.assert(
    fc.property(fc.dictionary(text, value, { maxKeys: 5 }), (object) => {
      const own = writeYaml(object);
      written += own === undefined ? 0 : 1;
      expect(own ?? Yaml.stringify(object)).toBe(Yaml.stringify(object));
    }),
    runs(20_000),
  );
  expect(written).toBeGreaterThan(300);
});

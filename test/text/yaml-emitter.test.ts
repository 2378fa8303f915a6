import fc from 'fast-check';
import { parseDocument } from 'yaml';
import { type YamlValue, yamlOf } from '../../src/text/yaml-emitter.js';
import { hostileText } from '../properties/hostile-text.js';
import { samples } from '../depth.js';

const read = (text: string, version: '1.1' | '1.2'): unknown => {
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
      expect(read(yaml, version)).toEqual({ value: text, list: [text], [text === '' ? 'empty' : text]: 'key' });
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
        expect(read(yaml, '1.1')).toEqual({ given });
        expect(read(yaml, '1.2')).toEqual({ given });
      }),
      { numRuns: samples(500) },
    );
  });

  it('escapes line breaks of only YAML 1.1, and characters that it refuses', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(yamlOf({ text })).toMatch(
          /^[\t\n\x20-\x7e\u00a0-\u2027\u202a-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]*$/u,
        );
      }),
    );
  });
});

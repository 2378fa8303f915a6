import fc from 'fast-check';

const PIECES = [
  "'",
  '"',
  '`',
  '$(id)',
  '${HOME}',
  '\\',
  '\n',
  '\r\n',
  '\t',
  ' ',
  '{{ x }}',
  '{% raw %}',
  '%s',
  '%%',
  'yes',
  '0644',
  '22:22',
  '~',
  '---',
  '...',
  '# ',
  ': ',
  '- ',
  '|',
  '>',
  '&a',
  '*a',
  '!x',
  'EOF',
  ';',
  '&&',
  '\u0085',
  '\u2028',
  '\ufeff',
  '\u007f',
  '\u0001',
  'é',
  '漢',
  '🙂',
];

/** Any character of Unicode. `unit: 'binary'` is the same, and makes a table of all of them first, which takes half a second. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));

/** Text with everything that a shell, YAML 1.1, Jinja or printf could interpret; without NUL and unpaired surrogates. */
export const hostileText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...PIECES) }, fc.string({ maxLength: 4, unit: 'grapheme' })),
    {
      maxLength: 8,
    },
  )
  .map((parts) => parts.join('').replace(/\0/g, ''));

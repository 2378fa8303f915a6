import { execFileSync } from 'node:child_process';
import { quoteForShell, shellCommand, shellComment } from '../../src/text/shell.js';

const said = (script: string): string => execFileSync('sh', ['-c', script], { encoding: 'utf8' });

describe('a shell', () => {
  it.each(["it's", "''", '$(id)', '`id`', '"', '\\', '', 'a b', '*', 'two\nlines', '#', '%s'])(
    'reads %j as one word, as it is',
    (word) => {
      expect(said(`printf '%s|' ${quoteForShell(word)}`)).toBe(`${word}|`);
      expect(said(shellCommand('printf', '%s|', word, 'next'))).toBe(`${word}|next|`);
    },
  );

  it('ignores a comment with any number of lines', () => {
    expect(said(shellComment('one\necho two\r\necho three\recho four').join('\n'))).toBe('');
  });
});

import { execFileSync, spawnSync } from 'node:child_process';
import { quoteForShell, shellCommand, shellComment } from '../../src/base/shell.js';
import { shellScript } from '../../src/base/shell-script.js';

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

(process.platform === 'win32' ? describe.skip : describe)('a script of shell files', () => {
  it('hands texts to the files as they are, and runs nothing of them', () => {
    const texts = ["it's", '$(touch /nowhere)', '`id`', 'a\nb', '', '-n', '\\', '"', ' a  b '];
    const script = shellScript({
      comments: ['about'],
      environment: { proxy: "a'b" },
      variables: {
        ...Object.fromEntries(texts.map((text, index) => [`v${index}`, text])),
        list: ['a b', 'c'],
        n: 3,
        none: undefined,
      },
      parts: [
        `printf '%s|' ${texts.map((_, index) => `"$v${index}"`).join(' ')} "$list" "$n" "\${none-unset}" "$proxy"\n`,
      ],
    });
    const { stdout } = spawnSync('sh', [], { input: script, encoding: 'utf8' });
    expect(stdout.split('|')).toEqual([...texts, 'a b\nc', '3', 'unset', "a'b", '']);
  });
});

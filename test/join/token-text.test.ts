/** What a token may look like where it comes from: in a program, in a file and from a command on the machine. */
import { spawnSync } from 'node:child_process';
import { JoinToken } from 'edge-nodepools';
import { SHELL } from '../../src/join/shell-files.js';

const TOKEN = 'k3x9q2.7v1m0c8z4b6n5j2h';
const SECRET = TOKEN.split('.')[1] as string;
const BOM = '\uFEFF';

/** Texts, and what both the program and the machine say about them; undefined for texts that are a token. */
const TEXTS: readonly (readonly [text: string, inProgram: RegExp | undefined, onMachine: RegExp | undefined])[] = [
  [TOKEN, undefined, undefined],
  [`${TOKEN}\n`, undefined, undefined],
  [`${TOKEN}\r\n`, undefined, undefined],
  [`${TOKEN}\r`, undefined, undefined],
  ['', /empty/, /0 characters/],
  [' \t\n', /empty/, /0 characters/],
  [`${BOM}${TOKEN}`, undefined, undefined],
  [`${BOM}${TOKEN}\r\n`, undefined, undefined],
  [`\r\n \t${TOKEN}\t \r\n\n`, undefined, undefined],
  [`${TOKEN}\n${TOKEN}\n`, /more than one line/, /more than one line/],
  [`# token\r\n${TOKEN}\r\n`, /more than one line/, /more than one line/],
  [`${TOKEN.slice(0, 9)}\r${TOKEN.slice(9)}`, /more than one line/, /more than one line/],
  [` ${TOKEN}`, undefined, undefined],
  [`${TOKEN} \n`, undefined, undefined],
  [`${TOKEN.slice(0, 9)} ${TOKEN.slice(9)}`, /24 characters/, /not only/],
  [`"${TOKEN}"`, /quotes/, /quotes/],
  [`'${TOKEN}'\n`, /quotes/, /quotes/],
  [TOKEN.toUpperCase(), /capital/, /not only/],
  [`token=${TOKEN}`, /other text/, /not only/],
  [`kubeadm join 10.0.0.1:6443 --token ${TOKEN}`, /other text/, /not only/],
  [Buffer.from(TOKEN).toString('base64'), /base64/, /not only/],
  ['token0.placeholder00000', /placeholder/, /not only/],
  [TOKEN.slice(0, -1), /22 characters/, /22 characters/],
  [`${TOKEN}0`, /24 characters/, /24 characters/],
  ['k3x9q2-7v1m0c8z4b6n5j2h', /6.*16/, /not only/],
];

const FEW = TEXTS.filter((_, index) => index > 0);

describe.each(TEXTS.map((row) => [JSON.stringify(row[0]), ...row] as const))('a token %s', (_, text, inProgram) => {
  it('in a program is accepted without what is around it, or refused with the reason', () => {
    if (inProgram === undefined) {
      expect(JoinToken.textOf(JoinToken.inline(text))).toBe(TOKEN);
      return;
    }
    let said = '';
    try {
      JoinToken.inline(text);
    } catch (error) {
      said = (error as Error).message;
    }
    expect(said).toMatch(inProgram);
    expect(said).not.toContain(SECRET);
    expect(said).not.toContain(SECRET.toUpperCase());
  });
});

const onMachine = process.platform === 'win32' ? it.skip : it;

onMachine('on the machine the same texts are accepted, or refused with the reason', () => {
  // all in one run of the shell, which takes its time to start
  const script = [
    'say() { echo "$*"; }',
    'token_from=it',
    'read_token() { :; }',
    SHELL['token.sh'],
    ...TEXTS.map(([text]) => {
      const octal = [...Buffer.from(text)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
      return `token=$(printf '${octal}'); get_token && echo "is a token: $(printf %s "$token" | cksum)"`;
    }),
  ];
  const { stdout, stderr } = spawnSync('sh', { input: script.join('\n'), encoding: 'utf8' });
  expect(stderr).toBe('');
  const said = stdout.trimEnd().split('\n');
  const isToken = said[0];
  expect(isToken).toMatch(/^is a token/);
  expect(said).toHaveLength(TEXTS.length);
  FEW.forEach(([, , expected], index) => {
    expect([TEXTS[index + 1]?.[0], said[index + 1]]).toEqual([
      TEXTS[index + 1]?.[0],
      expected === undefined ? isToken : expect.stringMatching(expected),
    ]);
  });
  expect(stdout).not.toMatch(new RegExp(SECRET, 'i'));
});

it('what is not text is named', () => {
  expect(() => JoinToken.inline(undefined as unknown as string)).toThrow(/there is no text.*environment variable/s);
  expect(() => JoinToken.inline(123456 as unknown as string)).toThrow(/a number/);
});

/** A name of something secret with its value, which is neither a variable nor a path. A folder of a remote or of a bucket may be called so. */
const SECRET_VALUE =
  /(?<![:/])(?:passw(?:or)?d|passphrase|secret|token|(?:access|account|api|secret|private)[_-]?key(?:[_-]id)?|credentials?|\b[A-Z]*PASS)["']?[=:]\s*["']?(?![\s"'$/]|\{file\}|$)/i;

/** A flag whose next word is a secret. */
const SECRET_FLAG =
  /^--?(?:[a-z\d]+-)*(?:pass|passw(?:or)?d|passphrase|secret|token|(?:access|account|api|secret)[_-]?key)$/i;

/** A URL with a password or with a signature, a header with a credential, a key of AWS. */
const SECRET_FORM =
  /:\/\/[^\s/@:]*:[^\s/@$]+@|[?&](?:sig|signature|x-(?:amz|goog)-(?:signature|security-token))=(?![&$]|$)|\b(?:bearer|basic)\s+(?!\$)[\w.~+/-]{8}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/i;

/** A program with a short flag for a secret, and what its value looks like then. */
const PROGRAMS: Readonly<Record<string, readonly [flag: RegExp, value: RegExp]>> = {
  curl: [/^(?:-[uU]|--user|--proxy-user)(?:=?(.+))?$/, /^[^\s:]*:(?!["']?\$)./],
  sshpass: [/^-p(.+)?$/, /^(?!["']?\$)./],
  swift: [/^-K(.+)?$/, /^(?!["']?\$)./],
  smbclient: [/^(?:-U|--user)(?:=?(.+))?$/, /^[^\s%]*%(?!["']?\$)./],
  lftp: [/^-u(.+)?$/, /^[^\s,]*,(?!["']?\$)./],
  ncftpput: [/^-p(.+)?$/, /^(?!["']?\$)./],
};

/** The indexes of the words of a command that look like a credential. A word with blanks is a command line itself, as that of `sh -c`. */
export function secretWords(words: readonly unknown[]): number[] {
  const found = new Set<number>();
  let before = '';
  let program: string | undefined;
  for (const [index, part] of words.flatMap((word, at) => partsOf(word).map((each) => [at, each] as const))) {
    const [flag, form] = (program === undefined ? undefined : PROGRAMS[program]) ?? [];
    const attached = flag?.exec(part)?.[1];
    if (
      SECRET_VALUE.test(part) ||
      SECRET_FORM.test(part) ||
      (SECRET_FLAG.test(before) && !/^[-$/]|\{file\}/.test(part)) ||
      (flag !== undefined && attached === undefined && flag.test(before) && form?.test(part) === true) ||
      (attached !== undefined && form?.test(attached) === true)
    ) {
      found.add(index);
    }
    // behind its own flags it has a program with flags of its own
    if (program === 'sshpass' && !part.startsWith('-') && flag?.test(before) !== true) {
      program = undefined;
    }
    before = part;
    const name = part.slice(part.lastIndexOf('/') + 1);
    program = Object.hasOwn(PROGRAMS, name) ? name : program;
  }
  // a header has its value behind a blank
  words.forEach((word, index) => {
    if (typeof word === 'string' && (SECRET_VALUE.test(word) || SECRET_FORM.test(word))) {
      found.add(index);
    }
  });
  return [...found].sort((a, b) => a - b);
}

/** The words of a command line, without its quotes. */
function partsOf(word: unknown): string[] {
  return typeof word !== 'string'
    ? []
    : /\s/.test(word)
      ? [...word.matchAll(/"([^"]*)"|'([^']*)'|([^\s"';|&]+)/g)].map(
          ([, double, single, plain]) => double ?? single ?? plain ?? '',
        )
      : [word];
}

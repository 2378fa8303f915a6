import { holdsOutput, type ProblemList } from '../errors.js';
import { whatIs } from '../validation/properties.js';

/**
 * Placeholder wherever the token is not written: in `joinConfiguration`, in hashes, and in files that get the token on the node. It has the format of a
 * token, so that kubeadm accepts the document. The script refuses to join with it.
 */
export const TOKEN_PLACEHOLDER = 'token0.placeholder00000';

// bootstrap-tokens: k8s.io/cluster-bootstrap/token/api
const TOKEN = /^[a-z0-9]{6}\.[a-z0-9]{16}$/;

const LENGTH = TOKEN_PLACEHOLDER.length;

/** A token without what files, commands, secret stores and editors put around it: line ends, blanks, a byte order mark. */
export function trimmedToken(text: string): string {
  return text.trim();
}

/** Whether a text has the format of a bootstrap token and is not the placeholder. */
export function isTokenText(value: unknown): value is string {
  return typeof value === 'string' && TOKEN.test(value) && value !== TOKEN_PLACEHOLDER;
}

/** Whether a text contains something in the format of a bootstrap token. */
export function holdsToken(text: string): boolean {
  return /(^|[^A-Za-z0-9])[a-z0-9]{6}\.[a-z0-9]{16}($|[^A-Za-z0-9])/.test(text.replaceAll(TOKEN_PLACEHOLDER, ''));
}

/** Checks the text of a token, trimmed; no message contains it. */
export function checkTokenText(value: unknown, problems: ProblemList): void {
  if (!isTokenText(value)) {
    const { wrong, hint } = typeof value === 'string' ? fault(value) : notText(value);
    problems.add(
      'EDGE_TOKEN',
      `this is not a bootstrap token: ${wrong} (value redacted)`,
      `${hint}a token is 6 and 16 characters of a to z and 0 to 9 with a '.' between them, as 'kubeadm token generate' prints`,
    );
  }
}

interface Fault {
  readonly wrong: string;
  readonly hint: string;
}

const FROM_ENVIRONMENT = 'set the environment variable, or look up why the secret store has no value; ';

function notText(value: unknown): Fault {
  return value === undefined || value === null
    ? { wrong: 'there is no text', hint: FROM_ENVIRONMENT }
    : { wrong: `it is ${whatIs(value)}, no text`, hint: '' };
}

/** The first fault of a text, in the order in which {@link TOKEN_TEXT_LINES} looks for it on the machine. */
function fault(text: string): Fault {
  const faults: readonly (readonly [boolean, string, string?])[] = [
    [
      holdsOutput(text),
      'it was made of an Output',
      "give the Output itself as token: config.requireSecret('joinToken'); ",
    ],
    [text === '', 'it is empty', FROM_ENVIRONMENT],
    [/[\r\n]/.test(text), 'it has more than one line', 'give only the line with the token; '],
    [/^["'`]|["'`]$/.test(text), 'there are quotes around it', 'remove the quotes; '],
    [holdsToken(text), 'there is other text around it', 'give only the token; '],
    [text === TOKEN_PLACEHOLDER, 'it is the placeholder of this library', 'give the token itself; '],
    [/^[A-Za-z0-9+/]{31}=$/.test(text), 'it looks like base64, as in the data of a Secret', 'decode it: base64 -d; '],
    [/[A-Z]/.test(text), 'it has capital letters'],
    [text.length !== LENGTH, `it has ${text.length} characters instead of ${LENGTH}`],
  ];
  const [, wrong = 'it is not 6 characters, a dot, and 16 characters', hint = ''] = faults.find(([is]) => is) ?? [];
  return { wrong, hint };
}

/** The placeholder as a word of a script, in two parts: a program that replaces the placeholder in the whole file does not change it. */
export const IS_PLACEHOLDER = TOKEN_PLACEHOLDER.split('.')
  .map((part, index) => `'${part}${index === 0 ? '.' : ''}'`)
  .join('');

const CHARACTER = '[a-z0-9]';
const PATTERN = `${CHARACTER.repeat(6)}.${CHARACTER.repeat(16)}`;

/** A shell function that checks whether a text is a token and not the placeholder. */
export const IS_TOKEN_LINES: readonly string[] = [
  'is_token() {',
  `  case $1 in ${PATTERN}) [ "$1" != ${IS_PLACEHOLDER} ] ;; *) false ;; esac`,
  '}',
];

/**
 * The same for the machine, as shell functions: `trim_token` takes off `$token` what is around it (line feeds at the end are gone by `$(…)`), `is_token`
 * checks a text, and `wrong_with` says what is wrong with it, never the text.
 */
export const TOKEN_TEXT_LINES: readonly string[] = [
  "cr=$(printf '\\r') lf=$(printf '\\nx') bom=$(printf '\\357\\273\\277')",
  'lf=${lf%x}',
  'trim_token() {',
  '  token=${token#"$bom"}',
  '  while :; do',
  '    case $token in [[:space:]]*) token=${token#?} ;; *[[:space:]]) token=${token%?} ;; *) break ;; esac',
  '  done',
  '}',
  ...IS_TOKEN_LINES,
  '',
  '# what is wrong with it; never the text itself',
  'wrong_with() {',
  '  case $1 in',
  `    '') echo 'it is empty or blank' ;;`,
  `    *"$lf"* | *"$cr"*) echo 'it has more than one line' ;;`,
  `    [\\"\\'\\\`]* | *[\\"\\'\\\`]) echo 'there are quotes around it' ;;`,
  `    ${IS_PLACEHOLDER}) echo 'it is the placeholder' ;;`,
  `    *[!A-Za-z0-9]${PATTERN} | ${PATTERN}[!A-Za-z0-9]*) echo 'there is other text around it' ;;`,
  `    *=) if [ \${#1} = 32 ]; then echo 'it looks like base64'; else echo 'it ends with ='; fi ;;`,
  `    *[A-Z]*) echo 'it has capital letters' ;;`,
  `    *) if [ \${#1} = ${LENGTH} ]; then echo 'it is not 6 characters, a dot, and 16 characters'; else echo "it has \${#1} characters instead of ${LENGTH}"; fi ;;`,
  '  esac',
  '}',
];

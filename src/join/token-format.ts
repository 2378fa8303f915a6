import { holdsOutput, type ProblemList, TOKEN_FORMAT, TOKEN_PLACEHOLDER } from '../base/errors.js';
import { whatIs } from '../base/properties.js';

const TOKEN = new RegExp(`^${TOKEN_FORMAT}$`);
const TOKEN_INSIDE = new RegExp(`(^|[^A-Za-z0-9])${TOKEN_FORMAT}($|[^A-Za-z0-9])`);

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
  return TOKEN_INSIDE.test(text.replaceAll(TOKEN_PLACEHOLDER, ''));
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
    : { wrong: `it is ${whatIs(value)}, not text`, hint: '' };
}

/** The first fault of a text. */
function fault(text: string): Fault {
  const faults: readonly (readonly [boolean, string, string?])[] = [
    [holdsOutput(text), 'it was made from an Output', 'give the Output itself as token; '],
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

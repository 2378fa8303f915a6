import {
  holdsOutput,
  type ProblemList,
  ProblemList as Problems,
  TOKEN_FORMAT,
  TOKEN_PLACEHOLDER,
} from '../base/errors.js';
import { checkBoolean, checkKnownProperties, quoted, showValue, whatIs } from '../base/properties.js';
import { isMap } from '../base/plain-data.js';
import { checkNamespace, checkObjectName } from '../kubernetes/names.js';
import { checkFactory, MADE } from '../base/factory.js';
import { refuseOutput } from '../base/property-table.js';
import { compute, isPulumiOutput, isUnknown, type Unknown, UNKNOWN_FACTS, WITH_FACTS } from '../base/unknown.js';
import { inProgram } from '../base/program-language.js';
import { isAbsolutePath, pathProblem } from './machine-path.js';

const TOKEN = new RegExp(`^${TOKEN_FORMAT}$`);
const TOKEN_INSIDE = new RegExp(`(^|[^A-Za-z0-9])${TOKEN_FORMAT}($|[^A-Za-z0-9])`);

const LENGTH = TOKEN_PLACEHOLDER.length;

/** A token without what files, commands, secret stores and editors put around it: line ends, blanks, a byte order
 * mark. */
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

/**
 * The key of a Secret that contains a join token.
 *
 * @category Join nodes
 */
export interface TokenSecret {
  /** Name of the Secret. */
  readonly name: string;
  /** Namespace of the Secret. */
  readonly namespace: string;
  /** Key in the Secret's data.
   * @default token */
  readonly key?: string;
}

/**
 * A bootstrap token with which a node joins, or a reference to one. Only `inline` contains the token. It never prints
 * the token: not as text, not as JSON, not in an error.
 *
 * @category Join nodes
 */
export class JoinToken {
  /**
   * The node reads the token from a file that must exist before it joins, for example written by the tool that installs
   * the machine.
   *
   * @param path absolute path on the node, on a disk: what is below /run is gone after a reboot, so no later boot could
   * join; the file contains only the token, white space and a byte order mark around it are ignored
   * @param options `removeAfterJoin` removes the file after the join; without it, the user has to remove the file
   * @throws {@link EdgeError} with EDGE_VALUE, EDGE_TYPE or EDGE_UNKNOWN_PROPERTY
   */
  public static fromFile(path: string, options: { readonly removeAfterJoin?: boolean } = {}): JoinToken {
    const problems = new Problems();
    if (!refuseOutput(path, problems.at('path'))) {
      checkTokenPath(path, problems.at('path'));
    }
    if (checkOptions(options, ['removeAfterJoin'], '{ removeAfterJoin: true }', problems.at('options'))) {
      checkBoolean(options.removeAfterJoin, problems.at('options', 'removeAfterJoin'));
    }
    problems.throwIfAny(inProgram('JoinToken.fromFile', 'token'));
    return new JoinToken(MADE, { kind: 'file', path, removeAfterJoin: options.removeAfterJoin === true });
  }

  /**
   * The node runs a command that prints the token. The command is not a secret: the files of the join contain it.
   *
   * @param command a command line for `sh`, or a program and its arguments
   * @param options `timeoutSeconds`, 1 to 3600, ends a command that takes longer, so that the join fails and is tried
   * again; it needs `timeout` of coreutils or busybox on the machine. Without it, a command that never ends stops the
   * join
   * @throws {@link EdgeError} with EDGE_MISSING, EDGE_TYPE, EDGE_TOKEN, EDGE_VALUE or EDGE_UNKNOWN_PROPERTY
   */
  public static fromCommand(
    command: string | readonly string[],
    options: { readonly timeoutSeconds?: number } = {},
  ): JoinToken {
    const problems = new Problems();
    if (!refuseOutput(command, problems.at('command'))) {
      checkTokenCommand(command, problems.at('command'));
    }
    const isKnown = checkOptions(options, ['timeoutSeconds'], '{ timeoutSeconds: 30 }', problems.at('options'));
    const { timeoutSeconds } = isKnown ? options : {};
    if (!refuseOutput(timeoutSeconds, problems.at('options', 'timeoutSeconds'))) {
      checkTimeout(timeoutSeconds, problems.at('options', 'timeoutSeconds'));
    }
    problems.throwIfAny(inProgram('JoinToken.fromCommand', 'token'));
    return new JoinToken(MADE, {
      kind: 'command',
      command: typeof command === 'string' ? command : [...command],
      ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
    });
  }

  /**
   * The token is in a Secret, and the program that delivers the file to the machine replaces the placeholder in the
   * file by it. An annotation of the published join names the Secret; the published join contains no token. The
   * delivered file contains the token and must be protected like the token.
   *
   * @param secret the Secret and its key
   * @throws {@link EdgeError} with EDGE_NAME, EDGE_MISSING, EDGE_TYPE or EDGE_UNKNOWN_PROPERTY
   */
  public static fromSecret(secret: TokenSecret): JoinToken {
    const problems = new Problems();
    if (refuseOutput(secret, problems)) {
      problems.throwIfAny(inProgram('JoinToken.fromSecret', 'token'));
    } else if (!isMap(secret)) {
      problems.add('EDGE_TYPE', 'secret must be a map', "write { name: 'join-token', namespace: 'kube-system' }");
    } else {
      checkKnownProperties(secret, ['name', 'namespace', 'key'], problems);
      checkObjectName(secret.name, problems.at('name'));
      checkNamespace(secret.namespace, problems.at('namespace'));
      if (secret.key !== undefined && !(typeof secret.key === 'string' && /^[-._A-Za-z0-9]{1,253}$/.test(secret.key))) {
        problems.at('key').add('EDGE_NAME', 'key is not a valid key of a Secret', "write 'token'");
      }
    }
    problems.throwIfAny(inProgram('JoinToken.fromSecret', 'token'));
    const { name, namespace, key = 'token' } = secret;
    return new JoinToken(MADE, { kind: 'secret', name, namespace, key });
  }

  /**
   * The token itself. The files of the join contain it. Read it from the environment or a secret store, not from source
   * code, and use a token with a short lifetime.
   *
   * @param value `abcdef.0123456789abcdef`: 6 and 16 characters of a to z and 0 to 9; white space around it is ignored
   * @throws {@link EdgeError} with EDGE_TOKEN; the message does not contain the value
   */
  public static inline(value: string): JoinToken {
    const problems = new Problems();
    if (isPulumiOutput(value)) {
      problems
        .at('value')
        .add(
          'EDGE_KNOWN_LATER',
          'an Output is not a plain token',
          'write token: output; it is always treated as a secret',
        );
    } else {
      checkTokenText(typeof value === 'string' ? trimmedToken(value) : value, problems.at('value'));
    }
    problems.throwIfAny(inProgram('JoinToken.inline', 'token'));
    return new JoinToken(MADE, { kind: 'inline' }, value);
  }

  /** An inline token with an unknown or unchecked text; the plan checks it. @internal */
  public static unchecked(text: string | Unknown): JoinToken {
    return new JoinToken(MADE, { kind: 'inline' }, text as string);
  }

  /** The text of an inline token, trimmed; undefined for a reference. It is not a property, so that nothing can print
   * it with the object. @internal */
  public static textOf(token: JoinToken): string | undefined {
    return compute(token.#text, (text) => (typeof text === 'string' ? trimmedToken(text) : text));
  }

  /** The text, while it is unknown. @internal */
  public readonly [UNKNOWN_FACTS]: Readonly<Record<string, unknown>>;

  /** Where it comes from. */
  public readonly kind: 'file' | 'command' | 'secret' | 'inline';

  /** @internal */
  public readonly source: TokenSource;

  readonly #text?: string;

  private constructor(made: typeof MADE, source: TokenSource, text?: string) {
    checkFactory(made, 'JoinToken', "JoinToken.fromFile('/var/lib/edge/join-token')");
    this.kind = source.kind;
    this.source = Object.freeze(source);
    this.#text = text;
    this[UNKNOWN_FACTS] = isUnknown(text) ? { text } : {};
    Object.freeze(this);
  }

  /** The same token with the text, which is known now. @internal */
  public [WITH_FACTS]({ text }: Readonly<Record<string, unknown>>): JoinToken {
    return JoinToken.unchecked(text as string);
  }

  /** `JoinToken from file /var/lib/edge/join-token`; never the token. */
  public toString(): string {
    switch (this.source.kind) {
      case 'file':
        return `JoinToken from file ${this.source.path}`;
      case 'command':
        return 'JoinToken from a command';
      case 'secret':
        return `JoinToken from Secret ${this.source.namespace}/${this.source.name}`;
      default:
        return 'JoinToken, inline';
    }
  }

  /** The same as {@link JoinToken.toString}. */
  public toJSON(): string {
    return this.toString();
  }
}

/** Where the token comes from, without the token. */
export type TokenSource =
  | { readonly kind: 'file'; readonly path: string; readonly removeAfterJoin: boolean }
  | {
      readonly kind: 'command';
      readonly command: string | readonly string[];
      readonly timeoutSeconds?: number;
    }
  | { readonly kind: 'secret'; readonly name: string; readonly namespace: string; readonly key: string }
  | { readonly kind: 'inline' };

/** Whether the node reads the token itself, so that no file of the join contains it. */
export function isOnNode({ kind }: TokenSource): boolean {
  return kind === 'file' || kind === 'command';
}

/** Whether the options of a source are a map. */
function checkOptions(options: unknown, known: readonly string[], example: string, problems: ProblemList): boolean {
  if (refuseOutput(options, problems)) {
    return false;
  }
  if (!isMap(options)) {
    problems.add('EDGE_TYPE', 'the options must be a map', `write ${example}`);
    return false;
  }
  checkKnownProperties(options, known, problems);
  return true;
}

function checkTokenPath(path: unknown, problems: ProblemList): void {
  if (isTokenText(path)) {
    problems.add(
      'EDGE_TOKEN',
      'this is a token, not the path of a file',
      `write ${inProgram('JoinToken.inline(…)', 'token, as a secret')}, or the path of a file`,
    );
  } else if (!isAbsolutePath(path)) {
    problems.add('EDGE_VALUE', `this ${pathProblem(path)}`, "write '/var/lib/edge/join-token'");
  }
}

function checkTimeout(seconds: unknown, problems: ProblemList): void {
  if (
    seconds !== undefined &&
    !(Number.isInteger(seconds) && (seconds as number) >= 1 && (seconds as number) <= 3600)
  ) {
    problems.add('EDGE_VALUE', `${showValue(seconds)} is not a whole number of seconds from 1 to 3600`, 'write 30');
  }
}

function checkTokenCommand(command: unknown, problems: ProblemList): void {
  const words: unknown[] = Array.isArray(command) ? command : [command];
  if (words.length === 0 || words[0] === '' || words[0] === undefined) {
    problems.add('EDGE_MISSING', 'the command is empty', "write 'vault kv get -field=token secret/join'");
  } else if (words.some((word) => typeof word !== 'string' || /\0|\p{Surrogate}/u.test(word))) {
    problems.add('EDGE_TYPE', 'a command must be text, or a list of text', "write ['cat', '/var/lib/edge/join-token']");
  } else if (words.some((word) => holdsToken(word as string))) {
    problems.add(
      'EDGE_TOKEN',
      'the command contains a token, and the files of the join contain the command (value redacted)',
      `write a command that reads the token from a secret store, or ${inProgram('JoinToken.inline(…)', 'token, as a secret')}`,
    );
  } else {
    refuseShellWords(command, problems);
  }
}

/** Refuses what only a shell would read, in a list of a program and its arguments, which no shell reads. */
export function refuseShellWords(command: unknown, problems: ProblemList): void {
  if (!Array.isArray(command) || !command.every((word) => typeof word === 'string')) {
    return;
  }
  const isLine = command.length === 1 && /^[\w.-]+ +\S/.test(command[0] ?? '');
  const operator = command.find((word) => /^(?:\||\|\||&&?|;|\d*>{1,2}|<)$/.test(word));
  if (isLine || operator !== undefined) {
    problems.add(
      'EDGE_VALUE',
      isLine
        ? `a list has a program and its arguments, and ${quoted(command[0])} is one word of it`
        : `a list has a program and its arguments, and no shell reads ${quoted(operator)}`,
      `write ${isLine ? `${JSON.stringify(command[0]?.split(/ +/))}, or ` : ''}one text, which sh reads: ${quoted(command.join(' '))}`,
    );
  }
}

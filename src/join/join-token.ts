import { type ProblemList, ProblemList as Problems } from '../errors.js';
import { isMap } from '../validation/plain-data.js';
import { checkNamespace, checkObjectName } from '../kubernetes/names.js';
import { checkBoolean, checkKnownProperties } from '../validation/properties.js';
import { type HoldsFacts, isUnknown, UNKNOWN_FACTS, type Unknown, WITH_FACTS } from '../validation/unknown.js';

/**
 * Where a controller finds a join token: a key of a Secret.
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
 * How a {@link JoinToken} is given.
 *
 * @category Join nodes
 */
export type JoinTokenKind = 'file' | 'command' | 'secret' | 'inline';

/**
 * Takes the place of the token wherever it is not written: in `joinConfiguration`, in hashes, and in files that get the token on the node. It has
 * the form of a token, so that kubeadm accepts the document; the script refuses to join with it.
 */
export const TOKEN_PLACEHOLDER = 'token0.placeholder00000';

// bootstrap-tokens: k8s.io/cluster-bootstrap/token/api
const TOKEN = /^[a-z0-9]{6}\.[a-z0-9]{16}$/;

/**
 * A token with which a node joins, or a reference to where the node finds it. Only `inline` holds a token itself, and it never shows it: not as
 * text, not as JSON, not in an error.
 *
 * @category Join nodes
 */
export class JoinToken implements HoldsFacts {
  /**
   * The node reads the token from a file that is there before it joins, for example put there by the tool that installs the machine.
   *
   * @param path absolute path on the node; the file holds the token and nothing else
   * @param options `removeAfterJoin` removes the file once the node has joined; without it the file is the user's to remove
   * @throws {@link EdgeError} with EDGE_VALUE, EDGE_TYPE or EDGE_UNKNOWN_PROPERTY
   */
  public static fromFile(path: string, options: { readonly removeAfterJoin?: boolean } = {}): JoinToken {
    const problems = new Problems();
    checkTokenPath(path, problems.at('path'));
    checkKnownProperties(options, ['removeAfterJoin'], problems.at('options'));
    checkBoolean(options.removeAfterJoin, problems.at('options', 'removeAfterJoin'));
    problems.throwIfAny('JoinToken.fromFile');
    return new JoinToken({ kind: 'file', path, removeAfterJoin: options.removeAfterJoin === true });
  }

  /**
   * The node runs a command that prints the token. The command is not a secret: the files hold it as it is.
   *
   * @param command a line for `sh`, or a program and its arguments
   * @throws {@link EdgeError} with EDGE_MISSING, EDGE_TYPE or EDGE_TOKEN
   */
  public static fromCommand(command: string | readonly string[]): JoinToken {
    const problems = new Problems();
    checkTokenCommand(command, problems.at('command'));
    problems.throwIfAny('JoinToken.fromCommand');
    return new JoinToken({ kind: 'command', command: typeof command === 'string' ? command : [...command] });
  }

  /**
   * A controller knows the token: whoever hands the file out replaces the placeholder in it by the value of a Secret. An annotation of the published
   * join names that Secret, and the published join holds no token; the file that is handed out then does, and must be kept like an inline token.
   *
   * @param secret where the token is
   * @throws {@link EdgeError} with EDGE_NAME, EDGE_MISSING, EDGE_TYPE or EDGE_UNKNOWN_PROPERTY
   */
  public static fromSecret(secret: TokenSecret): JoinToken {
    const problems = new Problems();
    if (!isMap(secret)) {
      problems.add('EDGE_TYPE', 'a Secret is named by a map', "write { name: 'join-token', namespace: 'kube-system' }");
    } else {
      checkKnownProperties(secret, ['name', 'namespace', 'key'], problems);
      checkObjectName(secret.name, problems.at('name'));
      checkNamespace(secret.namespace, problems.at('namespace'));
      if (secret.key !== undefined && !(typeof secret.key === 'string' && /^[-._A-Za-z0-9]{1,253}$/.test(secret.key))) {
        problems.at('key').add('EDGE_NAME', 'this is not a key of a Secret', "write 'token'");
      }
    }
    problems.throwIfAny('JoinToken.fromSecret');
    const { name, namespace, key = 'token' } = secret;
    return new JoinToken({ kind: 'secret', name, namespace, key });
  }

  /**
   * The token itself: the files of the join will hold it. Read it from the environment or a secret store, not from the source text, and give it a
   * short time to live.
   *
   * @param value `abcdef.0123456789abcdef`: six and sixteen of a to z and 0 to 9
   * @throws {@link EdgeError} with EDGE_TOKEN; the message does not hold the value
   */
  public static inline(value: string): JoinToken {
    const problems = new Problems();
    checkTokenText(value, problems.at('value'));
    problems.throwIfAny('JoinToken.inline');
    return new JoinToken({ kind: 'inline' }, value);
  }

  /** An inline token of which the text is unknown, or not checked yet: the check of a plan refuses other text. @internal */
  public static unchecked(text: string | Unknown): JoinToken {
    return new JoinToken({ kind: 'inline' }, text as string);
  }

  /** The token of an inline one; undefined of a reference. Not a property, so that nothing that prints objects finds it. @internal */
  public static textOf(token: JoinToken): string | undefined {
    return token.#text;
  }

  /** The text, while it is unknown. @internal */
  public readonly [UNKNOWN_FACTS]: Readonly<Record<string, unknown>>;

  /** How it is given. */
  public readonly kind: JoinTokenKind;

  /** @internal */
  public readonly source: TokenSource;

  readonly #text?: string;

  private constructor(source: TokenSource, text?: string) {
    this.kind = source.kind;
    this.source = Object.freeze(source);
    this.#text = text;
    this[UNKNOWN_FACTS] = isUnknown(text) ? { text } : {};
    Object.freeze(this);
  }

  /** The same token with the text that was unknown. @internal */
  public [WITH_FACTS]({ text }: Readonly<Record<string, unknown>>): JoinToken {
    return JoinToken.unchecked(text as string);
  }

  /** `JoinToken from file /run/edge/join-token`; never the token. */
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
  | { readonly kind: 'command'; readonly command: string | readonly string[] }
  | { readonly kind: 'secret'; readonly name: string; readonly namespace: string; readonly key: string }
  | { readonly kind: 'inline' };

/** Whether the node itself finds the token, so that no file of the join holds it. */
export function isOnNode({ kind }: TokenSource): boolean {
  return kind === 'file' || kind === 'command';
}

/** Whether a text has the form of a bootstrap token and is not the placeholder. */
export function isTokenText(value: unknown): value is string {
  return typeof value === 'string' && TOKEN.test(value) && value !== TOKEN_PLACEHOLDER;
}

/** Whether something in a text has the form of a bootstrap token. */
export function holdsToken(text: string): boolean {
  return /(^|[^A-Za-z0-9])[a-z0-9]{6}\.[a-z0-9]{16}($|[^A-Za-z0-9])/.test(text.replaceAll(TOKEN_PLACEHOLDER, ''));
}

/** Checks the text of a token; no message shows it. */
export function checkTokenText(value: unknown, problems: ProblemList): void {
  if (!isTokenText(value)) {
    const seen = typeof value === 'string' ? `text of ${value.length} characters` : `no text`;
    problems.add(
      'EDGE_TOKEN',
      `this is ${seen} and not a bootstrap token (value redacted)`,
      "write six and sixteen of a to z and 0 to 9 with a '.' between, as 'kubeadm token generate' prints",
    );
  }
}

/** An absolute path without anything that a shell or a file system would read as more than a name. */
export function isAbsolutePath(path: unknown): path is string {
  return typeof path === 'string' && /^(\/[A-Za-z0-9._@:+=,-]+)+$/.test(path) && !/\/\.\.?(\/|$)/.test(path);
}

function checkTokenPath(path: unknown, problems: ProblemList): void {
  if (isTokenText(path)) {
    problems.add(
      'EDGE_TOKEN',
      'this is a token, not the path of a file',
      'write JoinToken.inline(…), or the path of a file',
    );
  } else if (!isAbsolutePath(path)) {
    problems.add('EDGE_VALUE', 'this is not an absolute path', "write '/run/edge/join-token'");
  }
}

function checkTokenCommand(command: unknown, problems: ProblemList): void {
  const words: unknown[] = Array.isArray(command) ? command : [command];
  if (words.length === 0 || words[0] === '' || words[0] === undefined) {
    problems.add('EDGE_MISSING', 'there is no command', "write 'vault kv get -field=token secret/join'");
  } else if (words.some((word) => typeof word !== 'string' || word.includes('\0'))) {
    problems.add('EDGE_TYPE', 'a command is text, or a list of words', "write ['cat', '/run/edge/join-token']");
  } else if (words.some((word) => holdsToken(word as string))) {
    problems.add(
      'EDGE_TOKEN',
      'the command holds a token, and every file of the join holds the command (value redacted)',
      'write a command that reads the token from where it is kept, or JoinToken.inline(…)',
    );
  }
}

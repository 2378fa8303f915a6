import { EdgeError, type EdgeProblem } from '../errors.js';

/** A secret value of the arguments, as it became known. */
export interface KnownSecret {
  /** Path in the arguments, as problems name it. */
  readonly path: string;
  readonly value: unknown;
}

/** An error without what it says about secret values: what is thrown ends up on the screen and in logs of the CI, where Pulumi hides nothing. */
export function withoutSecrets(error: EdgeError, secrets: readonly KnownSecret[]): EdgeError {
  const tells = (problem: EdgeProblem): boolean =>
    secrets.some((secret) => concerns(problem, secret) || holds(problem, secret));
  return new EdgeError(
    error.subject,
    error.problems.map((problem) => (tells(problem) ? { ...problem, ...hidden(problem) } : problem)),
  );
}

function concerns({ path }: EdgeProblem, secret: KnownSecret): boolean {
  const inside = (outer: string, inner: string): boolean =>
    outer === inner || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`);
  return inside(path, secret.path) || inside(secret.path, path);
}

function holds({ message, hint }: EdgeProblem, { value }: KnownSecret): boolean {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? '');
  // messages quote text as JSON does
  const forms = [text, JSON.stringify(text).slice(1, -1)].filter((form) => form !== '');
  return forms.some((form) => message.includes(form) || hint.includes(form));
}

function hidden({ code }: EdgeProblem): Pick<EdgeProblem, 'message' | 'hint'> {
  return {
    message: 'this is refused because of a secret value, which is not shown',
    hint: `look up ${code}, or try the same with a value that is not secret`,
  };
}

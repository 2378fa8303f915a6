import * as pulumi from '@pulumi/pulumi';
import { EdgeError, type EdgeProblem, isAboutUnknown } from '../errors.js';

/** An EdgeError as the engine shows errors of arguments: all of them at once, each at its property. */
function inputErrors(error: EdgeError): pulumi.InputPropertiesError {
  return new pulumi.InputPropertiesError({
    message: error.message,
    errors: error.problems.map(({ code, path, message, hint }) => ({
      propertyPath: path,
      reason: `${code}: ${message}; ${hint}`,
    })),
  });
}

/** Runs something that finds problems of arguments, and throws them as the engine shows them. */
export function withInputErrors<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw asInputErrors(error);
  }
}

/** An error as the engine shows it. */
export function asInputErrors(error: unknown): unknown {
  return error instanceof EdgeError ? inputErrors(error) : error;
}

/** A secret value of the arguments. */
export interface KnownSecret {
  /** Path in the arguments, as problems name it. */
  readonly path: string;
  readonly value: unknown;
}

/** An error without what it says about secret values: what is thrown ends up on the screen and in logs of the CI, where Pulumi hides nothing. */
export function withoutSecrets(error: EdgeError, secrets: readonly KnownSecret[]): EdgeError {
  return new EdgeError(
    error.subject,
    error.problems.map((problem) =>
      tellsSecret(problem, secrets)
        ? {
            ...problem,
            message: 'this is refused because of a secret value (value redacted)',
            hint: `look up ${problem.code}, or try the same with a value that is not secret`,
          }
        : problem,
    ),
  );
}

/** Whether a problem or a warning is about a secret value, or shows one. */
export function tellsSecret(problem: EdgeProblem, secrets: readonly KnownSecret[]): boolean {
  return secrets.some((secret) => isAboutUnknown(problem.path, [secret.path]) || shows(problem, secret));
}

function shows({ message, hint }: EdgeProblem, { value }: KnownSecret): boolean {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? '');
  // messages quote text as JSON does
  const forms = [text, JSON.stringify(text).slice(1, -1)].filter((form) => form !== '');
  return forms.some((form) => message.includes(form) || hint.includes(form));
}

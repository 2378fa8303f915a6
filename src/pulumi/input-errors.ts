import { inspect } from 'node:util';
import * as pulumi from '@pulumi/pulumi';
import type { PlannedWarning } from '../cluster/plan.js';
import { EdgeError, type EdgeProblem, inBrief, isAboutUnknown, seeLine, userFrame } from '../base/errors.js';

/** An EdgeError as an InputPropertiesError: the engine shows all problems, each with its property path. */
function inputErrors(error: EdgeError): pulumi.InputPropertiesError {
  const problems = error.problems.map((problem) => asOption(problem, error.subject));
  const { message } = new EdgeError(error.subject, problems);
  const shown = new pulumi.InputPropertiesError({
    message,
    errors: problems.map(inBrief).map(({ code, path, message, hint }) => ({
      propertyPath: path,
      reason: `${code}: ${message}; ${hint}`,
    })),
  });
  const frame = userFrame(error.stack ?? '') ?? userFrame(shown.stack ?? '');
  shown.stack = [`${error.name}: ${message}`, seeLine(error.problems), frame].filter(Boolean).join('\n');
  return printable(shown);
}

/** Options of a component: those of ComponentResourceOptions of the SDK that a program gives. */
const OPTIONS: readonly string[] = [
  'aliases',
  'customTimeouts',
  'deletedWith',
  'dependsOn',
  'hooks',
  'ignoreChanges',
  'parent',
  'protect',
  'provider',
  'providers',
  'replaceOnChanges',
  'retainOnDelete',
  'transformations',
  'transforms',
];

/** The hint for an option that is among the properties. */
function asOption(problem: EdgeProblem, subject: string): EdgeProblem {
  const { code, path } = problem;
  const [kind = '', ...name] = subject.split(' ');
  return code === 'EDGE_UNKNOWN_PROPERTY' && name.length > 0 && OPTIONS.includes(path)
    ? {
        ...problem,
        hint: `it is an option of Pulumi: write new ${kind}('${name.join(' ')}', {…}, { ${path}: … })`,
      }
    : problem;
}

/** Runs a function, and throws its EdgeError as an InputPropertiesError. */
export function withInputErrors<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw asInputErrors(error);
  }
}

/** An EdgeError as an InputPropertiesError; any other error unchanged. */
export function asInputErrors(error: unknown): unknown {
  return error instanceof EdgeError ? inputErrors(error) : error;
}

/**
 * An error that is printed as its stack, without the frames of the Pulumi SDK. By its source maps they are at `node_modules/@pulumi/output.ts`, and on
 * such a path `util.inspect` of Node.js 20 and 22, with which Pulumi prints an unhandled error, never ends and takes all memory. Its fields and the
 * promise that Pulumi adds would only repeat the message.
 */
export function printable<E>(error: E): E {
  if (error instanceof Error && error.stack !== undefined) {
    const stack = error.stack
      .split('\n')
      .filter((line) => !/^ +at .*[\\/]node_modules[\\/]@pulumi[\\/]/.test(line))
      .join('\n');
    error.stack = stack;
    Object.defineProperty(error, inspect.custom, { configurable: true, value: () => stack });
  }
  return error;
}

/** A secret value in the arguments. */
export interface KnownSecret {
  /** Path in the arguments, as in problems. */
  readonly path: string;
  readonly value: unknown;
}

/** An error with secret values redacted: errors are printed to the terminal and CI logs, where Pulumi does not mask secrets. */
export function withoutSecrets(error: EdgeError, secrets: readonly KnownSecret[]): EdgeError {
  return new EdgeError(
    error.subject,
    error.problems.map((problem) =>
      revealsSecret(problem, secrets)
        ? {
            ...problem,
            message: 'invalid, depending on a secret value (value redacted)',
            hint: `look up ${problem.code}, or try a value that is not secret`,
          }
        : problem,
    ),
  );
}

/** Whether a problem or a warning is about a secret value, or quotes one. */
export function revealsSecret(problem: EdgeProblem | PlannedWarning, secrets: readonly KnownSecret[]): boolean {
  const paths = [problem.path, ...(('reads' in problem ? problem.reads : undefined) ?? [])];
  return secrets.some((secret) => paths.some((path) => isAboutUnknown(path, [secret.path])) || shows(problem, secret));
}

function shows({ message, hint }: EdgeProblem, { value }: KnownSecret): boolean {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? '');
  // messages quote text as JSON does
  const forms = [text, JSON.stringify(text).slice(1, -1)].filter((form) => form !== '');
  return forms.some((form) => message.includes(form) || hint.includes(form));
}

import type { EdgeCode } from '../base/error-codes.js';
import { EdgeError, type EdgeProblem } from '../base/errors.js';
import { isOutput } from './outputs.js';
import { whatIs } from '../base/properties.js';
import { MUST_BE_PLAIN } from '../base/property-table.js';

/** A map of arguments. */
export type Data = Readonly<Record<string, unknown>>;

/** Collects the problems of arguments, each with its path. */
export class Conversion {
  private readonly problems: EdgeProblem[] = [];

  /** What a function makes of an argument; undefined if the argument is absent or refused. */
  public made<Out>(path: string, value: unknown, make: (value: unknown) => Out): Out | undefined {
    if (value === undefined || value === null) {
      return undefined;
    }
    if (isOutput(value)) {
      this.problems.push({ code: 'EDGE_KNOWN_LATER', path, ...MUST_BE_PLAIN });
      return undefined;
    }
    try {
      return make(value);
    } catch (error) {
      if (!(error instanceof EdgeError)) {
        throw error;
      }
      // its names are those of a function that the program does not call
      const below = (inner: string): string => (/^(\w+\.)?(path|command|value|secret)\b/.test(inner) ? '' : inner);
      this.problems.push(
        ...error.problems.map((problem) => ({
          ...problem,
          path: [path, below(problem.path)].filter((part) => part !== '').join('.'),
        })),
      );
      return undefined;
    }
  }

  /** The items of a list, each made by a function that collects its problems. */
  public list<Out>(path: string, items: unknown, make: (item: unknown, path: string) => Out | undefined): Out[] {
    const made =
      this.made(path, items, (given) => {
        if (!Array.isArray(given)) {
          refuse('EDGE_TYPE', `this is ${whatIs(given)}, not a list`, 'write a list');
        }
        return given.map((item: unknown, index) => make(item, `${path}[${index}]`));
      }) ?? [];
    return made.filter((one) => one !== undefined);
  }

  public throwIfAny(subject: string): void {
    if (this.problems.length > 0) {
      throw new EdgeError(subject, this.problems);
    }
  }
}

/** Without arguments that another language leaves out: they arrive as null or undefined. */
export function present(args: object): Data {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined && value !== null));
}

/** @throws {@link EdgeError} with one problem about the whole argument */
export function refuse(code: EdgeCode, message: string, hint: string): never {
  throw new EdgeError('', [{ code, path: '', message, hint }]);
}

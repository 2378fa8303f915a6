import { ProblemList } from './errors.js';

/** The first argument of constructors that only the factory methods of their class call. */
export const MADE = Symbol('by a factory method');

/**
 * Refuses `new` for a class with factory methods: TypeScript knows that its constructor is private, JavaScript does not.
 *
 * @param hint the factory method to call
 * @throws {@link EdgeError} with EDGE_TYPE
 */
export function checkFactory(made: unknown, name: string, hint: string): void {
  if (made !== MADE) {
    const problems = new ProblemList();
    problems.add('EDGE_TYPE', `the constructor of ${name} is not for programs`, `write ${hint}`);
    problems.throwIfAny(name);
  }
}

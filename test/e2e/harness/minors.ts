/**
 * E2E_MINORS=1.36 runs only what needs servers of these minors of Kubernetes, as .ci/run does: each further minor is ten minutes of compiling. Without it
 * everything runs.
 */
const CHOSEN = process.env.E2E_MINORS?.split(',');

/** The rows of a table whose minor is chosen. */
export function ofChosenMinors<Row>(rows: readonly Row[], minorOf: (row: Row) => string): Row[] {
  return rows.filter((row) => CHOSEN?.includes(minorOf(row)) ?? true);
}

/** Whether servers of all minors run. */
export const runsAllMinors = CHOSEN === undefined;

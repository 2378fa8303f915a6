import { EdgeError } from '../../errors.js';

/** The streams that a command reads and writes. */
export interface CommandLine {
  readonly stdin: () => string;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

/** Exit codes: nothing to do or all done, gaps found, and input that is invalid or unreadable. */
export const EXIT = { ok: 0, gaps: 1, unusable: 2 } as const;

/** An invalid command line; the message has the fix. */
export class UsageError extends Error {}

/** Runs a command; invalid input is reported on stderr, with exit code 2. */
export function guarded(line: CommandLine, run: () => number): number {
  try {
    return run();
  } catch (error) {
    if (error instanceof EdgeError || error instanceof UsageError || isFileError(error)) {
      line.stderr(`${error.message}\n`);
      return EXIT.unusable;
    }
    throw error;
  }
}

function isFileError(error: unknown): error is Error {
  return typeof (error as NodeJS.ErrnoException | undefined)?.syscall === 'string';
}

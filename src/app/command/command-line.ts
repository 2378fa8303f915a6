import { EdgeError } from '../../errors.js';

/** What a command reads and writes. */
export interface CommandLine {
  readonly stdin: () => string;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

/** Exit codes: nothing to do or all done, gaps found, and what was given could not be used or read. */
export const EXIT = { ok: 0, gaps: 1, unusable: 2 } as const;

/** A command line that can not be used; the message says what to write. */
export class UsageError extends Error {}

/** Runs a command; what it can not use is told on stderr and is exit code 2. */
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

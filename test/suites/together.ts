import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..', '..');

/** The test files in a folder and below, in the order of their names. */
export function testFilesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .sort()
    .map((file) => join(folder, file));
}

/**
 * Runs the test files of folders in one suite. Jest loads the library and its packages anew for every suite: with a suite for each file, `npm test` takes a
 * third more CPU time. The environment of a suite is that of all its files.
 */
export function together(...folders: readonly string[]): void {
  for (const file of folders.flatMap(testFilesBelow)) {
    describe(file, () => {
      jest.requireActual(join(root, file));
      afterAll(() => jest.restoreAllMocks());
    });
  }
}

// node scripts/run.mjs <command> [arguments]: installs what is needed, then runs the command of a dependency.
import { ensureInstalled, runBin } from './install.mjs';

const [command, ...args] = process.argv.slice(2);
ensureInstalled();
if (command === 'jest') {
  // a larger young generation: fewer garbage collections, a tenth of the CPU time
  process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ''} --max-semi-space-size=64`.trim();
  // all tests: in few suites; those of some files: as they are
  if (args.every((argument) => argument.startsWith('-'))) {
    args.push('--testMatch', '<rootDir>/test/suites/*.suite.ts', '<rootDir>/test/*.test.ts');
  }
}
runBin(command, args);

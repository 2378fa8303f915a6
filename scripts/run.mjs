// node scripts/run.mjs <command> [arguments]: installs what is needed, then runs the command of a dependency.
import { ensureInstalled, runBin } from './install.mjs';

const [command, ...args] = process.argv.slice(2);
ensureInstalled();
runBin(command, args);

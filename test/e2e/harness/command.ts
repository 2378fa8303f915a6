// The command of this library from its sources, for programs that start it.
import { main } from '../../../src/cli/main.js';

process.exitCode = main(process.argv.slice(2));

// npm run docs: writes API.md, the API report and the generated regions, and checks every code block.
// npm run docs:check: writes none of them, and fails when one is stale.
import { ensureInstalled } from './install.mjs';

ensureInstalled();
// A static import would need the dependencies before they are installed.
const { docs } = await import('./docs/main.mjs');
process.exitCode = (await docs({ check: process.argv.includes('--check') })) ? 0 : 1;

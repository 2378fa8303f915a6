const { rmSync } = require('node:fs');
const { dirname } = require('node:path');

/** Removes the folder of global-setup.cjs. A watching Jest makes another one for its next run. */
module.exports = () => {
  const folder = process.env.TMPDIR;
  process.env.TMPDIR = dirname(folder);
  rmSync(folder, { recursive: true, force: true });
};

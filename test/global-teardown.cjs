const { rmSync } = require('node:fs');

/** Removes the folder of global-setup.cjs. */
module.exports = () => rmSync(process.env.TMPDIR, { recursive: true, force: true });

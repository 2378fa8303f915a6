// What tsx and jest do with files of src that are texts: shell, and the page of a fleet. The build has its own word for it (build.mjs).
const { readFileSync } = require('node:fs');
const Module = require('node:module');
const { sep } = require('node:path');

const isText = (file) =>
  /\.(sh|html)$/.test(file) || (file.endsWith('.js') && file.includes(`${sep}src${sep}fleet${sep}`));

/** For jest: a transform. */
module.exports = { process: (text) => ({ code: `module.exports = ${JSON.stringify(text)};` }) };

/** For tsx: `tsx --require ./scripts/texts.cjs`. */
for (const extension of ['.sh', '.html', '.js']) {
  const before = Module._extensions[extension];
  Module._extensions[extension] = (module, file) => {
    if (isText(file)) module.exports = readFileSync(file, 'utf8');
    else before(module, file);
  };
}

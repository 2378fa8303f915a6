#!/usr/bin/env node
const { main } = require('../lib/cli/main.js');

process.stdout.on('error', (error) => {
  // who reads may stop before the end: edge-nodepools post-render | head
  if (error.code === 'EPIPE') {
    process.exit();
  }
  process.stderr.write(`the output cannot be written: ${error.message}\n`);
  process.exit(2);
});
// nobody reads the warnings
process.stderr.on('error', () => {});

process.exitCode = main(process.argv.slice(2));

#!/usr/bin/env node
const { main } = require('../lib/app/command/main.js');

// who reads may stop before the end: edge-nodepools post-render | head
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') {
    throw error;
  }
  process.exit();
});

process.exitCode = main(process.argv.slice(2));

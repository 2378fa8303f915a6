#!/usr/bin/env node
const { main } = require('../lib/app/command/main.js');

process.exitCode = main(process.argv.slice(2));

const { mkdtempSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

/** Says before the first test which depth runs, and gives all tests one temporary folder: cdk8s' `Testing.app` makes one for each app, and leaves it. */
module.exports = () => {
  const isFull = process.env.EDGE_NODEPOOLS_TEST_DEPTH === 'full';
  process.stdout.write(
    `\nproperty tests: ${isFull ? 'full depth' : 'a twentieth of the samples; without cdk8s-cli, the schema of the Pulumi plugin and the docstrings of all exports (all: EDGE_NODEPOOLS_TEST_DEPTH=full npm test)'}\n`,
  );
  process.env.TMPDIR = mkdtempSync(join(tmpdir(), 'edge-nodepools-tests-'));
};

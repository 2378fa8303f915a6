/** Says before the first test which depth runs. */
module.exports = () => {
  const isFull = process.env.EDGE_NODEPOOLS_TEST_DEPTH === 'full';
  process.stdout.write(
    `\nproperty tests: ${isFull ? 'full depth' : 'a twentieth of the samples; without cdk8s-cli, the schema of the Pulumi plugin and the docstrings of all exports (all: EDGE_NODEPOOLS_TEST_DEPTH=full npm test)'}\n`,
  );
};

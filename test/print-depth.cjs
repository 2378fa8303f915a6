/** Says before the first test which depth runs. */
module.exports = () => {
  const isFull = process.env.EDGE_NODEPOOLS_TEST_DEPTH === 'full';
  process.stdout.write(
    `\nproperty tests: ${isFull ? 'full depth' : 'a twentieth of the samples (all of them: EDGE_NODEPOOLS_TEST_DEPTH=full npm test)'}\n`,
  );
};

// Helm 4 starts this with the arguments of --post-renderer-args. The name of the subcommand, which Helm 3 needs there, may be the first of them: the same
// command line is right for both.
const [node, file, ...given] = process.argv;
process.argv = [node, file, 'post-render', ...(given[0] === 'post-render' ? given.slice(1) : given)];
// Helm 4 fails if it gets nothing back, also for a chart that renders nothing
process.stdout.write('---\n');
require('../../bin/edge-nodepools.js');

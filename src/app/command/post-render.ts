import { explainProblem, ProblemList } from '../../errors.js';
import { EdgeCluster } from '../../cluster/edge-cluster.js';
import { postRender } from '../../workloads/post-render.js';
import { KUBERNETES_MINORS } from '../../cluster/releases.js';
import { type CommandLine, EXIT, optionsOf } from './command-line.js';

const OPTIONS = {
  openyurt: { type: 'string' },
  kubernetes: { type: 'string' },
  'allow-newer': { type: 'boolean' },
  only: { type: 'string', multiple: true },
  skip: { type: 'string', multiple: true },
} as const;

/** `edge-nodepools post-render`: manifests from stdin to stdout, their workloads kept off host-network nodes. */
export function runPostRender(args: readonly string[], line: CommandLine): number {
  const { openyurt, kubernetes, only, skip, 'allow-newer': allowNewer = false } = optionsOf(args, OPTIONS);
  // what is written is the same for every release; the releases only decide what is warned of
  const newest = KUBERNETES_MINORS[KUBERNETES_MINORS.length - 1]?.minor as string;
  const cluster = EdgeCluster.of({ openYurt: openyurt ?? 'none', kubernetes: kubernetes ?? newest, allowNewer });
  const problems = new ProblemList();
  const { text, warnings } = postRender(line.stdin(), { cluster, only, skip }, problems);
  problems.throwIfAny('post-render');
  warnings.forEach((warning) => line.stderr(`warning:\n${explainProblem(warning)}\n`));
  line.stdout(text);
  return EXIT.ok;
}

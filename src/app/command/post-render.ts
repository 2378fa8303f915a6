import { summaries } from '../../cluster/warning-summary.js';
import { ProblemList } from '../../errors.js';
import { EdgeCluster } from '../../cluster/edge-cluster.js';
import { postRender } from '../../workloads/post-render.js';
import { KUBERNETES_MINORS } from '../../cluster/kubernetes-minors.js';
import { type CommandLine, EXIT, inFlags } from './command-line.js';

interface Options {
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly openyurt: string;
  readonly kubernetes?: string;
  readonly allowNewer?: boolean;
}

/** `edge-nodepools post-render`: reads manifests from stdin, excludes their workloads from host-network nodes, and writes them to stdout. */
export function runPostRender(
  { openyurt, kubernetes, only, skip, allowNewer = false }: Options,
  line: CommandLine,
): number {
  // the output is the same for every release; releases only determine the warnings
  const newest = KUBERNETES_MINORS[KUBERNETES_MINORS.length - 1]?.minor as string;
  const cluster = EdgeCluster.of({ openYurt: openyurt, kubernetes: kubernetes ?? newest, allowNewer });
  const problems = new ProblemList();
  const { text, warnings } = postRender(line.stdin(), { cluster, only, skip }, problems);
  problems.throwIfAny('post-render');
  summaries(warnings.map(inFlags), '').forEach((entry) => line.stderr(`${entry}\n`));
  line.stdout(text);
  return EXIT.ok;
}

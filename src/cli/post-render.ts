import type { Command } from 'commander';
import { summaries } from '../cluster/warning-summary.js';
import type { EdgeCode } from '../base/error-codes.js';
import { ProblemList } from '../base/errors.js';
import { EdgeCluster } from '../cluster/edge-cluster.js';
import { postRender } from '../workloads/post-render.js';
import { KUBERNETES_MINORS } from '../cluster/kubernetes-minors.js';
import { allowNewer, eachText, hostNetworkLabel, kubernetes, openyurt } from './options.js';
import { type Action, type CommandLine, EXIT, hostNetworkLabelOf, inFlags, UsageError } from './command-line.js';
import { checkTemplatePaths } from '../kubernetes/pod-places.js';

interface Options {
  readonly only?: readonly string[];
  readonly skip?: readonly string[];
  readonly podTemplatePath?: readonly string[];
  readonly strict?: boolean;
  readonly openyurt: string;
  readonly kubernetes?: string;
  readonly allowNewer?: boolean;
  readonly hostNetworkLabel?: string;
  readonly labelExcludedPods?: boolean;
}

/** Warnings with which `--strict` fails: Pods may run on host-network nodes, or a name is misspelt. */
const STRICT_CODES: readonly EdgeCode[] = ['EDGE_NOT_EXCLUDED', 'EDGE_AFFINITY_DROPPED', 'EDGE_MATCHES_NOTHING'];

/** `edge-nodepools post-render`: reads manifests from stdin, excludes their workloads from host-network nodes, and writes them to stdout. */
function runPostRender(
  {
    hostNetworkLabel,
    openyurt,
    kubernetes,
    only,
    skip,
    podTemplatePath = [],
    strict = false,
    allowNewer = false,
    labelExcludedPods = false,
  }: Options,
  line: CommandLine,
): number {
  // the output is the same for every release, except for a label of their own; releases only determine the warnings
  const newest = KUBERNETES_MINORS[KUBERNETES_MINORS.length - 1]?.minor as string;
  const cluster = EdgeCluster.of({
    openYurt: openyurt,
    kubernetes: kubernetes ?? newest,
    allowNewer,
    ...hostNetworkLabelOf(hostNetworkLabel),
    labelsExcludedPods: labelExcludedPods,
  });
  const problems = new ProblemList();
  const podTemplatePaths = pathsByKind(podTemplatePath);
  const options = new ProblemList('--pod-template-path');
  checkTemplatePaths(podTemplatePaths, options);
  options.throwIfAny('post-render');
  const stdin = line.stdin();
  if (stdin.trim() === '') {
    line.stderr(
      'post-render: stdin is empty, so nothing is excluded; write helm template … | npx edge-nodepools post-render\n',
    );
  }
  const { text, warnings } = postRender(stdin, { cluster, only, skip, podTemplatePaths }, problems);
  problems.throwIfAny('post-render');
  summaries(warnings.map(inFlags), '').forEach((entry) => line.stderr(`${entry}\n`));
  if (strict && warnings.some(({ code }) => STRICT_CODES.includes(code))) {
    line.stderr('post-render: nothing is written, because of a warning and --strict\n');
    return EXIT.findings;
  }
  (line.manifests ?? line.stdout)(text);
  return EXIT.ok;
}

/** `Kind.group=path`, several times for several paths. */
function pathsByKind(options: readonly string[]): Record<string, string[]> {
  const paths = new Map<string, string[]>();
  for (const option of options) {
    const [kind = '', ...path] = option.split('=');
    if (path.length === 0 && /^[a-z]/.test(kind)) {
      throw new UsageError(
        `--pod-template-path ${option} has no kind; write the kind and its API group before the path: Worker.example.com=${option}`,
      );
    }
    if (path.length === 0) {
      throw new UsageError(`--pod-template-path ${option} has no path; write ${option}=spec.template`);
    }
    paths.set(kind, [...(paths.get(kind) ?? []), path.join('=')]);
  }
  return Object.fromEntries(paths);
}

const RENDERED = `
Exit code 0: the manifests were written; warnings are on stderr. 1: with
--strict, a warning says that Pods may not be excluded, and nothing was written.
2: an option or a manifest is invalid, and nothing was written.

Helm 3 gives no hooks to a post-renderer. Helm 4 does, and takes the plugin of
this package; see docs/post-render.md.`;

/** The options of `edge-nodepools post-render`. */
export function addPostRender(program: Command, action: Action): void {
  program
    .command('post-render')
    .description('excludes the workloads in manifests from host-network nodes (stdin to stdout)')
    .option('--only <Kind or Kind/name>', 'only these workloads; repeatable', eachText)
    .option('--skip <Kind or Kind/name>', 'not these workloads; repeatable', eachText)
    .option(
      '--pod-template-path <Kind=path>',
      "where a kind has its Pod template, for example 'Worker.example.com=spec.template'; repeatable",
      eachText,
    )
    .option('--strict', 'print nothing and exit with 1 if a warning says that Pods may not be excluded')
    .addOption(openyurt().default('none'))
    .addOption(kubernetes('the newest known'))
    .addOption(allowNewer())
    .addOption(hostNetworkLabel())
    .option('--label-excluded-pods', 'also the label of a cluster with labelsExcludedPods (docs/admission.md)')
    .addHelpText('after', RENDERED)
    .action(action(runPostRender));
}

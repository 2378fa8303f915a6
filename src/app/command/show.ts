import { fleetOverview, overviewText } from '../../placement/fleet-overview.js';
import { fleetPicture } from '../../placement/fleet-picture.js';
import { readState } from '../../preconditions/cluster-state.js';
import { ProblemList } from '../../errors.js';
import { type CommandLine, EXIT, hostNetworkLabelOf, UsageError } from './command-line.js';
import { filesAt } from './read-files.js';

export const FORMATS = ['text', 'json', 'svg'] as const;

interface Options {
  readonly format: (typeof FORMATS)[number];
  readonly nodes?: readonly string[];
  readonly nodePoolLabel?: string;
  readonly hostNetworkLabel?: string;
}

/** `edge-nodepools show`: which workloads run on the nodes of which pools, and why not. */
export function runShow(from: string, options: Options, line: CommandLine): number {
  const problems = new ProblemList();
  const { objects } = readState(filesAt(from, 'show', undefined, line), problems);
  problems.throwIfAny('show');
  const counts = new Map((options.nodes ?? []).map(countOf));
  const overview = fleetOverview(objects, counts, {
    nodePoolLabel: options.nodePoolLabel,
    ...hostNetworkLabelOf(options.hostNetworkLabel),
  });
  const pools = overview.groups.flatMap((group) => group.pools);
  if (pools.length === 0) {
    throw new UsageError(
      `there is no NodePool and no Node in ${from}; write the folder with the output of cdk8s synth, or a dump: kubectl get nodes,nodepools.apps.openyurt.io,deployments,daemonsets,statefulsets --all-namespaces --output=yaml`,
    );
  }
  const unknown = [...counts.keys()].find((pool) => !pools.includes(pool));
  if (unknown !== undefined) {
    throw new UsageError(`--nodes ${unknown}: there is no such pool; there are ${pools.join(', ')}`);
  }
  const { format } = options;
  line.stdout(
    format === 'json'
      ? `${JSON.stringify(overview, undefined, 2)}\n`
      : format === 'svg'
        ? fleetPicture(overview)
        : `${overviewText(overview)}\n`,
  );
  return EXIT.ok;
}

/** `beijing=12`. */
function countOf(text: string): [string, number] {
  const [, pool, count] = /^([^=]+)=(\d{1,9})$/.exec(text) ?? [];
  if (pool === undefined) {
    throw new UsageError(`--nodes ${text} is not a pool and its number of nodes; write --nodes beijing=12`);
  }
  return [pool, Number(count)];
}

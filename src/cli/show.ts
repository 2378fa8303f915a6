import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { type FleetOverview, fleetOverview, overviewText, partOf } from '../fleet/fleet-overview.js';
import { fleetPage } from '../fleet/fleet-page.js';
import { fleetPicture } from '../fleet/fleet-picture.js';
import { type FleetLabels, fleetLabelsOf } from '../fleet/node.js';
import { type ListedPool, poolNamed, POOLS_FILE, poolsIn } from '../fleet/pools-file.js';
import { readState } from '../preconditions/cluster-state.js';
import { shapeFindings } from '../fleet/workload-findings.js';
import { ProblemList } from '../base/errors.js';
import { HOST_NETWORK_LABEL } from '../kubernetes/labels.js';
import { itemsOf } from '../fleet/placement-input.js';
import { poolMeant, poolNamesIn } from '../workloads/misplaced-workloads.js';
import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import { dumpInstead, hostNetworkLabel, hostNetworkPool, json, nodePoolLabel, nodes, pool, text } from './options.js';
import { type Action, type CommandLine, EXIT, hostNetworkLabelOf, UsageError } from './command-line.js';
import { filesAt, sourceGiven, sourceOf } from './read-files.js';

const FORMATS = ['text', 'json', 'svg', 'html'] as const;

const WRITERS: Readonly<Record<(typeof FORMATS)[number], (overview: FleetOverview) => string>> = {
  text: (overview) => `${overviewText(overview)}\n`,
  json: (overview) => `${JSON.stringify(overview, undefined, 2)}\n`,
  svg: fleetPicture,
  html: fleetPage,
};

interface Options {
  readonly format: (typeof FORMATS)[number];
  readonly nodes?: readonly string[];
  readonly pool?: readonly string[];
  readonly dump?: string;
  readonly onlyProblems?: boolean;
  readonly hostNetworkPool?: readonly string[];
  readonly nodePoolLabel?: string;
  readonly hostNetworkLabel?: string;
}

/** `edge-nodepools show`: which workloads run on the nodes of which pools, and why not. */
function runShow(path: string | undefined, options: Options, line: CommandLine): number {
  const from = sourceGiven(path, options.dump, 'show');
  const problems = new ProblemList();
  const { objects: all } = readState(filesAt(from, 'show', undefined, line), problems);
  const written = poolsBeside(from, problems);
  problems.throwIfAny('show');
  const counts = new Map((options.nodes ?? []).map(countOf));
  const labels = labelsOf(options, written);
  const objects = placeable(all, line);
  const whole = fleetOverview(objects, counts, labels, [
    ...written,
    ...poolsNamed(options.hostNetworkPool, labels, objects, line),
  ]);
  const pools = whole.groups.flatMap((group) => group.pools);
  if (pools.length === 0) {
    throw new UsageError(
      `there is no NodePool, no Node and no ${POOLS_FILE} in ${sourceOf(from)}; write the folder with the output of cdk8s synth, of a program that calls writeArtifacts(app); or add --host-network-pool <name>; or a dump: npx edge-nodepools dump show > dump.yaml`,
    );
  }
  for (const [option, named] of [
    ['--nodes', [...counts.keys()]],
    ['--pool', options.pool ?? []],
  ] as const) {
    const unknown = named.find((pool) => !pools.includes(pool));
    if (unknown !== undefined) {
      throw new UsageError(`${option} ${unknown}: there is no such pool; there are ${pools.join(', ')}`);
    }
  }
  const { format, pool, onlyProblems = false } = options;
  const overview = partOf(whole, pool === undefined ? undefined : new Set(pool), onlyProblems);
  if (format !== 'json' && overview.groups.length === 0 && (format !== 'text' || overview.nowhere === undefined)) {
    line.stdout(`every workload runs, or is excluded, on ${pool === undefined ? 'all pools' : pool.join(', ')}\n`);
    return EXIT.ok;
  }
  line.stdout(WRITERS[format](overview));
  return EXIT.ok;
}

/**
 * The pools of `--host-network-pool`.
 *
 * @param objects those that are read: a NodePool says itself what it is
 */
export function poolsNamed(
  names: readonly string[] | undefined = [],
  labels: Required<FleetLabels>,
  objects: readonly PlainMap[],
  line: CommandLine,
): ListedPool[] {
  const regular = new Set(
    objects
      .flatMap(itemsOf)
      .filter(({ kind, spec, metadata }) => {
        const annotations = isMap(metadata) ? mapAt(metadata, 'annotations') : {};
        return (
          kind === 'NodePool' &&
          mapAt({ spec }, 'spec').hostNetwork !== true &&
          annotations[HOST_NETWORK_LABEL] !== 'true'
        );
      })
      .map((pool) => mapAt(pool, 'metadata').name),
  );
  const wrong = names.find((name) => regular.has(name));
  if (wrong !== undefined) {
    throw new UsageError(
      `--host-network-pool ${wrong}: its NodePool has no hostNetwork: true, so it is a regular pool; leave the option out, or write hostNetwork: true into the NodePool`,
    );
  }
  const there = new Set(objects.flatMap(itemsOf).flatMap((object) => poolNamesIn(object, labels.nodePoolLabel)));
  for (const name of names) {
    const meant = there.has(name) ? undefined : poolMeant(name, there);
    if (meant !== undefined) {
      line.stderr(
        `--host-network-pool ${name}: nothing here has this name, and something has ${meant}: did you mean it?\n`,
      );
    }
  }
  return names.map((name) => poolNamed(name, labels));
}

/** The objects that can be placed. What has an amount that is not a quantity is reported, and left out: its requests are not known. */
export function placeable(objects: readonly PlainMap[], line: CommandLine): PlainMap[] {
  return objects.flatMap(itemsOf).filter((object) => {
    const wrong = shapeFindings({ object, file: '', index: 0 }).find(({ code }) => code === 'EDGE_QUANTITY');
    if (wrong !== undefined) {
      line.stderr(`${wrong.object} is left out: ${wrong.path}: ${wrong.message}\n`);
    }
    return wrong === undefined;
  });
}

/** The pools that a program has written beside its manifests. */
export function poolsBeside(from: string, problems: ProblemList): ListedPool[] {
  const file = join(from, POOLS_FILE);
  return from !== '-' && existsSync(file) ? poolsIn(readFileSync(file, 'utf8'), problems.at(POOLS_FILE)) : [];
}

/** The labels that the user gives, or those of the pools, if they are the same for all. */
export function labelsOf(
  options: Pick<Options, 'nodePoolLabel' | 'hostNetworkLabel'>,
  pools: readonly ListedPool[],
): Required<FleetLabels> {
  const { nodePoolLabel } = options;
  const { hostNetworkLabel } = hostNetworkLabelOf(options.hostNetworkLabel);
  const of = <Label>(values: readonly Label[], option: string, text: (label: Label) => string): Label | undefined => {
    const texts = [...new Set(values.map(text))];
    if (texts.length > 1) {
      throw new UsageError(
        `the pools have different labels; write ${texts.map((each) => `${option} ${each}`).join(' or ')}`,
      );
    }
    return values[0];
  };
  return fleetLabelsOf({
    nodePoolLabel:
      nodePoolLabel ??
      of(
        pools.map((pool) => pool.nodePoolLabel),
        '--node-pool-label',
        (key) => key,
      ),
    hostNetworkLabel:
      hostNetworkLabel ??
      of(
        pools.map((pool) => pool.hostNetworkLabel),
        '--host-network-label',
        ({ key, value }) => `${key}=${value}`,
      ),
  });
}

/** `beijing=12`. */
export function countOf(text: string): [string, number] {
  const [, pool, count] = /^([^=]+)=(\d{1,9})$/.exec(text) ?? [];
  if (pool === undefined) {
    throw new UsageError(`--nodes ${text} is not a pool and its number of nodes; write --nodes beijing=12`);
  }
  return [pool, Number(count)];
}

/** The options of `edge-nodepools show`. */
export function addShow(program: Command, action: Action): void {
  program
    .command('show')
    .description('shows what becomes of each workload on the nodes of each pool, and why')
    .argument('[folder or file]', 'manifests, for example dist, or a dump of a cluster; - for stdin', text)
    .addOption(dumpInstead())
    .addOption(new Option('--format <format>', 'format of the output').choices(FORMATS).default('text'))
    .addOption(json())
    .addOption(pool())
    .option('--only-problems', 'only workloads that neither run nor are excluded')
    .addOption(nodes())
    .addOption(hostNetworkPool())
    .addOption(nodePoolLabel())
    .addOption(hostNetworkLabel())
    .addHelpText('after', '\nExit code 0: shown. 2: the input is invalid, or has no pool.')
    .action(action(runShow));
}

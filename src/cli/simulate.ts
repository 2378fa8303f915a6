import { type Command, InvalidArgumentError, Option } from 'commander';
import { outagePicture } from '../fleet/outage-picture.js';
import type { Outage } from '../fleet/outage.js';
import { simulateOutage } from '../fleet/simulate-outage.js';
import type { ControllerManagerFlags } from '../fleet/controller-flags.js';
import { type Action, type CommandLine, EXIT, UsageError } from './command-line.js';
import {
  dumpInstead,
  eachText,
  hostNetworkLabel,
  hostNetworkPool,
  json,
  nodePoolLabel,
  nodes,
  text,
} from './options.js';
import { nearest, nearMiss } from '../base/properties.js';
import { mapAt } from '../base/plain-data.js';
import { countOf, type FleetOptions, onlySite, readFleet, settingsOf } from './fleet-input.js';
import { sourceGiven } from './read-files.js';

const OUTAGE_FORMATS = ['text', 'json', 'svg'] as const;

interface Options extends FleetOptions {
  readonly format: (typeof OUTAGE_FORMATS)[number];
  readonly dump?: string;
  readonly down?: readonly string[];
  readonly for?: string;
  readonly kubernetes?: string;
  readonly zones?: 'pool' | 'none';
  readonly nodes?: readonly string[];
  readonly otherNodes?: string;
  readonly update?: string;
  readonly flag?: readonly string[];
}

/** `edge-nodepools simulate`: what kube-controller-manager does when Nodes lose their network. */
function runSimulate(path: string | undefined, options: Options, line: CommandLine): number {
  const from = sourceGiven(path, options.dump, 'simulate --down pool=site-17');
  const fleet = readFleet(from, 'simulate', line);
  const { name, objects, managers } = onlySite(fleet, 'an outage is in one cluster');
  const { labels, declaredIn } = settingsOf(options, line, fleet);
  const declared = declaredIn(fleet, name);
  const named = (wanted: string): string[] =>
    objects.filter(({ kind }) => kind === wanted).map((each) => String(mapAt(each, 'metadata').name));
  const known = {
    pool: [...named('NodePool'), ...declared.map((pool) => pool.labels[labels.nodePoolLabel] ?? pool.name)],
    node: named('Node'),
  };
  const report = simulateOutage([...managers, ...objects], outageOf(options, known), declared, labels);
  line.stdout(
    options.format === 'json'
      ? `${JSON.stringify(report, undefined, 2)}\n`
      : options.format === 'svg'
        ? outagePicture(report)
        : `${String(report)}\n`,
  );
  return EXIT.ok;
}

function outageOf(options: Options, known: Known): Outage {
  const { kubernetes, zones, update, otherNodes } = options;
  const down = downOf(options.down ?? [], known);
  const nodes = Object.fromEntries((options.nodes ?? []).map(countOf));
  const flags = flagsOf(options.flag ?? []);
  return {
    down,
    nodes,
    flags,
    ...(options.for === undefined ? {} : { for: durationOf(options.for) }),
    ...(kubernetes === undefined ? {} : { kubernetes }),
    ...(zones === undefined ? {} : { zones }),
    ...(update === undefined ? {} : { update }),
    ...(otherNodes === undefined ? {} : { otherNodes: Number(otherNodes) }),
  };
}

/** `10m`: a number alone could be seconds or minutes. */
function durationOf(text: string): string {
  if (/^-?\d+$/.test(text)) {
    throw new UsageError(`--for ${text} has no unit; write --for 10m or --for 10s`);
  }
  return text;
}

/** The names of what can be down. */
type Known = Readonly<Record<'pool' | 'node', readonly string[]>>;

/** `pool=a,pool=b`, `node=c`. */
function downOf(given: readonly string[], known: Known): Outage['down'] {
  const down = { pools: [] as string[], nodes: [] as string[] };
  for (const part of given.flatMap((each) => each.split(',')).filter((each) => each !== '')) {
    const [, what, name] = /^(pool|node)=(.+)$/.exec(part) ?? [];
    if (name === undefined) {
      const kinds = (['pool', 'node'] as const).filter((kind) => known[kind].includes(part));
      const near = nearMiss(part, [...known.pool, ...known.node]);
      if (kinds.length === 0 && near !== undefined) {
        const meant = known.pool.includes(near) ? 'pool' : 'node';
        throw new UsageError(`--down ${part}: nothing has this name; did you mean --down ${meant}=${near}?`);
      }
      const is = kinds.length === 1 ? `is a ${kinds[0]}` : 'does not say what it is';
      const all = (kinds.length === 1 ? kinds : ['pool', 'node']).map((kind) => `--down ${kind}=${part}`);
      throw new UsageError(`--down ${part} ${is}; write ${all.join(', or ')}`);
    }
    const other = what === 'pool' ? 'node' : 'pool';
    if (known[other].includes(name) && !known[what as 'pool' | 'node'].includes(name)) {
      throw new UsageError(`--down ${part}: ${name} is a ${other}; write --down ${other}=${name}`);
    }
    down[what === 'pool' ? 'pools' : 'nodes'].push(name);
  }
  if (given.length === 0) {
    throw new UsageError('nothing is down; write --down pool=<name> or --down node=<name>');
  }
  return down;
}

/** The flags of kube-controller-manager that decide what an outage does. */
const CONTROLLER_FLAGS = [
  'node-monitor-period',
  'node-monitor-grace-period',
  'node-eviction-rate',
  'secondary-node-eviction-rate',
  'unhealthy-zone-threshold',
  'large-cluster-size-threshold',
  'controllers',
];

/** `node-eviction-rate=1`, as kube-controller-manager has its flags. */
function flagsOf(given: readonly string[]): ControllerManagerFlags {
  const flags = given.map((each) => {
    const [, name, value] = /^(?:--)?([a-z-]+)=(.*)$/.exec(each) ?? [];
    if (name === undefined || value === undefined) {
      throw new UsageError(`--flag ${each} is not a flag and its value; write --flag node-eviction-rate=1`);
    }
    const property = name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (!CONTROLLER_FLAGS.includes(name)) {
      const near = nearest(name, CONTROLLER_FLAGS);
      throw new UsageError(
        `--flag ${name}: there is no such flag of kube-controller-manager about outages; ${near === undefined ? `there are ${CONTROLLER_FLAGS.join(', ')}` : `did you mean --flag ${near}=${value}?`}`,
      );
    }
    const isText = property === 'controllers' || property.endsWith('Period');
    if (!isText && !/^\d+(\.\d+)?$/.test(value)) {
      const example = name === 'unhealthy-zone-threshold' ? '0.55' : name.endsWith('rate') ? '0.1' : '50';
      throw new UsageError(`--flag ${name}=${value} is not a number of at least 0; write --flag ${name}=${example}`);
    }
    return [property, isText ? value : Number(value)] as const;
  });
  return Object.fromEntries(flags);
}

function wholeNumber(value: string): string {
  if (!/^\d+$/.test(value)) {
    throw new InvalidArgumentError('Write a whole number of at least 0: --other-nodes 6.');
  }
  return value;
}

/** The options of `edge-nodepools simulate`. */
export function addSimulate(program: Command, action: Action): void {
  program
    .command('simulate')
    .description('shows what an outage does: which Pods are evicted when, what replaces them, which rollout hangs')
    .argument('[folder or file]', 'manifests, for example dist, or a dump of a cluster; - for stdin', text)
    .addOption(dumpInstead())
    .option('--down <pool=name or node=name>', 'pools and Nodes without network; repeatable, or with commas', eachText)
    .option('--for <time>', 'how long, for example 10m (default: without end)')
    .option('--update <workload>', "a workload that is updated meanwhile, 'DaemonSet default/collector'", text)
    .addOption(
      new Option('--zones <zones>', 'as if each pool were a zone, or as if there were none').choices(['pool', 'none']),
    )
    .option('--kubernetes <minor>', 'minor of kube-controller-manager, for example 1.36', text)
    .option(
      '--flag <name=value>',
      'a flag of kube-controller-manager, node-eviction-rate=1; repeatable (default: those of its Pod in a dump)',
      eachText,
    )
    .addOption(nodes())
    .option('--other-nodes <number>', 'number of Nodes that are not in the manifests', wholeNumber)
    .addOption(new Option('--format <format>', 'format of the output').choices(OUTAGE_FORMATS).default('text'))
    .addOption(json())
    .addOption(hostNetworkPool())
    .addOption(nodePoolLabel())
    .addOption(hostNetworkLabel())
    .addHelpText(
      'after',
      '\nThe dump: npx edge-nodepools dump simulate > dump.yaml\n\nExit code 0: shown. 2: the input is invalid, or says too little.',
    )
    .action(action(runSimulate));
}

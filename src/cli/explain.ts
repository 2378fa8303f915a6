import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { joinPath } from '../base/errors.js';
import type { PlainMap } from '../base/plain-data.js';
import { hangingText } from '../base/table.js';
import { poolNames } from '../fleet/fleet.js';
import { poolOfSite } from '../fleet/fleet-overview.js';
import type { FleetSite } from '../fleet/fleet-sites.js';
import type { PlacedObject } from '../fleet/placed-object.js';
import {
  explainOnNode,
  explainOnPools,
  type Explanation,
  workloadsNamed,
  workloadsNear,
} from '../fleet/placement-reasons.js';
import { nameOf } from '../kubernetes/object.js';
import { wayToNodes } from '../preconditions/access-findings.js';
import { type Action, type CommandLine, EXIT, UsageError } from './command-line.js';
import { type FleetOptions, readFleet, type ReadFleet, settingsOf } from './fleet-input.js';
import {
  dumpInstead,
  hostNetworkLabel,
  hostNetworkPool,
  json,
  nodePoolLabel,
  pool,
  reportFormat,
  text,
} from './options.js';
import { sourceGiven, sourceOf } from './read-files.js';

interface Options extends FleetOptions {
  readonly format: 'text' | 'json';
  readonly pool?: readonly string[];
  readonly node?: string;
  readonly dump?: string;
}

/** What becomes of the workload in one site. */
interface Explained {
  readonly site?: string;
  readonly target: PlainMap;
  readonly place?: PlacedObject;
  readonly explanations: readonly Explanation[];
}

/** `edge-nodepools explain`: what becomes of one workload on each pool, or on a Node, and every reason. */
function runExplain(workload: string, path: string | undefined, options: Options, line: CommandLine): number {
  const from = sourceGiven(path, options.dump, `explain '${workload}'`);
  if (from !== '-' && !existsSync(from) && existsSync(workload)) {
    throw new UsageError(`${workload} is a folder or file, and comes last; write explain ${from} ${workload}`);
  }
  const fleet = readFleet(from, 'explain', line);
  const { labels, declaredIn } = settingsOf(options, line, fleet);
  const found = targetsIn(fleet, workload);
  const explained = found.map(({ site, target }): Explained => {
    const fault = site.leftOut.find(({ object }) => object === nameOf(target));
    if (fault !== undefined) {
      throw new UsageError(`where ${fault.object} runs cannot be said: ${fault.path}: ${fault.message}; ${fault.hint}`);
    }
    const { objects } = site;
    const place = site.placed.find(({ object }) => nameOf(object) === nameOf(target));
    const explanations = (
      options.node === undefined
        ? explainOnPools(objects, target, labels, declaredIn(fleet, site.name))
        : [
            explainOnNode(objects, target, options.node, labels, declaredIn(fleet, site.name)) ??
              noNode(options.node, objects, from),
          ]
    ).map((each) => withLogs(each, objects));
    return {
      ...(site.name === undefined ? {} : { site: site.name }),
      target,
      ...(place === undefined ? {} : { place }),
      explanations: options.node === undefined ? inSite(explanations, site.name) : explanations,
    };
  });
  const wanted = options.node === undefined ? ofPools(explained, options.pool, from) : explained;
  line.stdout(options.format === 'json' ? `${JSON.stringify(asJson(wanted), undefined, 2)}\n` : asText(wanted));
  return EXIT.ok;
}

/** With what reaches a host-network node for its logs, as far as the manifests show it. */
function withLogs(explained: Explanation, objects: readonly PlainMap[]): Explanation {
  const way = wayToNodes(objects);
  const logs = way === undefined ? 'no, nothing here reaches a node behind NAT' : `through ${way}`;
  return explained.hostNetwork && explained.outcome === 'runs' ? { ...explained, logs } : explained;
}

/** The workload in each site that has it. */
function targetsIn(
  { from, sites }: ReadFleet,
  wanted: string,
): { readonly site: FleetSite; readonly target: PlainMap }[] {
  const found = sites.flatMap((site) => {
    const all = site.placed.map(({ object }) => object);
    return workloadsNamed(all, wanted).map((target) => ({ site, target }));
  });
  const names = [...new Set(found.map(({ target }) => nameOf(target)))];
  if (names.length === 0) {
    const all = sites.flatMap(({ placed }) => placed.map(({ object }) => object));
    const [near] = workloadsNear(wanted, all);
    const hint =
      near === undefined ? "write it as show prints it: 'Deployment default/web'" : `did you mean '${nameOf(near)}'?`;
    throw new UsageError(`there is no workload ${wanted} in ${sourceOf(from)}; ${hint}`);
  }
  if (names.length > 1) {
    const quoted = names.map((name) => `'${name}'`);
    throw new UsageError(`${wanted} is ${names.length} workloads; write ${poolNames(quoted, 6)}`);
  }
  return found;
}

function inSite(explanations: readonly Explanation[], site: string | undefined): Explanation[] {
  return explanations.map((each) => ({ ...each, pools: each.pools.map((pool) => poolOfSite(site, pool)) }));
}

/** Only some of the pools; a pool is called by its name in its site, or with it. */
function ofPools(explained: readonly Explained[], wanted: readonly string[] | undefined, from: string): Explained[] {
  const all = explained.flatMap(({ site, explanations }) =>
    explanations.flatMap(({ pools }) => pools.map((pool) => ({ site, pool }))),
  );
  if (all.length === 0) {
    throw new UsageError(
      `there is no NodePool and no Node in ${sourceOf(from)}; write the folder with the output of a program, or add --host-network-pool <name>`,
    );
  }
  const isMeant = (name: string, pool: string, site: string | undefined): boolean =>
    pool === name || pool === poolOfSite(site, name);
  const unknown = wanted?.find((name) => !all.some(({ site, pool }) => isMeant(name, pool, site)));
  if (unknown !== undefined) {
    const names = all.map(({ pool }) => pool);
    throw new UsageError(`--pool ${unknown}: there is no such pool; there are ${poolNames(names, 10)}`);
  }
  return explained
    .map((each) => ({
      ...each,
      explanations: each.explanations
        .map((one) => ({
          ...one,
          pools: one.pools.filter((pool) => wanted?.some((name) => isMeant(name, pool, each.site)) ?? true),
        }))
        .filter(({ pools }) => pools.length > 0),
    }))
    .filter(({ explanations }) => explanations.length > 0);
}

function noNode(node: string, objects: readonly PlainMap[], from: string): never {
  const names = objects.filter(({ kind }) => kind === 'Node').map((each) => nameOf(each).slice('Node '.length));
  const there = names.length === 0 ? `there are no Nodes in ${sourceOf(from)}` : `there are ${poolNames(names, 10)}`;
  throw new UsageError(`--node ${node}: there is no such Node; ${there}`);
}

/** The same with the places: each reason has the file and the line of its field. */
function asJson(explained: readonly Explained[]): object {
  const sites = explained.map(({ site, target, place, explanations }) => {
    const at = (path: string): object => {
      const found = place?.lines?.lineOf(place.index, path);
      return { ...(place === undefined ? {} : { file: place.file }), ...(found === undefined ? {} : { line: found }) };
    };
    return {
      ...(site === undefined ? {} : { site }),
      workload: nameOf(target),
      ...at(''),
      explanations: explanations.map((each) => ({
        ...each,
        reasons: each.reasons.map((reason) => {
          const path = reason.field.reduce<string>(joinPath, '');
          return { ...reason, path, ...at(path) };
        }),
      })),
    };
  });
  const [first] = sites;
  return first !== undefined && explained[0]?.site === undefined && sites.length === 1 ? first : { sites };
}

/** One text for all sites in which the answer is the same but for the names of sites and files. */
function asText(explained: readonly Explained[]): string {
  const alike = new Map<string, Explained[]>();
  for (const each of explained) {
    const answers = each.explanations.map(({ pools, ...rest }) => [pools.length, rest]);
    const key = JSON.stringify([each.site === undefined, answers]);
    alike.set(key, [...(alike.get(key) ?? []), each]);
  }
  return [...alike.values()].map(textOfSites).join('\n');
}

function textOfSites(alike: readonly Explained[]): string {
  const [{ target, place, explanations }] = alike as [Explained];
  const at = (path: string): string => {
    const found = place?.lines?.lineOf(place.index, path);
    return [found === undefined ? place?.file : `${place?.file}:${found}`, path].filter(Boolean).join('  ');
  };
  const lines = explanations.flatMap(({ hostNetwork, outcome, reasons, logs, reachable = [] }, index) => {
    const pools = alike.flatMap((each) => each.explanations[index]?.pools ?? []);
    return [
      '',
      hangingText('', `${poolNames(pools)} (${hostNetwork ? 'host network' : 'regular'}): ${outcome}`),
      ...reasons.flatMap((each) => [
        hangingText('  ', `${each.by}: ${each.outcome === outcome ? '' : `${each.outcome}: `}${each.reason}`),
        `      ${at(each.field.reduce<string>(joinPath, ''))}`,
      ]),
      ...reachable.map((how) => hangingText('  ', `reachable ${how}`.replace('reachable not', 'not reachable'))),
      ...(logs === undefined ? [] : [`  logs: ${logs}`]),
    ];
  });
  return `${[`${nameOf(target)}  ${at('')}`.trimEnd(), ...lines].join('\n')}\n`;
}

/** The options of `edge-nodepools explain`. */
export function addExplain(program: Command, action: Action): void {
  program
    .command('explain')
    .description('explains what becomes of one workload on each pool, with every reason, its field and its line')
    .argument('<workload>', "as show prints it, 'Deployment default/web'; or web, default/web, deployment/web", text)
    .argument('[path]', 'folder or file with manifests, for example dist, or a dump of a cluster; - for stdin', text)
    .addOption(dumpInstead())
    .addOption(reportFormat('output'))
    .addOption(json())
    .addOption(pool())
    .option('--node <name>', 'this Node of a dump, with the Pods that it has', text)
    .addOption(hostNetworkPool())
    .addOption(nodePoolLabel())
    .addOption(hostNetworkLabel())
    .addHelpText('after', '\nExit code 0: explained. 2: the input is invalid, or has no such workload.')
    .action(action(runExplain));
}

import { type Command, Option } from 'commander';
import {
  type FleetOverview,
  overviewOfSites,
  overviewText,
  partOf,
  placedPools,
  poolOfSite,
} from '../fleet/fleet-overview.js';
import { fleetPage } from '../fleet/fleet-page.js';
import { findingsBySite, type FleetReport, reportOfSite } from '../fleet/fleet-report.js';
import { fleetPicture } from '../fleet/fleet-picture.js';
import { POOLS_FILE } from '../fleet/pools-file.js';
import { type Action, type CommandLine, EXIT, UsageError } from './command-line.js';
import { checkRead, countOf, countsIn, type FleetOptions, readFleet, settingsOf } from './fleet-input.js';
import { dumpInstead, hostNetworkLabel, hostNetworkPool, json, nodePoolLabel, nodes, pool, text } from './options.js';
import { sourceGiven, sourceOf } from './read-files.js';

const FORMATS = ['text', 'json', 'svg', 'html'] as const;

const WRITERS: Readonly<Record<Exclude<(typeof FORMATS)[number], 'html'>, (overview: FleetOverview) => string>> = {
  text: (overview) => `${overviewText(overview)}\n`,
  json: (overview) => `${JSON.stringify(overview, undefined, 2)}\n`,
  svg: fleetPicture,
};

interface Options extends FleetOptions {
  readonly format: (typeof FORMATS)[number];
  readonly nodes?: readonly string[];
  readonly pool?: readonly string[];
  readonly dump?: string;
  readonly onlyProblems?: boolean;
}

/** `edge-nodepools show`: which workloads run on the nodes of which pools, and why not. */
function runShow(path: string | undefined, options: Options, line: CommandLine): number {
  const from = sourceGiven(path, options.dump, 'show');
  const fleet = readFleet(from, 'show', line);
  const counts = new Map((options.nodes ?? []).map(countOf));
  const { labels, declaredIn } = settingsOf(options, line, fleet);
  const sites = fleet.sites.map((site) => {
    const declared = declaredIn(fleet, site.name);
    return { ...site, declared, placement: placedPools(site.objects, countsIn(site.name, counts), labels, declared) };
  });
  const whole = overviewOfSites(sites);
  const pools = whole.groups.flatMap((group) => group.pools);
  if (pools.length === 0) {
    throw new UsageError(
      `there is no NodePool, no Node and no ${POOLS_FILE} in ${sourceOf(from)}; write the folder with the output of cdk8s synth, of a program that calls writeArtifacts(app); or add --host-network-pool <name>; or a dump: npx edge-nodepools dump show > dump.yaml`,
    );
  }
  // the pool of each site, or of one
  const calls = (wanted: string, pool: string): boolean =>
    wanted === pool || sites.some(({ name }) => poolOfSite(name, wanted) === pool);
  for (const [option, named] of [
    ['--nodes', [...counts.keys()]],
    ['--pool', options.pool ?? []],
  ] as const) {
    const unknown = named.find((wanted) => !pools.some((pool) => calls(wanted, pool)));
    if (unknown !== undefined) {
      throw new UsageError(`${option} ${unknown}: there is no such pool; there are ${pools.join(', ')}`);
    }
  }
  const { format, pool, onlyProblems = false } = options;
  const chosen = pool === undefined ? undefined : pools.filter((each) => pool.some((wanted) => calls(wanted, each)));
  const overview = partOf(whole, chosen === undefined ? undefined : new Set(chosen), onlyProblems);
  if (format !== 'json' && overview.groups.length === 0 && (format !== 'text' || overview.nowhere === undefined)) {
    line.stdout(`every workload runs, or is excluded, on ${pool === undefined ? 'all pools' : pool.join(', ')}\n`);
    return EXIT.ok;
  }
  const report = (): FleetReport => ({
    ...{ source: sourceOf(from), overview },
    sites: sites.map((site) => reportOfSite(site, overview, labels, countsIn(site.name, counts))),
    findings: findingsBySite(checkRead(fleet, labels, (site) => declaredIn(fleet, site), counts)),
  });
  line.stdout(format === 'html' ? fleetPage(report()) : WRITERS[format](overview));
  return EXIT.ok;
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

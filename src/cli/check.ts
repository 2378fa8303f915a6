import { type Command, Option } from 'commander';
import { CHECK_FORMATS, type CheckFormat, checkReport } from '../fleet/finding-reports.js';
import type { ListedPool } from '../fleet/pools-file.js';
import { itemsOf } from '../fleet/placement-input.js';
import { uncheckedNotes, withoutPatches } from '../fleet/unchecked-files.js';
import { EDGE_CODES } from '../base/error-codes.js';
import { ProblemList } from '../base/errors.js';
import { type Action, type CommandLine, EXIT, UsageError } from './command-line.js';
import {
  dumpInstead,
  hostNetworkLabel,
  hostNetworkPool,
  json,
  kubernetes,
  nodePoolLabel,
  nodes,
  text,
} from './options.js';
import { filesAt, pathFrom, sourceGiven, sourceOf } from './read-files.js';
import { objectsFromYaml } from '../base/yaml-text.js';
import {
  checkRead,
  countOf,
  type FleetOptions,
  labelsOf,
  poolsBeside,
  poolsNamed,
  poolsOfSite,
} from './fleet-input.js';
import { packageVersion } from './package-version.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Options extends FleetOptions {
  readonly format: CheckFormat;
  readonly failOn: 'error' | 'warning';
  readonly nodes?: readonly string[];
  readonly kubernetes?: string;
  readonly dump?: string;
}

/** `edge-nodepools check`: what is wrong in manifests, with file and line. */
function runCheck(path: string | undefined, options: Options, line: CommandLine): number {
  const from = sourceGiven(path, options.dump, 'check');
  const problems = new ProblemList();
  const { manifests: files, notes } = withoutPatches(filesAt(from, 'check', undefined, line), (path) =>
    pathFrom(from, path),
  );
  notes.forEach((note) => line.stderr(`${note}\n`));
  if (files.length + notes.length === 0) {
    throw new UsageError(`there is no YAML or JSON file in ${sourceOf(from)}; write the folder of the manifests`);
  }
  const written = poolsBeside(from, problems);
  problems.throwIfAny('check');
  const labels = labelsOf(options, written);
  // what cannot be read is a finding
  const objects =
    options.hostNetworkPool === undefined
      ? []
      : files.flatMap(({ text: content }) => objectsFromYaml(content, new ProblemList(), 'rounded') ?? []);
  const whole = files.map((file) => ({ ...file, path: pathFrom(from, file.path) }));
  uncheckedNotes(whole).forEach((note) => line.stderr(`${note}\n`));
  const named = poolsNamed(options.hostNetworkPool, labels, objects.flatMap(itemsOf), line);
  const poolsOf = (site?: string): ListedPool[] => [...poolsOfSite(written, site), ...named];
  const counts = new Map((options.nodes ?? []).map(countOf));
  const checked = checkRead({ from, files }, labels, poolsOf, counts, options.kubernetes);
  if (checked.objects === 0 && checked.findings.length === 0) {
    throw new UsageError(`there is no Kubernetes object in ${sourceOf(from)}; write the folder of the manifests`);
  }
  line.stdout(
    checkReport(checked, options.format, {
      version: packageVersion(),
      meanings: EDGE_CODES,
      failOn: options.failOn,
      ...(options.format === 'sarif' ? { pages: codePages() } : {}),
    }),
  );
  const failing = checked.findings.filter(({ level }) => level === 'error' || options.failOn === 'warning');
  return failing.length === 0 ? EXIT.ok : EXIT.findings;
}

const CHECKED = `
What is found: what the API server would refuse or drop, of workloads, pools
and the metadata of other objects; keys and objects that are there twice; and
workloads that do not run where they can be scheduled (never starts, port taken,
no room). Being excluded from a pool is nothing wrong. Folders of sites, as a
FleetDelivery writes them, are checked each alone.

Exit code 0: nothing, or nothing with which --fail-on fails. 1: something was
found. 2: there is nothing to check.`;

/** The options of `edge-nodepools check`. */
export function addCheck(program: Command, action: Action): void {
  program
    .command('check')
    .description('finds what is wrong in manifests, with file and line, for a terminal or CI')
    .argument('[folder or file]', 'manifests, for example dist, or a dump of a cluster; - for stdin', text)
    .addOption(dumpInstead())
    .addOption(new Option('--format <format>', 'format of the report').choices(CHECK_FORMATS).default('text'))
    .addOption(json())
    .addOption(
      new Option('--fail-on <level>', 'from which level on it fails').choices(['error', 'warning']).default('error'),
    )
    .addOption(kubernetes('that of the pools in pools.jsonl, or the newest known one'))
    .addOption(nodes())
    .addOption(hostNetworkPool())
    .addOption(nodePoolLabel())
    .addOption(hostNetworkLabel())
    .addHelpText('after', CHECKED)
    .action(action(runCheck));
}

/** What docs/troubleshooting.md of the package says of each code, as plain text: links without their targets. */
export function codePages(): Readonly<Record<string, string>> {
  const page = readFileSync(join(__dirname, '..', '..', 'docs', 'troubleshooting.md'), 'utf8');
  const sections = page.split(/^#+ /m).filter((section) => section.startsWith('EDGE_'));
  return Object.fromEntries(
    sections.map((section) => {
      const [code = '', ...lines] = section.split('\n');
      const text = lines.join('\n').trim();
      return [code, text.replace(/\[([^[\]]*)\]\([^()]*\)/g, '$1')];
    }),
  );
}

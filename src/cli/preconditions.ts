import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { ProblemList } from '../base/errors.js';
import { EdgeCluster } from '../cluster/edge-cluster.js';
import { readState } from '../preconditions/cluster-state.js';
import type { PreconditionGuide } from '../preconditions/precondition.js';
import { checkGuide } from '../preconditions/kinds.js';
import { type PreconditionReport, reportPreconditions } from '../preconditions/report.js';
import { footprint, type PoolFootprint } from '../fleet/footprint.js';
import {
  allowNewer,
  distribution,
  dump,
  hostNetworkLabel,
  json,
  kubernetes,
  openyurt,
  outputFolder,
  reportFormat,
  text,
} from './options.js';
import { type Action, type CommandLine, EXIT, hostNetworkLabelOf, UsageError, missingOptions } from './command-line.js';
import { hangingText } from '../base/table.js';
import { writeInto } from '../base/output.js';
import { filesAt, sourceOf } from './read-files.js';

interface Options {
  readonly dump?: string;
  readonly openyurt?: string;
  readonly kubernetes?: string;
  readonly out: string;
  readonly guide?: string;
  readonly distribution?: string;
  readonly allowNewer?: boolean;
  readonly format: 'text' | 'json';
  readonly hostNetworkLabel?: string;
}

/** `edge-nodepools preconditions`: reports which preconditions a cluster lacks, and writes the files that fix them. */
function runPreconditions(
  { dump: from, openyurt, kubernetes, out, guide, distribution, allowNewer = false, format, hostNetworkLabel }: Options,
  line: CommandLine,
): number {
  if (from === undefined || openyurt === undefined || kubernetes === undefined) {
    throw missingOptions(
      { dump: from, openyurt, kubernetes },
      '--dump <folder, file or - for stdin> --openyurt <release or none> --kubernetes <minor>',
    );
  }
  const cluster = EdgeCluster.of({
    openYurt: openyurt,
    kubernetes,
    ...(distribution === undefined ? {} : { distribution: distribution as 'kubeadm' }),
    allowNewer,
    ...hostNetworkLabelOf(hostNetworkLabel),
  });
  const problems = new ProblemList();
  checkGuide(guide, problems.at('guide'));
  const files = filesAt(from, '--dump', out, line);
  const state = readState(files, problems);
  problems.throwIfAny('preconditions');
  if (state.objects.length === 0 && state.staticPods.length === 0) {
    throw new UsageError(`there is no Kubernetes object in ${sourceOf(from)}`);
  }
  const report = reportPreconditions(cluster, guide as PreconditionGuide | undefined, state, problems);
  problems.throwIfAny('preconditions');
  if (isNothingSeen(report)) {
    throw new UsageError(
      `nothing in ${sourceOf(from)} shows the state of a cluster; write npx edge-nodepools dump preconditions > dump.yaml, and --dump dump.yaml`,
    );
  }
  if (report.files.length > 0 && existsSync(join(out, ROLLBACK))) {
    throw new UsageError(
      `${join(out, ROLLBACK)} is the rollback of an earlier run, and would be lost; write --out <another folder>`,
    );
  }
  const { objects, ...shown } = report;
  const pools = footprint(objects, [], cluster);
  const written = report.files.map(({ path, content }) =>
    writeInto(out, { path, content, mode: path.endsWith('.sh') ? 0o755 : 0o644 }, 'preconditions'),
  );
  const asJson = (): string => `${JSON.stringify({ ...shown, files: written, footprint: pools }, undefined, 2)}\n`;
  line.stdout(format === 'json' ? asJson() : textOf(report, pools, out));
  // a required component that was not read takes precedence, because the report is incomplete
  return report.unread.length > 0 ? EXIT.unusable : report.gaps > 0 ? EXIT.findings : EXIT.ok;
}

const ROLLBACK = 'revert.sh';

/** Whether the state of every component is unknown. */
function isNothingSeen({
  preconditions,
  systemComponents,
  nodePools,
  webhooks,
  policies,
  conversion,
  daemonSets,
}: PreconditionReport): boolean {
  return (
    [systemComponents, nodePools, webhooks, policies, conversion, daemonSets].every(({ length }) => length === 0) &&
    preconditions.every(({ state }) => state === 'unknown')
  );
}

function textOf(
  {
    cluster,
    preconditions,
    systemComponents,
    nodePools,
    webhooks,
    policies,
    conversion,
    daemonSets,
    access,
    gaps,
    unread,
    unreadObjects,
    files,
  }: PreconditionReport,
  pools: readonly PoolFootprint[],
  out: string,
): string {
  const names = files.map(({ path }) => path).filter((path) => path.endsWith('.sh') || path === 'preconditions.ts');
  const unwritten = preconditions.filter((finding) => finding.unwritten !== undefined).length;
  const see = names.length === 0 ? [] : [`see ${names.map((name) => join(out, name)).join(', ')}`];
  const notWritten = unwritten === 0 ? [] : [`no fix is written for ${unwritten} of them; see the reasons above`];
  return [
    cluster,
    '',
    ...preconditions.flatMap(({ component, state, need, found, reason, unwritten, warning }) => [
      said(state, `${component} (${need}): ${found}`),
      said('', reason),
      ...(unwritten === undefined ? [] : [said('', `not written: ${unwritten}`)]),
      ...(warning === undefined ? [] : [said('', `before you apply it: ${warning}`)]),
    ]),
    ...(nodePools.length === 0 ? [] : ['', 'NodePools that an upgrade changes, or has changed:']),
    ...nodePools.flatMap(({ pool, state, reason, byHand }) => [
      said(state, `${pool}: ${reason}`),
      ...(byHand === undefined ? [] : [said('', `not repaired: ${byHand}`)]),
    ]),
    ...(webhooks.length === 0 ? [] : ['', 'Webhooks of yurt-manager that an upgrade has lost or kept:']),
    ...webhooks.map(({ webhook, state, reason }) => said(state, `${webhook}: ${reason}`)),
    ...(policies.length === 0 ? [] : ['', 'Policies that are not in effect:']),
    ...policies.map(({ policy, state, reason }) => said(state, `${policy}: ${reason}`)),
    ...(conversion.length === 0 ? [] : ['', 'Conversion of nodes by yurt-manager:']),
    ...conversion.flatMap(({ of, state, what, byHand }) => [
      said(state, `${of}: ${what}`),
      ...(byHand === undefined ? [] : [said('', `not repaired: ${byHand}`)]),
    ]),
    ...(daemonSets.length === 0 ? [] : ['', 'DaemonSets whose template is not judged like their Pods:']),
    ...daemonSets.map(({ workload, state, reason }) => said(state, `${workload}: ${reason}`)),
    ...(access === undefined
      ? []
      : [
          '',
          said(access.state, `logs and exec: ${access.found}`),
          ...[access.reason ?? []].flat().map((reason) => said('', reason)),
        ]),
    '',
    'excluded from host-network nodes:',
    ...(systemComponents.length === 0 ? ['          no known system component was read'] : []),
    ...systemComponents.map(({ workload, state, note }) =>
      said(state, `${workload}${note === undefined ? '' : `: ${note}`}`),
    ),
    ...pools.flatMap(({ pool, saved, savedOnEachNode: { cpu, memory }, runs, mayRun, remains }) => [
      '',
      `host-network pool ${pool}, if all of these are excluded:`,
      said('', `gone from each node: ${namesOf(saved, true) || 'nothing'}`),
      said('', `requests saved on each node: cpu ${cpu}, memory ${memory}`),
      said('', `no longer scheduled to it: ${namesOf(saved, false) || 'nothing'}`),
      said('', `still there on each node: ${[...remains, ...runs].join(', ')}`),
      ...(mayRun.length === 0 ? [] : [said('', `can still run on a node: ${mayRun.join(', ')}`)]),
    ]),
    ...(unreadObjects.length === 0 ? [] : ['', 'not read, so not in this report:']),
    // a command stays whole, to be copied
    ...unreadObjects.flatMap(({ objects, command }) => [said('', `${objects}:`), `${' '.repeat(12)}${command}`]),
    '',
    ...(gaps === 0 ? [] : [[`${gaps} ${gaps === 1 ? 'gap' : 'gaps'}`, ...see, ...notWritten].join('; ')]),
    ...(unread.length === 0 ? [] : [`required, but not read: ${unread.join(', ')}`]),
    ...(gaps === 0 && unread.length === 0
      ? [unreadObjects.length === 0 ? 'nothing to do' : 'nothing to do for the objects that were read']
      : []),
    '',
  ].join('\n');
}

/** A line of the report behind its state, in lines of at most 100 columns. */
function said(state: string, text: string): string {
  return hangingText(state.padEnd(10), text);
}

function namesOf(saved: PoolFootprint['saved'], isOnEach: boolean): string {
  return saved
    .filter(({ onEachNode }) => onEachNode === isOnEach)
    .map(({ workload }) => workload)
    .join(', ');
}

const EXIT_CODES = `
Exit code 0: nothing to do. 1: gaps found; the files that fix them are written,
or the report has the reason why not. 2: the input is invalid, or does not
contain something that the release requires (files for the other gaps are
written anyway).`;

/** The options of `edge-nodepools preconditions`. */
export function addPreconditions(program: Command, action: Action): void {
  program
    .command('preconditions')
    .description('reports which preconditions of edge pools a cluster lacks, and writes the files that fix them')
    .addOption(dump('YAML or JSON: kubectl get --output=yaml, static Pod manifests; - for stdin'))
    .addOption(openyurt())
    .addOption(kubernetes())
    .addOption(outputFolder('preconditions'))
    .option('--guide <guide>', 'tunnel: follow the documentation of OpenYurt with yurt-tunnel', text)
    .addOption(allowNewer())
    .addOption(distribution())
    .addOption(hostNetworkLabel())
    .addOption(reportFormat('report'))
    .addOption(json())
    .addHelpText('after', EXIT_CODES)
    .action(action(runPreconditions));
}

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { caHashIn } from '../cluster/ca-cert-hash.js';
import { EdgeCluster, type EdgeClusterProps } from '../cluster/edge-cluster.js';
import { EdgeError, ProblemList, explainProblem, seeLine } from '../base/errors.js';
import { readState } from '../preconditions/cluster-state.js';
import { shellCommand } from '../base/shell.js';
import { hangingText } from '../base/table.js';
import { type UpgradePlan, planUpgrade } from '../adopt/upgrade-plan.js';
import { type UpgradeStep, scriptName } from '../adopt/upgrade-step.js';
import { type PlainMap, mapAt, valueAt } from '../base/plain-data.js';
import { caCertHash, distribution, dump, json, nodePoolLabel, outputFolder, reportFormat, text } from './options.js';
import { type Action, type CommandLine, EXIT, UsageError, inFlags, missingOptions } from './command-line.js';
import { writeInto } from '../base/output.js';
import { filesAt } from './read-files.js';

interface Options {
  readonly dump?: string;
  readonly from?: string;
  readonly to?: string;
  readonly kubernetes?: string;
  readonly out: string;
  readonly distribution?: string;
  readonly nodePoolLabel?: string;
  readonly clusterName?: string;
  readonly caCertHash?: string;
  readonly convertNodes?: boolean;
  readonly format: 'text' | 'json';
}

/** `edge-nodepools upgrade`: plans an upgrade of OpenYurt, of Kubernetes, or of both, and writes the scripts that do it. */
function runUpgrade(options: Options, line: CommandLine): number {
  const { dump, from, to = from, kubernetes, out, distribution, nodePoolLabel, convertNodes = false } = options;
  if (dump === undefined || from === undefined || to === undefined || kubernetes === undefined) {
    throw missingOptions(
      { dump, from, kubernetes },
      '--dump <folder, file or - for stdin> --from <OpenYurt release or none> --to <release> --kubernetes <minor, or 1.30..1.34>',
    );
  }
  const [before, after] = minorsIn(kubernetes);
  const settings = {
    ...(distribution === undefined ? {} : { distribution: distribution as 'kubeadm' }),
    ...(nodePoolLabel === undefined ? {} : { nodePoolLabel }),
  };
  const clusters = {
    from: clusterOf('--from', { openYurt: from, kubernetes: before, ...settings }),
    to: clusterOf('--to', { openYurt: to, kubernetes: after, ...settings }),
  };
  if (existsSync(join(out, 'done'))) {
    throw new UsageError(
      `${out} has the plan of an upgrade that has begun: run ${join(out, 'upgrade.sh')} again, it continues; or write --out <another folder>`,
    );
  }
  const problems = new ProblemList();
  const { objects } = readState(filesAt(dump, '--dump', out, line), problems);
  problems.throwIfAny('upgrade');
  if (objects.length === 0) {
    throw new UsageError(`there is no Kubernetes object in ${dump}`);
  }
  checkIdentity(options, objects, problems.at('dump'));
  const plan = planUpgrade({ ...clusters, objects, convertNodes }, problems);
  problems.throwIfAny('upgrade');
  // the files of an earlier plan that nobody has begun
  if (existsSync(join(out, 'upgrade.sh'))) {
    ['steps', 'files'].forEach((folder) => rmSync(join(out, folder), { recursive: true, force: true }));
  }
  const files = [...plan.files, ...(plan.steps.length === 0 ? [] : [{ path: 'plan.txt', content: textOf(plan, out) }])];
  files.forEach(({ path, content }) =>
    writeInto(out, { path, content, mode: path.endsWith('.sh') ? 0o755 : 0o644 }, 'upgrade'),
  );
  const { from: isNow, to: isThen, steps, warnings, unread } = plan;
  line.stdout(
    options.format === 'json'
      ? `${JSON.stringify({ from: isNow, to: isThen, steps: steps.map(shownStep), warnings, unread, files: files.map(({ path }) => join(out, path)) }, undefined, 2)}\n`
      : textOf(plan, out),
  );
  return EXIT.ok;
}

/** A cluster; problems speak of the options of this command. */
function clusterOf(option: '--from' | '--to', props: EdgeClusterProps): EdgeCluster {
  try {
    return EdgeCluster.of(props);
  } catch (error) {
    if (!(error instanceof EdgeError)) {
      throw error;
    }
    const said = (text: string): string =>
      text.replace(/--openyurt/g, option).replace(/, or write --allow-newer .*$/, '');
    const problems = error.problems.map(inFlags).map((problem) => ({
      ...problem,
      path: said(problem.path),
      message: said(problem.message),
      hint: said(problem.hint),
    }));
    throw new EdgeError('upgrade', problems);
  }
}

/** `1.30..1.34`, or `1.30` without an upgrade of Kubernetes. */
function minorsIn(text: string): [before: string, after: string] {
  const [before = '', after = before, ...others] = text.split('..');
  // a vendor suffix follows a patch release, 1.30.2-gke.1: 1.30-1.34 is a mistake
  const isVersion = (version: string): boolean => /^v?\d+\.\d+(\.\d+([-+][\w.+-]*)?)?$/.test(version);
  if (others.length > 0 || !isVersion(before) || !isVersion(after)) {
    throw new UsageError(
      `--kubernetes ${text} is not a minor or two; write --kubernetes 1.30, or --kubernetes 1.30..1.34`,
    );
  }
  return [before, after];
}

/** Compares the dump with the cluster that the user names. */
function checkIdentity(
  { clusterName, caCertHash }: Options,
  objects: readonly PlainMap[],
  problems: ProblemList,
): void {
  const find = (namespace: string, name: string): PlainMap | undefined =>
    objects.find(({ kind, metadata }) => {
      const found = mapAt({ metadata }, 'metadata');
      return kind === 'ConfigMap' && found.namespace === namespace && found.name === name;
    });
  if (clusterName !== undefined) {
    const text = valueAt(find('kube-system', 'kubeadm-config'), ['data', 'ClusterConfiguration']);
    const found =
      typeof text === 'string'
        ? /^clusterName:(.*)$/m
            .exec(text)?.[1]
            ?.trim()
            .replace(/^"(.+)"$/, '$1')
        : undefined;
    compare('--cluster-name', 'the ConfigMap kube-system/kubeadm-config', clusterName, found, problems);
  }
  if (caCertHash !== undefined && !/^sha256:[0-9a-f]{64}$/i.test(caCertHash)) {
    problems.add(
      'EDGE_CA_CERT_HASH',
      `${JSON.stringify(caCertHash)} is not the hash of a CA`,
      'write --ca-cert-hash sha256:<64 hex digits>, as kubeadm token create --print-join-command prints it',
    );
  } else if (caCertHash !== undefined) {
    const text = valueAt(find('kube-public', 'cluster-info'), ['data', 'kubeconfig']);
    const found = typeof text === 'string' ? caHashIn(text) : undefined;
    compare('--ca-cert-hash', 'the ConfigMap kube-public/cluster-info', caCertHash.toLowerCase(), found, problems);
  }
}

function compare(
  option: string,
  source: string,
  given: string,
  found: string | undefined,
  problems: ProblemList,
): void {
  if (found === undefined) {
    problems.add(
      'EDGE_MISSING',
      `the dump does not show what ${option} says`,
      `dump ${source} too, or leave ${option} out`,
    );
  } else if (found !== given) {
    problems.add(
      'EDGE_WRONG_CLUSTER',
      `the dump is of ${JSON.stringify(found)}, not of ${JSON.stringify(given)}`,
      `dump the right cluster, or correct ${option}`,
    );
  }
}

/** A step for programs: its shell is in its script. */
function shownStep(step: UpgradeStep, index: number): object {
  const { id, what, why, pods, place, commands, wayBack, noWayBack, files } = step;
  const script = `steps/${scriptName(step, index)}.sh`;
  return { id, what, why, pods, place, commands, wayBack, noWayBack, files, script };
}

function textOf({ from, to, steps, warnings, unread }: UpgradePlan, out: string): string {
  return [
    `${from} -> ${to}`,
    '',
    ...steps.flatMap((step, index) => [
      `${scriptName(step, index)}${step.place === 'kubectl' ? '' : ` (by hand: ${step.place})`}`,
      hangingText('    ', step.what),
      hangingText('    why: ', step.why),
      hangingText('    Pods: ', step.pods),
      ...(step.place === 'kubectl' ? [] : step.commands.map((command) => `    - ${command}`)),
      step.noWayBack !== undefined
        ? hangingText('    rollback: ', `none; ${step.noWayBack}`)
        : `    rollback: ${shellCommand('sh', join(out, 'steps', `${scriptName(step, index)}.sh`), 'back')}`,
    ]),
    ...(steps.length === 0 ? ['nothing to do'] : ['', `run: ${shellCommand('sh', join(out, 'upgrade.sh'))}`]),
    ...warnings.map(inFlags).map((warning) => `warning:\n${explainProblem(warning)}`),
    ...(warnings.length === 0 ? [] : [seeLine(warnings)]),
    ...(unread.length === 0
      ? []
      : [hangingText('', `not in the dump, so steps about it may be missing: ${unread.join(', ')}`)]),
    '',
  ].join('\n');
}

/** The options of `edge-nodepools upgrade`. */
export function addUpgrade(program: Command, action: Action): void {
  program
    .command('upgrade')
    .description('plans an upgrade of OpenYurt, Kubernetes or both, and writes scripts that do it step by step')
    .addOption(dump())
    .option('--from <release>', 'release of OpenYurt in the cluster, for example 1.5, or none', text)
    .option('--to <release>', 'release to upgrade to, for example 1.7.0 (default: the same)', text)
    .option('--kubernetes <minor or minors>', 'minor of Kubernetes, 1.30; or from which to which, 1.30..1.34', text)
    .addOption(outputFolder('upgrade'))
    .option(
      '--convert-nodes',
      'let OpenYurt install yurthub on nodes of Edge pools that have none (stops their containers)',
    )
    .addOption(distribution())
    .addOption(nodePoolLabel())
    .option(
      '--cluster-name <name>',
      'refuse the dump of a cluster with another name in its kubeadm configuration',
      text,
    )
    .addOption(caCertHash('refuse the dump of a cluster with another CA, sha256:<64 hex digits>'))
    .addOption(reportFormat('plan'))
    .addOption(json())
    .addHelpText(
      'after',
      '\nExit code 0: the plan is written, or there is nothing to do. 2: the input is\ninvalid; nothing is written.',
    )
    .action(action(runUpgrade));
}

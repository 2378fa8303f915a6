import { quoteForShell, shellComment } from '../text/shell.js';
import type { PreconditionFile } from '../preconditions/precondition.js';

/**
 * Where a step of an upgrade runs: on a machine with kubectl, on each control-plane node or on each node one after the other, or as a change of the
 * program that declares the fleet.
 */
export type UpgradePlace = 'kubectl' | 'control-plane' | 'node' | 'program';

/**
 * One step of an upgrade. Steps with `place` `kubectl` are run by `upgrade.sh`; at the others it stops, and says what to do.
 */
export interface UpgradeStep {
  /** Name of the step, unique in the plan: `annotate-pools`. */
  readonly id: string;
  /** What is done, one sentence. */
  readonly what: string;
  /** Why, one or two sentences. */
  readonly why: string;
  /** What becomes of running Pods. */
  readonly pods: string;
  /** Where it runs. */
  readonly place: UpgradePlace;
  /** Shell commands that succeed once the step is done; empty if the cluster does not show it, so that the plan's folder remembers it. */
  readonly check: readonly string[];
  /** Shell commands that can be repeated, or instructions for steps outside of `kubectl`. */
  readonly commands: readonly string[];
  /** Shell commands that succeed if the step has worked. */
  readonly verify: readonly string[];
  /** Shell commands that undo the step; undefined if nothing does.
   * @default - there is no way back */
  readonly back?: readonly string[];
  /** Why there is no way back, and what to keep for that case.
   * @default - there is a way back */
  readonly noWayBack?: string;
  /** Files that it needs, below the folder of the plan. */
  readonly files: readonly PreconditionFile[];
}

/** Properties of a step; lists are empty by default. */
type StepInput = Pick<UpgradeStep, 'id' | 'what' | 'why' | 'pods'> & Partial<UpgradeStep>;

/** A step. */
export function upgradeStep(input: StepInput): UpgradeStep {
  return { place: 'kubectl', check: [], commands: [], verify: [], files: [], ...input };
}

/** The name of a step's script without its extension: `02-annotate-pools`. */
export function scriptName(step: UpgradeStep, index: number): string {
  return `${String(index + 1).padStart(2, '0')}-${step.id}`;
}

/** Exit code of a step that a person does. */
const BY_HAND = 10;

/** The script of a step: `check`, `run`, `verify` or `back`. */
export function stepScript(step: UpgradeStep, index: number): string {
  const name = scriptName(step, index);
  const remembered = `done/${name}`;
  const branch = (word: string, lines: readonly string[]): string[] => [
    `  ${word})`,
    ...lines.map((line) => `    ${line}`),
    '    ;;',
  ];
  const byHand = [
    `say ${quoteForShell(`${step.what}\n${PLACES[step.place]}`)}`,
    ...step.commands.map((command) => `say ${quoteForShell(`  ${command}`)}`),
    `say ${quoteForShell(step.check.length === 0 ? `Then: sh upgrade.sh --done ${name}` : 'Then run upgrade.sh again.')}`,
    `exit ${BY_HAND}`,
  ];
  const back =
    step.back === undefined ? [`fail ${quoteForShell(`There is no way back: ${step.noWayBack ?? ''}`)}`] : step.back;
  return [
    '#!/bin/sh',
    ...shellComment(`${index + 1}. ${step.what}`),
    ...shellComment(step.why),
    ...shellComment(`Pods: ${step.pods}`),
    '# check: exit code 0 if it is done. run: does it, and can be repeated. verify: whether it has worked. back: undoes it.',
    'set -eu',
    'cd "$(dirname "$0")/.."',
    '. ./cluster.sh',
    'case "${1:-run}" in',
    ...branch('check', step.check.length === 0 ? [`test -e ${remembered}`] : step.check),
    ...branch('run', ['same_cluster', ...(step.place === 'kubectl' ? step.commands : byHand)]),
    ...branch('verify', step.verify.length === 0 ? ['true'] : step.verify),
    ...branch('back', ['same_cluster', ...back, `rm -f ${remembered}`]),
    '  *)',
    `    fail 'write check, run, verify or back'`,
    '    ;;',
    'esac',
    '',
  ].join('\n');
}

const PLACES: Readonly<Record<UpgradePlace, string>> = {
  kubectl: 'On a machine with kubectl:',
  'control-plane': 'On each control-plane node, one after the other:',
  node: 'On each of the nodes, one after the other:',
  program: 'In the program that declares the fleet:',
};

/** The script that runs all steps in order, and continues where an earlier run stopped. */
export function upgradeScript(title: string): string {
  return [
    '#!/bin/sh',
    ...shellComment(title),
    '# Runs the steps in order. A step that is done is skipped, so that this can be run again at any point.',
    '# upgrade.sh            continues',
    '# upgrade.sh --status   shows which steps are done, and changes nothing',
    '# upgrade.sh --done 03-program   remembers that a step was done by hand',
    'set -eu',
    'cd "$(dirname "$0")"',
    '. ./cluster.sh',
    'if [ "${1-}" = --done ]; then',
    '  test -e "steps/${2-}.sh" || fail "there is no step ${2-}"',
    '  : >"done/$2"',
    '  exit 0',
    'fi',
    'same_cluster',
    'for script in steps/*.sh; do',
    '  name=$(basename "$script" .sh)',
    '  if sh "$script" check >/dev/null 2>&1; then',
    '    say "done     $name"',
    '    continue',
    '  fi',
    '  if [ "${1-}" = --status ]; then',
    '    say "to do    $name"',
    '    continue',
    '  fi',
    '  say "running  $name"',
    '  sh "$script" run || exit $?',
    '  sh "$script" verify || fail "$name has run, but has not worked; run upgrade.sh again, or: sh $script back"',
    '  : >"done/$name"',
    'done',
    '',
  ].join('\n');
}

/** Functions that the scripts share. */
export function clusterScript(uid: string | undefined, poolLabel: string): string {
  return [
    '# Functions of the steps.',
    'mkdir -p done',
    'say() { printf \'%s\\n\' "$*" >&2; }',
    'fail() {',
    '  say "$*"',
    '  exit 1',
    '}',
    '',
    '# The plan is for one cluster: the identity of a cluster is the UID of its namespace kube-system.',
    'same_cluster() {',
    ...(uid === undefined
      ? ["  say 'warning: the plan was made without the namespace kube-system, so the cluster is not compared'"]
      : [
          "  uid=$(kubectl get namespace kube-system --output=jsonpath='{.metadata.uid}')",
          `  [ "$uid" = ${quoteForShell(uid)} ] || fail 'This plan was made for another cluster: select its context in the kubeconfig.'`,
        ]),
    '}',
    '',
    '# The NodePools in a version of the API: name, spec.hostNetwork, annotation.',
    'pools() {',
    '  kubectl get "nodepools.$1.apps.openyurt.io" --output=jsonpath=\'{range .items[*]}{.metadata.name}{"\\t"}{.spec.hostNetwork}{"\\t"}{.metadata.annotations.nodepool\\.openyurt\\.io/hostnetwork}{"\\n"}{end}\'',
    '}',
    '',
    '# The version in which NodePools are stored.',
    'storage_version() {',
    "  kubectl get customresourcedefinition nodepools.apps.openyurt.io --output=jsonpath='{.spec.versions[?(@.storage==true)].name}'",
    '}',
    '',
    '# The image of yurt-manager, if it is available.',
    'yurt_manager_image() {',
    '  kubectl --namespace "$1" get deployment yurt-manager --output=jsonpath=\'{.status.availableReplicas}{" "}{.spec.template.spec.containers[0].image}\'',
    '}',
    '',
    '# Nodes of some pools that have not the label of an edge node.',
    `unlabelled_nodes() { kubectl get nodes --selector="${poolLabel} in ($1),openyurt.io/is-edge-worker!=true" --output=name; }`,
    '',
    '# The minor of the API server: 1.34',
    'server_minor() { kubectl get --raw=/version | sed -n \'s/.*"gitVersion": *"v\\([0-9]*\\.[0-9]*\\).*/\\1/p\'; }',
    '',
    '# Whether one minor is at least another one.',
    'at_least() {',
    '  [ "${1%%.*}" -gt "${2%%.*}" ] || { [ "${1%%.*}" -eq "${2%%.*}" ] && [ "${1#*.}" -ge "${2#*.}" ]; }',
    '}',
    '',
    '# Nodes whose kubelet is older than a minor.',
    'older_kubelets() {',
    '  kubectl get nodes --output=jsonpath=\'{range .items[*]}{.metadata.name}{" "}{.status.nodeInfo.kubeletVersion}{"\\n"}{end}\' |',
    "    sed 's/ v\\([0-9]*\\.[0-9]*\\).*/ \\1/' |",
    '    while read -r name minor; do',
    '      at_least "$minor" "$1" || echo "$name"',
    '    done',
    '}',
    '',
    '# Pods on host-network nodes that are not hostNetwork Pods.',
    'plain_pods() {',
    `  kubectl get nodes --selector=nodepool.openyurt.io/hostnetwork=true --output=jsonpath='{range .items[*]}{.metadata.name}{"\\n"}{end}' >done/.nodes`,
    '  kubectl get pods --all-namespaces --output=jsonpath=\'{range .items[*]}{.spec.nodeName}{"\\t"}{.spec.hostNetwork}{"\\t"}{.metadata.namespace}{"/"}{.metadata.name}{"\\n"}{end}\' |',
    "    awk -F '\\t' 'NR == FNR { node[$1] = 1; next } ($1 in node) && $2 != \"true\" { print $3 }' done/.nodes -",
    '}',
    '',
  ].join('\n');
}

import { quoteForShell } from '../text/shell.js';
import { JOIN_LABEL } from '../kubernetes/labels.js';
import { APPLIED_FILE, NOT_APPLIED } from './applied-join.js';
import { writeFilesScript } from './join-files.js';
import { SHELL } from './shell-files.js';
import { prologue } from '../text/shell-script.js';
import { DEFAULT_PERMISSIONS } from './node-file.js';
import { IDENTITY_FILE, INSTANCE_CONFIG, SCRIPT_PATH, STATE_FOLDER } from './node-paths.js';
import { nodeScript } from './node-script.js';
import { credentialsDropIn, proxySteps } from './proxy-credentials.js';
import { nodeApiLines } from './update-api.js';
import { updateCheckLines } from './update-checks.js';
import type { UpdatePackages, UpdateScriptInput } from './update-input.js';
import { argumentLines, configurationLines } from './update-kubelet.js';
import { healthLines, rollBackLines } from './update-rollback.js';

/** Folder of a running update: the new files, the old ones, and `changing` while the node has some of both. */
export const UPDATE_FOLDER = `${STATE_FOLDER}/update`;

const FLAGS_FILE = '/var/lib/kubelet/kubeadm-flags.env';
const CONFIG_FILE = '/var/lib/kubelet/config.yaml';

/**
 * The script that gives a node of the pool the settings of another join, without joining again. It can be run repeatedly, holds no token, and takes its
 * changes back if kubelet is not healthy with them.
 */
export function updateScript(input: UpdateScriptInput): string {
  const comments = [
    input.about,
    'Gives a node of the pool the settings of this join. Run it as root on the node, as often as you like: ssh root@NODE sh -s < this-file',
  ];
  const lines = [
    `update=${UPDATE_FOLDER} flags=${FLAGS_FILE} config=${CONFIG_FILE} instance=${INSTANCE_CONFIG}`,
    `unit=${input.runtimeUnit} changing= changed= kubelet= runtime= units= installed= old= name= labels=`,
    SHELL['common.sh'],
    SHELL['control.sh'],
    SHELL['lock.sh'],
    SHELL['joined.sh'],
    'same() { [ -e "$2" ] && [ "$(cksum < "$1")" = "$(cksum < "$2")" ]; }',
    'args() { sed -n \'s/^KUBELET_KUBEADM_ARGS="\\{0,1\\}\\([^"]*\\)"\\{0,1\\}$/\\1/p\' "$flags"; }',
    'arg() (set -f; for word in $(args); do case $word in "--$1="*) echo "${word#*=}" ;; esac; done)',
    "version() { kubelet --version 2>/dev/null | sed -n 's/^Kubernetes v//p'; }",
    ...(input.credentials === undefined
      ? []
      : [...prologue(proxySteps(input.credentials).variables), ...proxySteps(input.credentials).parts]),
    ...nodeApiLines(),
    ...updateCheckLines(input),
    ...stageLines(input),
    ...healthLines(input.secondsUntilHealthy),
    ...(input.packages === undefined ? [] : [...input.packages.install, ...input.packages.reinstall]),
    ...rollBackLines(input.packages),
    ...configurationLines(input),
    ...argumentLines(input),
    ...applyLines(input),
    ...labelLines(input),
    // a shell reads a block to its end before it runs it, and nothing in it may read the script
    '{',
    ...mainLines(input),
    '} </dev/null',
  ];
  return nodeScript({ comments, environment: input.environment, lines });
}

const newFile = (index: number | string): string => `${UPDATE_FOLDER}/new/${index}`;
const NEW_DROP_IN = newFile('proxy');

/** `stage` writes the new files beside the old ones, and `backup` copies those, so that a full disk changes nothing. */
function stageLines(input: UpdateScriptInput): string[] {
  const { files, obsolete, runtimeFiles, packages, credentials } = input;
  const touched = [
    ...files.map(({ path }) => path),
    ...(credentials === undefined ? [] : [credentialsDropIn(input.runtimeUnit)]),
    ...obsolete,
    ...runtimeFiles,
    ...(packages?.files ?? []),
    APPLIED_FILE,
  ].map(quoteForShell);
  return [
    'stage() (',
    '  umask 077',
    ...writeFilesScript(
      files.map(({ content }, index) => ({ path: newFile(index), content, permissions: '0600' })),
    ).map((line) => `  ${line}`),
    ...(credentials === undefined ? [] : [`  rm -f ${NEW_DROP_IN} && write_drop_in ${NEW_DROP_IN} || exit`]),
    ')',
    'backup() (',
    '  umask 077',
    '  rm -rf "$update/old" && mkdir -p "$update/old" || exit',
    '  count=0',
    `  for path in ${touched.join(' ')} "$flags" "$config" "$instance"; do`,
    '    count=$((count + 1))',
    '    if [ -e "$path" ]; then cp -p "$path" "$update/old/$count" && echo "$count $path"; else echo "- $path"; fi >> "$update/old/list" || exit',
    '  done',
    ...(packages?.runtime === undefined ? [] : ['  runtime_now > "$update/old/runtime" || exit']),
    ...(packages === undefined ? [] : ['  packages > "$update/old/packages"']),
    '  version > "$update/old/version" && { [ -e "$update/labels" ] || echo "$old" > "$update/labels"; } || exit',
    '  sync',
    '  : > "$update/changing"',
    ')',
  ];
}

/** `apply`: everything, in order. What fails returns, and the script takes all of it back. */
function applyLines(input: UpdateScriptInput): string[] {
  const { files, obsolete, runtimeEdits, runtimeFiles, packages } = input;
  return [
    // what a file is for says what is restarted; kubelet and the runtime are restarted once, at the end
    'touched() {',
    '  changed="$changed, $1"',
    '  case $1 in',
    '    */certs.d/*) ;;',
    '    */containerd.service.d/* | */crio.service.d/*) runtime=1 units=1 ;;',
    '    */containerd/* | */crio/* | */registries.conf.d/*) runtime=1 ;;',
    '    */kubelet.service.d/*) kubelet=1 units=1 ;;',
    '    */default/kubelet | */sysconfig/kubelet) kubelet=1 ;;',
    '    */systemd/system/*) units=1 ;;',
    '  esac',
    '}',
    'put() {',
    '  if same "$update/new/$1" "$2"; then chmod "$3" "$2"; return; fi',
    '  mkdir -p "${2%/*}" && cp "$update/new/$1" "$2.edge-nodepools" && chmod "$3" "$2.edge-nodepools" && mv -f "$2.edge-nodepools" "$2" || return',
    '  touched "$2"',
    '}',
    'drop() { [ -e "$1" ] || return 0; rm -f "$1" && touched "$1"; }',
    'restart() {',
    '  if command -v systemctl >/dev/null 2>&1; then systemctl restart "$1"; elif command -v rc-service >/dev/null 2>&1; then rc-service "$1" restart; fi',
    '}',
    'reload() { [ -z "$units" ] || ! command -v systemctl >/dev/null 2>&1 || systemctl daemon-reload; }',
    ...(runtimeEdits.length === 0 ? [] : ['edit_runtime() {', ...runtimeEdits.map((line) => `  ${line}`), '}']),
    ...(input.machine.length === 0 ? [] : ['set_up_machine() {', ...input.machine.map((line) => `  ${line}`), '}']),
    'apply() {',
    ...files.map(
      ({ path, permissions = DEFAULT_PERMISSIONS }, index) =>
        `  put ${index} ${quoteForShell(path)} ${permissions} || return`,
    ),
    ...(input.credentials === undefined ? [] : [`  put proxy ${credentialsDropIn(input.runtimeUnit)} 0600 || return`]),
    ...obsolete.map((path) => `  drop ${quoteForShell(path)} || return`),
    ...(input.machine.length === 0 ? [] : ['  set_up_machine || return']),
    ...(runtimeEdits.length === 0
      ? []
      : [
          `  toml=${runtimeFiles.map(quoteForShell).join(' ')}`,
          '  [ ! -e "$toml" ] || cp "$toml" "$update/toml" || return',
          '  edit_runtime || return',
          '  same "$update/toml" "$toml" || touched "$toml"',
        ]),
    ...packageLines(packages),
    "  keep_patch && configure || { say 'kubeadm has not written the configuration of kubelet'; return 1; }",
    '  arguments && reload || return',
    '  [ -z "$runtime" ] || restart "$unit" || { say "$unit does not start with the new settings"; return 1; }',
    '  [ -n "$kubelet" ] || return 0',
    '  restart kubelet && healthy && return',
    '  say "kubelet is not healthy with the new settings: $(said)"',
    '  return 1',
    '}',
  ];
}

/** The packages, if one of them has another version. */
function packageLines(packages: UpdatePackages | undefined): string[] {
  const install = "install_packages || { say 'the packages cannot be installed'; return 1; }";
  const toVersion = 'installed=1 kubelet=1 units=1 changed="$changed, packages"';
  return packages === undefined
    ? []
    : packages.runtime === undefined
      ? [`  if [ "$(version)" != ${packages.version} ]; then`, `    ${toVersion}`, `    ${install}`, '  fi']
      : [
          '  outdated=',
          `  [ "$(version)" = ${packages.version} ] || outdated=1 ${toVersion}`,
          `  has_runtime || outdated=1 runtime=1 units=1 changed="$changed, ${packages.runtime}"`,
          `  [ -z "$outdated" ] || ${install}`,
        ];
}

/** `label`: by the credential of kubelet, which may change labels of its own Node (NodeRestriction). Those of the former join go. */
function labelLines({ poolLabel }: UpdateScriptInput): string[] {
  const [key = ''] = poolLabel.split('=');
  return [
    'label() {',
    `  body=$(new=$labels old=$(cat "$update/labels") awk -v pool=${quoteForShell(key)} '`,
    '    BEGIN {',
    '      n = split(ENVIRON["new"], label, ",")',
    '      for (i = 1; i <= n; i++) { at = index(label[i], "="); key = substr(label[i], 1, at - 1); if (!(key in value)) order[++count] = key; value[key] = substr(label[i], at + 1) }',
    '      for (i = 1; i <= count; i++) if (order[i] != pool) out = out ",\\"" order[i] "\\":\\"" value[order[i]] "\\""',
    '      m = split(ENVIRON["old"], label, ",")',
    '      for (i = 1; i <= m; i++) { key = label[i]; sub(/=.*/, "", key); if (key != "" && key != pool && !(key in value)) out = out ",\\"" key "\\":null" }',
    '      print "{\\"metadata\\":{\\"labels\\":{" substr(out, 2) "}}}"',
    '    }',
    "  ')",
    '  api PATCH "/api/v1/nodes/$name" "$body" >/dev/null',
    '}',
  ];
}

function mainLines({ hash, applied, hasMachines, credentials }: UpdateScriptInput): string[] {
  return [
    'accept=',
    'case ${1-} in --accept) accept=1 ;; esac',
    '[ "$(id -u)" = 0 ] || { say \'this needs root\'; exit 77; }',
    // first of all: of a join that runs, neither certificate nor record says anything yet
    'lock',
    "trap 'status=$?; ended' EXIT",
    "trap 'exit 129' HUP",
    "trap 'exit 130' INT",
    "trap 'exit 141' PIPE",
    "trap 'exit 143' TERM",
    "is_joined || { say 'this machine has not joined: there is nothing to update'; exit 66; }",
    `[ ! -s ${APPLIED_FILE}.new ] || { say 'the join of this machine has not ended: run it first, sh ${SCRIPT_PATH}'; exit ${NOT_APPLIED}; }`,
    ...(credentials === undefined ? [] : ['use_proxy || exit']),
    `mkdir -p "$update" && chmod 0700 "$update" || { say 'nothing can be written, so nothing is changed'; exit 74; }`,
    'if [ -e "$update/changing" ]; then',
    "  say 'an update was cut off: what it has changed is taken back first'",
    '  kubelet=1 runtime=1 units=1',
    '  roll_back || exit',
    '  kubelet= runtime= units=',
    '  mkdir -p "$update"',
    'fi',
    ...(hasMachines ? ['machine_labels='] : []),
    'check',
    ...(hasMachines ? ['machine_labels=$labels'] : []),
    'wanted',
    "stage && backup || { say 'the new files cannot be written: is the disk full? Nothing is changed'; exit 74; }",
    'changing=1',
    'apply || exit 70',
    // some file systems write the content of a file later than the removal of another one
    'sync',
    'changing=',
    'rm -f "$update/changing"',
    'if ! label; then',
    `  say "the settings are applied, but the label of the Node is not set. Run this again; or kubectl label node $name ${JOIN_LABEL}=${hash} --overwrite"`,
    '  exit 69',
    'fi',
    `{ printf '%s\\n' ${applied.map(quoteForShell).join(' ')}${hasMachines ? ` && cat ${IDENTITY_FILE}` : ''}; } > "$update/applied" && mv -f "$update/applied" ${APPLIED_FILE} || exit 74`,
    'rm -rf "$update"',
    `if [ -z "$changed" ]; then say 'nothing to do: this node has join ${hash}'; else say "this node has join ${hash} now. Changed: \${changed#, }"; fi`,
    '[ -z "$kubelet" ] || say \'kubelet was restarted, and is healthy\'',
    '[ -z "$runtime" ] || say \'the container runtime was restarted\'',
    'exit 0',
  ];
}

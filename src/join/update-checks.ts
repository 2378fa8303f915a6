import { quoteForShell } from '../text/shell.js';
import { APPLIED_FILE, NOT_APPLIED } from './applied-join.js';
import { SHELL } from './shell-files.js';
import { STATE_FOLDER } from './node-paths.js';
import type { UpdatePackages, UpdateScriptInput } from './update-input.js';

const COMMAND_PART = /^[0-9a-f]+ commands /;

/** `check`: ends the script before it changes anything, if an update cannot do what this join wants. */
export function updateCheckLines(input: UpdateScriptInput): string[] {
  const { packages, caCertHashes } = input;
  // a node without a record may have had none
  const commands = input.applied.filter((line) => COMMAND_PART.test(line));
  const pins = caCertHashes.map((hash) => hash.replace('sha256:', '')).join(' ');
  return [
    'refuse() { other="$other, $1"; }',
    ...(input.hasMachines ? [SHELL['identity.sh']] : []),
    'check() {',
    '  other=',
    '  old=$(arg node-labels) name=$(arg hostname-override)',
    '  [ -n "$name" ] || name=$(awk \'{ print tolower($1) }\' /proc/sys/kernel/hostname)',
    '  this=$name',
    ...(input.hasMachines ? ['  read_machine || exit', '  [ "$name" = "$this" ] || refuse "the name ($this)"'] : []),
    ...(!input.hasMachines && input.nodeName !== undefined
      ? [`  [ "$name" = ${quoteForShell(input.nodeName)} ] || refuse "the name ($name)"`]
      : []),
    `  [ ! -e ${STATE_FOLDER}/joined ] || refuse 'how it has joined'`,
    ...(input.poolLabel === ''
      ? []
      : [`  case ",$old," in *,${quoteForShell(input.poolLabel)},*) ;; *) refuse 'the pool' ;; esac`]),
    `  [ "$(arg register-with-taints)" = ${quoteForShell(input.taints)} ] || refuse taints`,
    `  case "$(arg container-runtime-endpoint) $(cat "$instance" 2>/dev/null)" in *${input.runtimeUnit === 'crio' ? 'containerd' : 'crio'}.sock*) refuse 'the container runtime' ;; esac`,
    ...(pins === ''
      ? []
      : [
          '  ca=/etc/kubernetes/pki/ca.crt',
          '  if command -v openssl >/dev/null 2>&1 && [ "$(grep -c \'BEGIN CERT\' "$ca" 2>/dev/null)" = 1 ]; then',
          '    pin=$(openssl x509 -in "$ca" -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -r)',
          `    case ' ${pins} ' in *" \${pin%% *} "*) ;; *) refuse 'the cluster' ;; esac`,
          '  fi',
        ]),
    `  [ -z "$other" ] || { say "an update cannot change \${other#, } of a node. Nothing is changed. Leave and join again"; exit ${NOT_APPLIED}; }`,
    ...(commands.length === 0
      ? []
      : [
          `  if [ "$accept" = '' ]; then`,
          ...commands.map(
            (line) =>
              `    grep -qsxF -e ${quoteForShell(line)} ${APPLIED_FILE} || refuse ${quoteForShell(line.slice(line.indexOf(' ') + 1))}`,
          ),
          `    [ -z "$other" ] || { say "other \${other#, }: an update runs none. Nothing is changed. Leave and join again, or run them yourself and then this script with --accept"; exit ${NOT_APPLIED}; }`,
          '  fi',
        ]),
    ...(packages === undefined ? [] : [...skewLines(packages.version), ...folderCheckLines(packages)]),
    '}',
  ];
}

/** kubelet is at most as new as the API server, goes up by one minor, and on an empty node only (Kubernetes, version skew policy). */
function skewLines(version: string): string[] {
  const minor = version.split('.')[1] ?? '';
  const stop = (text: string): string => `{ say "${text}. Nothing is changed"; exit ${NOT_APPLIED}; }`;
  return [
    'minor() { part=${1#*.}; echo "${part%%.*}"; }',
    '  have=$(version)',
    `  if [ "$have" != ${version} ]; then`,
    '    server=$(api GET /version | sed -n \'s/.*"gitVersion": *"v\\([0-9.]*\\).*/\\1/p\')',
    '    [ -n "$server" ] || { say \'the version of the API server cannot be read, which a new kubelet depends on. Nothing is changed\'; exit 69; }',
    `    [ ${minor} -le "$(minor "$server")" ] || ${stop(`kubelet ${version} is newer than the API server, $server: upgrade the control plane first`)}`,
    '    if [ -n "$have" ]; then',
    `      [ ${minor} -ge "$(minor "$have")" ] || ${stop(`kubelet $have cannot go back to ${version}: leave and join again`)}`,
    `      [ ${minor} -le $(($(minor "$have") + 1)) ] || ${stop(`kubelet $have cannot skip a minor on the way to ${version}: update with the join of each minor, or leave and join again`)}`,
    `      if [ ${minor} != "$(minor "$have")" ]; then`,
    `        api GET "/api/v1/nodes/$name" | grep -q '"unschedulable": *true' || ${stop(`a new minor of kubelet needs an empty node: kubectl drain $name --ignore-daemonsets, and kubectl uncordon $name after the update`)}`,
    '      fi',
    '    fi',
    '  fi',
  ];
}

/** An update that fails goes back to the former version, which has to come from the folder, too. */
function folderCheckLines({ folder, version }: UpdatePackages): string[] {
  return folder === undefined
    ? []
    : [
        `  if [ "$have" != ${version} ]; then`,
        `    { in_folder kubelet ${version} && in_folder kubeadm ${version}; } || { say 'Nothing is changed'; exit 66; }`,
        `    [ -z "$have" ] || [ -n "$accept" ] || { in_folder kubelet "$have" && in_folder kubeadm "$have"; } || { say "without them this update cannot be taken back. Nothing is changed. Add the packages, or run this script with --accept"; exit 66; }`,
        '  fi',
      ];
}

import { quoteForShell } from '../text/shell.js';
import { PATCH_FOLDER } from './node-paths.js';
import type { UpdateScriptInput } from './update-input.js';

/** Flags that kubeadm or yurthub has written, which no join sets by its arguments (`phases/kubelet/flags.go`; node-servant). */
export const KEPT_FLAGS: readonly string[] = [
  'bootstrap-kubeconfig',
  'cgroup-driver',
  'config',
  'container-runtime',
  'container-runtime-endpoint',
  'hostname-override',
  'kubeconfig',
  'pod-infra-container-image',
  'register-with-taints',
];

/** `configure`: the configuration of kubelet, of the cluster with our patch. */
export function configurationLines({ patches, ignorePreflightErrors, packages }: UpdateScriptInput): string[] {
  const [patch] = patches;
  const flag = patch === undefined ? '' : ` --patches ${PATCH_FOLDER}`;
  const ignored = ignorePreflightErrors.join(',');
  const phase = `kubeadm upgrade node phase kubelet-config --kubeconfig "$kubeconfig"${flag}`;
  const whole = `kubeadm upgrade node --kubeconfig "$kubeconfig"${flag}${ignored === '' ? '' : ` ${quoteForShell(`--ignore-preflight-errors=${ignored}`)}`}`;
  return [
    // kubeadm 1.34+ applies this file in every upgrade, and the join has added the former patch to it
    'keep_patch() {',
    '  [ -s "$instance" ] || return 0',
    '  socket=$(sed -n \'s/^[{ ]*"\\{0,1\\}containerRuntimeEndpoint"\\{0,1\\}: *"\\{0,1\\}\\([^",]*\\).*/\\1/p\' "$instance" | head -n 1)',
    '  [ -n "$socket" ] || return 0',
    patch === undefined
      ? '  echo "containerRuntimeEndpoint: \\"$socket\\"" > "$update/instance" || return'
      : `  { echo "{\\"containerRuntimeEndpoint\\": \\"$socket\\","; sed '1s/^{//' ${quoteForShell(patch)}; } > "$update/instance" || return`,
    '  same "$update/instance" "$instance" || { chmod 0644 "$update/instance" && mv -f "$update/instance" "$instance"; }',
    '}',
    'configure() {',
    '  cp "$config" "$update/before" || return',
    '  backups=$(echo $(ls /etc/kubernetes/tmp 2>/dev/null)) status=0',
    ...(packages === undefined
      ? [`  ${phase} || status=$?`]
      : [`  if [ -n "$installed" ]; then ${whole} || status=$?; else ${phase} || status=$?; fi`]),
    // kubeadm leaves a copy of the former configuration in every run
    '  for folder in /etc/kubernetes/tmp/kubeadm-kubelet-config*; do',
    '    case " $backups " in *" ${folder##*/} "*) ;; *) rm -rf "$folder" ;; esac',
    '  done',
    '  rmdir /etc/kubernetes/tmp 2>/dev/null',
    '  [ "$status" = 0 ] || return "$status"',
    '  same "$update/before" "$config" || { kubelet=1 changed="$changed, kubelet configuration"; }',
    '}',
  ];
}

/** `arguments`: the flags of kubelet in the file of kubeadm. Labels and taints count when kubelet registers, so they need no restart. */
export function argumentLines({ labels, kubeletArguments, removedFlags, hasMachines }: UpdateScriptInput): string[] {
  const list = (names: readonly string[]): string => ` ${names.join(' ')} `;
  const own = ['--node-labels=$labels', ...kubeletArguments.map((word) => quoteForShell(word))];
  return [
    'wanted() {',
    `  labels=${quoteForShell(labels)}${hasMachines ? '"$machine_labels"' : ''}`,
    `  want="${own[0] ?? ''}"${own
      .slice(1)
      .map((word) => `' '${word}`)
      .join('')}`,
    '}',
    'arguments() {',
    `  want=$want have=$(args) keep=${quoteForShell(list(KEPT_FLAGS))} gone=${quoteForShell(list(removedFlags))} awk '`,
    '    function name(flag) { sub(/^--/, "", flag); sub(/=.*/, "", flag); return flag }',
    '    BEGIN {',
    '      n = split(ENVIRON["have"], have, " "); m = split(ENVIRON["want"], want, " ")',
    '      for (i = 1; i <= m; i++) set[name(want[i])] = 1',
    '      for (i = 1; i <= n; i++) {',
    '        flag = name(have[i]); before[flag] = before[flag] " " have[i]',
    '        if (index(ENVIRON["keep"], " " flag " ") && !(flag in set) && !index(ENVIRON["gone"], " " flag " ")) {',
    // what node-servant has added, for yurthub: it removes that text with its blanks (`node-servant/components/kubelet.go`), so it is the end
    '          if (flag == "kubeconfig" || flag == "bootstrap-kubeconfig") hub = hub " " have[i]; else line = line " " have[i]',
    '          after[flag] = after[flag] " " have[i]',
    '        }',
    '      }',
    '      for (i = 1; i <= m; i++) { line = line " " want[i]; after[name(want[i])] = after[name(want[i])] " " want[i] }',
    '      for (flag in before) all[flag] = 1',
    '      for (flag in after) all[flag] = 1',
    '      for (flag in all) if (before[flag] != after[flag]) if (flag == "node-labels" || flag == "register-with-taints") same = 1; else restart = 1',
    '      print (restart ? "restart" : same ? "keep" : "same")',
    '      print "KUBELET_KUBEADM_ARGS=\\"" substr(line, 2) (hub == "" ? "" : " " hub " ") "\\""',
    '    }',
    '  \' > "$update/flags" || return',
    '  read -r what < "$update/flags"',
    '  [ "$what" != same ] || return 0',
    '  sed 1d "$update/flags" > "$update/flags.new" && chmod 0644 "$update/flags.new" && cp -p "$update/flags.new" "$flags.edge-nodepools" && mv -f "$flags.edge-nodepools" "$flags" || return',
    '  if [ "$what" = restart ]; then kubelet=1 changed="$changed, kubelet arguments"; else changed="$changed, labels"; fi',
    '}',
  ];
}

import type { UpdatePackages } from './update-input.js';

/** Shell functions `healthy`, which waits until kubelet is, and `said`, the last line of a kubelet that is not. */
export function healthLines(seconds: number): string[] {
  return [
    'setting() { sed -n "s/^$1: *\\"\\{0,1\\}\\([^\\"]*\\)\\"\\{0,1\\}$/\\1/p" "$config" | head -n 1; }',
    'is_healthy() {',
    '  if [ -n "$url" ] && command -v curl >/dev/null 2>&1; then',
    '    curl -fsS -m 3 --noproxy "*" "$url" >/dev/null 2>&1',
    '  elif [ -n "$url" ] && command -v wget >/dev/null 2>&1; then',
    '    http_proxy= HTTP_PROXY= wget -q -T 3 -O /dev/null "$url" 2>/dev/null',
    '  elif command -v systemctl >/dev/null 2>&1; then',
    '    systemctl is-active --quiet kubelet',
    '  else',
    '    rc-service -q kubelet status',
    '  fi',
    '}',
    '# a kubelet with a broken configuration ends at once, and is started again and again',
    'healthy() {',
    '  port=$(setting healthzPort) address=$(setting healthzBindAddress) url= in_a_row=20',
    '  case ${port:-10248} in 0) ;; *) url=http://${address:-127.0.0.1}:${port:-10248}/healthz ;; esac',
    '  if [ -n "$url" ] && { command -v curl || command -v wget; } >/dev/null 2>&1; then in_a_row=3; fi',
    '  waited=0 good=0',
    `  while [ "$waited" -lt ${seconds} ] || [ "$good" != 0 ]; do`,
    '    sleep 1',
    '    waited=$((waited + 1))',
    '    if is_healthy; then good=$((good + 1)); else good=0; fi',
    '    [ "$good" -lt "$in_a_row" ] || return 0',
    '  done',
    '  return 1',
    '}',
    'said() {',
    "  text=$(command -v journalctl >/dev/null 2>&1 && journalctl -q -u kubelet -n 40 -o cat 2>/dev/null | grep -e '^E' -e 'err=' -e '^Error' | sed -n '$p' | cut -c 1-300)",
    '  echo "${text:-journalctl -u kubelet says why}"',
    '}',
  ];
}

/**
 * Shell functions `roll_back`, which restores what `backup` has copied, and `ended`, which runs it at the end of a script that has not come to its end.
 *
 * @param packages with them `install_version` exists
 */
export function rollBackLines(packages: UpdatePackages | undefined): string[] {
  return [
    'mode() { set -- $(ls -ld "$1"); echo "$1"; }',
    'roll_back() {',
    "  trap '' HUP INT PIPE TERM",
    '  changing= lost=',
    '  while read -r number path; do',
    // of a copy that was cut off
    '    rm -f "$path.edge-nodepools"',
    '    if [ "$number" = - ]; then',
    '      rm -f "$path" || lost="$lost $path"',
    '    elif ! same "$update/old/$number" "$path" || [ "$(mode "$update/old/$number")" != "$(mode "$path")" ]; then',
    '      cp -p "$update/old/$number" "$path.edge-nodepools" && mv -f "$path.edge-nodepools" "$path" || lost="$lost $path"',
    '    fi',
    '  done < "$update/old/list"',
    ...(packages !== undefined
      ? [
          '  was=$(cat "$update/old/version")',
          '  if [ -n "$was" ] && { [ "$was" != "$(version)" ] || [ "$(packages)" != "$(cat "$update/old/packages" 2>/dev/null)" ]; }; then',
          '    install_version "$was" && [ "$was" = "$(version)" ] || lost="$lost kubelet $was"',
          '  fi',
        ]
      : []),
    ...(packages?.runtime !== undefined
      ? [
          '  was=$(cat "$update/old/runtime" 2>/dev/null)',
          '  [ -z "$was" ] || [ "$was" = "$(runtime_now)" ] || install_runtime "$was" || lost="$lost $was"',
        ]
      : []),
    '  reload',
    '  [ -z "$runtime" ] || restart "$unit"',
    '  if [ -n "$kubelet" ] || [ -n "$runtime" ]; then restart kubelet; healthy || lost="$lost; kubelet is not healthy: $(said)"; fi',
    '  [ -z "$lost" ] || { say "not everything could be taken back:$lost. The former files are in $update/old"; return 71; }',
    '  sync',
    '  rm -rf "$update/changing" "$update/labels" "$update"',
    '}',
    'ended() {',
    '  trap - EXIT',
    '  if [ -n "$changing" ]; then',
    "    if roll_back; then say 'the update is taken back: this node is as before'; else status=71; fi",
    '  fi',
    '  unlock',
    '  exit "$status"',
    '}',
  ];
}

import { quoteForShell } from '../text/shell.js';
import { BOOT_HOOK, KUBELET_CONF, SCRIPT_PATH, SERVICE_PATH, STATE_FOLDER } from './node-paths.js';
import { nodeScript } from './node-script.js';

/** How a manager runs the script: its files, and shell lines. */
export interface ServiceManager {
  /** Lines of each file. */
  readonly files: Readonly<Record<string, readonly string[]>>;
  /** Before the first run, so that a power failure in it changes nothing. */
  readonly enable: readonly string[];
  /** After the first run, if it failed. */
  readonly begin: readonly string[];
  /** After the join, until the next boot. */
  readonly rest: readonly string[];
  readonly remove: readonly string[];
}

/** What the script of the service depends on. */
export interface ServiceScriptInput extends ServiceManager {
  /** Comment at the beginning. */
  readonly about: string;
  /** In seconds. */
  readonly firstPause: number;
  readonly longestPause: number;
  readonly until?: string;
  readonly secondsForTimeSync: number;
  readonly rejoinsExpired: boolean;
}

/** Folder in memory, which everybody can read: when the next run is, and what the last one said. */
export const SERVICE_RUN_FOLDER = '/run/edge-nodepools-join';

/** The command for technicians, where the file system permits it. */
export const SERVICE_COMMAND = '/usr/local/bin/edge-nodepools-join';

/** What the service waits for; from its first run on. */
export const STATUS_FILE = `${STATE_FOLDER}/service-status`;

/** The file that the certificate of kubelet has when it is missing or expired, for the script that joins. */
const CURRENT_CERTIFICATE = '/var/lib/kubelet/pki/kubelet-client-current.pem';

/** What kubeadm says, and what the machine waits for then. */
const REASONS: readonly (readonly [says: string, waitsFor: string])[] = [
  ['could not find a JWS signature', 'a token that the cluster knows: this one is unknown or has expired'],
  [
    'public keys .* are pinned',
    'the right CA: that of the API server is another one than in caCertHashes of this join',
  ],
  [
    'status "Ready" already exists',
    'its name: a Node with it is Ready. Delete that Node, or give this machine another name',
  ],
  ['kubelet waits for its certificate', 'the signature of its certificate: kubectl get csr'],
  [
    'validate the identity of the API Server',
    'an answer of the API server: is the network up, and does its name resolve?',
  ],
  ['waiting for the kubelet to start', 'kubelet, which does not start: journalctl -u kubelet'],
  ['kubelet is not healthy', 'kubelet, which does not start: journalctl -u kubelet'],
];

/**
 * The script of the service: `run` joins if it is due, `start` and `now` at once, `loop` for a manager without timers, `status` tells a technician what the
 * machine waits for, `stop` removes the service. The manager calls it every few seconds, and the script knows when it is due, because the clock of a machine
 * may jump by years: it counts seconds since boot.
 */
export function serviceScript(input: ServiceScriptInput): string {
  return nodeScript({
    comments: [input.about, 'edge-nodepools-join status | now | stop'],
    lines: [
      `status=${STATUS_FILE} run=${SERVICE_RUN_FOLDER}`,
      `out=$run/output next=$run/next`,
      'say() { echo "edge-nodepools: $*" >&2; }',
      'value() { sed -n "s/^$1=//p" "$status" 2>/dev/null; }',
      'now() { date -u +%Y-%m-%dT%H:%M:%SZ; }',
      'up() { IFS=. read -r seconds rest < /proc/uptime; echo "$seconds"; }',
      ...noteLines(),
      ...clockLines(input),
      ...expiryLines(),
      ...reasonLines(),
      ...managerLines(input),
      ...tryLines(input),
      ...statusLines(),
      // a shell reads a block to its end before it runs it, and this file may be removed meanwhile
      '{',
      ...commandLines(),
      '}',
    ],
  });
}

/** `note STATE TEXT`: since when it is so, and how often it was tried. */
function noteLines(): string[] {
  return [
    'note() {',
    '  since=$(value since) tries=$(value tries) began=$(value began)',
    '  [ "$1 $2" = "$(value state) $(value waits)" ] && [ -n "$since" ] || since=$(now)',
    '  printf "%s\\n" "state=$1" "waits=$2" "since=$since" "began=${began:-$since}" "tries=$((${tries:-0} + ${3:-0}))" > "$status.new" &&',
    '    mv -f "$status.new" "$status"',
    '}',
  ];
}

function clockLines({ secondsForTimeSync }: ServiceScriptInput): string[] {
  return [
    '# no if the clock is known not to be synchronized',
    'synchronized() {',
    '  if command -v timedatectl >/dev/null 2>&1; then timedatectl show -p NTPSynchronized --value 2>/dev/null',
    "  elif command -v chronyc >/dev/null 2>&1; then chronyc -n tracking 2>/dev/null | sed -n 's/^Leap status.*Not syn.*/no/p'; fi",
    '}',
    'wait_for_time() {',
    '  waited=0',
    `  while [ "$waited" -lt ${secondsForTimeSync} ] && [ "$(synchronized)" = no ]; do`,
    '    [ "$waited" != 0 ] || note waiting \'a clock that is synchronized: timedatectl\'',
    '    sleep 5',
    '    waited=$((waited + 5))',
    '  done',
    '  [ "$(synchronized)" != no ] || say \'the clock of this machine is not synchronized; it joins all the same\'',
    '}',
  ];
}

/** Whether the certificate of kubelet has expired; without openssl, which a machine may not have: the second time in it is its end. */
function expiryLines(): string[] {
  return [
    'expired() {',
    `  file=$(sed -n 's/^ *client-certificate: *//p' ${KUBELET_CONF} 2>/dev/null)`,
    '  file=${file#\\"} file=${file%\\"}',
    '  [ -s "$file" ] || return 1',
    "  ended=$(sed -n '/BEGIN CERT/,/END CERT/{/-----/!p;}' \"$file\" | base64 -d 2>/dev/null | tr -c '0-9Z' '\\n' | sed -n 's/^\\([0-9]\\{12\\}\\)Z.*/\\1/p' | sed -n 2p)",
    // as texts, because mksh and small builds of busybox count with 32 bits
    '  [ -n "$ended" ] && [ "$(synchronized)" != no ] && awk -v a="$(date -u +%y%m%d%H%M%S)" -v b="$ended" \'BEGIN { exit !(a "" > b "") }\'',
    '}',
    '# the script that joins does the rest, also after a power cut',
    'expire() {',
    '  expired || return 0',
    "  say 'the certificate of kubelet has expired: this machine joins again, for which it needs a token'",
    `  : > ${STATE_FOLDER}/joining && rm -f ${CURRENT_CERTIFICATE}`,
    '}',
  ];
}

/** `reason`: what the machine waits for, by the output of the run that failed. */
function reasonLines(): string[] {
  const seconds =
    'function s(t) { z = 0; if (match(t, /[+-][0-9][0-9]:[0-9][0-9]$/)) { z = (substr(t, RSTART + 1, 2) * 60 + substr(t, RSTART + 4, 2)) * (substr(t, RSTART, 1) == "-" ? -60 : 60); t = substr(t, 1, RSTART - 1) } split(t, p, /[-T:Z]/); y = p[1]; m = p[2]; if (m < 3) { y--; m += 12 } return ((365 * y + int(y / 4) - int(y / 100) + int(y / 400) + int((153 * m - 457) / 5) + p[3]) * 24 + p[4]) * 3600 + p[5] * 60 + p[6] - z }';
  const tell =
    'BEGIN { d = s(a) - s(b); if (d < 0) d = -d; if (d > 172800) printf "%d days", d / 86400; else if (d > 7200) printf "%d hours", d / 3600; else printf "%d minutes", d / 60 + 1 }';
  return [
    'reason() {',
    "  off=$(sed -n 's/.*current time \\([0-9TZ:+-]*\\) is \\([a-z]*\\) \\([0-9TZ:+-]*\\).*/\\1 \\2 \\3/p' \"$out\" | sed -n '$p')",
    '  if [ -n "$off" ]; then',
    '    set -- $off',
    `    by=$(awk -v a="$1" -v b="$3" '${seconds} ${tell}')`,
    '    if [ "$2" = before ]; then',
    '      echo "a clock that is right: that of this machine is at least $by behind the certificate of the API server, which begins at $3"',
    '    else',
    '      echo "a clock that is right, or another certificate of the API server: it has ended at $3, by the clock of this machine $by ago"',
    '    fi',
    ...REASONS.flatMap(([says, waitsFor]) => [`  elif grep -q '${says}' "$out"; then`, `    echo '${waitsFor}'`]),
    '  else',
    // the first of our own messages says what failed, the others what follows from it
    "    text=$(sed -n 's/^edge-nodepools: //p' \"$out\" | grep -v -e '^attempt ' -e '^the join failed' -e '^the next boot' -e '^the clock ' -e '^a power cut' | sed -n 1p)",
    '    [ -n "$text" ] || text=$(grep -v "^edge-nodepools: " "$out" | sed -n \'$p\')',
    '    echo "help: $text" | tr -cd \'[:print:]\' | cut -c 1-300',
    '  fi',
    '}',
  ];
}

function managerLines({ files, enable, begin, rest, remove, rejoinsExpired }: ServiceScriptInput): string[] {
  const call = (name: string, commands: readonly string[]): string => `${name}() { ${[...commands, ':'].join('; ')}; }`;
  const folder = SERVICE_COMMAND.slice(0, SERVICE_COMMAND.lastIndexOf('/'));
  return [
    'enable() {',
    ...Object.entries(files).map(
      ([path, lines]) =>
        `  mkdir -p ${path.slice(0, path.lastIndexOf('/'))} && printf '%s\\n' ${lines.map(quoteForShell).join(' ')} > ${path}`,
    ),
    ...enable.map((line) => `  ${line}`),
    // from here on the manager runs it, not cloud-init
    `  rm -f ${BOOT_HOOK}`,
    `  mkdir -p ${folder} && ln -sf ${SERVICE_PATH} ${SERVICE_COMMAND} || say 'there is no command edge-nodepools-join: sh ${SERVICE_PATH} status'`,
    '}',
    call('begin', begin),
    call('remove', remove),
    call('rest', rejoinsExpired ? rest : ['remove']),
  ];
}

function tryLines({ firstPause, longestPause, until }: ServiceScriptInput): string[] {
  return [
    '# half of each pause is random',
    'pause() {',
    '  failures=$(cat "$run/failures" 2>/dev/null)',
    `  failures=$((\${failures:-0} + 1)) seconds=${firstPause} count=1`,
    `  while [ "$count" -lt "$failures" ] && [ "$seconds" -lt ${longestPause} ]; do seconds=$((seconds * 2)) count=$((count + 1)); done`,
    `  [ "$seconds" -le ${longestPause} ] || seconds=${longestPause}`,
    '  random=$(cksum < /proc/sys/kernel/random/uuid)',
    '  echo "$failures" > "$run/failures"',
    '  echo "$(($(up) + seconds / 2 + ${random%% *} % (seconds / 2 + 1)))" > "$next"',
    '}',
    'try() {',
    '  (umask 022; mkdir -p "$run")',
    '  echo now > "$next"',
    '  wait_for_time',
    '  expire',
    // no token reaches the journal, whatever a program prints
    `  { sh ${SCRIPT_PATH} 2>&1; echo $? > "$run/result"; } | sed 's/[a-z0-9]\\{6\\}\\.[a-z0-9]\\{16\\}/(token)/g' > "$out"`,
    '  read -r result < "$run/result"',
    '  cat "$out" >&2',
    '  case $result in',
    '    0) note joined \'\' 1; rm -f "$next"; rest ;;',
    '    75) pause ;;',
    '    78) note refused "$(reason)" 1; rm -f "$next"; remove ;;',
    '    *)',
    '      note waiting "$(reason)" 1',
    ...(until === undefined
      ? ['      pause ;;']
      : [
          `      if awk -v a="$(now)" 'BEGIN { exit !(a "" > "${until}" "") }' && [ "$(synchronized)" != no ]; then`,
          '        note "gave up" "$(value waits)"',
          '        say "it is after ' + until + ': no further run"',
          '        rm -f "$next"',
          '        remove',
          '      else',
          '        pause',
          '      fi ;;',
        ]),
    '  esac',
    '  return "$result"',
    '}',
    'is_due() {',
    '  due=$(cat "$next" 2>/dev/null)',
    '  case $due in "" | *[!0-9]*) return 0 ;; esac',
    '  [ "$(up)" -ge "$due" ]',
    '}',
    'is_over() { case $(value state) in joined | refused | "gave up" | stopped) return 0 ;; esac; return 1; }',
    // one run of the manager; 0 if there is nothing left to do
    'step() {',
    '  if [ "$(value state)" = joined ] && ! expired; then rest; return 0; fi',
    '  is_due || return 1',
    '  try',
    '}',
  ];
}

function statusLines(): string[] {
  return [
    'tell() {',
    '  state=$(value state) waits=$(value waits) since=$(value since) tries=$(value tries) began=$(value began)',
    '  tail="since $since ($tries runs since $began)" soon=',
    '  due=$(cat "$next" 2>/dev/null)',
    '  case $due in "") ;; *[!0-9]*) soon="; a run is under way" ;; *) soon=$((due - $(up))); if [ "$soon" -gt 0 ]; then soon="; next run in $soon s"; else soon="; next run now"; fi ;; esac',
    '  case $state in',
    '    joined)',
    `      if expired 2>/dev/null; then echo "edge-nodepools-join: this node was off for too long, and the certificate of kubelet has expired: with a new token, edge-nodepools-join now"; return 1; fi`,
    '      echo "edge-nodepools-join: joined, since $since"; return 0 ;;',
    '    waiting) echo "edge-nodepools-join: waits for $waits, $tail$soon" ;;',
    '    "gave up") echo "edge-nodepools-join: gave up, $tail. It waited for $waits. Once more: edge-nodepools-join now" ;;',
    '    refused) echo "edge-nodepools-join: nothing to do, $tail: $waits" ;;',
    '    *) echo "edge-nodepools-join: has not finished its first run$soon" ;;',
    '  esac',
    '  return 1',
    '}',
  ];
}

function commandLines(): string[] {
  return [
    'command=${1:-status}',
    'case $command in',
    '  status) tell; exit ;;',
    '  run | start | now | loop | stop) ;;',
    "  *) echo 'usage: edge-nodepools-join status | now | stop' >&2; exit 64 ;;",
    'esac',
    '[ "$(id -u)" = 0 ] || { say \'this needs root\'; exit 77; }',
    'case $command in',
    '  run) step; exit 0 ;;',
    '  loop) until step; do is_over && exit 0; sleep 5; done; exit 0 ;;',
    "  stop) remove; note stopped ''; exit 0 ;;",
    'esac',
    'enable',
    'try',
    'result=$?',
    'is_over || begin',
    'exit "$result"',
  ];
}

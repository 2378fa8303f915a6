import { quoteForShell } from '../text/shell.js';
import type { EtcdSnapshots } from './etcd-cluster-props.js';
import { ETCD_TOOL } from './etcd-paths.js';
import type { EtcdCommand } from './etcd-tool.js';

export const DEFAULT_SNAPSHOTS = { everyHours: 6, keep: 28, folder: '/var/lib/etcd-snapshots' } as const;
export const DEFAULT_DEFRAGMENTATION_HOUR = 3;

/** In the command of an upload: the path of the snapshot. */
export const FILE_PLACEHOLDER = '{file}';

/** Variables for the command of an upload, such as credentials: `NAME=value`, read by a shell. */
const UPLOAD_VARIABLES = '/etc/etcd/upload.env';

/** What a member says of itself; the ids are decimal numbers. */
const STATUS: EtcdCommand = {
  name: 'status',
  text: 'says what this member says of itself',
  lines: [
    'field() { own endpoint status -w fields | sed -n "s/^\\"$1\\" : //p"; }',
    'is_leader() { [ "$(field MemberID)" = "$(field Leader)" ]; }',
    'status() { own endpoint status -w fields; }',
  ],
};

function snapshot({ keep, folder, upload }: EtcdSnapshots): EtcdCommand {
  const { keep: most, folder: place } = { ...DEFAULT_SNAPSHOTS, ...defined({ keep, folder }) };
  const words = (upload ?? []).map((word) => word.split(FILE_PLACEHOLDER).map(quoteForShell).join('"$file"'));
  return {
    name: 'snapshot',
    text: 'saves a snapshot of all data, and checks it',
    lines: [
      'snapshot() {',
      `  folder=${quoteForShell(place)}`,
      '  mkdir -p "$folder" && chmod 0700 "$folder" || die "$folder cannot be made"',
      '  # of a snapshot that was killed',
      '  find "$folder" -name "$member-*.db.new*" -mtime +0 -exec rm -f {} +',
      '  file=$folder/$member-$(date -u +%Y%m%dT%H%M%SZ).db',
      '  own snapshot save "$file.new" >/dev/null 2>&1 && etcdutl snapshot status "$file.new" >/dev/null && sync "$file.new" && mv "$file.new" "$file" ||',
      '    { rm -f "$file.new" "$file.new.part"; die \'the snapshot failed: is there room, and is etcd healthy?\'; }',
      '  echo "$file"',
      '  # in a folder of several members, etcd-1 does not touch the snapshots of etcd-1-b',
      `  ls "$folder/$member"-[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]T*.db | sort -r | tail -n +${most + 1} | while IFS= read -r old; do rm -f "$old"; done`,
      ...(upload === undefined
        ? []
        : [
            '  # one copy is enough: all members have the same data',
            '  HOME=${HOME:-/root}; export HOME',
            `  [ ! -r ${UPLOAD_VARIABLES} ] || { set -a; . ${UPLOAD_VARIABLES}; set +a; }`,
            `  ! is_leader || ${words.join(' ')} || die "$file is not uploaded"`,
          ]),
      '}',
    ],
  };
}

/** The lock is held at the other members: this one does not answer while it is defragmented. */
const DEFRAG: EtcdCommand = {
  name: 'defrag',
  text: 'gives free pages back to the file system, one member at a time; `defrag force` also if there are few',
  lines: [
    'defrag() {',
    '  # at its quota etcd takes no lock, and calls no member healthy; then defragment one member after the other by hand',
    '  if [ "${1:-}" = force ] && ctl alarm list | grep -q NOSPACE; then',
    '    total=$(field DBSize)',
    "    own defrag --command-timeout=15m >/dev/null || die 'etcd did not finish'",
    '    say "$total bytes before, $(field DBSize) after; when all members are, run edge-etcd run alarm disarm"',
    '    return',
    '  fi',
    '  if [ "${1:-}" != locked ]; then',
    '    at "$others" lock edge-nodepools/defragmentation "$0" defrag locked "${1:-}" || die \'not defragmented\'',
    '    return',
    '  fi',
    '  attempt=0',
    '  until own endpoint health --cluster >/dev/null 2>&1; do',
    '    attempt=$((attempt + 1))',
    "    [ $attempt -lt 10 ] || die 'not all members are healthy'",
    '    sleep 3',
    '  done',
    '  total=$(field DBSize) used=$(field DBSizeInUse)',
    '  if [ "${2:-}" != force ] && [ $((used * 4)) -gt $((total * 3)) ]; then',
    '    say "$used of $total bytes are used: nothing to do"',
    '    return',
    '  fi',
    '  if is_leader; then',
    '    next=$(own member list | awk -F \', \' -v own="$member" \'$3 != own && $2 == "started" && $6 == "false" { print $1; exit }\')',
    '    own move-leader "$next" >/dev/null || die \'another member does not become the leader\'',
    '  fi',
    "  own defrag --command-timeout=15m >/dev/null || die 'etcd did not finish'",
    '  for attempt in 1 2 3 4 5 6 7 8 9 10; do',
    '    if own endpoint health >/dev/null 2>&1; then',
    '      say "$total bytes before, $(field DBSize) after"',
    '      return',
    '    fi',
    '    sleep 3',
    '  done',
    "  die 'the member is not healthy after its defragmentation'",
    '}',
  ],
};

const COMPACT: EtcdCommand = {
  name: 'compact',
  text: 'drops the history of all keys; then `defrag force` on each member, and `run alarm disarm`, make room',
  lines: ['compact() {', '  ctl compaction --physical "$(field Revision)"', '}'],
};

const RESTORE: EtcdCommand = {
  name: 'restore',
  text: 'FILE: replaces the data by a snapshot; run it on every member with the same file',
  lines: [
    'restore() {',
    '  file=${1:-}',
    '  [ -s "$file" ] || die \'write edge-etcd restore FILE\'',
    '  etcdutl snapshot status "$file" >/dev/null || die "$file is not a snapshot"',
    "  systemctl stop etcd.service || die 'etcd does not stop'",
    '  mounted',
    '  # members with other data have another token, and cannot join',
    '  token=$token-$(sha256sum "$file" | cut -c 1-12)',
    '  rm -rf "$mount/restored"',
    '  # the revisions go up, so that no client believes it has seen what comes (etcd.io, Disaster recovery)',
    '  etcdutl snapshot restore "$file" --name "$member" --initial-cluster "$initial_cluster" --initial-cluster-token "$token" \\',
    '    --initial-advertise-peer-urls "$peer" --data-dir "$mount/restored" --bump-revision 1000000000 --mark-compacted >/dev/null 2>&1 ||',
    '    { rm -rf "$mount/restored"; die \'the snapshot cannot be restored: is there room?\'; }',
    '  [ ! -e "$data" ] || mv "$data" "$mount/before-$(date -u +%Y%m%dT%H%M%SZ)" || die "$data cannot be moved"',
    '  mv "$mount/restored" "$data" && chown -R etcd:etcd "$data" || die "$data cannot be written"',
    '  systemctl start --no-block etcd.service',
    '  say "restored, and the former data is beside $data; restart the API servers when all members are"',
    '}',
  ],
};

const REPLACE: EtcdCommand = {
  name: 'replace',
  text: 'makes a member without data a new member, in place of the one of this name; run it on this machine',
  lines: [
    '# etcd makes some files also where it then refuses to start; data is what has a log',
    'keeps_data() {',
    '  ! ls "$data"/member/wal/*.wal >/dev/null 2>&1 ||',
    '    die "$data has the data of this member, which needs no replacement; if it is broken, move it away"',
    '}',
    '',
    'replace() {',
    '  keeps_data',
    "  systemctl stop etcd.service || die 'etcd does not stop'",
    '  # what is on the volume is only known when it is mounted; a new volume is blank',
    '  replaces=yes',
    '  (mounted && keeps_data) || { systemctl start --no-block etcd.service; exit 1; }',
    '  rm -rf "$data/member"',
    '  members=$(at "$others" member list) || die \'the other members do not answer\'',
    '  for id in $(echo "$members" | awk -F \', \' -v own="$member" -v peer="$peer" \'$3 == own || $4 == peer { print $1 }\'); do',
    '    at "$others" member remove "$id" >/dev/null || die "the former member $id is not removed"',
    '  done',
    '  # it has no vote before it has the data',
    '  attempt=0',
    '  # etcd wants all others connected for five seconds first (strict-reconfig-check)',
    '  until added=$(at "$others" member add "$member" --learner --peer-urls="$peer" 2>/dev/null); do',
    '    attempt=$((attempt + 1))',
    '    [ "$attempt" -lt 40 ] || die \'the member is not added: are all others healthy? Then run this again\'',
    '    sleep 3',
    '  done',
    '  # the members as they are, which are not those of the first day if some were added or removed since',
    '  cluster=$(echo "$added" | sed -n \'s/^ETCD_INITIAL_CLUSTER="\\(.*\\)"$/\\1/p\')',
    '  sed -i -e \'s/^initial-cluster-state: .*/initial-cluster-state: "existing"/\' -e "s|^initial-cluster: .*|initial-cluster: \\"$cluster\\"|" "$config" ||',
    '    die "$config cannot be changed"',
    '  systemctl start --no-block etcd.service',
    '  id=$(at "$others" member list | awk -F \', \' -v peer="$peer" \'$4 == peer { print $1 }\')',
    '  for attempt in $(seq 200); do',
    '    if at "$others" member promote "$id" >/dev/null 2>&1; then',
    '      say "$member is a member again"',
    '      return',
    '    fi',
    '    sleep 3',
    '  done',
    '  die "$member does not catch up: see journalctl -u etcd, then run edge-etcd run member promote $id"',
    '}',
  ],
};

/** The commands of a member for its second day. */
export function maintenance(snapshots: EtcdSnapshots = {}): EtcdCommand[] {
  return [STATUS, snapshot(snapshots), DEFRAG, COMPACT, RESTORE, REPLACE];
}

/** A timer and its service, by path. */
export function timerUnits(
  about: string,
  everyHours: number = DEFAULT_SNAPSHOTS.everyHours,
  hour: number = DEFAULT_DEFRAGMENTATION_HOUR,
): { readonly path: string; readonly content: string }[] {
  return [
    ...timer(about, 'snapshot', everyHours === 24 ? '*-*-* 00:10:00 UTC' : `*-*-* 00/${everyHours}:10:00 UTC`),
    ...timer(about, 'defrag', `*-*-* ${String(hour).padStart(2, '0')}:30:00 UTC`),
  ];
}

function timer(
  about: string,
  command: string,
  calendar: string,
): { readonly path: string; readonly content: string }[] {
  const unit = (kind: string, lines: readonly string[]): { readonly path: string; readonly content: string } => ({
    path: `/etc/systemd/system/edge-etcd-${command}.${kind}`,
    content: `${[`# ${about}`, ...lines].join('\n')}\n`,
  });
  return [
    unit('service', [
      '[Unit]',
      `Description=edge-etcd ${command}`,
      'After=etcd.service',
      '',
      '[Service]',
      'Type=oneshot',
      `ExecStart=${ETCD_TOOL} ${command}`,
      // etcd goes first
      'IOSchedulingClass=idle',
      'Nice=10',
    ]),
    unit('timer', [
      '[Unit]',
      `Description=edge-etcd ${command}`,
      '',
      '[Timer]',
      `OnCalendar=${calendar}`,
      // members do not begin together
      'RandomizedDelaySec=15min',
      'Persistent=true',
      '',
      '[Install]',
      'WantedBy=timers.target',
    ]),
  ];
}

function defined<T extends object>(values: T): { readonly [Key in keyof T]: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}

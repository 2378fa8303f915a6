#: etcd-recovery
# serves HOST:PORT: whether etcd runs there. A member that waits for others may be between two answers: it is asked again.
serves() {
  attempt=0
  until ask "$1"; do
    case $answer in *X-Edge-Etcd:*) return 1 ;; esac
    hears "$1" || return 1
    attempt=$((attempt + 1))
    [ "$attempt" -lt 10 ] ||
      die "etcd runs at $1 and does not answer to $pki/peer.crt, so nobody knows with which data:" \
        'run systemctl stop etcd there; then run this again'
    sleep 1
  done
}

# restore FILE [WORD]
restore() {
  file=${1:-} word=${2:-}
  [ -s "$file" ] || die 'write edge-etcd restore FILE'
  case $word in *[!A-Za-z0-9-]*) die 'the word after FILE has only letters, digits and -' ;; esac
  etcdutl snapshot status "$file" >/dev/null || die "$file is not a snapshot"
  certificates
  # members with other data have another token, and cannot join
  token=$cluster-$(sha256sum "$file" | cut -c 1-12)${word:+-$word}
  restored=$(cluster_id "$token" "$initial_cluster")
  # its own etcd, too: without others it serves clients alone
  for running in "${peer#https://}" $other_peers; do
    if serves "$running"; then
      [ "$id" != "$restored" ] ||
        die "etcd runs at $running with what came after $file, so $member is no member to restore alone: start it," \
          'and run edge-etcd replace if its data is lost. To go back to this file once more, run systemctl stop etcd' \
          'on every member, and edge-etcd restore FILE WORD on each, with the same new word'
      die "etcd runs at $running with other data, and what it acknowledges now would be lost:" \
        'stop the API servers, and run systemctl stop etcd on every member; then run this again'
    fi
  done
  systemctl stop etcd.service || die 'etcd does not stop'
  replaces=yes
  mounted
  if [ "$(cat "$data/restored" 2>/dev/null)" = "$token" ]; then
    systemctl start --no-block etcd.service
    die "$member was restored from $file already; to go back to it once more, run edge-etcd restore $file WORD" \
      'on every member, with the same new word'
  fi
  # a run may have been cut off after it
  [ "$(cat "$prepared/restored" 2>/dev/null)" = "$token" ] || prepare "$file"
  systemctl start --no-block etcd.service
  say "restored, and $member begins when all members are; the former data stays in $mount/before-…;" \
    'start the API servers when all are healthy'
}

# prepare FILE: the data of the snapshot beside the former, which stays what it is until all members have theirs
prepare() {
  rm -rf "$prepared" "$prepared.new"
  # the revisions go up, so that no client believes it has seen what comes (etcd.io, Disaster recovery)
  output=$(etcdutl snapshot restore "$1" --name "$member" --data-dir "$prepared.new" \
    --initial-cluster "$initial_cluster" --initial-cluster-token "$token" --initial-advertise-peer-urls "$peer" \
    --bump-revision 1000000000 --mark-compacted 2>&1 && echo "$token" > "$prepared.new/restored") || {
    rm -rf "$prepared.new"
    die "the snapshot cannot be restored, and etcd is stopped: $(echo "$output" | tail -n 1);" \
      "is there room? Data of former restores in $mount/before-* can be removed"
  }
  # the owner first: who finds the data there, finds them as they must be
  { chown -R etcd:etcd "$prepared.new" && sync && mv "$prepared.new" "$prepared" && sync "$mount"; } ||
    die "$prepared cannot be written"
}

configure_restored() {
  configure initial-cluster "$initial_cluster"
  configure initial-cluster-token "$token"
  configure initial-cluster-state new
}

# The word of an administrator, once: this member begins although not all others are there.
begin() {
  certificates
  mounted
  is_prepared || ! has_data || die "$member has data, and needs no word"
  to_begin
  is_prepared || [ "$(setting initial-cluster-state)" = new ] ||
    die "$member has no data, and a replacement did not end: run edge-etcd replace"
  look
  [ -z "$served" ] || die "the members at$served have the data of this cluster: start the others;" \
    "$member joins them when most run, and if it had data, run edge-etcd replace"
  [ -z "$strange" ] || die "another cluster would begin at$strange: run the same edge-etcd restore FILE there first"
  agree word
  systemctl start --no-block etcd.service
  say "$member begins; run this on each other member that is there, and not on those that come later"
}

# From here on the power may fail: without data, this member must not begin a cluster at the next boot.
begins_nothing() { configure initial-cluster-state existing; }

# The former data stays until somebody removes it.
put_aside() {
  [ ! -e "$data" ] || mv "$data" "$mount/before-$(date -u +%Y%m%dT%H%M%SZ)" || die "$data cannot be moved"
}

# keeps_data [force]
keeps_data() {
  [ "${1:-}" = force ] || ! has_data ||
    die "$data has the data of this member, which needs no replacement; if it is broken, or of another cluster," \
      "run edge-etcd replace force, which keeps it in $mount/before-…"
}

# Asks again for half a minute: an election, or a machine that is slow, fails what is right a moment later.
again() {
  attempt=0
  until "$@"; do
    attempt=$((attempt + 1))
    [ "$attempt" -lt 10 ] || return 1
    sleep 3
  done
}

# What the other members say of this one: nothing, its id while it has no vote, or voter. It fails if they say nothing at all.
membership() {
  listed=$(at "$others" member list 2>/dev/null) || return 1
  printf '%s\n' "$listed" | awk -F ', ' -v peer="$peer" '$4 == peer { found = ($6 == "true") ? $1 : "voter" } END { print found }'
}

promote() {
  attempt=0
  # an answer that is lost is no refusal: then it has its vote already
  until found=$(membership) && { [ "$found" = voter ] || at "$others" member promote "$found" >/dev/null 2>&1; }; do
    attempt=$((attempt + 1))
    [ "$attempt" -lt 200 ] ||
      die "$member does not catch up: see journalctl -u etcd, then run edge-etcd run member promote ${found:-ID}"
    sleep 3
  done
  say "$member is a member again"
}

# A member that is not there any more, also if the answer to its removal was lost.
gone() {
  at "$others" member remove "$1" >/dev/null 2>&1 && return
  listed=$(at "$others" member list) || return 1
  case "$listed" in *"$1,"*) return 1 ;; esac
}

# replace [force]
replace() {
  # a run that has ended while the member caught up
  if [ "${1:-}" != force ] && has_data; then
    case $(membership) in
      '' | voter) ;;
      *)
        systemctl start --no-block etcd.service && promote
        return
        ;;
    esac
  fi
  keeps_data "${1:-}"
  certificates
  members=$(again at "$others" member list) ||
    die 'the other members do not answer; if most members lost their data, run edge-etcd restore FILE on every member'
  systemctl stop etcd.service || die 'etcd does not stop'
  # what is on the volume is only known when it is mounted; a new volume is blank
  replaces=yes
  (mounted && keeps_data "${1:-}") || { systemctl start --no-block etcd.service; exit 1; }
  begins_nothing
  if has_data; then put_aside; fi
  rm -rf "$data/member" "$prepared"
  for former in $(echo "$members" |
    awk -F ', ' -v own="$member" -v peer="$peer" '$3 == own || $4 == peer { print $1 }'); do
    again gone "$former" || die "the former member $former is not removed"
  done
  # it has no vote before it has the data
  attempt=0
  # etcd wants all others connected for five seconds first (strict-reconfig-check)
  until added=$(at "$others" member add "$member" --learner --peer-urls="$peer" 2>/dev/null); do
    attempt=$((attempt + 1))
    [ "$attempt" -lt 40 ] || die 'the member is not added: are all others healthy? Then run this again'
    # added by a request whose answer was lost: the answer has what is to be configured
    case $(membership) in
      '' | voter) ;;
      *) gone "$(membership)" || : ;;
    esac
    sleep 3
  done
  # the members as they are, which are not those of the first day if some were added or removed since
  configure initial-cluster "$(echo "$added" | sed -n 's/^ETCD_INITIAL_CLUSTER="\(.*\)"$/\1/p')"
  to_begin
  agree all
  systemctl start --no-block etcd.service
  promote
}
#: edge-etcd
usage() {
  cat <<'END'
edge-etcd ready     prepares volume, user and certificates, or fails with the reason; systemd runs it before each start
edge-etcd setup     enables the units, and starts etcd in the background
edge-etcd run       runs etcdctl at all members with the certificates of this one: edge-etcd run member list
edge-etcd status    says what this member says of itself
edge-etcd snapshot  saves a snapshot of all data, and checks it
edge-etcd defrag    gives free pages back to the file system, one member at a time; with `force` also if there are few
edge-etcd compact   drops the history of all keys; then `defrag force` on each member, and `run alarm disarm`, make room
edge-etcd restore   FILE: replaces the data by a snapshot, on every member with the same file; before it, the API
                    servers and every etcd are stopped. They begin when all members have theirs
edge-etcd begin     begins without those that do not come; never if one of them has data that is needed
edge-etcd replace   makes this machine, whose data is lost, a new member in place of the one of its name
END
}

command=${1:-help}
[ $# -eq 0 ] || shift
[ "$(id -u)" = 0 ] || [ "$command" = help ] || { say 'this needs root'; exit 77; }
case $command in
  ready | setup | run | status | snapshot | defrag | compact | restore | replace | begin) "$command" "$@" ;;
  *)
    usage
    [ "$command" = help ] || exit 64
    ;;
esac
#: etcd-second-day
# What this member says of itself; the ids are decimal numbers.
status() { own endpoint status -w fields; }
field() { status | sed -n "s/^\"$1\" : //p"; }
is_leader() { [ "$(field MemberID)" = "$(field Leader)" ]; }

# With a certificate that has expired, etcdctl would try for ever. A busy member may be late.
answers_now() {
  attempt=0
  until status >/dev/null 2>&1; do
    [ "$attempt" -gt 0 ] || certificates
    attempt=$((attempt + 1))
    { [ "$attempt" -lt 5 ] && is_valid server && is_valid peer; } ||
      die "etcd at $endpoint does not answer: see journalctl -u etcd"
    sleep 3
  done
}
is_valid() { openssl x509 -noout -checkend 0 -in "$pki/$1.crt" >/dev/null 2>&1; }

snapshot() {
  answers_now
  { mkdir -p "$snapshots" && chmod 0700 "$snapshots"; } || die "$snapshots cannot be made"
  # of a snapshot that was killed
  find "$snapshots" -name "$member-*.db.new*" -mtime +0 -exec rm -f {} +
  file=$snapshots/$member-$(date -u +%Y%m%dT%H%M%SZ).db
  trap 'rm -f "$file.new" "$file.new.part"' EXIT
  trap 'exit 143' TERM INT
  { own snapshot save "$file.new" --command-timeout=15m >/dev/null 2>&1 &&
    etcdutl snapshot status "$file.new" >/dev/null &&
    sync "$file.new" && mv "$file.new" "$file"; } ||
    die 'the snapshot failed within 15 minutes: is there room, and is etcd healthy?'
  echo "$file"
  remove_old_snapshots
  if [ -n "$upload" ] && is_leader; then
    # one copy is enough: all members have the same data
    upload_snapshot || die "$file is not uploaded"
  fi
}

# In a folder of several members, etcd-1 does not touch the snapshots of etcd-1-b.
remove_old_snapshots() {
  for old in "$snapshots/$member"-[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]T*.db; do
    echo "$old"
  done | sort -r | tail -n "+$((snapshots_kept + 1))" | while IFS= read -r old; do
    rm -f "$old"
  done
}

# The command is quoted words, with "$file" in place of the path of the snapshot.
upload_snapshot() {
  HOME=${HOME:-/root}
  export HOME
  if [ -r /etc/etcd/upload.env ]; then
    set -a
    # shellcheck source=/dev/null
    . /etc/etcd/upload.env
    set +a
  fi
  eval "$upload"
}

defrag() {
  [ "${1:-}" = locked ] || answers_now
  # at its quota etcd takes no lock, and calls no member healthy; then defragment one member after the other by hand
  if [ "${1:-}" = force ] && ctl alarm list | grep -q NOSPACE; then
    total=$(field DBSize)
    own defrag --command-timeout=15m >/dev/null || die 'etcd did not finish'
    say "$total bytes before, $(field DBSize) after; when all members are, run edge-etcd run alarm disarm"
    return
  fi
  # the lock is held at the other members: this one does not answer while it is defragmented
  if [ "${1:-}" != locked ]; then
    at "$others" lock edge-nodepools/defragmentation "$0" defrag locked "${1:-}" || die 'not defragmented'
    return
  fi
  attempt=0
  until own endpoint health --cluster >/dev/null 2>&1; do
    attempt=$((attempt + 1))
    [ "$attempt" -lt 10 ] || die 'not all members are healthy'
    sleep 3
  done
  total=$(field DBSize) used=$(field DBSizeInUse)
  if [ "${2:-}" != force ] && [ $((used * 4)) -gt $((total * 3)) ]; then
    say "$used of $total bytes are used: nothing to do"
    return
  fi
  if is_leader; then
    next=$(own member list |
      awk -F ', ' -v own="$member" '$3 != own && $2 == "started" && $6 == "false" { print $1; exit }')
    own move-leader "$next" >/dev/null || die 'another member does not become the leader'
  fi
  own defrag --command-timeout=15m >/dev/null || die 'etcd did not finish'
  attempt=0
  until own endpoint health >/dev/null 2>&1; do
    attempt=$((attempt + 1))
    [ "$attempt" -lt 10 ] || die 'the member is not healthy after its defragmentation'
    sleep 3
  done
  say "$total bytes before, $(field DBSize) after"
}

compact() { ctl compaction --physical "$(field Revision)"; }

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

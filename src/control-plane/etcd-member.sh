#: etcd-member
mount=/var/lib/etcd
# etcd refuses a folder with lost+found in it
data=$mount/data
prepared=$mount/prepared
pki=/etc/etcd/pki
config=/etc/etcd/etcd.conf.yml
# what a member says that waits for the others
answers=/run/edge-etcd
# the others that have noted that they may begin
agreed=
# says that the volume was formatted for this machine; it is on another disk than the data
formatted=/etc/etcd/formatted

say() { echo "edge-etcd: $*" >&2; }
die() { say "$*"; exit 1; }

# etcdctl at some members, with the certificates of this one
at() {
  where=$1
  shift
  etcdctl --cacert="$pki/ca.crt" --cert="$pki/peer.crt" --key="$pki/peer.key" --endpoints="$where" "$@"
}
own() { at "$endpoint" "$@"; }
ctl() { at "$endpoints" "$@"; }

# setting NAME, configure NAME VALUE: a line of the configuration
setting() { sed -n "s|^$1: \"\\{0,1\\}\\([^\"]*\\)\"\\{0,1\\}\$|\\1|p" "$config"; }
configure() {
  # a power cut leaves the former or the new file, whole
  { cp -p "$config" "$config.new" && sed -i "s|^$1: .*|$1: \"$2\"|" "$config.new" && sync "$config.new" &&
    mv "$config.new" "$config"; } || die "$config cannot be changed"
}

# Data of a newer minor cannot be read by an older one again.
programs() {
  [ -z "$download_url" ] || install_programs
  for program in etcd etcdctl etcdutl; do
    command -v $program >/dev/null 2>&1 ||
      die "$program is not installed: put it into the image, or write download"
  done
  found=$(etcd --version 2>/dev/null | sed -n 's/^etcd Version: //p')
  case $found in
    "$version".*) ;;
    *) die "etcd $found is installed, and this member is declared for $version" ;;
  esac
}

certificates() {
  for needed in ca.crt server.crt server.key peer.crt peer.key; do
    [ -s "$pki/$needed" ] || die "$pki/$needed is not there yet"
  done
  { chown root:etcd "$pki" "$pki"/*.crt "$pki"/*.key && chmod 0750 "$pki" &&
    chmod 0644 "$pki"/*.crt && chmod 0640 "$pki"/*.key; } || die "$pki cannot be protected"
  command -v openssl >/dev/null 2>&1 || die 'openssl is not installed: put it into the image'
  for pair in server peer; do
    case $(openssl x509 -noout -checkip "$address" -in "$pki/$pair.crt") in
      *NOT*) die "$pki/$pair.crt is not for $address" ;;
    esac
    openssl x509 -noout -checkend 0 -in "$pki/$pair.crt" >/dev/null ||
      say "$pki/$pair.crt has expired: put a new one there, etcd reads it at once"
    # errors of the chain: no issuer, another issuer of the same name, signed by itself, not verified
    case $(openssl verify -partial_chain -CAfile "$pki/ca.crt" -untrusted "$pki/$pair.crt" "$pki/$pair.crt" 2>&1) in
      *"error 20 "* | *"error 7 "* | *"error 18 "* | *"error 21 "*)
        die "$pki/$pair.crt is not signed by $pki/ca.crt: nobody would trust this member" ;;
      *"not yet valid"*)
        say "$pki/$pair.crt is not valid yet at $(date -u): is the clock of this machine, or of who made it, wrong?" ;;
    esac
  done
}

# cluster_id TOKEN NAME=URL,…: the id that etcd gives a new cluster (membership.RaftCluster.genID)
cluster_id() {
  ids=$(for url in $(echo "$2" | tr ',' '\n' | sed 's/^[^=]*=//'); do
    printf '%s' "$url$1" | sha1sum | cut -c 1-16
  done | sort | sed 's/../& /g')
  for byte in $ids; do
    printf '%b' "\\0$(printf '%03o' "0x$byte")"
  done | sha1sum | cut -c 1-16 | sed 's/^0*//'
}

# of an intermediate CA: openssl sends only the first certificate of -cert
has_chain() { [ "$(grep -c 'BEGIN CERT' "$pki/peer.crt")" -gt 1 ]; }

# reads HOST:PORT [option…]: what the port for members of a machine answers. Only options verify its certificate.
reads() {
  where=$1
  shift
  if has_chain; then set -- "$@" -cert_chain "$pki/peer.crt"; fi
  printf 'GET /members HTTP/1.0\r\n\r\n' |
    timeout 10 openssl s_client -quiet -connect "$where" -cert "$pki/peer.crt" -key "$pki/peer.key" "$@" 2>/dev/null |
    tr -d '\r'
}

# ask HOST:PORT: whether an etcd runs there, its cluster (id) and its members (listed). It tells them also without a
# quorum. What it says is only ever a reason not to begin, so whoever it is may say it.
ask() {
  answer=$(reads "$1")
  id=$(printf '%s\n' "$answer" | sed -n 's/^[Xx]-[Ee]tcd-[Cc]luster-[Ii][Dd]: //p')
  listed=$(printf '%s\n' "$answer" | tail -n 1 | tr '}' '\n')
  [ -n "$id" ]
}

# After ask: what a member says that has not begun, `blank ID` or `agreed ID`. That may let others begin, so its
# certificate must be that of its address.
said() {
  case $answer in *X-Edge-Etcd:*) ;; *) return 0 ;; esac
  ip=$(echo "${1%:*}" | tr -d '[]')
  reads "$1" -CAfile "$pki/ca.crt" -partial_chain -verify 5 -verify_return_error -verify_ip "$ip" |
    sed -n 's/^X-Edge-Etcd: //p'
}

# hears HOST:PORT: whether something accepts connections there, whatever it says to our certificate
hears() {
  timeout 10 openssl s_client -connect "$1" </dev/null 2>/dev/null | grep -q '^CONNECTED'
}

# lists_this: whether the member that was asked knows this one as a member that has started
lists_this() { echo "$listed" | grep -F "\"$peer\"" | grep -q '"clientURLs"'; }

# The data of a restore, complete, which waits until all members have theirs.
is_prepared() { [ -s "$prepared/restored" ]; }

# The cluster that this member would begin, and the folder that has not taken part in it. Its mark there, `agreed`, is
# lost with it, and without that mark nothing is begun.
to_begin() {
  unused=$data/member
  if is_prepared; then
    unused=$prepared/member
    begins=$(cluster_id "$(cat "$prepared/restored")" "$initial_cluster")
  else
    begins=$(cluster_id "$(setting initial-cluster-token)" "$(setting initial-cluster)")
  fi
}

# agree all|word: this member may begin; the mark is on the disk before anybody hears of it
agree() {
  { mkdir -p "$unused" && chown etcd:etcd "$unused" && chmod 0700 "$unused" &&
    echo "$begins $1" > "$unused/agreed.new" && chown etcd:etcd "$unused/agreed.new" && sync "$unused/agreed.new" &&
    mv "$unused/agreed.new" "$unused/agreed" && sync "$unused"; } || die "$unused cannot be written"
}
has_agreed() { grep -q "^$begins " "$unused/agreed" 2>/dev/null; }
# the word of an administrator, who knows of what nobody answers
has_word() { [ "$(cat "$unused/agreed" 2>/dev/null)" = "$begins word" ]; }

# One round of questions to all others: who has begun (begun) and served clients (served), who agreed to nothing yet
# (blank), who would begin something else (strange), and who does not say anything (silent).
look() {
  begun='' served='' blank='' strange='' silent=''
  for other in $other_peers; do
    if ask "$other"; then
      if is_prepared && [ "$id" != "$begins" ]; then
        die "etcd runs at $other with other data than that of the restore: run systemctl stop etcd and the same" \
          "edge-etcd restore FILE there, or give the restore up with rm -rf $prepared on every member"
      fi
      if lists_this; then
        die "$member has no data, and had data for the member at $other: run edge-etcd replace"
      fi
      [ "$id" = "$begins" ] || die "the member at $other is of the cluster $id, and $member would begin $begins:" \
        'run edge-etcd replace'
      case $listed in *'"clientURLs"'*) served="$served $other" ;; *) begun="$begun $other" ;; esac
      continue
    fi
    case $(said "$other") in
      "agreed $begins") agreed="$agreed $other" ;;
      "blank $begins") blank="$blank $other" ;;
      'agreed '* | 'blank '*) strange="$strange $other" ;;
      *)
        # after this one has noted it, too, each may begin, and be silent until etcd answers
        case "$agreed " in
          *" $other "*) has_agreed || silent="$silent $other" ;;
          *) silent="$silent $other" ;;
        esac
        ;;
    esac
  done
}

# Most members, without this one, know that it never started. One alone may lag, and not know that it did.
never_started() {
  at "$others" member list 2>/dev/null |
    awk -F ', ' -v peer="$peer" '$4 == peer && $5 == "" { found = 1 } END { exit !found }'
}

# What others hear at the port for members, until etcd takes it. Each round begins anew: a client that hangs holds it.
speaks() {
  said=blank
  if has_agreed; then said=agreed; fi
  printf 'HTTP/1.0 200 OK\r\nX-Edge-Etcd: %s %s\r\n\r\n' "$said" "$begins" > "$answers/members"
  set --
  if has_chain; then set -- -cert_chain "$pki/peer.crt"; fi
  (cd "$answers" && exec openssl s_server -HTTP -accept "${peer#https://}" -cert "$pki/peer.crt" -key "$pki/peer.key" \
    -CAfile "$pki/ca.crt" -partial_chain -Verify 5 -verify_return_error "$@" </dev/null >/dev/null 2>&1) &
  server=$!
}
silences() {
  [ -z "$server" ] || { kill "$server" && wait "$server"; } 2>/dev/null
  server=
}

# tells TEXT: once, until it is another
tells() {
  [ "$told" = "$*" ] || say "$*"
  told=$*
}

# A member that has not taken part begins only with all others: each says that it has not either, notes that all do, and
# begins when all have noted it. So the power may fail anywhere. It never begins because it hears nobody: the others may
# be off, with all data. Nor does it take the place of a member that had data, whose votes would count no longer.
may_begin() {
  to_begin
  if ! is_prepared && [ "$(setting initial-cluster-state)" = existing ]; then
    # the mark of replace
    has_agreed || die "$member has no data, and a replacement did not end: run edge-etcd replace"
    return
  fi
  told='' server='' rounds=0
  mkdir -p "$answers" || die "$answers cannot be made"
  trap silences EXIT
  # somebody may give up a restore meanwhile
  until has_word || { ! is_prepared && has_data; }; do
    speaks
    look
    if has_agreed; then
      [ -z "$begun$served" ] || break
      # they hear it, too, also if etcd does not start here
      if [ -z "$blank$strange$silent" ]; then rounds=$((rounds + 1)); fi
      [ "$rounds" -lt 3 ] || break
    elif [ -n "$served" ]; then
      if never_started; then agree all; fi
    elif [ -z "$strange$silent" ]; then
      agree all
    fi
    waits_for
    sleep 1
    silences
    to_begin
  done
  silences
}

waits_for() {
  has='no data'
  if is_prepared; then has='restored data, which it does not use yet,'; fi
  if [ -n "$strange" ]; then
    tells "$member has $has and waits: another cluster would begin at$strange; run the same edge-etcd restore FILE" \
      "on every member, or give it up with rm -rf $prepared, or run the same declaration everywhere"
  elif [ -n "$served" ]; then
    tells "$member has $has and waits for most members:$silent do not answer, or have no data. If most members lost" \
      'their data, run edge-etcd restore FILE on every member'
  elif [ -n "$silent" ]; then
    tells "$member has $has and waits until all others are there:$silent do not answer. If this machine was built" \
      'again, start the others, and run edge-etcd replace. If one is lost, and none that is off has data of this' \
      'cluster that is needed, run edge-etcd begin on each that is there'
  fi
}

# The restored data takes the place of the former: all members have theirs now.
takes_prepared() {
  token=$(cat "$prepared/restored")
  rmdir "$data" 2>/dev/null || put_aside
  configure_restored
  { mv "$prepared" "$data" && sync "$mount"; } || die "$data cannot be written"
}

ready() {
  id -u etcd >/dev/null 2>&1 ||
    useradd --system --user-group --no-create-home --home-dir "$mount" --shell /usr/sbin/nologin etcd ||
    die 'the user etcd cannot be added'
  programs
  mounted
  { mkdir -p "$data" && chown etcd:etcd "$data" && chmod 0700 "$data"; } || die "$data cannot be made"
  certificates
  if is_prepared || ! has_data; then may_begin; else rm -f "$data/member/agreed"; fi
  if is_prepared; then takes_prepared; fi
}

setup() {
  systemctl daemon-reload || die 'systemd cannot read the units'
  for unit in /etc/systemd/system/edge-etcd-*.timer; do
    [ ! -e "$unit" ] || systemctl enable --now "${unit##*/}"
  done
  # in the background: it waits for the other members, and for its certificates
  systemctl enable etcd.service && systemctl start --no-block etcd.service
}

run() { ctl "$@"; }
#: etcd-download
# Installs the programs if another archive was installed, or none.
install_programs() {
  [ "$(cat /etc/etcd/installed 2>/dev/null)" != "$download_sha256" ] || return 0
  work=$(mktemp -d) || die 'there is no room for the archive of etcd'
  if command -v curl >/dev/null 2>&1; then
    curl -fsSL --retry 3 -o "$work/etcd.tar.gz" "$download_url"
  else
    wget -q -O "$work/etcd.tar.gz" "$download_url"
  fi || { rm -rf "$work"; die "$download_url cannot be downloaded"; }
  echo "$download_sha256  $work/etcd.tar.gz" | sha256sum -c - >/dev/null 2>&1 ||
    { rm -rf "$work"; die "$download_url is not the archive with the SHA-256 $download_sha256"; }
  { tar -xzf "$work/etcd.tar.gz" -C "$work" --strip-components=1 &&
    install -m 0755 "$work/etcd" "$work/etcdctl" "$work/etcdutl" /usr/local/bin/; } ||
    { rm -rf "$work"; die 'etcd cannot be installed'; }
  rm -rf "$work"
  echo "$download_sha256" > /etc/etcd/installed
}
#: etcd-machine
[ "$(id -u)" = 0 ] || { echo 'edge-nodepools: this needs root' >&2; exit 77; }
#: etcd-volume
# Only a blank device is formatted, and only once: a volume that is blank later has lost its data, or is another one.
replaces=no
format() {
  found=$(blkid -p -o export "$device" 2>/dev/null)
  case $found in
    *"TYPE=$filesystem"*) return ;;
    '') ;;
    *) die "$device has other content than $filesystem, and is not formatted: $found" ;;
  esac
  # it was blank when a format began that did not end: the power was cut
  if [ ! -e "$formatted.begun" ]; then
    # blkid says nothing also about a device that it cannot read
    { [ "$(head -c 1048576 "$device" | wc -c)" = 1048576 ] &&
      [ "$(head -c 1048576 "$device" | tr -d '\000' | wc -c)" = 0 ]; } ||
      die "$device is not blank, and is not formatted;" \
        "if nothing on it is needed, run dd if=/dev/zero of=$device bs=1M count=1"
    [ ! -e "$formatted" ] || [ "$replaces" = yes ] ||
      die "$device is blank, and this member had data: if its volume is lost, run edge-etcd replace;" \
        "if those of most members are lost, run edge-etcd restore FILE"
    { echo "$device" > "$formatted.begun" && sync "$formatted.begun"; } ||
      die "$formatted.begun cannot be written"
  fi
  mkfs -t "$filesystem" -L etcd "$device" >/dev/null || die "$device cannot be formatted"
  echo "$device" > "$formatted"
}

# One line for the folder: systemd waits at each boot for a volume that is no longer there.
remember_mount() {
  line="$device $mount $filesystem defaults,noatime,nofail 0 2"
  { awk -v folder="$mount" '/^[ \t]*#/ || $2 != folder' /etc/fstab 2>/dev/null; echo "$line"; } > /etc/fstab.new ||
    die '/etc/fstab.new cannot be written'
  if cmp -s /etc/fstab.new /etc/fstab; then
    rm -f /etc/fstab.new
  else
    { chmod 0644 /etc/fstab.new && mv /etc/fstab.new /etc/fstab; } || die '/etc/fstab cannot be changed'
    # else systemd unmounts it again, because of the former line
    systemctl daemon-reload || :
  fi
}

# etcd never writes to the disk of the system: an unmounted folder looks like one that is empty.
mounted() {
  if ! mountpoint -q "$mount"; then
    [ -b "$device" ] || die "the volume $device is not attached"
    format
    mkdir -p "$mount" || die "there is no $mount"
    remember_mount
    mount -t "$filesystem" -o noatime "$device" "$mount" || die "$device cannot be mounted at $mount"
  fi
  if [ -b "$device" ]; then
    source=$(findmnt -n -o SOURCE --mountpoint "$mount" | tail -n 1)
    [ "$(readlink -f "$source")" = "$(readlink -f "$device")" ] ||
      die "$source is mounted at $mount, and the volume is $device: if that one is lost, run umount -l $mount"
  fi
  [ -e "$formatted" ] || echo "$device" > "$formatted"
  rm -f "$formatted.begun"
}

# etcd makes some files also where it then refuses to start; data is what has a log.
has_data() { ls "$data"/member/wal/*.wal >/dev/null 2>&1; }

mount=/var/lib/etcd
# etcd refuses a folder with lost+found in it
data=$mount/data
pki=/etc/etcd/pki
config=/etc/etcd/etcd.conf.yml
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
configure() { sed -i "s|^$1: .*|$1: \"$2\"|" "$config" || die "$config cannot be changed"; }

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

# ask HOST:PORT: the cluster of the member there (id) and its members (listed). Its port for members tells them also
# without a quorum. Its certificate is not verified: whoever answers, it is no reason to begin a cluster.
ask() {
  answer=$(printf 'GET /members HTTP/1.0\r\n\r\n' |
    timeout 10 openssl s_client -quiet -connect "$1" -cert "$pki/peer.crt" -key "$pki/peer.key" 2>/dev/null |
    tr -d '\r')
  id=$(printf '%s\n' "$answer" | sed -n 's/^[Xx]-[Ee]tcd-[Cc]luster-[Ii][Dd]: //p')
  listed=$(printf '%s\n' "$answer" | tail -n 1 | tr '}' '\n')
  [ -n "$id" ]
}

# hears HOST:PORT: whether something accepts connections there, whatever it says to our certificate
hears() {
  timeout 10 openssl s_client -connect "$1" </dev/null 2>/dev/null | grep -q '^CONNECTED'
}

# A member without data begins the cluster of its configuration, or joins one that waits for it. It must not take the
# place of one that had data: its former votes would count no longer. And after a restore the others are a cluster of
# another id, beside which it would begin an empty one.
may_begin() {
  begins=$(cluster_id "$(setting initial-cluster-token)" "$(setting initial-cluster)")
  for other in $other_peers; do
    if ! ask "$other"; then
      ! hears "$other" || die "the member at $other does not answer to $pki/peer.crt: has one of them expired?"
      continue
    fi
    if echo "$listed" | grep -F "\"$peer\"" | grep -q '"clientURLs"'; then
      die "$member has no data, and had data for the member at $other: run edge-etcd replace"
    fi
    [ "$(setting initial-cluster-state)" = existing ] || [ "$id" = "$begins" ] ||
      die "the member at $other is of the cluster $id, and $member would begin $begins: run edge-etcd replace"
  done
}

ready() {
  id -u etcd >/dev/null 2>&1 ||
    useradd --system --user-group --no-create-home --home-dir "$mount" --shell /usr/sbin/nologin etcd ||
    die 'the user etcd cannot be added'
  programs
  mounted
  { mkdir -p "$data" && chown etcd:etcd "$data" && chmod 0700 "$data"; } || die "$data cannot be made"
  certificates
  has_data || may_begin
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

#: common
# run is in memory; state never has the token
state=/var/lib/edge-nodepools run=/run/edge-nodepools conf=/etc/kubernetes/kubelet.conf
say() { echo "edge-nodepools: $*" >&2; }
#: drop-in
give_runtime_proxy() {
  mkdir -p "${drop_in%/*}" && rm -f "$drop_in.new" && write_drop_in "$drop_in.new" &&
    mv -f "$drop_in.new" "$drop_in"
}
#: lock
# One run at a time. The lock names a process and its start: a killed one holds nothing, and exec keeps it.
began() { read -r stat < "/proc/$1/stat" && set -- ${stat##*\)} && echo "${20-}"; }
lock() {
  mkdir -p "$run" && chmod 0700 "$run" && own="$$ $(began $$)" || return 0
  for _ in 1 2 3; do
    (set -C; echo "$own" > "$run/lock") 2>/dev/null && return
    holder=$(cat "$run/lock" 2>/dev/null) pid=${holder%% *}
    [ "$holder" != "$own" ] || return 0
    [ "$holder" != "$pid $(began "$pid" 2>/dev/null)" ] ||
      { say "process $pid is joining this machine already"; exit 75; }
    rm -f "$run/lock"
  done
}
#: record
# A node keeps what it has joined with. Until everything is done, the record ends in .new. A power cut can empty it.
refuse_change() {
  record=$state/applied.new
  [ -s "$record" ] || record=$state/applied; [ -e "$record" ] || return 0
  if [ ! -s "$record" ] || [ -n "$(tail -c 1 "$record" | tr -c '\n' x)" ]; then
    grep -q "${join_label}[, \"]" /var/lib/kubelet/kubeadm-flags.env ||
      { say "$record is not whole: what this machine has is unknown, which an update ends"; exit 78; }
    say "$record was not whole: this machine has this join"
    echo "$applied" > "$record.again" && sync && mv -f "$record.again" "$record" || exit 74
  fi
  changed=$(echo "$applied" | sort - "$record" | uniq -u |
    sed 's/^[^ ]* //; s/=.*/ of this machine/; s/$/, /' | sort -u | tr -d '\n')
  [ -z "$changed" ] || { say "this machine has joined with other settings. Not applied: ${changed%, }." \
    "Leave and join again"; exit 78; }
}
#: replace
# replace_file MODE PATH: at once, and only by another one: kubelet restarts a static Pod whose file was away, and
# reads every file of the folder that is not hidden
replace_file() {
  hidden=${2%/*}/.${2##*/}
  write_file "$1" "$hidden" || return
  if [ -e "$2" ] && [ "$(cksum < "$hidden")" = "$(cksum < "$2")" ]; then rm -f "$hidden"
  else mv -f "$hidden" "$2"; fi
}
#: systemctl
control() { ! command -v systemctl >/dev/null 2>&1 || systemctl "$@"; }
#: undo
# Removes what is in the way of another try; the CA certificate only if the join has brought it.
undo() {
  rm -f $leftovers
  [ -e "$state/joining" ] || [ -e "$conf" ] || return 0
  control stop kubelet >/dev/null 2>&1
  # the certificate may have come meanwhile
  ! is_joined || { control start kubelet; return; }
  [ -s "$state/joining" ] || rm -f /etc/kubernetes/pki/ca.crt
  pki=/var/lib/kubelet/pki # where half of the serving pair stops kubelet for ever
  [ -s $pki/kubelet.crt ] && [ -s $pki/kubelet.key ] || rm -f $pki/kubelet.crt $pki/kubelet.key
  rm -f "$conf" $pki/kubelet-client-* "$state/joining"
}
#: unlock
unlock() { rm -f "$run/lock"; }
#: write-file
# write_file MODE PATH: its input as a new file, because an existing one could be readable by others
write_file() { mkdir -p "${2%/*}/" && rm -f "$2" && (umask 077; cat > "$2") && chmod "$1" "$2"; }

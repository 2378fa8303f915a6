# First the record: after a power cut between them, nobody would know what it has.
try() {
  for step in $prepare; do $step || return; done
  prepare=
  for step in $before_join; do $step || return; done
  echo "$applied" > "$state/applied.new" || return
  { [ ! -e /etc/kubernetes/pki/ca.crt ] || echo ca; } > "$state/joining.new" &&
    mv -f "$state/joining.new" "$state/joining" && sync && join
}
attempt() {
  until is_joined && status=0; do
    undo
    count=$((count + 1)) status=0
    try || status=$?
    token=
    ! is_joined || return "$status"
    [ "$status" != 0 ] || status=1
    if [ -e "$state/joining" ] && [ -s "$conf" ]; then
      say 'kubelet waits for its certificate, which nobody has signed: kubectl get csr'
    else
      undo
    fi
    [ "$count" -lt "$attempts" ] || { say "the join failed with status $status"; exit "$status"; }
    say "attempt $count of $attempts failed with status $status; the next follows in $pause s"
    sleep "$pause"
  done
}
main() {
  [ "$(id -u)" = 0 ] || { say 'this needs root'; exit 77; }
  mkdir -p "$state" /etc/kubernetes || exit
  heal=$state/update/update.sh # an update that was cut off
  [ ! -e $heal ] || { sh $heal heal && exec sh "$0"; exit; }
  lock
  trap 'status=$?; forget; exit $status' EXIT
  trap 'exit 143' HUP INT TERM
  status=0 count=0 begun=/var/lib/cloud/instance/sem/edge_nodepools
  [ ! -d ${begun%/*} ] || : > $begun # else a boot writes all files again
  if ! is_joined; then
    rm -f "$state/applied"
    forget_at_boot || exit
    attempt || say "the node has its certificate; the join ended with status $status"
  fi
  refuse_change
  [ "$count" != 0 ] || say 'this machine has joined already'
  sync # what kubelet and kubeadm wrote, before the file that repairs it goes
  rm -f "$state/joining"
  [ "$status" = 0 ] || exit "$status"
  for step in ${after_join-}; do $step || exit; done
  [ ! -e "$state/applied.new" ] || { sync; mv -f "$state/applied.new" "$state/applied"; }
  rm -f /var/lib/cloud/scripts/per-boot/edge-nodepools-join
}
# a shell that has read only a part of this does nothing
main "$@"
exit

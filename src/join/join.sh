# The steps are functions; what is prepared stays so. The record comes before the join: after a power cut between them,
# nobody would know what the node has.
try() {
  for step in $prepare; do $step || return; done
  prepare=
  for step in $before_join; do $step || return; done
  echo "$applied" > "$state/applied.new" && rm -f "$state/finished" || return
  { [ ! -e /etc/kubernetes/pki/ca.crt ] || echo ca; } > "$state/joining.new" &&
    mv -f "$state/joining.new" "$state/joining" && sync && join
}
attempt() {
  undo
  until is_joined; do
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
    say "attempt $count of $attempts failed with status $status; the next one follows in $pause s"
    sleep "$pause"
    undo
  done
  status=0
}
main() {
  [ "$(id -u)" = 0 ] || { say 'this needs root'; exit 77; }
  mkdir -p "$state" /etc/kubernetes || exit
  [ "${1-}" != forget_at_boot ] || { forget_at_boot; exit; }
  lock
  trap 'status=$?; forget; unlock; exit $status' EXIT
  trap 'exit 143' HUP INT TERM
  status=0 count=0 begun=/var/lib/cloud/instance/sem/edge_nodepools
  is_joined || rm -f "$state/applied"
  [ ! -d ${begun%/*} ] || : > $begun # until now the next boot would write all files again
  if is_joined; then
    refuse_change
    say 'this machine has joined already'
  else
    forget_at_boot || say 'a power cut now would leave the token on this machine'
    attempt || say "the node has its certificate, and the join ended with status $status all the same"
    refuse_change
  fi
  sync # what kubelet and kubeadm have written, before the file that would repair it goes
  rm -f "$state/joining"
  [ "$status" = 0 ] || exit "$status"
  for step in ${after_join-}; do $step || exit; done
  [ ! -e "$state/applied.new" ] || mv -f "$state/applied.new" "$state/applied"
  rm -f /var/lib/cloud/scripts/per-boot/edge-nodepools-join
}
# a shell that has read only a part of this script does nothing
main "$@"
exit

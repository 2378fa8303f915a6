#: join
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
#: commands
# run_commands NAME COUNT: runs $NAME_1, $NAME_2, …
run_commands() {
  number=0
  while [ "$number" -lt "$2" ]; do
    number=$((number + 1))
    command=''
    eval "command=\$${1}_$number"
    sh -c "$command" || { status=$?; say "command $1 the join $number of $2 failed"; return $status; }
  done
}
commands_before() { run_commands before "$before"; }
#: commands-after
# A join that begins has run none of them.
forget_commands() { rm -f "$state/finished"; }
# Which join it is: after a reset and another one the commands are run again.
this_join() { ls -i "$conf" 2>/dev/null && cksum "$conf"; }
commands_after() {
  [ ! -e "$state/finished" ] || [ "$(this_join)" != "$(cat "$state/finished")" ] || return 0
  run_commands after "$after" || return
  this_join > "$state/finished"
}
#: install
install() { install_packages || { status=$?; say 'the packages cannot be installed'; return $status; }; }
#: joined
# kubelet.conf is there before the certificate that it names (none with yurthub); a power cut can leave parts.
is_joined() {
  [ -s "$conf" ] && [ -e "${mark:-$conf}" ] && [ -z "$(tail -c 1 "$conf")" ] &&
    grep -q 'current-context"*: *[^ ]' "$conf" && whole certificate CERTIFICATE && whole key KEY
}
whole() {
  file=$(sed -n "s/^ *\"*client-$1\(-data\)*\"*: *\"*\([^\",]*\).*/\2/p" "$conf")
  case $file in '') file=$conf end='server"*: *"*http:' ;; /*) end="-----END .*$2-----" ;; *) return ;; esac
  grep -q -e "$end" "$file" 2>/dev/null
}
#: keep-patch
# kubeadm applies patches at the join only. From 1.34 on upgrades also apply the file with the socket of the
# runtime.
keep_patch() {
  instance=/var/lib/kubelet/instance-config.yaml
  socket=$(sed -n 's/^containerRuntimeEndpoint: *//p' $instance 2>/dev/null)
  socket=${socket#\"} socket=${socket%\"}
  [ -n "$socket" ] && [ -s "$patch" ] || return 0
  { echo "{\"containerRuntimeEndpoint\": \"$socket\","; sed '1s/^{//' "$patch"; } > "$state/instance" &&
    chmod 0644 "$state/instance" && mv -f "$state/instance" $instance ||
    { say "$instance cannot be written"; return 74; }
}
#: kubeadm
leftovers=/etc/kubernetes/bootstrap-kubelet.conf join_config=${config-}
join() { kubeadm join --config "$join_config" </dev/null; }
#: package-version
# is_version OF-PACKAGE OF-PROGRAM: 1:1.7.27~ds1-1 is a version of 1.7.27; every one is, of an empty text
is_version() {
  case ${1#*:} in "$2" | "$2"[!0-9.]*) ;; *) [ -z "$2" ] ;; esac
}
#: yurtadm
# files with the token, whether it has joined or not
leftovers='/etc/kubernetes/bootstrap-kubelet.conf /var/lib/kubelet/kubeadm-join.conf /var/lib/kubelet/discovery.conf
  /var/lib/yurthub/bootstrap-hub.conf'
# Its arguments are words below each other in $yurtadm_arguments; yurtadm takes the token in no other way.
join() (
  # host-network nodes need no CNI plugins; without the folder yurtadm downloads some
  mkdir -p /opt/cni/bin
  rm -f "$mark"
  set -f
  IFS='
'
  set -- $yurtadm_arguments
  yurtadm join "$@" --token="$token" --reuse-cni-bin=true </dev/null || exit
  : > "$mark"
)

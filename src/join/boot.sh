#: boot-command
# cloud-init runs a module once, also if the power fails in it; these until the join begins.
cd /var/lib/cloud/instance || exit 0
[ -e sem/edge_nodepools ] || rm -f sem/config_write_files sem/config_seed_random
grep -qs '[p]ath: .*/edge-nodepools/join.sh' ./*cloud-config.txt /etc/cloud/cloud.cfg.d/* && exit
echo 'edge-nodepools: this machine does not join: other user-data has replaced write_files' >&2
exit 1
#: boot-hook
#!/bin/sh
# At every boot until it is done; at the first one runcmd joins, unless it was replaced.
(cd /var/lib/cloud/instance && [ ! -e sem/config_scripts_user ] && grep -qs /edge-nodepools/ scripts/runcmd) && exit
#: machine
[ "$(id -u)" = 0 ] || { say 'this needs root'; exit 77; }
# As a part of user-data it runs at every boot: an update may have come since, with a join of its own.
case $0 in
  /var/lib/cloud/scripts/per-boot/*) [ ! -s "$state/applied" ] || [ ! -s "$conf" ] || exec $start ;;
esac
lock
if [ -s "$conf" ]; then (refuse_change) || { status=$?; unlock; exit $status; }; fi
#: machine-clock
# A machine without systemd-timesyncd is not changed.
command -v systemctl >/dev/null 2>&1 && systemctl try-restart systemd-timesyncd >/dev/null 2>&1 || :
#: machine-hook
# Where there is cloud-init, it runs the join at every boot, until everything is done.
hook=/var/lib/cloud/scripts/per-boot/edge-nodepools-join
if [ -d ${hook%/*} ]; then printf '%s\n' '#!/bin/sh' "exec sh $state/join.sh" > $hook && chmod 0755 $hook || exit; fi
#: machine-secret
# The token comes last. A failure or a signal removes it.
trap 'status=$?; rm -f "$secret"; exit $status' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

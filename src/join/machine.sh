[ "$(id -u)" = 0 ] || { say 'this needs root'; exit 77; }
# As a part of user-data it runs at every boot: an update may have come since, with a join of its own.
case $0 in
  /var/lib/cloud/scripts/per-boot/*) [ ! -s "$state/applied" ] || [ ! -s "$conf" ] || exec $start ;;
esac
lock
if [ -s "$conf" ]; then (refuse_change) || { status=$?; unlock; exit $status; }; fi

#: leave
status=0
[ ! -r "$state/service.sh" ] || sh "$state/service.sh" stop
$reset </dev/null || status=$?
# of a node that was not reverted
if [ -e /etc/systemd/system/yurthub.service ] && [ -n "$yurthub" ]; then
  systemctl stop yurthub.service || status=$?
  rm -rf $yurthub
  systemctl daemon-reload || status=$?
fi
# what it leaves of the join
rm -f $join_files
rm -rf "$state" "$run" /run/edge-nodepools-join
exit $status

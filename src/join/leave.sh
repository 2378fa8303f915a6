status=0
[ ! -r "$state/service.sh" ] || sh "$state/service.sh" stop
$reset </dev/null || status=$?
# what it leaves of the join
rm -f $join_files
rm -rf "$state" "$run" /run/edge-nodepools-join
exit $status

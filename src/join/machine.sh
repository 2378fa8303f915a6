[ "$(id -u)" = 0 ] || { say 'this needs root'; exit 77; }
lock
if [ -s "$conf" ]; then (refuse_change) || { status=$?; unlock; exit $status; }; fi

#!/bin/sh
# Keeps a small machine inside this one as long as its standard input is open, then removes it. So it goes away with the test process, however
# that one ends: a runner may kill it with its clean-up half done.
# sh machine.sh FOLDER CGROUP ADDRESS PORT NODE: PORT of this machine's 127.0.0.1 becomes reachable through FOLDER/reach.sock.
set -u
folder=$1 cgroup=$2 address=$3 port=$4 node=$5
here=$(dirname "$0")

groups=
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
  groups=/sys/fs/cgroup$cgroup
else
  for hierarchy in /sys/fs/cgroup/*; do
    if [ -d "$hierarchy" ] && [ ! -L "$hierarchy" ]; then groups="$groups $hierarchy$cgroup"; fi
  done
fi
mkdir $groups

unshare --mount --uts --net --ipc --pid --fork --kill-child --mount-proc --propagation private \
  sh "$here/machine-init.sh" "$folder" "$address" &
root=$!
"$node" "$here/relay.mjs" "$folder/reach.sock" "$port" &
relay=$!

read -r _

kill -KILL "$relay"
# without its first process the kernel ends every other process of the machine and drops its mounts; only then unshare ends
first=$(cat "/proc/$root/task/$root/children")
kill -KILL ${first:-$root}
wait

# a control group is busy for a moment after its last process has ended
attempt=0
while left=$(find $groups -depth -type d 2>/dev/null); [ -n "$left" ]; do
  if [ "$attempt" = 200 ]; then
    echo "control groups are left: $left" >&2
    exit 1
  fi
  rmdir $left 2>/dev/null
  attempt=$((attempt + 1))
  sleep 0.05
done
rm -rf "$folder"

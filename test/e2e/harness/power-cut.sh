#!/bin/sh
# Ends kubelet, containerd, yurthub and the containers of a machine, by their ids in it, and removes what is in memory: the state of containerd, and
# control groups. sh power-cut.sh CGROUP
for folder in /proc/[0-9]*; do
  case $(cat "$folder/comm" 2>/dev/null) in kubelet | containerd | containerd-shim* | http-server | yurthub) kill -9 "${folder#/proc/}" ;; esac
done
sleep 1
awk '$2 ~ "^/run/containerd/" { print $2 }' /proc/mounts | sort -r | xargs -r umount -l
rm -rf /run/containerd /run/kubelet.pid
for folder in /sys/fs/cgroup"$1" /sys/fs/cgroup/*"$1"; do
  find "$folder" -mindepth 1 -depth -type d -exec rmdir {} + 2>/dev/null
done
exit 0

#!/bin/sh
# The first process of the machine: sh machine-init.sh FOLDER ADDRESS
set -eu
folder=$1 address=$2

# without -n the first mount would leave /run/mount behind
mount -n -t tmpfs tmpfs /run
# a kubelet writes to /var/lib/kubelet and /var/log, and CNI to /var/lib/cni, whatever their options say
mount -t tmpfs tmpfs /var/log
mkdir -p /run/machine/upper /run/machine/work
mount -t overlay overlay -o lowerdir=/var/lib,upperdir=/run/machine/upper,workdir=/run/machine/work /var/lib

# what a kubelet sets for the whole kernel becomes a plain file
for setting in vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops kernel/keys/root_maxkeys kernel/keys/root_maxbytes; do
  if [ -e "/proc/sys/$setting" ]; then
    mkdir -p "/run/machine/sys/$setting"
    cat "/proc/sys/$setting" > "/run/machine/sys/$setting/value"
    mount --bind "/run/machine/sys/$setting/value" "/proc/sys/$setting"
  fi
done

ip link set lo up
ip address add "$address/32" dev lo
touch "$folder/up"
exec sleep infinity

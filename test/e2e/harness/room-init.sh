#!/bin/sh
# The first process of a room: sh room-init.sh FOLDER HOSTNAME ADDRESS [own]. A room has a host name, /etc, /run, /var/lib and /var/log of its own;
# with `own` also /dev and /usr/local/sbin.
set -eu
folder=$1 name=$2 address=$3 own=${4:-}

mkdir -p "$folder/layers" "$folder/lib"
mount -n -t tmpfs tmpfs "$folder/layers"
mkdir "$folder/layers/upper" "$folder/layers/work"
mount -n -t overlay overlay -o "lowerdir=/etc,upperdir=$folder/layers/upper,workdir=$folder/layers/work" /etc
# a plain folder: an overlay on an overlay is more than some kernels stack, and kubelet measures the file system below it
mount -n --bind "$folder/lib" /var/lib
mount -n -t tmpfs tmpfs /var/log
mount -n -t tmpfs tmpfs /run
rm -rf /etc/kubernetes /etc/cni/net.d /etc/containerd /etc/default/kubelet
mkdir -p /run/lock /var/lib/cloud /etc/cni/net.d

if [ -n "$own" ]; then
  ip link set lo up
  mount -n -t tmpfs tmpfs /usr/local/sbin
  mkdir "$folder/dev"
  mount -n -t tmpfs tmpfs "$folder/dev"
  cp -a /dev/null /dev/zero /dev/full /dev/random /dev/urandom /dev/loop* "$folder/dev/"
  ln -s /proc/self/fd "$folder/dev/fd"
  mount -n --move "$folder/dev" /dev
fi

hostname "$name"
echo "$name" > /etc/hostname
printf '127.0.0.1 localhost\n%s %s\n' "$address" "$name" > /etc/hosts
: > /etc/resolv.conf
touch "$folder/up"
exec sleep infinity

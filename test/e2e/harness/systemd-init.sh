#!/bin/sh
# The real systemd as the first process of namespaces of its own: sh systemd-init.sh FOLDER. FOLDER/etc and FOLDER/lib survive a boot.
# It has only the units of this file: those of a system would clear /tmp, which belongs to this machine.
set -eu
folder=$1
mkdir -p "$folder/etc" "$folder/work" "$folder/lib" "$folder/bin"
mount -n -t tmpfs tmpfs /run
mount -n -t tmpfs tmpfs /var/log
mount -n -t overlay overlay -o "lowerdir=/etc,upperdir=$folder/etc,workdir=$folder/work" /etc
mount -n --bind "$folder/lib" /var/lib
mount -n --bind "$folder/bin" /usr/local/bin
if [ ! -e /sys/fs/cgroup/cgroup.controllers ]; then
  mount -n -t tmpfs tmpfs /sys/fs/cgroup
  mkdir /sys/fs/cgroup/systemd
  mount -n -t cgroup -o none,name=systemd systemd /sys/fs/cgroup/systemd
fi
units=/etc/systemd/system
if [ ! -e "$folder/booted" ]; then
  rm -rf "$units"
  mkdir -p "$units/multi-user.target.wants" "$units/timers.target.wants"
  for unit in systemd-journald.service systemd-journald.socket systemd-journald-dev-log.socket; do
    ln -s "/lib/systemd/system/$unit" "$units/$unit"
  done
  for target in sysinit basic timers sockets shutdown umount network-online time-sync; do
    printf '[Unit]\nDefaultDependencies=no\n' > "$units/$target.target"
  done
  printf '[Unit]\nDefaultDependencies=no\nWants=timers.target systemd-journald.service\n' > "$units/multi-user.target"
  mkdir -p /etc/systemd/journald.conf.d
  printf '[Journal]\nStorage=volatile\n' > /etc/systemd/journald.conf.d/test.conf
  touch "$folder/booted"
fi
touch "$folder/up"
export container=edge SYSTEMD_UNIT_PATH="$units"
exec /lib/systemd/systemd --system --unit=multi-user.target --show-status=no --log-target=null

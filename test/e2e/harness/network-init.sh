#!/bin/sh
# What systemd-networkd or NetworkManager makes of the files below FOLDER/etc, with one interface: sh network-init.sh FOLDER networkd|NetworkManager MAC
set -eu
folder=$1 kind=$2 mac=$3
mount -n -t tmpfs tmpfs /run
mkdir -p "$folder/work" /run/systemd/network /run/NetworkManager
mount -n -t overlay overlay -o "lowerdir=/etc,upperdir=$folder/etc,workdir=$folder/work" /etc
mount -n -t tmpfs tmpfs /var/lib
# as in a container: no udev is waited for
mount -n --bind /sys /sys
mount -n -o remount,bind,ro /sys
export container=edge
ip link set lo up
ip link add lan0 address "$mac" type veth peer name peer0
ip link set peer0 up
case $kind in
  networkd) timeout 20 /lib/systemd/systemd-networkd >&2 & ;;
  *) timeout 20 NetworkManager --configure-and-quit=initrd --debug >&2 & ;;
esac
for attempt in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  sleep 0.3
  if ip -o route show default | grep -q lan0 || ip -o -6 route show default | grep -q lan0; then break; fi
done
sleep 0.5
ip -o addr show lan0 scope global | awk '{ print $4 }'
{ ip -o route show default; ip -o -6 route show default; } | awk '{ print $3 }'
cat /run/systemd/netif/links/* /run/NetworkManager/resolv.conf 2>/dev/null | sed -n 's/^DNS=\(..*\)/\1/p; s/^nameserver //p' | tr ' ' '\n' | sort

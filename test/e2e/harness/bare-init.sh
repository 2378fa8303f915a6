#!/bin/sh
# What a room needs to be a machine on which packages can be installed: sh bare-init.sh FOLDER. The programs of this machine are below its own ones.
set -eu
folder=$1
mkdir -p "$folder/system"
mount -n -t tmpfs tmpfs "$folder/system"
for path in usr opt root; do
  mkdir "$folder/system/$path" "$folder/system/$path.work"
  mount -n -t overlay overlay -o "lowerdir=/$path,upperdir=$folder/system/$path,workdir=$folder/system/$path.work" "/$path"
done
mount -n -t tmpfs tmpfs /var/cache
mkdir -p /var/lib/apt/lists/partial
# no repository, and no way to one
rm -rf /etc/apt/sources.list /etc/apt/sources.list.d /etc/yum.repos.d
mkdir -p /etc/apt/sources.list.d /etc/yum.repos.d

# Only a blank device is formatted, and only once: a volume that is blank later has lost its data, or is another one.
replaces=no
format() {
  found=$(blkid -p -o export "$device" 2>/dev/null)
  case $found in
    *"TYPE=$filesystem"*) return ;;
    '') ;;
    *) die "$device has other content than $filesystem, and is not formatted: $found" ;;
  esac
  # it was blank when a format began that did not end: the power was cut
  if [ ! -e "$formatted.begun" ]; then
    # blkid says nothing also about a device that it cannot read
    { [ "$(head -c 1048576 "$device" | wc -c)" = 1048576 ] &&
      [ "$(head -c 1048576 "$device" | tr -d '\000' | wc -c)" = 0 ]; } ||
      die "$device is not blank, and is not formatted;" \
        "if nothing on it is needed, run dd if=/dev/zero of=$device bs=1M count=1"
    [ ! -e "$formatted" ] || [ "$replaces" = yes ] ||
      die "$device is blank, and this member had data: if its volume is lost, run edge-etcd replace;" \
        "if those of most members are lost, run edge-etcd restore FILE"
    { echo "$device" > "$formatted.begun" && sync "$formatted.begun"; } ||
      die "$formatted.begun cannot be written"
  fi
  mkfs -t "$filesystem" -L etcd "$device" >/dev/null || die "$device cannot be formatted"
  echo "$device" > "$formatted"
}

# One line for the folder: systemd waits at each boot for a volume that is no longer there.
remember_mount() {
  line="$device $mount $filesystem defaults,noatime,nofail 0 2"
  { awk -v folder="$mount" '/^[ \t]*#/ || $2 != folder' /etc/fstab 2>/dev/null; echo "$line"; } > /etc/fstab.new ||
    die '/etc/fstab.new cannot be written'
  if cmp -s /etc/fstab.new /etc/fstab; then
    rm -f /etc/fstab.new
  else
    { chmod 0644 /etc/fstab.new && mv /etc/fstab.new /etc/fstab; } || die '/etc/fstab cannot be changed'
    # else systemd unmounts it again, because of the former line
    systemctl daemon-reload || :
  fi
}

# etcd never writes to the disk of the system: an unmounted folder looks like one that is empty.
mounted() {
  if ! mountpoint -q "$mount"; then
    [ -b "$device" ] || die "the volume $device is not attached"
    format
    mkdir -p "$mount" || die "there is no $mount"
    remember_mount
    mount -t "$filesystem" -o noatime "$device" "$mount" || die "$device cannot be mounted at $mount"
  fi
  if [ -b "$device" ]; then
    source=$(findmnt -n -o SOURCE --mountpoint "$mount" | tail -n 1)
    [ "$(readlink -f "$source")" = "$(readlink -f "$device")" ] ||
      die "$source is mounted at $mount, and the volume is $device: if that one is lost, run umount -l $mount"
  fi
  [ -e "$formatted" ] || echo "$device" > "$formatted"
  rm -f "$formatted.begun"
}

# etcd makes some files also where it then refuses to start; data is what has a log.
has_data() { ls "$data"/member/wal/*.wal >/dev/null 2>&1; }

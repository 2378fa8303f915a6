# Also at every boot; swap on zram, or found on the disk, has no line in fstab.
switch_swap_off() {
  swapoff -a || { say 'swap cannot be switched off'; return 78; }
  if grep -q '^[^#].*[[:space:]]swap[[:space:]]' /etc/fstab 2>/dev/null; then
    sed 's/^\([^#].*[[:space:]]swap[[:space:]]\)/#\1/' /etc/fstab > /etc/fstab.edge-nodepools &&
      mv -f /etc/fstab.edge-nodepools /etc/fstab || return
  fi
  control -q mask swap.target
}

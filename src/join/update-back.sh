setting() { sed -n "s/^$1: *\"\{0,1\}\([^\"]*\)\"\{0,1\}\$/\1/p" "$config" | head -n 1; }
is_healthy() {
  if [ -n "$url" ] && command -v curl >/dev/null 2>&1; then
    curl -fsS -m 3 --noproxy '*' "$url" >/dev/null 2>&1
  elif [ -n "$url" ] && command -v wget >/dev/null 2>&1; then
    http_proxy='' HTTP_PROXY='' wget -q -T 3 -O /dev/null "$url" 2>/dev/null
  elif command -v systemctl >/dev/null 2>&1; then
    systemctl is-active --quiet kubelet
  else
    rc-service -q kubelet status
  fi
}
# A kubelet with a broken configuration ends at once, and is started again and again.
healthy() {
  port=$(setting healthzPort) address=$(setting healthzBindAddress) url='' in_a_row=20
  case ${port:-10248} in 0) ;; *) url=http://${address:-127.0.0.1}:${port:-10248}/healthz ;; esac
  if [ -n "$url" ] && { command -v curl || command -v wget; } >/dev/null 2>&1; then in_a_row=3; fi
  waited=0 good=0
  while [ "$waited" -lt "$seconds_until_healthy" ] || [ "$good" != 0 ]; do
    sleep 1
    waited=$((waited + 1))
    if is_healthy; then good=$((good + 1)); else good=0; fi
    [ "$good" -lt "$in_a_row" ] || return 0
  done
  return 1
}
# The last line of a kubelet that is not healthy.
said() {
  text=$(command -v journalctl >/dev/null 2>&1 && journalctl -q -u kubelet -n 40 -o cat 2>/dev/null |
    grep -e '^E' -e 'err=' -e '^Error' | sed -n '$p' | cut -c 1-300)
  echo "${text:-journalctl -u kubelet says why}"
}

# At the next boot, an update that the power has cut off is ended: by systemd, OpenRC or cloud-init, whichever
# there is.
heal_unit() {
  cat <<'END'
[Unit]
Description=Ends an update of this node that was cut off
Wants=network-online.target
After=network-online.target kubelet.service containerd.service crio.service
[Service]
Type=oneshot
ExecStart=/bin/sh /var/lib/edge-nodepools/update/update.sh heal
[Install]
WantedBy=multi-user.target
END
}
heal_at_boot() {
  if command -v systemctl >/dev/null 2>&1; then
    wants=/etc/systemd/system/multi-user.target.wants
    mkdir -p $wants && mv -f "$update/unit" ${wants%/*}/edge-nodepools-update.service || return
    ln -sf ../edge-nodepools-update.service $wants/edge-nodepools-update.service
    return
  fi
  for hook in /etc/local.d/edge-nodepools-update.start /var/lib/cloud/scripts/per-boot/edge-nodepools-update; do
    [ ! -d "${hook%/*}" ] || { printf '%s\n' '#!/bin/sh' "exec sh $update/update.sh heal" > "$hook" &&
      chmod 0755 "$hook"; } || return
  done
}
# Nothing that is left would be done again.
clean_up() {
  rm -f "$update/changing" "$update/changed" "$update/labels"
  rm -f /etc/systemd/system/multi-user.target.wants/edge-nodepools-update.service \
    /etc/systemd/system/edge-nodepools-update.service /etc/local.d/edge-nodepools-update.start \
    /var/lib/cloud/scripts/per-boot/edge-nodepools-update
  rm -rf "$update"
}

mode() { set -- $(ls -ld "$1"); echo "$1"; }
# Restores what `backup` has copied.
roll_back() {
  trap '' HUP INT PIPE TERM
  changing='' lost=''
  while read -r number path; do
    # of a copy that was cut off
    beside=$(beside "$path")
    rm -f "$beside"
    if [ "$number" = - ]; then
      rm -f "$path" || lost="$lost $path"
    elif ! same "$update/old/$number" "$path" || [ "$(mode "$update/old/$number")" != "$(mode "$path")" ]; then
      cp -p "$update/old/$number" "$beside" && mv -f "$beside" "$path" ||
        lost="$lost $path"
    fi
  done < "$update/old/list"
  for step in $returns; do $step; done
  reload
  [ -z "$runtime" ] || restart "$unit"
  if [ -n "$kubelet" ] || [ -n "$runtime" ]; then
    restart kubelet
    healthy || lost="$lost; kubelet is not healthy: $(said)"
  fi
  [ -z "$lost" ] ||
    { say "not everything could be taken back:$lost. The former files are in $update/old"; return 71; }
  sync
  clean_up
}
# At the end of a script that has not come to its end.
ended() {
  trap - EXIT
  if [ -n "$changing" ]; then
    if roll_back; then say 'the update is taken back: this node is as before'; else status=71; fi
  fi
  [ -e "$update/changing" ] || [ -e "$update/changed" ] || clean_up
  unlock
  exit "$status"
}

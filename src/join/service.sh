#: service
units=/etc/systemd/system
by_systemctl() { systemctl daemon-reload; systemctl "$@"; }
# KillMode: what a command of the user has started goes on. The script knows when it is due; the random part of
# the timer is for machines that get their power back together.
enable_timer() {
  mkdir -p $units/timers.target.wants && keep $units/edge-nodepools-join.service <<'END' || return
[Unit]
Description=Joins this machine to its Kubernetes cluster
Wants=network-online.target
After=network-online.target time-sync.target containerd.service crio.service
[Service]
Type=oneshot
ExecStart=/bin/sh /var/lib/edge-nodepools/service.sh run
KillMode=process
END
  keep $units/edge-nodepools-join.timer <<'END' || return
[Unit]
Description=Joins this machine to its Kubernetes cluster
[Timer]
OnBootSec=5s
RandomizedDelaySec=10s
OnUnitInactiveSec=10s
AccuracySec=1s
[Install]
WantedBy=timers.target
END
  ln -sf ../edge-nodepools-join.timer $units/timers.target.wants/edge-nodepools-join.timer
}
begin() { by_systemctl start edge-nodepools-join.timer; }
rest() { by_systemctl stop edge-nodepools-join.timer 2>/dev/null; }
remove() {
  rm -f $units/timers.target.wants/edge-nodepools-join.timer $units/edge-nodepools-join.timer \
    $units/edge-nodepools-join.service
  rest
}
# The service of a join. `run` joins if it is due, `start` and `now` at once. The timer calls it every few seconds,
# and it knows itself when it is due: it counts seconds since boot, because the clock of a machine may jump by
# years.
open=/run/edge-nodepools-join # everybody can read it: when the next run is, and what the last one said
report=$state/service-status out=$open/output next=$open/next
value() { sed -n "s/^$1=//p" "$report" 2>/dev/null; }
now() { date -u +%Y-%m-%dT%H:%M:%SZ; }
up() { IFS=. read -r seconds _ < /proc/uptime; echo "$seconds"; }

# note STATE TEXT [RUNS]: since when it is so, and how often it was tried
note() {
  since=$(value since) tries=$(value tries) began=$(value began)
  [ "$1 $2" = "$(value state) $(value waits)" ] && [ -n "$since" ] || since=$(now)
  printf '%s\n' "state=$1" "waits=$2" "since=$since" "began=${began:-$since}" \
    "tries=$((${tries:-0} + ${3:-0}))" > "$report.new" && mv -f "$report.new" "$report"
}

wait_for_time() {
  waited=0
  while [ "$waited" -lt "$seconds_for_time" ] && [ "$(synchronized)" = no ]; do
    [ "$waited" != 0 ] || note waiting 'a clock that is synchronized: timedatectl'
    sleep 5
    waited=$((waited + 5))
  done
  [ "$(synchronized)" != no ] || say 'the clock of this machine is not synchronized; it joins all the same'
}

# Whether the certificate of kubelet has expired, without openssl, which a machine may not have: the second time
# in a certificate is its end. Times are compared as texts, because mksh and small builds of busybox count with
# 32 bits.
expired() {
  file=$(sed -n 's/^ *client-certificate: *//p' "$conf" 2>/dev/null)
  file=${file#\"} file=${file%\"}
  [ -s "$file" ] || return 1
  ended=$(sed -n '/BEGIN CERT/,/END CERT/{/-----/!p;}' "$file" | base64 -d 2>/dev/null | tr -c '0-9Z' '\n' |
    sed -n 's/^\([0-9]\{12\}\)Z.*/\1/p' | sed -n 2p)
  [ -n "$ended" ] && [ "$(synchronized)" != no ] && is_later "$(date -u +%y%m%d%H%M%S)" "$ended"
}
is_later() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a "" > b "") }'; }

# The script that joins does the rest, also after a power cut.
expire() {
  expired || return 0
  say 'the certificate of kubelet has expired: this machine joins again, for which it needs a token'
  : > "$state/joining" && rm -f /var/lib/kubelet/pki/kubelet-client-current.pem
}

# apart TIME TIME: how far two times (RFC 3339) are apart; not every date can tell
apart() {
  awk -v a="$1" -v b="$2" '
    function seconds(t,  p, y, m, zone) {
      if (match(t, /[+-][0-9][0-9]:[0-9][0-9]$/)) {
        zone = substr(t, RSTART + 1, 2) * 3600 + substr(t, RSTART + 4, 2) * 60
        if (substr(t, RSTART, 1) == "-") zone = -zone
        t = substr(t, 1, RSTART - 1)
      }
      split(t, p, /[-T:Z]/)
      y = p[1]; m = p[2]
      if (m < 3) { y--; m += 12 }
      y = 365 * y + int(y / 4) - int(y / 100) + int(y / 400) + int((153 * m - 457) / 5) + p[3]
      return (y * 24 + p[4]) * 3600 + p[5] * 60 + p[6] - zone
    }
    BEGIN {
      d = seconds(a) - seconds(b)
      if (d < 0) d = -d
      if (d > 172800) printf "%d days", d / 86400
      else if (d > 7200) printf "%d hours", d / 3600
      else printf "%d minutes", d / 60 + 1
    }'
}

# What the machine waits for, by what the run that failed has said.
reason() {
  times=$(sed -n 's/.*current time \([0-9TZ:+-]*\) is \([a-z]*\) \([0-9TZ:+-]*\).*/\1 \2 \3/p' "$out" | sed -n '$p')
  if [ -n "$times" ]; then
    set -- $times
    by=$(apart "$1" "$3")
    case $2 in
      before) echo "a clock that is right: that of this machine is at least $by behind the certificate of the API" \
        "server, which begins at $3" ;;
      *) echo "a clock that is right, or another certificate of the API server: it has ended at $3, by the clock" \
        "of this machine $by ago" ;;
    esac
    return
  fi
  while IFS='|' read -r says waits_for; do
    if grep -q -e "$says" "$out"; then echo "$waits_for"; return; fi
  done <<'END'
could not find a JWS signature|a token that the cluster knows: this one is unknown or has expired
public keys .* are pinned|the right CA: that of the API server is another one than in caCertHashes of this join
status "Ready" already exists|its name: a Node with it is Ready. Delete that Node, or give this machine another name
kubelet waits for its certificate|the signature of its certificate: kubectl get csr
validate the identity of the API Server|an answer of the API server: is the network up, and does its name resolve?
waiting for the kubelet to start|kubelet, which does not start: journalctl -u kubelet
kubelet is not healthy|kubelet, which does not start: journalctl -u kubelet
END
  # the first of our own messages says what failed, the others what follows from it
  text=$(sed -n 's/^edge-nodepools: //p' "$out" |
    grep -v -e '^attempt ' -e '^the join failed' -e '^the next boot' -e '^the clock ' -e '^a power cut' | sed -n 1p)
  [ -n "$text" ] || text=$(grep -v '^edge-nodepools: ' "$out" | sed -n '$p')
  echo "help: $text" | tr -cd '[:print:]' | cut -c 1-300
}

# keep PATH: its input as a file, or the file as it was if the disk is full
keep() { cat > "$1.new" && mv -f "$1.new" "$1" || { rm -f "$1.new"; return 1; }; }

# Before the first run, so that a power cut in it changes nothing; then the timer runs it, and no longer
# cloud-init.
take_over() {
  if enable_timer; then rm -f /var/lib/cloud/scripts/per-boot/edge-nodepools-join
  else say 'the service cannot be set up: is the disk full? Where there is cloud-init, the next boot tries again'; fi
  mkdir -p /usr/local/bin && ln -sf /var/lib/edge-nodepools/service.sh /usr/local/bin/edge-nodepools-join ||
    say "there is no command edge-nodepools-join: sh $state/service.sh status"
}

# Until the next run: twice as long after each failure, and half of it is random.
pause() {
  failures=$(cat "$open/failures" 2>/dev/null)
  failures=$((${failures:-0} + 1)) seconds=$first_pause count=1
  while [ "$count" -lt "$failures" ] && [ "$seconds" -lt "$longest_pause" ]; do
    seconds=$((seconds * 2)) count=$((count + 1))
  done
  [ "$seconds" -le "$longest_pause" ] || seconds=$longest_pause
  random=$(cksum < /proc/sys/kernel/random/uuid)
  echo "$failures" > "$open/failures"
  echo "$(($(up) + seconds / 2 + ${random%% *} % (seconds / 2 + 1)))" > "$next"
}

try() {
  (umask 022; mkdir -p "$open")
  echo now > "$next"
  wait_for_time
  expire
  # no token reaches the journal, whatever a program prints
  { sh "$state/join.sh" 2>&1; echo $? > "$open/result"; } |
    sed 's/[a-z0-9]\{6\}\.[a-z0-9]\{16\}/(token)/g' > "$out"
  read -r result < "$open/result"
  cat "$out" >&2
  case $result in
    0)
      # on a full disk the next run says so, and nobody is told the state of the last one
      if ! note joined '' 1; then pause
      elif rm -f "$next"; [ -n "$rejoins" ]; then rest
      else remove; fi ;;
    75) pause ;;
    78) note refused "$(reason)" 1; rm -f "$next"; remove ;;
    *)
      note waiting "$(reason)" 1
      if [ -n "$last_run" ] && is_later "$(now)" "$last_run" && [ "$(synchronized)" != no ]; then
        note 'gave up' "$(value waits)"
        say "it is after $last_run: no further run"
        rm -f "$next"
        remove
      else
        pause
      fi ;;
  esac
  return "$result"
}

is_due() {
  due=$(cat "$next" 2>/dev/null)
  case $due in '' | *[!0-9]*) return 0 ;; esac
  [ "$(up)" -ge "$due" ]
}
is_over() { case $(value state) in joined | refused | 'gave up' | stopped) return 0 ;; esac; return 1; }

# One run of the timer.
step() {
  if [ "$(value state)" = joined ] && ! expired; then
    if [ -n "$rejoins" ]; then rest; else remove; fi
  elif is_due; then
    try
  fi
}

# For a technician.
tell() {
  waits=$(value waits) since=$(value since) soon=''
  tail="since $since ($(value tries) runs since $(value began))"
  due=$(cat "$next" 2>/dev/null)
  case $due in
    '') ;;
    *[!0-9]*) soon='; a run is under way' ;;
    *) due=$((due - $(up))) soon='; next run now'; [ "$due" -le 0 ] || soon="; next run in $due s" ;;
  esac
  case $(value state) in
    joined)
      expired 2>/dev/null || { echo "edge-nodepools-join: joined, since $since"; return 0; }
      echo 'edge-nodepools-join: this node was off for too long, and the certificate of kubelet has expired:' \
        'with a new token, edge-nodepools-join now' ;;
    waiting) echo "edge-nodepools-join: waits for $waits, $tail$soon" ;;
    'gave up')
      echo "edge-nodepools-join: gave up, $tail. It waited for $waits. Once more: edge-nodepools-join now" ;;
    refused) echo "edge-nodepools-join: nothing to do, $tail: $waits" ;;
    *) echo "edge-nodepools-join: has not finished its first run$soon" ;;
  esac
  return 1
}

main() {
  command=${1:-status}
  case $command in
    status) tell; exit ;;
    run | start | now | stop) ;;
    *) echo 'usage: edge-nodepools-join status | now | stop' >&2; exit 64 ;;
  esac
  [ "$(id -u)" = 0 ] || { say 'this needs root'; exit 77; }
  case $command in
    run) step; exit 0 ;;
    stop) remove; note stopped ''; exit 0 ;;
  esac
  command -v systemctl >/dev/null 2>&1 ||
    { say 'this needs systemd, which runs the service: give this machine a join without service'; exit 69; }
  take_over
  try
  result=$?
  is_over || begin
  exit "$result"
}
# a shell reads a function to its end before it runs it, and this file may be removed meanwhile
main "$@"
exit

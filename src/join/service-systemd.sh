units=/etc/systemd/system
by_systemctl() { ! command -v systemctl >/dev/null 2>&1 || { systemctl daemon-reload; systemctl "$@"; }; }
# KillMode: what a command of the user has started goes on. The script knows when it is due; the random part of
# the timer is for machines that get their power back together.
enable_manager() {
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

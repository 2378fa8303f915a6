script=/etc/init.d/edge-nodepools-join
enable_manager() {
  mkdir -p "${script%/*}" && keep $script <<'END' || return
#!/sbin/openrc-run
description="Joins this machine to its Kubernetes cluster"
command=/bin/sh
command_args="/var/lib/edge-nodepools/service.sh loop"
command_background=yes
pidfile=/run/edge-nodepools-join.pid
output_log=/var/log/edge-nodepools-join.log
error_log=/var/log/edge-nodepools-join.log
depend() {
  need net
  after ntp-client ntpd chronyd containerd crio
}
END
  chmod 0755 $script && rc-update -q add edge-nodepools-join default
}
begin() { rc-service -q edge-nodepools-join start; }
rest() { :; } # its loop has ended
remove() {
  rc-update -q delete edge-nodepools-join
  rm -f $script
}

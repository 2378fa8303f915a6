#!/bin/sh
# systemctl of a bare machine: what it is asked is in /run/systemctl, containerd and kubelet are started as their units would.
set -u
echo "$*" >> /run/systemctl
pid_file=/run/containerd.pid
# nobody reaps a process that has ended, and such a one has no command line
runs() { [ -s "$pid_file" ] && [ -n "$(tr '\0' ' ' < "/proc/$(cat "$pid_file")/cmdline")" ]; } 2>/dev/null
case "$*" in
  'start containerd' | 'restart containerd')
    if runs; then
      [ "$1" = restart ] || exit 0
      kill "$(cat "$pid_file")"
      while runs; do sleep 0.1; done
      rm -f /run/containerd/containerd.sock
    fi
    setsid containerd </dev/null >> /var/log/containerd.log 2>&1 &
    echo $! > "$pid_file"
    attempt=0
    until [ -S /run/containerd/containerd.sock ] && ctr version >/dev/null 2>&1; do
      attempt=$((attempt + 1))
      if [ "$attempt" = 100 ] || ! runs; then exit 1; fi
      sleep 0.1
    done
    ;;
  *) exec sh /run/kubelet-systemctl "$@" ;;
esac

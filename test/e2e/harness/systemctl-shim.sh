#!/bin/sh
# What kubeadm and cloud-init ask of systemd, for one unit: kubelet, with the options of kubeadm's own unit file.
set -u
pid_file=/run/kubelet.pid
runs() { [ -s "$pid_file" ] && kill -0 "$(cat "$pid_file")" 2>/dev/null; }
stop() {
  runs || return 0
  kill "$(cat "$pid_file")"
  for attempt in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do runs || break; sleep 0.2; done
  runs && kill -KILL "$(cat "$pid_file")"
  rm -f "$pid_file"
}
start() {
  runs && return 0
  KUBELET_KUBEADM_ARGS= KUBELET_EXTRA_ARGS=
  if [ -r /var/lib/kubelet/kubeadm-flags.env ]; then . /var/lib/kubelet/kubeadm-flags.env; fi
  if [ -r /etc/default/kubelet ]; then . /etc/default/kubelet; fi
  if [ -e /run/kubelet-is-broken ]; then return 0; fi
  setsid kubelet --bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf --kubeconfig=/etc/kubernetes/kubelet.conf \
    --config=/var/lib/kubelet/config.yaml $KUBELET_KUBEADM_ARGS $KUBELET_EXTRA_ARGS </dev/null >> /var/log/kubelet.log 2>&1 &
  echo $! > "$pid_file"
}
case "$*" in
  *containerd*) ;;
  'start kubelet'*) start ;;
  'restart kubelet'*) stop; start ;;
  'stop kubelet'*) stop ;;
  'status kubelet'*) echo 'Loaded: loaded' ;;
  'is-active'*kubelet*) runs ;;
esac

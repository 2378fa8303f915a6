# OpenYurt does not enable its unit: a machine that has booted before it had our drop-in has a kubelet that asks a
# proxy which nothing has started.
start_yurthub() {
  [ -e /etc/systemd/system/yurthub.service ] && ! systemctl is-active --quiet yurthub || return 0
  say 'yurthub, through which kubelet asks, does not run: it is started'
  systemctl start yurthub || return
  waited=0
  until api GET /version >/dev/null 2>&1 || [ "$waited" -ge 60 ]; do sleep 2; waited=$((waited + 2)); done
}

# kubeadm applies patches at the join only. From 1.34 on upgrades also apply the file with the socket of the
# runtime.
keep_patch() {
  instance=/var/lib/kubelet/instance-config.yaml
  socket=$(sed -n 's/^containerRuntimeEndpoint: *//p' $instance 2>/dev/null)
  socket=${socket#\"} socket=${socket%\"}
  [ -n "$socket" ] && [ -s "$patch" ] || return 0
  { echo "{\"containerRuntimeEndpoint\": \"$socket\","; sed '1s/^{//' "$patch"; } > "$state/instance" &&
    chmod 0644 "$state/instance" && mv -f "$state/instance" $instance ||
    { say "$instance cannot be written"; return 74; }
}

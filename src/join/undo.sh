# Removes what is in the way of another try; the CA certificate only if the join has brought it.
undo() {
  rm -f $leftovers
  [ -e "$state/joining" ] || [ -e "$conf" ] || return 0
  control stop kubelet >/dev/null 2>&1
  # the certificate may have come meanwhile
  ! is_joined || { control start kubelet; return; }
  [ -s "$state/joining" ] || rm -f /etc/kubernetes/pki/ca.crt
  pki=/var/lib/kubelet/pki # where half of the serving pair stops kubelet for ever
  [ -s $pki/kubelet.crt ] && [ -s $pki/kubelet.key ] || rm -f $pki/kubelet.crt $pki/kubelet.key
  rm -f "$conf" $pki/kubelet-client-* "$state/joining"
}

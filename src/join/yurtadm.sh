# files with the token, whether it has joined or not
leftovers='/etc/kubernetes/bootstrap-kubelet.conf /var/lib/kubelet/kubeadm-join.conf /var/lib/kubelet/discovery.conf
  /var/lib/yurthub/bootstrap-hub.conf'
# Its arguments are words below each other in $yurtadm_arguments; yurtadm takes the token in no other way.
join() (
  # host-network nodes need no CNI plugins; without the folder yurtadm downloads some
  mkdir -p /opt/cni/bin
  rm -f "$mark"
  set -f
  IFS='
'
  set -- $yurtadm_arguments
  yurtadm join "$@" --token="$token" --reuse-cni-bin=true </dev/null || exit
  : > "$mark"
)

leftovers=/etc/kubernetes/bootstrap-kubelet.conf join_config=${config-}
join() { kubeadm join --config "$join_config" </dev/null; }

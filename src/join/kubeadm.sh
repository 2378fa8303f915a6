join() { kubeadm join --config "$join_config" </dev/null; }

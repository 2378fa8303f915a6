// The functions without a body are those of the kubelet.

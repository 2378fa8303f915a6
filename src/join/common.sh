# run is in memory; state never has the token
state=/var/lib/edge-nodepools run=/run/edge-nodepools conf=/etc/kubernetes/kubelet.conf
say() { echo "edge-nodepools: $*" >&2; }

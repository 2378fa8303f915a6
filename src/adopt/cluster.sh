# Functions of the steps. They fail if a read fails: what could not be read is not done.
# A relative path is one of the folder in which the script was started.
absolute() {
  case "$1" in
    '' | /* | *:*) printf '%s' "$1" ;;
    *) printf '%s/%s' "$here" "$1" ;;
  esac
}
set -f
OPENYURT_CHART=$(absolute "${OPENYURT_CHART-}")
OPENYURT_CHART_BEFORE=$(absolute "${OPENYURT_CHART_BEFORE-}")
export OPENYURT_CHART OPENYURT_CHART_BEFORE
if [ -n "${KUBECONFIG-}" ]; then
  KUBECONFIG=$(absolute "$KUBECONFIG")
  export KUBECONFIG
fi

# The plan is for one cluster: the identity of a cluster is the UID of its namespace kube-system.
same_cluster() {
  found=$(kubectl get namespace kube-system --output=jsonpath='{.metadata.uid}')
  [ "$found" = "$uid" ] || fail 'This plan was made for another cluster: select its context in the kubeconfig.'
}

needs_chart() {
  test -d "$OPENYURT_CHART/crds" ||
    fail 'set OPENYURT_CHART to the folder of the unpacked chart yurt-manager of the new release'
}

# The NodePools in a version of the API: name, spec.hostNetwork, annotation.
pools() {
  kubectl get "nodepools.$1.apps.openyurt.io" --output=jsonpath='{range .items[*]}{.metadata.name}{"\t"}{.spec.hostNetwork}{"\t"}{.metadata.annotations.nodepool\.openyurt\.io/hostnetwork}{"\n"}{end}'
}

# The names of those for which an expression of awk is true.
pools_where() {
  all=$(pools "$1") || return 1
  printf '%s\n' "$all" | awk -F '\t' "NF > 0 && $2 { print \$1 }"
}

# The version in which NodePools are stored.
storage_version() {
  kubectl get customresourcedefinition nodepools.apps.openyurt.io --output=jsonpath='{.spec.versions[?(@.storage==true)].name}'
}

# Nodes of Edge pools, also of those that are new, that have not the label of an edge node: yurt-manager of 1.7 converts them. The pools are read in the
# version of the earlier release: between two steps nothing can convert them.
unlabelled_nodes() {
  edge=$(kubectl get "nodepools.$pool_version.apps.openyurt.io" --output=jsonpath='{range .items[?(@.spec.type=="Edge")]}{"pool\t"}{.metadata.name}{"\n"}{end}') || return 1
  members=$(kubectl get nodes --selector="$pool_label,openyurt.io/is-edge-worker!=true" --output=go-template="{{range .items}}node{{\"\\t\"}}{{.metadata.name}}{{\"\\t\"}}{{index .metadata.labels \"$pool_label\"}}{{\"\\n\"}}{{end}}") || return 1
  printf '%s\n%s\n' "$edge" "$members" | awk -F '\t' '$1 == "pool" { edge[$2] = 1 } $1 == "node" && ($3 in edge) { print $2 }'
}

# Labels them, and remembers which.
keep_nodes() {
  mkdir -p backup
  nodes=$(unlabelled_nodes)
  for node in $nodes; do
    echo "$node" >>backup/labelled-nodes.txt
    kubectl label --overwrite node "$node" openyurt.io/is-edge-worker=true
  done
}

# Whether one minor is at least another one: 1.34 1.31
at_least() {
  case "$1" in [0-9]*.[0-9]*) ;; *) return 1 ;; esac
  [ "${1%%.*}" -gt "${2%%.*}" ] || { [ "${1%%.*}" -eq "${2%%.*}" ] && [ "${1#*.}" -ge "${2#*.}" ]; }
}

# Whether all API servers are at least of a minor: the one that answers, and the static Pods of kubeadm.
api_servers_at_least() {
  minors=$(kubectl get --raw=/version | sed -n 's/.*"gitVersion": *"v\([0-9]*\.[0-9]*\).*/\1/p')
  images=$(kubectl --namespace=kube-system get pods --selector=component=kube-apiserver --output=jsonpath='{range .items[*]}{.spec.containers[0].image}{"\n"}{end}') || return 1
  minors="$minors $(printf '%s\n' "$images" | sed -n 's/.*:v\([0-9]*\.[0-9]*\).*/\1/p')"
  for minor in ${minors:-unknown}; do
    at_least "$minor" "$1" || return 1
  done
  [ "$minors" != ' ' ]
}

# Nodes whose kubelet is older than a minor.
older_kubelets() {
  all=$(kubectl get nodes --output=jsonpath='{range .items[*]}{.metadata.name}{" "}{.status.nodeInfo.kubeletVersion}{"\n"}{end}') || return 1
  printf '%s\n' "$all" | sed 's/ v\([0-9]*\.[0-9]*\).*/ \1/' | while read -r name minor; do
    [ -z "$name" ] || at_least "$minor" "$1" || echo "$name"
  done
}

# Pods on host-network nodes that run, and are not hostNetwork Pods.
plain_pods() {
  nodes=$(kubectl get nodes --selector=nodepool.openyurt.io/hostnetwork=true --output=jsonpath='{range .items[*]}{"node\t"}{.metadata.name}{"\n"}{end}') || return 1
  all=$(kubectl get pods --all-namespaces --output=jsonpath='{range .items[*]}{"pod\t"}{.spec.nodeName}{"\t"}{.spec.hostNetwork}{"\t"}{.status.phase}{"\t"}{.metadata.namespace}{"/"}{.metadata.name}{"\n"}{end}') || return 1
  printf '%s\n%s\n' "$nodes" "$all" | awk -F '\t' '$1 == "node" { node[$2] = 1 } $1 == "pod" && ($2 in node) && $3 != "true" && $4 != "Succeeded" && $4 != "Failed" { print $5 }'
}

# Workloads of the system that are kept off host-network nodes.
excluded_components() {
  all=$(kubectl --namespace=kube-system get daemonsets,deployments --output=jsonpath='{range .items[*]}{.kind}/{.metadata.name}{" "}{.spec.template.spec.affinity.nodeAffinity}{"\n"}{end}') || return 1
  printf '%s\n' "$all" | sed -n 's/ .*nodepool\.openyurt\.io\/hostnetwork.*//p'
}

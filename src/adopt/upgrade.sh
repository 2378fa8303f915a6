#: upgrade
# Runs the steps in order. A step that is done is skipped, so that this can be run again at any point.
set -e
here=$PWD
cd "$(dirname "$0")"
# shellcheck source=/dev/null
. ./cluster.sh

# Whether a step is done: by hand, or as it says itself.
finished() { grep -qs 'by hand' "done/$1" || sh "steps/$1.sh" check >/dev/null 2>&1; }

# Remembers that a person has done a step: the earlier ones must be done, and the cluster must not show otherwise.
confirm() {
  case "$1" in *[!A-Za-z0-9.-]* | '') fail 'write --done and the name of a step' ;; esac
  test -e "steps/$1.sh" || fail "there is no step $1"
  same_cluster
  for name in $steps; do
    [ "$name" != "$1" ] || break
    finished "$name" || fail "$1 comes after $name, which is not done"
  done
  sh "steps/$1.sh" verify || fail "$1 is not done: the cluster shows another state"
  mkdir -p 'done'
  echo 'by hand' >"done/$1"
}

case "${1-}" in
  '' | --status) ;;
  --done)
    confirm "${2-}"
    exit 0
    ;;
  *)
    say 'upgrade.sh            runs the steps, or continues'
    say 'upgrade.sh --status   shows which steps are done, and changes nothing'
    say 'upgrade.sh --done X   remembers that step X was done by hand'
    [ "$1" = --help ] || [ "$1" = -h ] || exit 2
    exit 0
    ;;
esac
same_cluster
if [ "${1-}" != --status ]; then
  for name in $steps; do
    test -e "done/$name" || sh "steps/$name.sh" needs
  done
fi
for name in $steps; do
  script="steps/$name.sh"
  if finished "$name"; then
    say "done     $name"
    continue
  fi
  if [ "${1-}" = --status ]; then
    say "to do    $name"
    continue
  fi
  say "running  $name"
  sh "$script" run || exit $?
  sh "$script" verify || fail "$name has run, but has not worked; run upgrade.sh again, or: sh $PWD/$script back"
  mkdir -p 'done'
  echo 'done' >"done/$name"
done
#: backup
is_done() {
  for kind in $kinds; do
    test -s "backup/$kind.yaml"
  done
}
run() {
  for kind in $kinds; do
    save "$kind.yaml" kubectl get "$kind" --all-namespaces --output=yaml
  done
}
undo() { say 'nothing was changed'; }
#: by-hand
# What the steps after it compare with.
remember() { :; }

# A person does it.
run() {
  remember
  say "$instructions"
  if [ -n "$is_checked" ]; then
    say 'Then run upgrade.sh again, which checks it.'
  else
    say "Then: sh $PWD/upgrade.sh --done $step"
  fi
  exit 10
}
has_worked() { :; }
#: by-hand-back
undo() { say "$way_back"; }
#: cluster
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
#: program
has_worked() { webhooks_are_served; }
#: step
# What a step is: each file of a step has its own functions.
set -e
here=$PWD
cd "$(dirname "$0")/.."
# shellcheck source=/dev/null
. ./cluster.sh

# Whether it is done; a step that the cluster does not show is remembered in the folder done.
is_done() { test -e "done/$step"; }
# Fails if a variable that it needs is not set.
needs() { :; }
# Does it, and can be repeated.
run() { say 'nothing to run'; }
# Whether it has worked.
has_worked() { is_done; }
# Undoes it.
undo() { fail "There is no way back: $no_way_back"; }
#: step-end
case "${1:-run}" in
  check) is_done ;;
  needs) needs ;;
  run)
    same_cluster
    run
    ;;
  verify) has_worked ;;
  back)
    same_cluster
    undo
    rm -f "done/$step"
    ;;
  *) fail 'write check, run, verify or back' ;;
esac

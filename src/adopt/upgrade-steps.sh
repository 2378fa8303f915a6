#: add-ons
has_worked() {
  test -e backup/excluded.txt || return 0
  save excluded-now.txt excluded_components
  if lost=$(grep -vxFf backup/excluded-now.txt backup/excluded.txt); then
    say "These were kept off host-network nodes before the upgrade, and are not now: $(echo "$lost" | tr '\n' ' ')"
    return 1
  fi
}
#: annotate-pools
key=nodepool.openyurt.io/hostnetwork
kind=nodepools.$version.apps.openyurt.io

# the quoted texts are of awk
# shellcheck disable=SC2016
missing() { pools_where "$version" '$2 == "true" && tolower($3) != "true"'; }
# the new release shows a pool in an older version with the annotation, and without the field
# shellcheck disable=SC2016
wrong() { pools_where "$version" '$2 != "true" && tolower($3) == "true"'; }

# The annotation as it was before the first change: an empty file if the pool had none, else = and its value.
remember() {
  test -e "backup/annotations/$1" ||
    save "annotations/$1" kubectl get "$kind" "$1" --output=go-template="{{range \$key, \$value := .metadata.annotations}}{{if eq \$key \"$key\"}}={{\$value}}{{end}}{{end}}"
}

is_done() {
  prints_nothing missing
  stored=$(storage_version)
  test -n "$stored"
  [ "$stored" != "$version" ] || prints_nothing wrong
}

run() {
  names=$(missing)
  for pool in $names; do
    remember "$pool"
    kubectl annotate --overwrite "$kind" "$pool" "$key=true"
  done
  stored=$(storage_version)
  [ "$stored" = "$version" ] || return 0
  names=$(wrong)
  for pool in $names; do
    remember "$pool"
    kubectl annotate "$kind" "$pool" "$key-"
  done
}

undo() {
  stored=$(storage_version)
  [ "$stored" = "$version" ] || fail 'the new release needs the annotations'
  mkdir -p backup/annotations
  names=$(ls backup/annotations)
  for pool in $names; do
    found=$(kubectl get "$kind" "$pool" --ignore-not-found --output=name)
    before=$(cat "backup/annotations/$pool")
    if [ -z "$found" ]; then
      say "NodePool $pool does not exist any more"
    elif [ -z "$before" ]; then
      kubectl annotate "$kind" "$pool" "$key-"
    else
      kubectl annotate --overwrite "$kind" "$pool" "$key$before"
    fi
    rm "backup/annotations/$pool"
  done
}
#: control-plane
is_done() { api_servers_at_least "$minor"; }
has_worked() {
  is_done
  kubectl get --raw=/readyz >/dev/null
}

# kubeadm writes kube-proxy and CoreDNS as new
remember() { test -e backup/excluded.txt || save excluded.txt excluded_components; }
#: crds
crd=customresourcedefinition/nodepools.apps.openyurt.io

needs() { needs_chart; }

run() {
  needs
  kubectl apply --server-side --force-conflicts --filename="$OPENYURT_CHART/crds"
  kubectl wait --for=condition=Established --timeout=60s "$crd"
}

has_worked() {
  served=$(kubectl get "$crd" --output=jsonpath='{.spec.versions[*].name}')
  case " $served " in *" $version "*) ;; *) return 1 ;; esac
}
#: crds-back
# The CustomResourceDefinitions of the earlier release, each with its versions.
versions_before() {
  kubectl create --dry-run=client --filename="$OPENYURT_CHART_BEFORE/crds" --output=jsonpath='{.metadata.name}{" "}{.spec.versions[*].name}{"\n"}'
}

undo() {
  test -d "$OPENYURT_CHART_BEFORE/crds" ||
    fail 'set OPENYURT_CHART_BEFORE to the chart folder of the earlier release'
  save crds-before.txt versions_before
  # The API server refuses a definition without a version in which objects can be stored. Without objects it can be created anew.
  : >backup/crds-created-anew.txt
  while read -r name versions; do
    stored=$(kubectl get customresourcedefinition "$name" --ignore-not-found --output=jsonpath='{.status.storedVersions[*]}')
    for version in $stored; do
      case " $versions " in *" $version "*) continue ;; esac
      objects=$(kubectl get "$name" --all-namespaces --output=name)
      [ -z "$objects" ] ||
        fail "There is no way back: $name exist, can be stored as $version, and the earlier release cannot read that. Restore the snapshot of etcd."
      echo "$name" >>backup/crds-created-anew.txt
    done
  done <backup/crds-before.txt
  names=$(cat backup/crds-created-anew.txt)
  for name in $names; do
    kubectl delete customresourcedefinition "$name"
  done
  kubectl apply --server-side --force-conflicts --filename="$OPENYURT_CHART_BEFORE/crds"
}
#: host-network-pools
# Those that were host-network pools, and are no longer.
lost_pools() {
  all=$(pools "$version") || return 1
  printf '%s\n' "$all" | awk -F '\t' 'NR == FNR { expected[$1] = 1; next } ($1 in expected) && $2 != "true" { print $1 }' files/host-network-pools.txt -
}

is_done() { prints_nothing lost_pools; }

run() {
  names=$(lost_pools)
  for pool in $names; do
    kubectl annotate --overwrite "nodepools.$version.apps.openyurt.io" "$pool" nodepool.openyurt.io/hostnetwork=true
    kubectl get "nodepools.$before.apps.openyurt.io" "$pool" --output=json | kubectl replace --filename=-
  done
}
#: keep-nodes
is_done() {
  # then the label is refused, also on nodes that have joined since
  found=$(image)
  case "$found" in *":v$release."*) return 0 ;; esac
  prints_nothing unlabelled_nodes
}

run() { keep_nodes; }

has_worked() { prints_nothing unlabelled_nodes; }

undo() {
  stored=$(storage_version)
  [ "$stored" = "$version" ] || fail "yurt-manager of $release would convert these nodes, and its webhook refuses the change"
  nodes=$(cat backup/labelled-nodes.txt 2>/dev/null || true)
  for node in $nodes; do
    kubectl label node "$node" openyurt.io/is-edge-worker-
  done
  rm -f backup/labelled-nodes.txt
}
#: kubelets
is_done() { prints_nothing older_kubelets "$oldest"; }
has_worked() { is_done; }
#: pool-list
is_done() { prints_nothing kubectl --namespace="$list_namespace" get configmap "$list" --ignore-not-found --output=name; }

run() {
  bindings=$(kubectl get mutatingadmissionpolicybindings --output=jsonpath='{range .items[*]}{.spec.paramRef.name}{"\n"}{end}')
  if printf '%s\n' "$bindings" | grep -qxF -- "$list"; then
    fail 'A policy still reads the list: apply the manifests of this version of edge-nodepools first.'
  fi
  kubectl --namespace="$list_namespace" delete configmap "$list" --ignore-not-found
}

undo() { kubectl apply --server-side --field-manager=edge-nodepools --filename="$file"; }
#: preconditions
# Whether a controller turns it off: `--controllers=-nodelifecycle,*`.
without_lifecycle() { printf '%s\n' "$1" | grep -Eq -- '--controllers=[^" ]*-(nodelifecycle|node-lifecycle-controller)'; }

# One of the two controllers must run, else a dead node stays Ready.
has_worked() {
  ours=$(kubectl --namespace="$namespace" get deployment yurt-manager --output=jsonpath='{.spec.template.spec.containers[0].args}')
  theirs=$(kubectl --namespace=kube-system get pods --selector=component=kube-controller-manager --output=jsonpath='{.items[*].spec.containers[0].command}')
  if without_lifecycle "$ours" && without_lifecycle "$theirs"; then
    say 'The nodelifecycle controller is off in yurt-manager and in kube-controller-manager.'
    return 1
  fi
}
#: replace-plain-pods
is_done() { prints_nothing plain_pods; }
has_worked() { is_done; }
#: restore-webhooks
is_done() { prints_nothing wrong_webhooks; }

run() {
  restore_webhooks
  webhooks_are_served
}

undo() { say 'the webhooks are those of the release that runs: nothing to undo'; }
#: retired-workloads
is_done() { prints_nothing kubectl get "$kinds" --all-namespaces --output=name; }
has_worked() { is_done; }
#: rewrite-pools
crd=nodepools.apps.openyurt.io
kind=nodepools.$version.apps.openyurt.io

is_done() {
  stored=$(kubectl get customresourcedefinition "$crd" --output=jsonpath='{.status.storedVersions[*]}')
  test "$stored" = "$version"
}

run() {
  # a status that yurt-manager writes in between is a conflict
  for attempt in 1 2 3; do
    names=$(kubectl get "$kind" --output=name)
    if [ -z "$names" ] || kubectl get "$kind" --output=json | kubectl replace --filename=- >/dev/null; then
      break
    fi
    [ "$attempt" != 3 ] || fail 'not every NodePool was written; run this again'
  done
  kubectl patch customresourcedefinition "$crd" --subresource=status --type=merge --patch="{\"status\":{\"storedVersions\":[\"$version\"]}}"
}
#: yurt-manager
# Until the new yurt-manager is the only one. A rollout is over while the earlier Pod still ends: an API server that is connected to it asks it to convert
# NodePools.
rollout() {
  kubectl --namespace="$namespace" rollout status deployment/yurt-manager --timeout=10m
  earlier_pods_have_ended
}

# The last revision that was deployed: before it, an upgrade can have been cut off.
deployed_revision() {
  history=$(helm history "$helm_release" --namespace "$namespace" --output json) ||
    fail "If Helm has not installed yurt-manager: upgrade it as you installed it, to $tag, delete both webhook configurations and install those of the new release, then confirm the step with --done."
  printf '%s\n' "$history" | tr '{' '\n' |
    sed -n 's/.*"revision": *\([0-9][0-9]*\).*"status": *"\([a-z-]*\)".*/\2 \1/p' >backup/helm-history.txt
  awk '$1 == "deployed" || $1 == "superseded" { revision = $2 } END { if (revision == "") exit 1; print revision }' backup/helm-history.txt ||
    fail "Helm has deployed no revision of $helm_release: repair the release first."
}

# Before anything starts: whether the revision to go back to is still there. Somebody else's upgrades prune it.
revision_is_kept() {
  deployed_revision >/dev/null
  kept=$(cat backup/helm-revision)
  awk -v kept="$kept" '$2 == kept { found = 1 } END { exit !found }' backup/helm-history.txt ||
    fail "Helm has not kept revision $kept of $helm_release, to which this step goes back (--history-max of another upgrade). Without backup/helm-revision, this step goes back to the revision that is deployed when it runs next: $(deployed_revision)."
}

# Removes the revisions after the deployed one, which Helm has begun and not finished. It refuses every upgrade after one that is pending, and a rollback from
# such a one fails at objects that it does not have ("no ClusterRole with the name ... found"). The next upgrade adopts what they have created.
forget_unfinished() {
  deployed_revision >/dev/null
  case "${HELM_DRIVER:-secret}" in
    secret*) kept=secret ;;
    configmap*) kept=configmap ;;
    *) fail "Helm was interrupted, and keeps its revisions elsewhere than in the cluster: remove the one that is pending, then run this again." ;;
  esac
  unfinished=$(awk '$1 == "deployed" || $1 == "superseded" { names = "" } $1 == "failed" || $1 ~ /^pending-/ { names = names " " $2 } END { print names }' backup/helm-history.txt)
  for revision in $unfinished; do
    kubectl --namespace="$namespace" delete "$kept" "sh.helm.release.v1.$helm_release.v$revision"
  done
}

needs() { needs_chart; }

run() {
  needs
  mkdir -p backup
  # of before the first attempt: a second one is a revision of its own
  test -s backup/helm-revision || save helm-revision deployed_revision
  revision_is_kept
  case "$(tail -n 1 backup/helm-history.txt)" in
    pending-*)
      say 'Helm was interrupted: its unfinished revision is removed first'
      forget_unfinished
      ;;
  esac
  found=$(image)
  case "$found" in
    *":$tag"*) ;;
    # nodes that have joined since
    *) [ -z "$keeps_nodes" ] || keep_nodes ;;
  esac
  # each attempt is a revision, and Helm keeps ten of them
  helm upgrade "$helm_release" "$OPENYURT_CHART" --namespace "$namespace" --history-max 0 --reset-then-reuse-values --set "image.tag=$tag"
  rollout
  restore_webhooks
  webhooks_are_served
}

has_worked() {
  rollout
  found=$(image)
  case "$found" in *":$tag"*) ;; *) return 1 ;; esac
  kubectl get "nodepools.$version.apps.openyurt.io" --output=name >/dev/null
  webhooks_are_served
}
#: yurt-manager-back
undo() {
  test -s backup/helm-revision || fail 'nothing was changed'
  revision_is_kept
  forget_unfinished
  helm rollback "$helm_release" "$(cat backup/helm-revision)" --namespace "$namespace" --history-max 0 ||
    fail "Helm has stopped in the middle: run this step again, and then back."
  rollout
  restore_webhooks
  rm -f backup/helm-revision
}
#: yurthub-rights
rights='--namespace=kube-system --filename=files/yurthub-rights.yaml'
# shellcheck disable=SC2086 # two words
is_done() { kubectl get $rights --output=name; }

# shellcheck disable=SC2086
run() { kubectl apply --server-side --force-conflicts --field-manager=edge-nodepools $rights; }

# A node that has yurthub needs them at its next start, whatever release runs then.
undo() { say 'they stay: a node with yurthub needs them, and to others they are of no use'; }

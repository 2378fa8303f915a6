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

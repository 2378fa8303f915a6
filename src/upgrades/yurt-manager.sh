rollout() { kubectl --namespace="$namespace" rollout status deployment/yurt-manager --timeout=10m; }

# The last revision that was deployed: before it, an upgrade can have been cut off.
deployed_revision() {
  history=$(helm history "$helm_release" --namespace "$namespace" --output json) ||
    fail "If Helm has not installed yurt-manager: upgrade it as you installed it, to $tag, delete both webhook configurations and install those of the new release, then confirm the step with --done."
  printf '%s\n' "$history" | tr '{' '\n' |
    sed -n 's/.*"revision": *\([0-9][0-9]*\).*"status": *"\([a-z-]*\)".*/\2 \1/p' >backup/helm-history.txt
  awk '$1 == "deployed" || $1 == "superseded" { revision = $2 } END { if (revision == "") exit 1; print revision }' backup/helm-history.txt ||
    fail "Helm has deployed no revision of $helm_release: repair the release first."
}

needs() { needs_chart; }

run() {
  needs
  mkdir -p backup
  # of before the first attempt: a second one is a revision of its own
  test -s backup/helm-revision || save helm-revision deployed_revision
  revision=$(deployed_revision)
  case "$(tail -n 1 backup/helm-history.txt)" in
    pending-*)
      # Helm was cut off, and refuses every further upgrade until there is a newer revision
      say "Helm was interrupted: back to revision $revision first"
      helm rollback "$helm_release" "$revision" --namespace "$namespace"
      ;;
  esac
  found=$(image)
  case "$found" in
    *":$tag"*) ;;
    # nodes that have joined since
    *) [ -z "$keeps_nodes" ] || keep_nodes ;;
  esac
  helm upgrade "$helm_release" "$OPENYURT_CHART" --namespace "$namespace" --reset-then-reuse-values --set "image.tag=$tag"
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

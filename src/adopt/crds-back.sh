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

undo() {
  test -d "$OPENYURT_CHART_BEFORE/crds" ||
    fail 'set OPENYURT_CHART_BEFORE to the chart folder of the earlier release'
  kubectl apply --server-side --force-conflicts --filename="$OPENYURT_CHART_BEFORE/crds"
}

# After a run all that it had to create, because it can have been cut off.
is_done() {
  if [ -s backup/yurthub-rights.yaml ]; then
    kubectl --namespace=kube-system get --filename=backup/yurthub-rights.yaml --output=name
  else
    kubectl get clusterrole/yurt-hub clusterrolebinding/yurt-hub --output=name
  fi
}

rendered() {
  helm template yurthub "$OPENYURT_YURTHUB_CHART" --namespace kube-system --show-only templates/yurthub-cfg.yaml
}
present() { kubectl --namespace=kube-system get --filename=backup/yurthub-rights.yaml --ignore-not-found --output=name; }

needs() {
  is_done >/dev/null 2>&1 || test -d "$OPENYURT_YURTHUB_CHART/templates" ||
    fail 'set OPENYURT_YURTHUB_CHART to the folder of the unpacked chart yurthub of the new release'
}

run() {
  needs
  save yurthub-rights.yaml rendered
  # of before the first attempt
  test -e backup/yurthub-rights-before.txt || save yurthub-rights-before.txt present
  # what exists stays as it is
  kubectl --namespace=kube-system create --filename=backup/yurthub-rights.yaml 2>backup/yurthub-rights-errors.txt || true
  if grep -v AlreadyExists backup/yurthub-rights-errors.txt >&2; then
    exit 1
  fi
}

undo() {
  test -e backup/yurthub-rights-before.txt || fail 'they were there before: nothing to undo'
  names=$(present)
  for name in $names; do
    grep -qxF "$name" backup/yurthub-rights-before.txt || kubectl --namespace=kube-system delete "$name"
  done
  rm -f backup/yurthub-rights-before.txt backup/yurthub-rights.yaml
}

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

is_done() { prints_nothing kubectl --namespace="$list_namespace" get configmap "$list" --ignore-not-found --output=name; }

run() {
  bindings=$(kubectl get mutatingadmissionpolicybindings --output=jsonpath='{range .items[*]}{.spec.paramRef.name}{"\n"}{end}')
  if printf '%s\n' "$bindings" | grep -qxF -- "$list"; then
    fail 'A policy still reads the list: apply the manifests of this version of edge-nodepools first.'
  fi
  kubectl --namespace="$list_namespace" delete configmap "$list" --ignore-not-found
}

undo() { kubectl apply --server-side --field-manager=edge-nodepools --filename="$file"; }

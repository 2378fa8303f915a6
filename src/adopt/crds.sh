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

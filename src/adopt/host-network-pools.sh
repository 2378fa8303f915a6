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

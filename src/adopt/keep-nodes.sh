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

fill_identity() {
  yurtadm_arguments="$yurtadm_arguments
--node-name=$name"
  labels=$own_labels$labels
  [ -z "$labels" ] || yurtadm_arguments="$yurtadm_arguments
--node-labels=${labels#,}"
}

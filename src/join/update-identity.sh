# Several machines share the join: this one keeps its name, and has labels of its own.
check_identity() {
  this=$name
  read_identity || return
  [ "$name" = "$this" ] || refuse "the name ($this)"
  labels=$own_labels$labels
}

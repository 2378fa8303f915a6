is_done() {
  for kind in $kinds; do
    test -s "backup/$kind.yaml"
  done
}
run() {
  for kind in $kinds; do
    save "$kind.yaml" kubectl get "$kind" --all-namespaces --output=yaml
  done
}
undo() { say 'nothing was changed'; }

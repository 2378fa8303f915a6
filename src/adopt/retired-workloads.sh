is_done() { prints_nothing kubectl get "$kinds" --all-namespaces --output=name; }
has_worked() { is_done; }

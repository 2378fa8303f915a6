is_done() { api_servers_at_least "$minor"; }
has_worked() {
  is_done
  kubectl get --raw=/readyz >/dev/null
}

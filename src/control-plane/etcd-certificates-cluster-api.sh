# secret NAME --from-file=…: a Secret that Cluster API reads
secret() {
  kubectl create secret generic -n "$namespace" "$@" --dry-run=client -o yaml | kubectl apply -f -
  kubectl label secret -n "$namespace" "$1" --overwrite "$cluster_api_label"
}

make_cluster_api_secrets() {
  # without its key: Cluster API writes every key that it finds into the user data of the control plane
  secret "$cluster_api_ca" --from-file=tls.crt="$folder/apiserver/ca.crt"
  # cert-manager has made this one
  [ -z "$cluster_api_client" ] ||
    secret "$cluster_api_client" --from-file=tls.crt="$folder/apiserver/apiserver-etcd-client.crt" \
      --from-file=tls.key="$folder/apiserver/apiserver-etcd-client.key"
}

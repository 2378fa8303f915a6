# fetch SECRET KEY FILE, when its Certificate is ready
fetch() {
  kubectl wait -n "$namespace" --for=condition=Ready --timeout=120s "certificate/$1" >/dev/null
  kubectl get secret -n "$namespace" "$1" -o "go-template={{index .data \"$2\" | base64decode}}" > "$3.new"
  [ -s "$3.new" ]
  mv "$3.new" "$3"
}

make_member() {
  mkdir -p "$folder/$name"
  for pair in server peer; do
    secret=$cluster-etcd-$name-$pair
    fetch "$secret" tls.crt "$folder/$name/$pair.crt"
    fetch "$secret" tls.key "$folder/$name/$pair.key"
    fetch "$secret" ca.crt "$folder/$name/ca.crt"
  done
}

make_client() {
  mkdir -p "$folder/apiserver"
  fetch "$client_secret" ca.crt "$folder/apiserver/ca.crt"
  fetch "$client_secret" tls.crt "$folder/apiserver/apiserver-etcd-client.crt"
  fetch "$client_secret" tls.key "$folder/apiserver/apiserver-etcd-client.key"
}

warn_of_ca() { :; }

#: etcd-certificates
set -e
umask 077
folder=${1:-$cluster-pki}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
for each in $members; do
  name=${each%%=*} address=${each#*=}
  make_member
done
make_client
[ -z "$cluster_api_ca" ] || make_cluster_api_secrets
cat >&2 <<END
Copy the files of $folder/<member> to /etc/etcd/pki of that member, with their keys readable only by root.
Copy those of $folder/apiserver to every machine of the control plane:
  ca.crt                     to /etc/kubernetes/pki/etcd/ca.crt
  apiserver-etcd-client.crt  to /etc/kubernetes/pki/apiserver-etcd-client.crt
  apiserver-etcd-client.key  to /etc/kubernetes/pki/apiserver-etcd-client.key
END
warn_of_ca
#: etcd-certificates-cert-manager
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
#: etcd-certificates-cluster-api
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
#: etcd-certificates-kubeadm
# kubeadm_configuration NAME ADDRESS FOLDER: of the certificates of a member
kubeadm_configuration() {
  cat <<END
apiVersion: kubeadm.k8s.io/$kubeadm_version
kind: InitConfiguration
nodeRegistration:
  name: "$1"
  criSocket: unix:///nonexistent.sock
localAPIEndpoint:
  advertiseAddress: "$2"
---
apiVersion: kubeadm.k8s.io/$kubeadm_version
kind: ClusterConfiguration
# without a version, kubeadm asks the internet for one
kubernetesVersion: "v$kubernetes.0"
certificatesDir: "$3"
END
  [ -z "$days" ] || echo "certificateValidityPeriod: $((days * 24))h0m0s"
  cat <<'END'
etcd:
  local:
    peerCertSANs: ["localhost", "127.0.0.1", "::1"]
    serverCertSANs:
      - "localhost"
      - "127.0.0.1"
      - "::1"
END
  [ -z "$load_balancer" ] || echo "      - \"$load_balancer\""
}

# kubeadm_phases PHASE …: certificates of a member in $work
kubeadm_phases() {
  kubeadm_configuration "$name" "$address" "$work" > "$work/kubeadm.yaml"
  for phase in "$@"; do
    kubeadm init phase certs "$phase" --config "$work/kubeadm.yaml" >/dev/null
  done
  rm -f "$work/kubeadm.yaml"
}

# kubeadm signs with the CA that it finds
authority() {
  work=$(mktemp -d "$folder/.work.XXXXXX")
  mkdir -p "$work/etcd"
  cp "$folder/ca/ca.crt" "$folder/ca/ca.key" "$work/etcd/"
}

# done_as NAME: all files of a folder appear at once
done_as() {
  rm -rf "${folder:?}/$1"
  mv "$work/etcd" "$folder/$1"
  rm -rf "$work"
}

make_ca() {
  # certificates of two CAs do not trust each other
  for other in "$folder"/*/ca.crt; do
    [ ! -e "$other" ] || {
      echo "$other is of a CA whose key is not in $folder/ca: put ca.crt and ca.key there" >&2
      exit 1
    }
  done
  work=$(mktemp -d "$folder/.work.XXXXXX")
  kubeadm_phases etcd-ca
  done_as ca
}

make_member() {
  # of a run that was killed
  rm -rf "$folder"/.work.*
  [ -s "$folder/ca/ca.key" ] || make_ca
  [ ! -s "$folder/$name/server.key" ] || return 0
  authority
  kubeadm_phases etcd-server etcd-peer
  rm -f "$work/etcd/ca.key"
  done_as "$name"
}

make_client() {
  [ ! -s "$folder/apiserver/apiserver-etcd-client.key" ] || return 0
  authority
  kubeadm_phases apiserver-etcd-client
  rm -f "$work/etcd/ca.key"
  mv "$work/apiserver-etcd-client.crt" "$work/apiserver-etcd-client.key" "$work/etcd/"
  done_as apiserver
}

warn_of_ca() {
  echo "Protect $folder/ca as you protect the cluster." >&2
}

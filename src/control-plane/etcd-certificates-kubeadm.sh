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

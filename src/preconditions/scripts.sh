#: apply-file
# Applies a file server-side; fails if that would take away fields that the file does not name.
apply() {
  if kubectl get --filename="$1" --ignore-not-found --output=yaml |
    grep -q '^ *kubectl.kubernetes.io/last-applied-configuration:'; then
    echo "$1: an object in it came by plain kubectl apply; a server-side apply would take away what the file does not name." >&2
    echo 'Give the object as it is in the cluster to the construct, which then writes a patch.' >&2
    exit 1
  fi
  kubectl apply --server-side --field-manager="$field_manager" --force-conflicts --filename="$1"
}
#: own-folder
# A step that fails ends the script. The files that it reads are beside it.
set -e
cd "$(dirname "$0")"
#: script
say() { printf '%s\n' "$*" >&2; }
fail() {
  say "$*"
  exit 1
}

# Saves what a command prints in a file of the folder backup, whole or not at all.
save() {
  file=backup/$1
  shift
  mkdir -p "${file%/*}"
  "$@" >"$file.part"
  mv "$file.part" "$file"
}
#: proxy-server
# Makes this control-plane node a proxy server of konnectivity. It can be repeated, and renews what ends within 30 days.
umask 077
folder=/etc/kubernetes/konnectivity
pki=/etc/kubernetes/pki
mkdir -p "$folder"
ends_soon() { ! openssl x509 -checkend 2592000 -noout -in "$1" >/dev/null 2>&1; }
renewed=
if ends_soon "$folder/server.crt"; then
  test -s "$folder/server.key" || openssl genrsa -out "$folder/server.key" 2048
  openssl req -new -key "$folder/server.key" -subj /CN=konnectivity-server -out "$folder/server.csr"
  openssl x509 -req -in "$folder/server.csr" -CA "$pki/ca.crt" -CAkey "$pki/ca.key" \
    -set_serial "0x$(openssl rand -hex 16)" -days 365 -extfile certificate.ext -out "$folder/server.part"
  mv "$folder/server.part" "$folder/server.crt"
  renewed=yes
fi
sed -n 's/^ *client-certificate-data: //p' "$folder/kubeconfig" 2>/dev/null |
  openssl base64 -d -A >"$folder/client.crt" 2>/dev/null || true
if ends_soon "$folder/client.crt"; then
  kubectl --kubeconfig=/etc/kubernetes/admin.conf --namespace=kube-system get configmap kubeadm-config \
    --output='jsonpath={.data.ClusterConfiguration}' >"$folder/cluster.yaml"
  kubeadm kubeconfig user --config="$folder/cluster.yaml" \
    --client-name=system:konnectivity-server >"$folder/kubeconfig.part"
  mv "$folder/kubeconfig.part" "$folder/kubeconfig"
  renewed=yes
fi
install -m 0644 egress-selector-configuration.yaml "$folder/egress-selector-configuration.yaml"
manifest=/etc/kubernetes/manifests/konnectivity-server.yaml
# the server reads its certificates once
if test -n "$renewed" && test -f "$manifest"; then
  rm "$manifest"
  sleep 30
fi
install -m 0600 konnectivity-server.manifest "$manifest"

# old has the former files, new the new ones; changing is there while the node has some of both, and changed
# while only record and label are missing
update=$state/update flags=/var/lib/kubelet/kubeadm-flags.env config=/var/lib/kubelet/config.yaml
instance=/var/lib/kubelet/instance-config.yaml kubeconfig=$conf
[ ! -s /var/lib/openyurt/kubelet.conf ] || kubeconfig=/var/lib/openyurt/kubelet.conf
changing='' changed='' kubelet='' runtime='' units='' installed='' other=''

same() { [ -e "$1" ] && [ -e "$2" ] && [ "$(cksum < "$1")" = "$(cksum < "$2")" ]; }
version() { kubelet --version 2>/dev/null | sed -n 's/^Kubernetes v//p'; }
# args: the arguments that kubeadm has written for kubelet; arg NAME: one of them
args() { sed -n 's/^KUBELET_KUBEADM_ARGS="\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' "$flags"; }
arg() (set -f; for word in $(args); do case $word in "--$1="*) echo "${word#*=}" ;; esac; done)

# Most nodes of kubeadm have no kubectl, and curl has all that is needed.
field() { sed -n "s/^ *$1: *\"\{0,1\}\([^\"]*\)\"\{0,1\}\$/\1/p" "$kubeconfig" | head -n 1; }
# api METHOD PATH [PATCH], with the credential of kubelet
api() {
  if command -v kubectl >/dev/null 2>&1; then
    if [ "$1" = GET ]; then set -- get --raw "$2"; else set -- patch node "$name" --type=merge -p "$3"; fi
    kubectl --kubeconfig "$kubeconfig" --request-timeout=30s "$@"
  elif command -v curl >/dev/null 2>&1; then
    set -- "$1" "$(field server)$2" "${3-}"
    if [ "$1" = GET ]; then set -- "$2"
    else set -- -X "$1" -H 'Content-Type: application/merge-patch+json' -d "$3" "$2"; fi
    pem=$(field client-certificate)
    [ -z "$pem" ] || set -- --cacert /etc/kubernetes/pki/ca.crt --cert "$pem" --key "$(field client-key)" "$@"
    curl -fsS -m 30 "$@"
  else
    say 'this needs kubectl or curl'
    return 127
  fi
}

# file NUMBER: path and mode of a file of the join
file() { eval "path=\$path_$1 mode=\$mode_$1"; }

# What a file is for says what is restarted; kubelet and the runtime are restarted once, at the end.
touched() {
  changed="$changed, $1"
  case $1 in
    */certs.d/*) ;;
    */containerd.service.d/* | */crio.service.d/*) runtime=1 units=1 ;;
    */containerd/* | */crio/* | */registries.conf.d/*) runtime=1 ;;
    */kubelet.service.d/20-yurthub.conf) units=1 ;; # counts with the next start
    */kubelet.service.d/*) kubelet=1 units=1 ;;
    */default/kubelet | */sysconfig/kubelet) kubelet=1 ;;
    */systemd/system/*) units=1 ;;
  esac
}
restart() {
  if command -v systemctl >/dev/null 2>&1; then systemctl restart "$1"
  elif command -v rc-service >/dev/null 2>&1; then rc-service "$1" restart; fi
}
reload() { [ -z "$units" ] || ! command -v systemctl >/dev/null 2>&1 || systemctl daemon-reload; }

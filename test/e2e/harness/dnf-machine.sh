#!/bin/sh
# dnf-machine.sh FOLDER: in namespaces of its own, a machine with dnf as its package manager, FOLDER/repo as the repository, and a joined node as far as
# an update looks at it; then it runs FOLDER/steps.sh.
set -eu
folder=$1
mount --make-rprivate /
mkdir -p "$folder/over"
mount -t tmpfs tmpfs "$folder/over"
for name in etc usr var; do
  mkdir -p "$folder/over/$name" "$folder/over/$name.work"
  mount -t overlay overlay -o "lowerdir=/$name,upperdir=$folder/over/$name,workdir=$folder/over/$name.work" "/$name"
done
mount -t tmpfs tmpfs /run
# rpm of Debian has its database there
mount -t tmpfs tmpfs /root
mount -t proc proc /proc
ip link set lo up
(cd "$folder/repo" && exec python3 -m http.server 8099 --bind 127.0.0.1 > /dev/null 2>&1) &
for plugin in /etc/dnf/plugins/*.conf; do
  case $plugin in */versionlock.conf | *'*'*) ;; *) sed -i 's/^enabled.*/enabled=0/' "$plugin" ;; esac
done
rm -rf /etc/apt /etc/kubernetes /var/lib/kubelet
PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
export PATH HOME
cp "$folder"/programs/* /usr/local/bin
mkdir -p /etc/kubernetes/pki /var/lib/kubelet/pki /etc/yum.repos.d
pem=/var/lib/kubelet/pki/kubelet-client-current.pem
printf '%s\n' '-----END CERTIFICATE-----' '-----END EC PRIVATE KEY-----' > "$pem"
printf 'current-context: default\nkind: Config\nusers:\n- name: default-auth\n  user:\n    client-certificate: %s\n    client-key: %s\n' "$pem" "$pem" > /etc/kubernetes/kubelet.conf
echo 'KUBELET_KUBEADM_ARGS="--hostname-override=till-1 --node-labels=apps.openyurt.io/nodepool=beijing"' > /var/lib/kubelet/kubeadm-flags.env
echo 'kind: KubeletConfiguration' | tee /run/kubelet-config > /var/lib/kubelet/config.yaml
until curl -fsS -o /dev/null http://127.0.0.1:8099/; do sleep 0.2; done 2> /dev/null
set +e
. "$folder/steps.sh"

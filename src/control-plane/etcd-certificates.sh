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

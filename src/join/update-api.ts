import { KUBELET_CONF } from './node-paths.js';

/** Kubeconfig of a kubelet that talks to yurthub. */
const YURTHUB_CONF = '/var/lib/openyurt/kubelet.conf';

/**
 * Shell function `api METHOD PATH [PATCH]`, a request with the credential of kubelet, and `$kubeconfig`, its kubeconfig. Most nodes of kubeadm have no kubectl,
 * and curl has all that it needs.
 */
export function nodeApiLines(): string[] {
  return [
    `kubeconfig=${KUBELET_CONF}`,
    `[ ! -s ${YURTHUB_CONF} ] || kubeconfig=${YURTHUB_CONF}`,
    'field() { sed -n "s/^ *$1: *\\"\\{0,1\\}\\([^\\"]*\\)\\"\\{0,1\\}$/\\1/p" "$kubeconfig" | head -n 1; }',
    'api() {',
    '  if command -v kubectl >/dev/null 2>&1; then',
    '    if [ "$1" = GET ]; then set -- get --raw "$2"; else set -- patch node "$name" --type=merge -p "$3"; fi',
    '    kubectl --kubeconfig "$kubeconfig" --request-timeout=30s "$@"',
    '  elif command -v curl >/dev/null 2>&1; then',
    '    set -- "$1" "$(field server)$2" "${3-}"',
    '    if [ "$1" = GET ]; then set -- "$2"; else set -- -X "$1" -H \'Content-Type: application/merge-patch+json\' -d "$3" "$2"; fi',
    '    pem=$(field client-certificate)',
    '    [ -z "$pem" ] || set -- --cacert /etc/kubernetes/pki/ca.crt --cert "$pem" --key "$(field client-key)" "$@"',
    '    curl -fsS -m 30 "$@"',
    '  else',
    "    say 'this needs kubectl or curl'",
    '    return 127',
    '  fi',
    '}',
  ];
}

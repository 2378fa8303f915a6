/** Corefiles of real clusters. Each has the kubernetes plugin unless its name says otherwise. */

const KUBERNETES = `kubernetes cluster.local in-addr.arpa ip6.arpa {
       pods insecure
       fallthrough in-addr.arpa ip6.arpa
       ttl 30
    }`;

const kubeadm = (extra = '', cache = 'cache 30'): string => `.:53 {
    errors
    health {
       lameduck 5s
    }
    ready${extra}
    ${KUBERNETES}
    prometheus :9153
    forward . /etc/resolv.conf {
       max_concurrent 1000
    }
    ${cache}
    loop
    reload
    loadbalance
}
`;

/** As in the ConfigMap of k3s. */
const K3S = `.:53 {
    errors
    health
    ready
    kubernetes cluster.local in-addr.arpa ip6.arpa {
      pods insecure
      fallthrough in-addr.arpa ip6.arpa
    }
    hosts /etc/coredns/NodeHosts {
      ttl 60
      reload 15s
      fallthrough
    }
    prometheus :9153
    forward . /etc/resolv.conf
    cache 30
    loop
    reload
    loadbalance
    import /etc/coredns/custom/*.override
}
import /etc/coredns/custom/*.server
`;

const NODE_LOCAL = `cluster.local:53 {
    errors
    cache {
            success 9984 30
            denial 9984 5
    }
    reload
    loop
    bind 169.254.20.10 10.96.0.10
    forward . __PILLAR__CLUSTER__DNS__ {
            force_tcp
    }
    prometheus :9253
    health 169.254.20.10:8080
    }
in-addr.arpa:53 {
    errors
    cache 30
    reload
    loop
    bind 169.254.20.10 10.96.0.10
    forward . __PILLAR__CLUSTER__DNS__ {
            force_tcp
    }
    prometheus :9253
    }
.:53 {
    errors
    cache 30
    reload
    loop
    bind 169.254.20.10 10.96.0.10
    forward . __PILLAR__UPSTREAM__SERVERS__
    prometheus :9253
    }
`;

/** With the kubernetes plugin, and without a hosts plugin. */
export const CLUSTER_COREFILES: Readonly<Record<string, string>> = {
  'kubeadm up to 1.31': kubeadm(),
  'kubeadm from 1.32 on': kubeadm(
    '',
    'cache 30 {\n       disable success cluster.local\n       disable denial cluster.local\n    }',
  ),
  'OpenYurt documents, log plugin before': `.:53 {
    errors
    log . {
        class denial success
    }
    health {
        lameduck 5s
    }
    ready
    ${KUBERNETES}
    prometheus :9153
    forward . /etc/resolv.conf {
        max_concurrent 1000
    }
    cache 30
    loop
    reload
    loadbalance
}
`,
  'yurtadm, tabs': kubeadm().replace(/ {4}/g, '\t'),
  EKS: `.:53 {
    errors
    health {
        lameduck 5s
      }
    ready
    kubernetes cluster.local in-addr.arpa ip6.arpa {
      pods insecure
      fallthrough in-addr.arpa ip6.arpa
    }
    prometheus :9153
    forward . /etc/resolv.conf
    cache 30
    loop
    reload
    loadbalance
}
`,
  'AKS, with imports': `.:53 {
    errors
    ready
    health {
      lameduck 5s
    }
    kubernetes cluster.local in-addr.arpa ip6.arpa {
      pods insecure
      fallthrough in-addr.arpa ip6.arpa
      ttl 30
    }
    prometheus :9153
    forward . /etc/resolv.conf
    cache 30
    loop
    reload
    loadbalance
    import custom/*.override
    template ANY ANY internal.cloudapp.net {
      match "^(?:[^.]+\\.){4,}internal\\.cloudapp\\.net\\.$"
      rcode NXDOMAIN
      fallthrough
    }
    template ANY ANY reddog.microsoft.com {
      rcode NXDOMAIN
    }
}
import custom/*.server
`,
  'GKE with its own CoreDNS, several zones': `cluster.local:53 in-addr.arpa:53 {
  errors
  kubernetes cluster.local in-addr.arpa {
    pods verified
  }
  cache 10
}
.:53 {
  forward . 169.254.169.254
}
`,
  'a stub domain': `${kubeadm()}corp.example:53 {
    errors
    cache 30
    forward . 10.150.0.1
}
`,
  'comments everywhere': `# of the platform team
.:53 { # everything
    # first the errors
    errors # all of them
    ready

    # names of Services
    ${KUBERNETES}
    forward . /etc/resolv.conf # the node's
} # end
# nothing follows
`,
  'a comment glued to a word': '.:53 {\n    errors#all\n    kubernetes cluster.local\n    loop # x\n}\n',
  'a snippet': `(snip) {
    errors
    log
}
.:53 {
    import snip
    kubernetes cluster.local
}
`,
  'two snippets and two servers': `(errors) {
    errors
}
(cache) {
    cache 30
}
cluster.local {
    import errors
    import cache
    kubernetes
}
. {
    import errors
    forward . 9.9.9.9
}
`,
  'environment variables': `{$ZONE}:{$PORT} {
    errors
    kubernetes {$ZONE} {%REVERSE%}
    forward . {$UPSTREAM}
}
`,
  'quoted words':
    '.:53 {\n    errors\n    kubernetes "cluster.local" {\n        endpoint "https://10.0.0.1:6443"\n    }\n    rewrite name regex "(.*)\\"x" "{1}.cluster.local"\n}\n',
  'a quoted word over two lines':
    '.:53 {\n    template ANY ANY {\n        answer "a\nb"\n    }\n    kubernetes cluster.local\n}\n',
  'brace of the server on the next line': '.:53\n{\n    errors\n    kubernetes cluster.local\n}\n',
  'brace of a plugin on the next line':
    '.:53 {\n    health\n    {\n        lameduck 5s\n    }\n    kubernetes cluster.local\n}\n',
  'without any braces': '.:53\nerrors\nkubernetes cluster.local\n',
  'addresses over several lines': 'cluster.local:53,\nin-addr.arpa:53,\nip6.arpa:53 {\n    kubernetes\n}\n',
  CRLF: kubeadm().replace(/\n/g, '\r\n'),
  'no line break at the end': kubeadm().trimEnd(),
  'byte order mark': `\ufeff${kubeadm()}`,
  'blank lines and trailing spaces': '\n\n.:53 {  \n\n    errors   \n\n    kubernetes cluster.local  \n\n}\n\n',
  'tls and https': 'tls://.:853 {\n    tls /etc/tls/tls.crt /etc/tls/tls.key\n    kubernetes cluster.local\n}\n',
  'autopath and pods verified':
    '.:53 {\n    kubernetes cluster.local {\n        pods verified\n    }\n    autopath @kubernetes\n    forward . /etc/resolv.conf\n}\n',
  'rewrites for an old domain':
    '.:53 {\n    rewrite stop {\n        name suffix .old.example .cluster.local\n        answer auto\n    }\n    kubernetes cluster.local\n}\n',
  'deep indentation, brace in column one':
    '        .:53 {\n                errors\n                kubernetes cluster.local {\n                        pods insecure\n                }\n}\n',
  'acl, dnssec and view':
    ".:53 {\n    acl {\n        block type ANY net 10.0.0.0/8\n    }\n    view internal {\n        expr incidr(client_ip(), '10.0.0.0/8')\n    }\n    kubernetes cluster.local\n}\n",
};

/** Others: without the kubernetes plugin, or with their own hosts plugin. */
export const OTHER_COREFILES: Readonly<Record<string, string>> = {
  K3s: K3S,
  'NodeLocal DNSCache': NODE_LOCAL,
  'nothing at all': '',
  'comments only': '# later\n',
  'an address only': '.:53',
  'the first plugin on the line of the brace': '. { whoami\n}\n',
  'OpenYurt tunnel, done already': kubeadm(
    '\n    hosts /etc/edge/tunnel-nodes {\n       reload 300ms\n       fallthrough\n    }',
  ),
  'raven-proxy-dns': `.:53 {
    errors
    health {
      lameduck 5s
    }
    ready
    hosts /etc/edge/tunnel-nodes {
        reload 300ms
        fallthrough
    }
    kubernetes cluster.local in-addr.arpa ip6.arpa {
       pods insecure
       fallthrough in-addr.arpa ip6.arpa
       ttl 30
    }
    cache 30
}
`,
  'hosts without a file':
    '.:53 {\n    hosts {\n        10.0.0.1 a.example\n        fallthrough\n    }\n    kubernetes cluster.local\n}\n',
};

export const ALL_COREFILES: readonly (readonly [string, string])[] = [
  ...Object.entries(CLUSTER_COREFILES),
  ...Object.entries(OTHER_COREFILES),
];

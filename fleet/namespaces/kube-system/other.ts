import { ApiObject, Chart } from 'cdk8s';
import type { Construct } from 'constructs';

/** What belongs to no application in the namespace kube-system. */
export class KubeSystemOtherChart extends Chart {
  constructor(scope: Construct, id: string) {
    super(scope, id);

    new ApiObject(this, 'coredns-config-map', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'coredns', namespace: 'kube-system' },
      data: {
        Corefile: `.:53 {
    errors
    health {
       lameduck 5s
    }
    ready
    kubernetes cluster.local in-addr.arpa ip6.arpa {
       pods insecure
       fallthrough in-addr.arpa ip6.arpa
       ttl 30
    }
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
      },
    });

    new ApiObject(this, 'kubeadm-config-config-map', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'kubeadm-config', namespace: 'kube-system' },
      data: {
        ClusterConfiguration: `clusterName: edge
kind: ClusterConfiguration
kubernetesVersion: v1.30.4
`,
      },
    });
  }
}

import { ApiObject, Chart } from 'cdk8s';
import type { Construct } from 'constructs';

/** kube-proxy in the namespace kube-system. */
export class KubeSystemKubeProxyChart extends Chart {
  constructor(scope: Construct, id: string) {
    super(scope, id);

    new ApiObject(this, 'kube-proxy-config-map', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'kube-proxy', namespace: 'kube-system', labels: { app: 'kube-proxy' } },
      data: {
        'config.conf': `# of the platform team
apiVersion: kubeproxy.config.k8s.io/v1alpha1
bindAddress: 0.0.0.0 # all of them
bindAddressHardFail: false
clientConnection:
  acceptContentTypes: ""
  burst: 0
  contentType: ""
  kubeconfig: /var/lib/kube-proxy/kubeconfig.conf # of kubeadm
  qps: 0
clusterCIDR: 100.64.0.0/10
aFieldOfTomorrow: 'yes'
conntrack:
  maxPerCore: null
kind: KubeProxyConfiguration
mode: ""
`,
        'kubeconfig.conf': `apiVersion: v1
kind: Config
`,
      },
    });
  }
}

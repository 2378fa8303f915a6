import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { coreDnsOfKubeadm } from '../cluster/kubeadm-capabilities.js';
import type { PlainMap } from '../base/plain-data.js';

/**
 * The Deployment of CoreDNS that the kubeadm of a minor writes (`cmd/kubeadm/app/phases/addons/dns/manifests.go`, 1.22 to 1.37).
 *
 * @param repository image repository, without the name of the image
 */
export function kubeadmCoreDns(cluster: EdgeCluster, repository = 'registry.k8s.io/coredns'): PlainMap {
  const { version, pod } = coreDnsOfKubeadm(cluster);
  const labels = { 'k8s-app': 'kube-dns' };
  const named = pod === 'named-probe-ports';
  const port = (containerPort: number, name: string, protocol = 'TCP'): PlainMap => ({ containerPort, name, protocol });
  const probe = (path: string, name: string, number: number): PlainMap => ({
    httpGet: { path, port: named ? name : number, scheme: 'HTTP' },
  });
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'coredns', namespace: 'kube-system', labels },
    spec: {
      replicas: 2,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          priorityClassName: 'system-cluster-critical',
          serviceAccountName: 'coredns',
          affinity: {
            podAntiAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [
                {
                  weight: 100,
                  podAffinityTerm: {
                    labelSelector: { matchExpressions: [{ key: 'k8s-app', operator: 'In', values: ['kube-dns'] }] },
                    topologyKey: 'kubernetes.io/hostname',
                  },
                },
              ],
            },
          },
          tolerations: [
            { key: 'CriticalAddonsOnly', operator: 'Exists' },
            ...(pod === 'tolerates-master' ? [{ key: 'node-role.kubernetes.io/master', effect: 'NoSchedule' }] : []),
            { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' },
          ],
          nodeSelector: { 'kubernetes.io/os': 'linux' },
          containers: [
            {
              name: 'coredns',
              image: `${repository}/coredns:${version}`,
              imagePullPolicy: 'IfNotPresent',
              resources: { limits: { memory: '170Mi' }, requests: { cpu: '100m', memory: '70Mi' } },
              args: ['-conf', '/etc/coredns/Corefile'],
              volumeMounts: [{ name: 'config-volume', mountPath: '/etc/coredns', readOnly: true }],
              ports: [
                port(53, 'dns', 'UDP'),
                port(53, 'dns-tcp'),
                port(9153, 'metrics'),
                ...(named ? [port(8080, 'liveness-probe'), port(8181, 'readiness-probe')] : []),
              ],
              livenessProbe: {
                ...probe('/health', 'liveness-probe', 8080),
                initialDelaySeconds: 60,
                timeoutSeconds: 5,
                successThreshold: 1,
                failureThreshold: 5,
              },
              readinessProbe: probe('/ready', 'readiness-probe', 8181),
              securityContext: {
                allowPrivilegeEscalation: false,
                capabilities: { add: ['NET_BIND_SERVICE'], drop: ['ALL'] },
                readOnlyRootFilesystem: true,
              },
            },
          ],
          dnsPolicy: 'Default',
          volumes: [
            {
              name: 'config-volume',
              configMap: { name: 'coredns', items: [{ key: 'Corefile', path: 'Corefile' }] },
            },
          ],
        },
      },
    },
  };
}

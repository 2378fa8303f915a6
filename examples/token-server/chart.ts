import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiObject, Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import {
  EdgeCluster,
  ExcludedWorkload,
  type ExcludedWorkloadProps,
  HostNetworkNodePool,
  JoinToken,
  NodeJoin,
} from 'edge-nodepools';

/** The machines that may join; each has a certificate of the site CA with its name. */
export const MACHINES = ['shop-0001', 'shop-0002'];

const NAME = 'token-server';
const ACCOUNT = `system:serviceaccount:kube-system:${NAME}`;
const GROUP = 'system:bootstrappers:kubeadm:default-node-token';

const cluster = EdgeCluster.of({
  openYurt: '1.7',
  kubernetes: '1.34',
  apiServer: 'api.shops.example:6443',
  // kubeadm token create --print-join-command prints it
  caCertHashes: ['sha256:4a6b1d2f8c90e37512ab34cd56ef78900b1c2d3e4f5061728394a5b6c7d8e9f0'],
});

/** The server: it can create bootstrap tokens, and cannot read, change or delete anything. */
export class TokenServerChart extends Chart {
  constructor(scope: Construct, id: string) {
    super(scope, id, { namespace: 'kube-system' });
    const metadata = { name: NAME };
    new ApiObject(this, 'account', { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
    new ApiObject(this, 'role', {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata,
      rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['create'] }],
    });
    new ApiObject(this, 'binding', {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: NAME },
      subjects: [{ kind: 'ServiceAccount', name: NAME, namespace: 'kube-system' }],
    });
    this.onlyTokens();
    new ApiObject(this, 'files', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata,
      data: { 'server.mjs': readFileSync(join(__dirname, 'server.mjs'), 'utf8'), machines: `${MACHINES.join('\n')}\n` },
    });
    new ApiObject(this, 'service', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { type: 'NodePort', selector: { app: NAME }, ports: [{ port: 443, targetPort: 8443, nodePort: 30443 }] },
    });
    new ExcludedWorkload(this, 'deployment', { cluster, workload: deployment() });
  }

  /** RBAC cannot tell one Secret from another when it is created; this policy can (Kubernetes 1.30 and later). */
  private onlyTokens(): void {
    const metadata = { name: `${NAME}-only-tokens` };
    // the data of a Secret is base64 for a policy
    const group = Buffer.from(GROUP).toString('base64');
    new ApiObject(this, 'policy', {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata,
      spec: {
        failurePolicy: 'Fail',
        matchConstraints: {
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['secrets'] }],
        },
        matchConditions: [{ name: NAME, expression: `request.userInfo.username == '${ACCOUNT}'` }],
        validations: [
          {
            expression: `object.type == 'bootstrap.kubernetes.io/token' && 'expiration' in object.data && object.data['auth-extra-groups'] == '${group}'`,
            message: `${NAME} creates only bootstrap tokens of nodes that expire`,
          },
        ],
      },
    });
    new ApiObject(this, 'policy-binding', {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata,
      spec: { policyName: metadata.name, validationActions: ['Deny'] },
    });
  }
}

function deployment(): ExcludedWorkloadProps['workload'] {
  const labels = { app: NAME };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: NAME, namespace: 'kube-system' },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: NAME,
          priorityClassName: 'system-cluster-critical',
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 65532,
            fsGroup: 65532,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          containers: [
            {
              name: 'server',
              image: 'node:24-alpine',
              command: ['node', '/etc/token-server/server.mjs'],
              ports: [{ containerPort: 8443 }],
              resources: { requests: { cpu: '10m', memory: '48Mi' }, limits: { memory: '96Mi' } },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
              volumeMounts: [
                { name: 'files', mountPath: '/etc/token-server' },
                { name: 'tls', mountPath: '/etc/token-server-tls' },
              ],
              env: [{ name: 'TLS_FOLDER', value: '/etc/token-server-tls' }],
            },
          ],
          volumes: [
            { name: 'files', configMap: { name: NAME } },
            { name: 'tls', secret: { secretName: `${NAME}-tls`, defaultMode: 0o440 } },
          ],
        },
      },
    },
  };
}

/** The machines: each asks for a token with its certificate when it joins, and asks again when it has to try again. */
export class ShopsChart extends Chart {
  public readonly join: NodeJoin;

  constructor(scope: Construct, id: string) {
    super(scope, id, { namespace: 'shops' });
    const pool = new HostNetworkNodePool(this, 'pool', { cluster, poolName: 'shops' });
    const identity = [
      '--cacert',
      '/etc/machine/site-ca.crt',
      '--cert',
      '/etc/machine/machine.crt',
      '--key',
      '/etc/machine/machine.key',
    ];
    this.join = new NodeJoin(this, 'join', {
      pool,
      token: JoinToken.fromCommand(
        ['curl', '-fsS', '-X', 'POST', ...identity, 'https://tokens.shops.example:30443/token'],
        { timeoutSeconds: 30 },
      ),
      service: {},
    });
  }
}

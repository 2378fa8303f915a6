import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { CloudMachine } from './cloud-machine.js';
import type { JoinSite } from './join-site.js';
import { Machine } from './machine.js';
import { chartFolder, objectsIn } from './openyurt.js';
import type { Program } from './program.js';
import { pathOf, type Tool } from './tool.js';

export const YURTHUB: Tool = {
  name: 'yurthub',
  module: 'yurthub-1.7',
  package: 'github.com/openyurtio/openyurt/cmd/yurthub',
};

/** The rights of yurthub and its ConfigMap, of the chart yurthub. */
export function yurthubObjects(): any[] {
  const file = join(dirname(chartFolder('1.7')), 'yurthub', 'templates', 'yurthub-cfg.yaml');
  return objectsIn(
    readFileSync(file, 'utf8')
      .replace('{{ .Release.Namespace }}', 'kube-system')
      .replace('{{ .Values.cacheAgents | quote }}', '""')
      .replace(/^.*\{\{- include .*\n/gm, ''),
  );
}

/** kubelet as node-servant of OpenYurt 1.7 redirects it (pkg/node-servant/components/kubelet.go, pkg/node-servant/constants). */
const REDIRECT = `mkdir -p /var/lib/openyurt
cat > /var/lib/openyurt/kubelet.conf <<'END'
apiVersion: v1
clusters:
- cluster:
    server: http://127.0.0.1:10261
  name: default-cluster
contexts:
- context:
    cluster: default-cluster
    namespace: default
    user: default-auth
  name: default-context
current-context: default-context
kind: Config
preferences: {}
END
sed -i 's#^KUBELET_KUBEADM_ARGS="\\(.*\\)"#KUBELET_KUBEADM_ARGS="\\1  --kubeconfig=/var/lib/openyurt/kubelet.conf --bootstrap-kubeconfig= "#' /var/lib/kubelet/kubeadm-flags.env
systemctl restart kubelet`;

/** yurthub on a node that has joined, with the client certificate of its kubelet. */
export class Yurthub {
  constructor(
    private readonly site: JoinSite,
    private readonly machine: CloudMachine,
    private readonly poolName: string,
  ) {}

  private program?: Program;

  /** Starts it as the unit file of node-servant does (pkg/yurtadm/constants, YurtHubUnitConfig). */
  public start(): void {
    const { room } = this.machine;
    this.program = room.start('yurthub', pathOf(YURTHUB), [
      `--node-name=${room.name}`,
      `--nodepool-name=${this.poolName}`,
      `--server-addr=https://${Machine.ADDRESS}:6443`,
      '--bootstrap-mode=kubeletcertificate',
      '--bind-address=127.0.0.1',
      '--working-mode=edge',
      '--namespace=kube-system',
      '--v=2',
      // the network of a test machine has no default route, and its kernel may have no dummy interfaces
      `--node-ip=${Machine.ADDRESS}`,
      '--enable-dummy-if=false',
    ]);
  }

  /** Waits until it is ready; its serving certificate is approved, as yurt-manager's controller csrapprover does. */
  public async ready(): Promise<void> {
    const { plane, machine } = this.site;
    await this.program?.ready(async () => {
      for (const { metadata, status } of (await plane.get('certificatesigningrequests'))?.items ?? []) {
        if (status.conditions === undefined) {
          await plane.must(['certificate', 'approve', metadata.name as string]);
        }
      }
      return (await machine.get(10267, '/v1/readyz')).status === 200;
    }, 120);
  }

  /** Lets kubelet send its requests to yurthub. */
  public async redirectKubelet(): Promise<void> {
    await this.machine.room.must('sh', ['-c', REDIRECT]);
  }

  public get says(): string {
    return this.program?.tail() ?? '';
  }
}

import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { CloudMachine } from './cloud-machine.js';
import type { JoinSite } from './join-site.js';
import { Machine } from './machine.js';
import { chartFolder, objectsIn } from './openyurt.js';
import type { Program } from './program.js';
import { SystemdMachine } from './systemd-machine.js';
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

/** The unit as OpenYurt 1.7 writes it, on master and by yurtadm too (pkg/yurtadm/constants, YurtHubServiceContent), and that of the packages of kubelet. */
const UNITS = {
  yurthub: `[Unit]
Description=YurtHub Service
After=network.target

[Service]
Type=simple
ExecStart=/usr/local/bin/yurthub
Restart=always
`,
  kubelet: `[Unit]
Description=kubelet: The Kubernetes Node Agent
Wants=network-online.target
After=network-online.target

[Service]
ExecStart=/usr/local/bin/kubelet
Restart=always
StartLimitInterval=0
RestartSec=10

[Install]
WantedBy=multi-user.target
`,
} as const;
type Unit = keyof typeof UNITS;

/**
 * Which of the units that OpenYurt and the packages have enabled a boot of the real systemd starts, in its order, with these drop-ins of the node; before
 * yurthub is installed, too. The programs are substitutes.
 */
export async function startedByBoot(
  dropIns: Readonly<Record<string, string>>,
  units: readonly Unit[] = ['yurthub', 'kubelet'],
): Promise<string[]> {
  const machine = new SystemdMachine(mkdtempSync(join(tmpdir(), 'edge-nodepools-e2e-')));
  try {
    await machine.boot();
    await machine.cut();
    for (const unit of units) {
      machine.write(`/etc/systemd/system/${unit}.service`, UNITS[unit]);
      machine.write(`/usr/local/bin/${unit}`, '#!/bin/sh\nexec sleep infinity\n');
    }
    Object.entries(dropIns).forEach(([path, content]) => machine.write(path, content));
    await machine.boot();
    // the first has no [Install], which is no error
    const enabled = await machine.sh(`for unit in ${units.join(' ')}; do systemctl enable $unit || exit; done`);
    if (enabled.status !== 0) {
      throw new Error(enabled.stderr);
    }
    await machine.cut();
    await machine.boot();
    const { stdout } = await machine.sh(
      `for _ in $(seq 100); do [ -n "$(systemctl list-jobs --no-legend)" ] || break; sleep 0.1; done; for unit in yurthub kubelet; do systemctl is-active --quiet $unit && echo "$(systemctl show --value -p ActiveEnterTimestampMonotonic $unit) $unit"; done | sort -n | cut -d ' ' -f 2`,
    );
    return stdout.split('\n').filter((line) => line !== '');
  } finally {
    await machine.close();
  }
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

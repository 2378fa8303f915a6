import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { EdgeArtifact } from 'edge-nodepools';
import { objectsIn } from './openyurt.js';
import { kubernetesTool, pathOf, type Tool, versionOf } from './tool.js';

/** What kubeadm installs in addition to the control plane. */
export type KubeadmAddOn = 'coredns' | 'kube-proxy';

export const KUBEADM: Tool = kubernetesTool('kubeadm', '1.36');

const WORKLOADS = ['DaemonSet', 'Deployment'];

/** The add-on phases of a real kubeadm, with a separate configuration. */
export class KubeadmAddOns {
  private readonly config: string;

  /**
   * @param folder an existing folder; nothing outside of it is written
   * @param patches files of the patch directory; without any, kubeadm gets no such directory
   */
  constructor(folder: string, patches: readonly EdgeArtifact[] = []) {
    const directory = mkdtempSync(join(folder, 'kubeadm-patches-'));
    this.config = `${directory}.json`;
    patches.forEach(({ path, content }) => writeFileSync(join(directory, basename(path)), content));
    const version = 'kubeadm.k8s.io/v1beta4';
    const documents = [
      {
        apiVersion: version,
        kind: 'InitConfiguration',
        localAPIEndpoint: { advertiseAddress: '192.0.2.10', bindPort: 6443 },
        nodeRegistration: { name: 'control', criSocket: 'unix:///nonexistent.sock' },
        ...(patches.length === 0 ? {} : { patches: { directory } }),
        // a refused object is always refused: the default is to retry for a minute
        timeouts: { kubernetesAPICall: '5s' },
      },
      {
        apiVersion: version,
        kind: 'ClusterConfiguration',
        kubernetesVersion: versionOf(KUBEADM),
        networking: { serviceSubnet: '10.0.0.0/24' },
      },
    ];
    writeFileSync(this.config, documents.map((document) => JSON.stringify(document)).join('\n---\n'));
  }

  /** The DaemonSet or Deployment, as `--print-manifest` shows it. */
  public rendered(addOn: KubeadmAddOn): any {
    return objectsIn(this.printed(addOn)).find(({ kind }) => WORKLOADS.includes(kind as string));
  }

  /** All objects of the add-on, as `--print-manifest` shows them. */
  public printed(addOn: KubeadmAddOn): string {
    // with a patch directory, kubeadm reports patches in the same stream, without a line break
    return this.run(addOn, ['--print-manifest'])
      .replace(/^\[patches\].*\n/gm, '')
      .replace(/^---(?=\S)/gm, '---\n');
  }

  /** Installs the add-on, or writes it again like `kubeadm upgrade`. Returns the output of kubeadm. */
  public install(addOn: KubeadmAddOn, kubeconfig: string): string {
    return this.run(addOn, [`--kubeconfig=${kubeconfig}`]);
  }

  /** Runs a phase, and returns its output. */
  public run(addOn: KubeadmAddOn, args: readonly string[]): string {
    const { status, stdout, stderr } = spawnSync(
      pathOf(KUBEADM),
      ['init', 'phase', 'addon', addOn, `--config=${this.config}`, ...args],
      { encoding: 'utf8' },
    );
    if (status !== 0) {
      throw new Error(`kubeadm init phase addon ${addOn}: ${stdout}${stderr}`);
    }
    return stdout;
  }
}

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Need } from './group.js';
import { CloudMachine } from './cloud-machine.js';
import { KubeadmControlPlane } from './kubeadm-control-plane.js';
import { Machine } from './machine.js';
import { Room } from './room.js';
import type { Tool } from './tool.js';

/** A control plane of kubeadm, and machines that can become its nodes, all in one small machine. */
export class JoinSite {
  public static readonly TOOLS: readonly Tool[] = [...KubeadmControlPlane.TOOLS, ...CloudMachine.TOOLS];
  public static readonly NEEDS: readonly Need[] = [
    'linux',
    'root',
    'containerd',
    'runc',
    'cni-plugins',
    'iproute2',
    'namespaces',
  ];

  public static async open(): Promise<JoinSite> {
    const folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-e2e-'));
    const logs = join(folder, 'logs');
    mkdirSync(logs);
    const machine = await Machine.start({ name: 'site', folder: join(folder, 'machine'), logs, port: 1 });
    try {
      const room = await Room.open(machine, 'cp1', join(folder, 'machine', 'cp1'), logs);
      const plane = await KubeadmControlPlane.start(room, {
        cgroupDriver: 'cgroupfs',
        cgroupRoot: machine.cgroup,
        failCgroupV1: false,
        failSwapOn: false,
      });
      return new JoinSite(folder, logs, machine, plane);
    } catch (error) {
      await machine.stop();
      throw error;
    }
  }

  private constructor(
    public readonly folder: string,
    public readonly logs: string,
    public readonly machine: Machine,
    public readonly plane: KubeadmControlPlane,
  ) {}

  /** A machine that has never been a node. */
  public newMachine(name: string): Promise<CloudMachine> {
    return CloudMachine.open(this.machine, name, join(this.folder, 'machine', name), this.logs);
  }

  public async close({ keepLogs = false } = {}): Promise<void> {
    await this.machine.stop();
    if (!keepLogs) {
      rmSync(this.folder, { recursive: true, force: true });
    }
  }
}

import { copyFileSync, cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Machine } from './machine.js';
import { Room } from './room.js';

const INIT = resolve(__dirname, 'bare-init.sh');
const SYSTEMCTL = resolve(__dirname, 'bare-systemctl.sh');
const KUBELET_SYSTEMCTL = resolve(__dirname, 'systemctl-shim.sh');

/**
 * A machine that has what this one has, except for a container runtime, kubelet and kubeadm, on which packages can really be installed: /usr, /opt and the
 * database of dpkg are its own.
 */
export async function openBareMachine(machine: Machine, name: string, folder: string, logs: string): Promise<Room> {
  const room = await Room.open(machine, name, folder, logs);
  cpSync('/var/lib/dpkg', join(folder, 'lib', 'dpkg'), { recursive: true });
  await room.must('sh', [INIT, folder]);
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  copyFileSync(SYSTEMCTL, join(bin, 'systemctl'));
  await room.must('chmod', ['0755', join(bin, 'systemctl')]);
  room.preferPrograms(bin);
  await room.write('/run/kubelet-systemctl', readFileSync(KUBELET_SYSTEMCTL, 'utf8'));
  // what the programs of this machine may have come with
  await room.must('sh', [
    '-c',
    'dpkg --purge --force-depends containerd containerd.io runc >/dev/null 2>&1; rm -rf /etc/containerd /usr/bin/kubelet /usr/bin/kubeadm; ! command -v containerd runc',
  ]);
  return room;
}

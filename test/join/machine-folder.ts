/** A machine that is a folder, for scripts of a join, with fake programs. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join as pathOf } from 'node:path';

export const TOKEN = 'k3x9q2.7v1m0c8z4b6n5j2h';

/** What kubeadm does before it fails: it writes kubelet's kubeconfig with the token. */
export const BEGINS = `echo ${TOKEN} > /etc/kubernetes/bootstrap-kubelet.conf`;
/** What kubelet writes before it has a certificate, and what it writes with it. */
export const PEM = '/var/lib/kubelet/pki/kubelet-client-current.pem';
export const ASKS = `printf 'current-context: default\\nkind: Config\\nusers:\\n- name: default-auth\\n  user:\\n    client-certificate: %s\\n    client-key: %s\\n' ${PEM} ${PEM} > /etc/kubernetes/kubelet.conf`;
export const SUCCEEDS = `{ mkdir -p /var/lib/kubelet/pki; printf '%s\\n' '-----END CERTIFICATE-----' '-----END EC PRIVATE KEY-----' > ${PEM}; ${ASKS}; }`;

export const JOIN_HOOK = '/var/lib/cloud/scripts/per-boot/edge-nodepools-join';
/** What systemd removes at boot. */
export const FORGET = '/etc/tmpfiles.d/edge-nodepools.conf';

/** Shells that are `sh` somewhere. mksh counts with 32 bits, posh has no classes of characters, yash has the fewest builtins. */
export const SHELLS: readonly string[] = [
  'dash',
  'bash --posix',
  'busybox sh',
  'mksh',
  'ksh93',
  'posh',
  'yash --posixly-correct',
];

/** Those that read the scripts of a join: ksh93 takes a bracket in the lock for the end of a command. */
export const JOIN_SHELLS: readonly string[] = SHELLS.filter((shell) => shell !== 'ksh93');

/** Whether this machine has the shell, and it runs programs of PATH: some builds of busybox prefer their own `cp`, so that a test cannot replace it. */
const isInstalled = (shell: string): boolean => {
  const [program = '', ...options] = shell.split(' ');
  return /^\//.test(String(spawnSync(program, [...options, '-c', 'command -v cp']).stdout));
};

/** `describe` for a shell; tests of one that this machine does not have are reported as skipped. */
export const describeFor = (shell: string): jest.Describe =>
  process.platform !== 'win32' && isInstalled(shell) ? describe : describe.skip;

/** A machine that is a folder. */
export class Folder {
  public readonly root = mkdtempSync(pathOf(tmpdir(), 'join-script-'));

  /** @param shell what `sh` is, with its options */
  constructor(private readonly shell = 'sh') {
    for (const name of ['etc/systemd/system', 'etc/kubernetes', 'run/edge', 'var/lib/cloud/scripts/per-boot', 'bin']) {
      mkdirSync(pathOf(this.root, name), { recursive: true });
    }
    this.program('id', 'echo 0');
    this.program('systemctl', 'exit 0');
    this.program('systemd-tmpfiles', 'exit 0');
    this.program('kubelet', 'exit 0');
    if (shell !== 'sh') {
      this.program('sh', `exec ${shell} "$@"`);
    }
  }

  /** A text with every absolute path below the folder. */
  public moved(text: string): string {
    return text.replace(/(?<![\w/.-])\/(etc|run|var\/lib|opt|usr\/local)(?=\/)/g, `${this.root}/$1`);
  }

  private path = process.env.PATH ?? '';

  /** A program that this machine does not have. */
  public lacks(name: string): void {
    const others = pathOf(this.root, 'others');
    mkdirSync(others);
    for (const folder of this.path.split(':').filter(existsSync)) {
      for (const program of readdirSync(folder).filter((one) => one !== name && !existsSync(pathOf(others, one)))) {
        symlinkSync(pathOf(folder, program), pathOf(others, program));
      }
    }
    rmSync(pathOf(this.root, 'bin', name), { force: true });
    this.path = others;
  }

  public program(name: string, body: string): void {
    const path = pathOf(this.root, 'bin', name);
    writeFileSync(path, `#!/bin/sh\n${this.moved(body)}\n`);
    chmodSync(path, 0o755);
  }

  public write(path: string, text: string): void {
    mkdirSync(dirname(this.root + path), { recursive: true });
    writeFileSync(this.root + path, text);
  }

  public has(path: string): boolean {
    return existsSync(this.root + path);
  }

  public read(path: string): string {
    return this.has(path) ? readFileSync(this.root + path, 'utf8') : '';
  }

  public run(script: string): { readonly status: number | null; readonly said: string } {
    const [program = 'sh', ...options] = this.shell.split(' ');
    const settings = {
      input: this.moved(script),
      encoding: 'utf8' as const,
      // a process group of its own, which a test can kill
      detached: true,
      env: { ...process.env, PATH: `${pathOf(this.root, 'bin')}:${this.path}` },
    };
    const { status, stdout, stderr } = spawnSync(program, options, settings);
    return { status, said: stdout + stderr };
  }

  /** What systemd does at boot before kubelet starts (tmpfiles.d(5)): it removes what is listed. What is in memory is gone. */
  public boot(): void {
    for (const [, path = ''] of this.read(FORGET).matchAll(/^r! (.*)$/gm)) {
      rmSync(path, { force: true });
    }
    rmSync(`${this.root}/run/edge-nodepools`, { recursive: true, force: true });
  }

  /** Files that contain the token. */
  public whereIsToken(): string[] {
    return readdirSync(this.root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.parentPath !== pathOf(this.root, 'bin'))
      .map((entry) => pathOf(entry.parentPath, entry.name))
      .filter((path) => readFileSync(path, 'utf8').includes(TOKEN))
      .map((path) => path.slice(this.root.length))
      .sort();
  }
}

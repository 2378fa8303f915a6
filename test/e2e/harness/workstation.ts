import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ShellBlock } from '../../shell-blocks.js';
import { KubeadmControlPlane } from './kubeadm-control-plane.js';
import type { PackageRegistry } from './package-registry.js';
import type { Ended, Room } from './room.js';

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ');

/** The command in the room `host`, of `user@host command…`; as with ssh, the remote shell reads the words joined. */
const ssh = (entrances: string): string => `#!/bin/sh
host=\${1#*@}; shift
case $host in
${entrances}
  *) echo "ssh: no such host: $host" >&2; exit 255;;
esac
exec "$@"
`;

/**
 * The machine of a user: one shell, in which a page's blocks run one after the other, as if typed. `kubectl` is the administrator's; `ssh` and `scp` enter the
 * rooms of machines, which have no sshd.
 */
export class Workstation {
  private readonly shell: ChildProcess;
  private readonly folder: string;
  private readonly ended: Promise<void>;
  private blocks = 0;

  /**
   * @param folder an existing folder; everything is written below it
   * @param rooms machines, by host name; `cp1` is the control plane
   */
  constructor(folder: string, rooms: Readonly<Record<string, Room>>, registry: PackageRegistry) {
    this.folder = folder;
    const bin = join(folder, 'bin');
    ['bin', 'home', 'cache', 'empty', 'blocks'].forEach((name) => mkdirSync(join(folder, name)));
    const admin = 'KUBECONFIG=/etc/kubernetes/super-admin.conf';
    const program = (name: 'kubectl' | 'kubeadm'): string => KubeadmControlPlane.program(name);
    const cp1 = quoted((rooms.cp1 as Room).entrance);
    // kubeadm's folder is for the shell of the control plane
    const kubeadm = join(folder, 'kubeadm');
    mkdirSync(kubeadm);
    symlinkSync(program('kubeadm'), join(kubeadm, 'kubeadm'));
    const entrances = Object.entries(rooms).map(([host, room]) => {
      const more = host === 'cp1' ? ` env ${admin} PATH=${kubeadm}:/usr/sbin:/usr/bin:/sbin:/bin` : '';
      return `  ${host}) set -- ${quoted(room.entrance)}${more} sh -c "cd /root; $*";;`;
    });
    const shims = {
      kubectl: `#!/bin/sh\nexec ${cp1} env ${admin} HOME=${join(folder, 'home')} sh -c 'cd "$0" && exec ${program('kubectl')} "$@"' "$PWD" "$@"\n`,
      ssh: ssh(entrances.join('\n')),
      scp: `#!/bin/sh
set -e
for target; do :; done
host=\${target%%:*} folder=\${target#*:}
while [ $# -gt 1 ]; do ssh "$host" "cat > '$folder\${1##*/}'" < "$1"; shift; done
`,
    };
    Object.entries(shims).forEach(([name, text]) => writeFileSync(join(bin, name), text, { mode: 0o755 }));
    this.shareDownloads();
    const { NO_PROXY = '', no_proxy = NO_PROXY } = process.env;
    const direct = [...no_proxy.split(',').filter(Boolean), '127.0.0.1'].join(',');
    this.shell = spawn('bash', ['--noprofile', '--norc', '-s'], {
      cwd: join(folder, 'empty'),
      env: {
        // nothing that npm run tells its children
        ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))),
        PATH: `${bin}:${process.env.PATH}`,
        // npx asks whether to install the package
        npm_config_yes: 'true',
        npm_config_registry: registry.url,
        npm_config_cache: join(folder, 'cache'),
        npm_config_audit: 'false',
        npm_config_fund: 'false',
        npm_config_update_notifier: 'false',
        NO_PROXY: direct,
        no_proxy: direct,
      },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.ended = new Promise((done) => this.shell.once('exit', () => done()));
  }

  /** What npm has downloaded before is taken from its cache, but not what npx has installed: that would be an earlier build of this package. */
  private shareDownloads(): void {
    const { stdout } = spawnSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' });
    const downloads = join(stdout.trim(), '_cacache');
    if (existsSync(downloads)) {
      symlinkSync(downloads, join(this.folder, 'cache', '_cacache'));
    }
  }

  /** Runs a block of a page in the shell, which keeps its folder and its variables. */
  public async run({ code }: Pick<ShellBlock, 'code'>): Promise<Ended> {
    this.blocks += 1;
    const file = (name: string): string => join(this.folder, 'blocks', `${this.blocks}.${name}`);
    // every command must succeed, not only the last one
    writeFileSync(file('sh'), `set -eo pipefail\n${code}set +e\n`);
    this.shell.stdin?.write(
      `trap 'echo $? > ${file('status')}' EXIT; . ${file('sh')} < /dev/null > ${file('out')} 2> ${file('err')}; echo $? > ${file('status')}; touch ${file('done')}\n`,
    );
    const isDone = async (): Promise<void> => {
      while (!existsSync(file('done'))) {
        await new Promise((next) => setTimeout(next, 50));
      }
    };
    await Promise.race([this.ended, isDone()]);
    const { stdout: status } = spawnSync('cat', [file('status')], { encoding: 'utf8' });
    const read = (name: string): string => spawnSync('cat', [file(name)], { encoding: 'utf8' }).stdout;
    return { status: Number(status), stdout: read('out'), stderr: read('err') };
  }

  public close(): void {
    this.shell.kill('SIGKILL');
  }
}

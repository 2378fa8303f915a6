/** Packages of the container runtime, and packages from a folder, by a shell in a separate folder with a fake apt and dnf. */
import { rmSync } from 'node:fs';
import { JoinToken, type NodeJoinProps } from 'edge-nodepools';
import type { NodePackages } from 'edge-nodepools/types';
import { declareJoin } from '../properties/join-arbitraries.js';
import { packageFiles } from '../../src/join/packages.js';
import { Folder, SUCCEEDS, TOKEN } from './machine-folder.js';

const KUBEADM = { openYurt: 'none', kubernetes: '1.36', via: 'kubeadm' } as const;
const declared = (packages: Partial<NodePackages> | undefined, more: Partial<NodeJoinProps> = {}) =>
  declareJoin(KUBEADM, JoinToken.inline(TOKEN), {
    attempts: 1,
    ...(packages === undefined ? {} : { packages: { manager: 'apt', version: '1.36.2', ...packages } }),
    ...more,
  }).join;
const scriptOf = (...given: Parameters<typeof declared>): string =>
  declared(...given).files.find(({ path }) => path.endsWith('/join.sh'))?.content ?? '';

describe('packages', () => {
  it('change no byte of a join without the new ones', () => {
    expect(scriptOf({})).not.toMatch(/is_version|in_folder|add_docker/);
    expect(declared({}).updateScript).not.toMatch(/has_runtime|in_folder/);
  });

  it.each([
    ['apt', 'containerd.io', '/etc/apt/sources.list.d/docker.list', 'https://download.docker.com/linux/$distribution'],
    [
      'apt',
      'cri-o',
      '/etc/apt/sources.list.d/cri-o.list',
      'https://download.opensuse.org/repositories/isv:/cri-o:/stable:/v1.36/deb',
    ],
    [
      'dnf',
      'cri-o',
      '/etc/yum.repos.d/edge-nodepools-cri-o.repo',
      'https://download.opensuse.org/repositories/isv:/cri-o:/stable:/v1.36/rpm',
    ],
  ] as const)('by %s come with %s from where its project has it', (manager, name, file, url) => {
    const script = scriptOf({ manager, runtime: { name } }, name === 'cri-o' ? { runtime: name } : {});
    expect(script).toContain(url);
    expect(packageFiles({ manager, runtime: { name } })).toContain(file);
    expect(/\bruntime_unit=(\w+)/.exec(script)?.[1]).toBe(name === 'cri-o' ? 'crio' : 'containerd');
    expect(script).toMatch(/\bprepare='[^']*\benable_runtime\b[^']*\bstart_runtime\b/);
  });

  it('of the distribution add no repository, and dnf holds them by a plugin', () => {
    const script = scriptOf({ manager: 'dnf', runtime: { name: 'containerd' } });
    expect(script).toMatch(/\bruntime_sources=''/);
    expect(script).toMatch(/\bheld=containerd\b/);
  });

  it('give containerd the control groups of systemd, unless the machine says otherwise', () => {
    const sets = (value: boolean): string => ` SystemdCgroup ${value}\n`;
    expect(scriptOf({ runtime: { name: 'containerd' } })).toContain(sets(true));
    expect(scriptOf({ runtime: { name: 'containerd' } }, { machineSettings: { systemdCgroup: false } })).toContain(
      sets(false),
    );
    expect(scriptOf({})).not.toContain('SystemdCgroup');
    const crio = declared({ runtime: { name: 'cri-o' } }, { runtime: 'cri-o' });
    expect(crio.files.map(({ path }) => path)).not.toContain('/etc/crio/crio.conf.d/10-edge-nodepools.conf');
  });

  it('are known to preflight', () => {
    const { preflightScript } = declared({ folder: '/var/lib/edge/packages', runtime: { name: 'containerd' } });
    expect(preflightScript).toContain('installs_runtime=containerd');
    expect(preflightScript).toMatch(/^programs='[^']*\bapt-get\s+dpkg-deb\s+sha256sum\s+wc\b/m);
    expect(preflightScript).toMatch(/\bdownloads=''/);
  });

  it('from a folder come from nowhere else, and an update needs the way back', () => {
    const { script, updateScript } = declared({ folder: '/var/lib/edge/packages' });
    expect(script).toContain('Dir::Etc::SourceParts=/dev/null');
    expect(script).not.toMatch(/https:\/\/pkgs|curl|wget|add_repository/);
    expect(updateScript).toMatch(/\[ -z "\$have" \] \|\| \[ -n "\$accept" \] \|\| \{ in_folder kubelet "\$have"/);
  });

  it('of another runtime are refused by an update', () => {
    const { updateScript } = declared({ runtime: { name: 'cri-o' } }, { runtime: 'cri-o' });
    expect(updateScript).toMatch(/\bother_runtime=containerd\b/);
    expect(updateScript).toMatch(/\bruntime_package=cri-o\b/);
  });
});

const describeInShell = process.platform === 'win32' ? describe.skip : describe;

describeInShell('a container runtime that the packages install', () => {
  const machine = new Folder();
  afterAll(() => rmSync(machine.root, { recursive: true }));

  it('has to be in the repositories in its version', () => {
    for (const name of ['apt-mark', 'dpkg', 'curl', 'swapoff', 'systemctl']) {
      machine.program(name, `echo ${name} "$@" >> /run/ran`);
    }
    machine.program('apt-cache', "printf '%s\\n' 'containerd.io | 1.7.28-0~x | y' 'containerd.io | 5:1.7.27-1~x | y'");
    machine.program(
      'apt-get',
      'echo apt-get "$@" >> /run/ran; mkdir -p /etc/containerd; echo "disabled_plugins = [\\"cri\\"]" > /etc/containerd/config.toml',
    );
    machine.program('kubeadm', SUCCEEDS);
    machine.write('/etc/apt/sources.list.d/.keep', '');
    const { status, said } = machine.run(declared({ runtime: { name: 'containerd.io', version: '1.7.2' } }).script);
    expect([status, said]).toEqual([
      65,
      expect.stringContaining('there is no containerd.io 1.7.2 in the repositories'),
    ]);
    rmSync(`${machine.root}/run/ran`);
  });

  it('is there before it is configured, starts at every boot, and is held', () => {
    const { status, said } = machine.run(
      declared({ runtime: { name: 'containerd.io', version: '1.7.27' } }, { machineSettings: { swap: 'off' } }).script,
    );
    expect([status, status === 0 ? '' : said]).toEqual([0, '']);
    const ran = machine.read('/run/ran').split('\n');
    const places = [
      /^swapoff -a$/,
      /^apt-get .*--force-confold update$/,
      /^apt-get .* install -y .* kubelet=1\.36\.2-\* kubeadm=1\.36\.2-\* containerd\.io=5:1\.7\.27-1~x$/,
      /^apt-mark hold kubelet kubeadm containerd\.io$/,
      /^systemctl enable containerd$/,
      /^systemctl restart containerd$/,
      /^systemctl start containerd$/,
    ].map((line) => ran.findIndex((one) => line.test(one)));
    expect([places.includes(-1), ran]).toEqual([false, ran]);
    expect([...places].sort((a, b) => a - b)).toEqual(places);
    expect(machine.read('/etc/containerd/config.toml')).toContain('disabled_plugins = []');
    expect(machine.read('/etc/containerd/config.toml')).toContain('SystemdCgroup = true');
  });
});

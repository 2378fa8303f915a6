/** What a bare machine is given, by a shell in a separate folder, with fake programs. */
import { rmSync } from 'node:fs';
import { EdgeWarnings, JoinToken, NodeReservation } from 'edge-nodepools';
import type { MachineSettings } from 'edge-nodepools/types';
import { declareJoin } from '../properties/join-arbitraries.js';
import { Folder, PEM, SUCCEEDS, TOKEN } from './machine-folder.js';

const KUBEADM = { openYurt: 'none', kubernetes: '1.36', via: 'kubeadm' } as const;
const declared = (machine?: MachineSettings, more: object = {}) =>
  declareJoin(KUBEADM, JoinToken.inline(TOKEN), { secondsBetweenAttempts: 0, machineSettings: machine, ...more }).join;

const CA = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const EVERYTHING: MachineSettings = {
  systemdCgroup: true,
  swap: 'off',
  modules: ['no_such_module'],
  registries: [{ registry: 'docker.io', mirrors: ['https://mirror.example:5000'], ca: CA }],
  diskSize: '8Gi',
  servingCertificates: true,
  watchdogSeconds: 30,
  imageFolder: '/var/lib/edge/images',
};

const describeInShell = process.platform === 'win32' ? describe.skip : describe;

describeInShell('settings of a bare machine', () => {
  const machine = new Folder();
  afterAll(() => rmSync(machine.root, { recursive: true }));

  it('are there before the join, once, and at every boot', () => {
    for (const name of ['swapoff', 'modprobe', 'ctr', 'systemctl']) {
      machine.program(name, `echo ${name} "$@" >> /run/ran`);
    }
    machine.program('kubeadm', `[ -e /run/once ] || { : > /run/once; exit 1; }; ${SUCCEEDS}`);
    machine.write('/etc/fstab', '/dev/sda1 / ext4 rw 0 1\n/dev/sda2 none swap sw 0 0\n');
    machine.write('/etc/containerd/config.toml', 'version = 2\n');
    machine.write('/var/lib/edge/images/pause.tar', 'x');
    const { script } = declared({ ...EVERYTHING, imageFolder: `${machine.root}/var/lib/edge/images` }, { attempts: 2 });
    const { status, said } = machine.run(script);
    expect([status, said.match(/attempt 1 of 2 failed/g)]).toEqual([0, ['attempt 1 of 2 failed']]);
    expect(machine.read(PEM)).toContain('PRIVATE KEY');
    expect(machine.read('/etc/fstab')).toBe('/dev/sda1 / ext4 rw 0 1\n#/dev/sda2 none swap sw 0 0\n');
    expect(machine.read('/etc/containerd/config.toml')).toBe(
      machine.moved(`version = 2
[plugins."io.containerd.grpc.v1.cri".registry]
  config_path = "/etc/containerd/certs.d"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
  SystemdCgroup = true
`),
    );
    expect(machine.read('/etc/containerd/certs.d/docker.io/hosts.toml')).toBe(
      machine.moved(`[host."https://mirror.example:5000"]
  capabilities = ["pull", "resolve"]
  ca = "/etc/containerd/certs.d/docker.io/edge-nodepools-ca.crt"
`),
    );
    expect(machine.read('/etc/containerd/certs.d/docker.io/edge-nodepools-ca.crt')).toBe(CA);
    expect(machine.read('/etc/modules-load.d/10-edge-nodepools.conf')).toBe('no_such_module\n');
    expect(machine.read('/etc/systemd/system.conf.d/10-edge-nodepools.conf')).toContain('RuntimeWatchdogSec=30s\n');
    expect(JSON.parse(machine.read('/etc/kubernetes/patches/kubeletconfiguration0+strategic.json'))).toMatchObject({
      containerLogMaxSize: '2Mi',
      imageGCHighThresholdPercent: 70,
      serverTLSBootstrap: true,
    });
    const ran = machine.read('/run/ran').split('\n');
    expect(ran).toEqual(
      expect.arrayContaining([
        'swapoff -a',
        'modprobe no_such_module',
        'systemctl -q mask swap.target',
        'systemctl daemon-reexec',
        'systemctl restart containerd',
      ]),
    );
    expect(ran.filter((line) => line.startsWith('ctr'))).toHaveLength(1);
  });
});

describe('settings of a machine with CRI-O', () => {
  const crio = (machine: MachineSettings, more: object = {}) => declared(machine, { runtime: 'cri-o', ...more });
  const fileOf = (join: ReturnType<typeof declared>, path: string) =>
    join.files.find((file) => file.path === path)?.content;
  const CONF = '/etc/crio/crio.conf.d/10-edge-nodepools.conf';
  const REGISTRIES = '/etc/containers/registries.conf.d/10-edge-nodepools.conf';

  it('are in its own files, and none of containerd is there', () => {
    const join = crio({
      ...EVERYTHING,
      registries: [
        { registry: 'docker.io', mirrors: ['https://a.example:5000/v2/hub', 'http://b.example/'], ca: CA },
        { registry: 'registry.k8s.io', mirrors: ['https://a.example:5000'], ca: `${CA}\n` },
      ],
    });
    expect(fileOf(join, CONF)).toBe('[crio.runtime]\ncgroup_manager = "systemd"\n');
    expect(fileOf(join, REGISTRIES)).toBe(`[[registry]]
location = "docker.io"
[[registry.mirror]]
location = "a.example:5000/hub"
[[registry.mirror]]
location = "b.example"
insecure = true
[[registry]]
location = "registry.k8s.io"
[[registry.mirror]]
location = "a.example:5000"
`);
    expect(fileOf(join, '/etc/containers/certs.d/a.example:5000/edge-nodepools-ca.crt')).toContain(CA);
    expect(join.files.filter(({ path }) => /containerd|certs.d\/b/.test(path))).toEqual([]);
    expect(join.script).toContain('podman load -q -i "$1"');
    expect(join.script).not.toMatch(/ctr -n|set_containerd/);
    expect(join.preflightScript).toMatch(/^programs='[^']*\bpodman\b/m);
    for (const path of [CONF, REGISTRIES]) {
      expect(join.leaveScript).toContain(path);
    }
  });

  it('put conmon where cgroupfs permits it', () => {
    expect(fileOf(crio({ systemdCgroup: false }, { cniFolder: '/etc/edge/cni' }), CONF)).toBe(
      '[crio.network]\nnetwork_dir = "/etc/edge/cni"\n[crio.runtime]\ncgroup_manager = "cgroupfs"\nconmon_cgroup = "pod"\n',
    );
  });

  it('are taken away and restart it in an update', () => {
    const { updateScript } = crio({ swap: 'off' });
    expect(updateScript).toMatch(new RegExp(`^obsolete='[^']*${REGISTRIES}`, 'm'));
    expect(updateScript).toContain('*/crio/* | */registries.conf.d/*) runtime=1');
  });
});

describe('settings of a machine', () => {
  it('have the path of a mirror where containerd finds it', () => {
    const { files } = declared({ registries: [{ registry: 'docker.io', mirrors: ['https://a.example/v2/hub'] }] });
    expect(files.find(({ path }) => path.endsWith('/hosts.toml'))?.content).toBe(
      '[host."https://a.example/v2/hub"]\n  capabilities = ["pull", "resolve"]\n  override_path = true\n',
    );
  });

  it('change nothing of a join without them, and are a part that a node can be updated to', () => {
    expect(declared(undefined).contentHash).toBe(
      declareJoin(KUBEADM, JoinToken.inline(TOKEN), { secondsBetweenAttempts: 0 }).join.contentHash,
    );
    expect(declared(undefined).script).not.toContain('machine settings');
    const join = declared({ sysctl: { 'vm.overcommit_memory': '1' }, swap: 'off' });
    expect(join.script).toMatch(/^[0-9a-f]{8} machine settings'$/m);
    for (const line of ["parameters='vm/overcommit_memory 1'", 'swapoff -a']) {
      expect(join.files.find(({ path }) => path.endsWith('/join.sh'))?.content).toContain(line);
      expect(join.updateScript).toContain(line);
    }
    expect(join.preflightScript).toContain("note swap 'the join switches it off'");
    expect(join.leaveScript).toContain('/etc/sysctl.d/90-edge-nodepools.conf');
  });

  it.each([
    // the first separator decides (sysctl.d(5))
    ['net.ipv4.conf.eth0/100.forwarding', 'net/ipv4/conf/eth0.100/forwarding'],
    ['net/ipv4/conf/eth0.100/forwarding', 'net/ipv4/conf/eth0.100/forwarding'],
  ])('set %s where the kernel has it', (key, path) => {
    const { files } = declared({ sysctl: { [key]: '0' } });
    expect(files.find((file) => file.path.endsWith('/join.sh'))?.content).toContain(
      `parameters='${path.replace('/proc/sys/', '')} 0'`,
    );
  });

  it.each([
    ['8Gi', 2, '2Mi'],
    ['16Gi', 3, '5Mi'],
    ['63Gi', 3, '10Mi'],
    ['64Gi', undefined, undefined],
  ])('for a disk of %s log at most %s files of %s', (diskSize, containerLogMaxFiles, containerLogMaxSize) => {
    const { files } = declared({ diskSize }, { kubeletConfiguration: { maxPods: 9 } });
    const patch = JSON.parse(files.find(({ path }) => path.includes('/patches/'))?.content ?? '{}');
    expect([patch.containerLogMaxFiles, patch.containerLogMaxSize, patch.maxPods]).toEqual([
      containerLogMaxFiles,
      containerLogMaxSize,
      9,
    ]);
  });
});

describe('the disk of a join', () => {
  const amounts = { kubeReserved: { memory: '256Mi' } };
  const plain = NodeReservation.of(amounts);
  const on = (diskSize: string) => NodeReservation.of({ ...amounts, diskSize });
  const hashes = (join: ReturnType<typeof declared>) => [join.contentHash, join.updateScript, join.leaveScript];

  it.each([
    ['only a size', {}],
    ['more', { swap: 'off', servingCertificates: true } as const],
  ])('is that of its reservation, and the join is the same as with that of a machine with %s', (_, settings) => {
    const kubeletConfiguration = { maxPods: 9, containerLogMaxFiles: 4 };
    const ofMachine = declared({ ...settings, diskSize: '16Gi' }, { reservation: plain, kubeletConfiguration });
    const more = { reservation: on('16Gi'), kubeletConfiguration };
    expect(hashes(declared(Object.keys(settings).length > 0 ? settings : undefined, more))).toEqual(hashes(ofMachine));
    expect(hashes(declared({ ...settings, diskSize: '16384Mi' }, more))[2]).toEqual(ofMachine.leaveScript);
    expect(ofMachine.files.find(({ path }) => path.includes('/journald'))?.content).toBe(
      '[Journal]\nSystemMaxUse=64M\n',
    );
    const patch = JSON.parse(ofMachine.files.find(({ path }) => path.includes('/patches/'))?.content ?? '{}');
    expect(patch).toMatchObject({ containerLogMaxSize: '5Mi', containerLogMaxFiles: 4, maxPods: 9 });
  });

  it('is that of the reservation of its pool, unless it has one of its own', () => {
    const ofPool = (props: object) => declared(undefined, { poolReservation: on('8Gi'), ...props });
    expect(hashes(ofPool({}))).toEqual(hashes(declared(undefined, { reservation: on('8Gi') })));
    expect(hashes(ofPool({ reservation: plain }))).toEqual(hashes(declared(undefined, { reservation: plain })));
    expect(() => ofPool({ machineSettings: { diskSize: '16Gi' } })).toThrow(
      'this is 16Gi, and the reservation of the pool is for a disk of 8Gi',
    );
  });

  it('is a part that a node can be updated to, in the journal, too', () => {
    const [small, large] = ['8Gi', '32Gi'].map((size) => declared(undefined, { reservation: on(size) }));
    const parts = (script = ''): string[] => [
      ...new Set(script.match(/^[0-9a-f]{8} (machine settings|kubelet configuration)/gm)),
    ];
    expect(parts(small?.script)).toHaveLength(2);
    expect(parts(small?.script).filter((line) => parts(large?.script).includes(line))).toEqual([]);
    expect(large?.updateScript).toContain('try-restart systemd-journald');
    const none = declared(undefined, { reservation: plain });
    expect(none.updateScript).toMatch(/^obsolete='[^']*journald.conf.d.10-edge-nodepools.conf/m);
    expect(none.script).not.toContain('machine settings');
  });

  it('is in flags where kubeadm cannot patch', () => {
    const { join } = declareJoin({ openYurt: 'none', kubernetes: '1.24', via: 'kubeadm' }, JoinToken.inline(TOKEN), {
      reservation: on('8Gi'),
    });
    expect(join.joinConfiguration?.nodeRegistration).toMatchObject({
      kubeletExtraArgs: { 'image-gc-high-threshold': '70', 'container-log-max-size': '2Mi' },
    });
  });

  it('is warned about where a reservation that does not know it evicts earlier', () => {
    const reservation = NodeReservation.of({ evictionHard: { 'imagefs.available': '40%' } });
    const { chart } = declareJoin(KUBEADM, JoinToken.inline(TOKEN), {
      machineSettings: { diskSize: '8Gi' },
      reservation,
    });
    expect(EdgeWarnings.of(chart)).toMatchObject([
      { code: 'EDGE_CONTRADICTION', path: 'machineSettings.diskSize', hint: expect.stringContaining("'30%' or less") },
    ]);
  });
});

describe('queries of the journal', () => {
  const fields = (kubernetes: string, kubeletConfiguration?: Record<string, unknown>): string => {
    const on = { openYurt: 'none', kubernetes, via: 'kubeadm' } as const;
    const more = { machineSettings: { logQuery: true }, ...(kubeletConfiguration && { kubeletConfiguration }) };
    return declareJoin(on, JoinToken.inline(TOKEN), more).join.script;
  };

  it('have a field of kubelet, and a feature gate beside those of the user up to 1.35', () => {
    const gate = /NodeLogQuery"?: true/;
    ['1.27', '1.30', '1.35'].forEach((minor) => expect(fields(minor)).toMatch(gate));
    expect(fields('1.36')).toMatch(/enableSystemLogQuery"?: true/);
    expect(fields('1.36')).not.toMatch(gate);
    expect(fields('1.34', { featureGates: { NodeSwap: true } })).toMatch(gate);
    expect(fields('1.34', { featureGates: { NodeSwap: true } })).toMatch(/NodeSwap"?: true/);
  });
});

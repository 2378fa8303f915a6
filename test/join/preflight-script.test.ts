/** The script that says what a machine lacks, run by a shell in a separate folder, with fake programs. */
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { JoinToken, type NodeJoinProps } from 'edge-nodepools';
import { isFullDepth } from '../depth.js';
import { declareJoin } from '../properties/join-arbitraries.js';
import { describeFor, Folder, SHELLS } from './machine-folder.js';

const KUBEADM = { openYurt: 'none', kubernetes: '1.36', via: 'kubeadm' } as const;

const describeInShell = process.platform === 'win32' ? describe.skip : describe;

describeInShell('the script that says what a machine lacks', () => {
  let machine: Folder;
  beforeEach(() => (machine = new Folder()));
  afterEach(() => rmSync(machine.root, { recursive: true }));

  /** The rows of the table: state and text by name of the check. */
  function rows(props: Partial<NodeJoinProps> = {}) {
    const token = JoinToken.fromFile('/var/lib/edge/join-token');
    const { status, said } = machine.run(
      declareJoin(KUBEADM, token, { nodeName: 'till-1', ...props }).join.preflightScript,
    );
    const table = said.split('\n').map((line) => /^(\S+) +(ok|missing|note) *(.*)$/.exec(line));
    return {
      status,
      said,
      of: new Map(table.flatMap((row) => (row === null ? [] : [[row[1], `${row[2]} ${row[3]}`.trim()]]))),
    };
  }

  it('has a row for each check, and what to do where something is missing', async () => {
    machine.program('curl', 'exit 7');
    machine.program('timedatectl', 'echo no');
    machine.program('kubelet', 'echo Kubernetes v1.37.0');
    machine.program('df', 'echo Filesystem; echo /dev/x 8000000 7600000 400000 95% /');
    machine.write('/etc/cni/net.d/.keep', '');
    machine.write('/etc/cni/net.d/0-calico.conflist', '{}');
    machine.write('/etc/kubernetes/kubelet.conf', 'kind: Config\n');
    const { status, said, of } = rows();
    expect(status).toBe(1);
    expect(said).toMatch(/^check +state +what to do\n/);
    expect(Object.fromEntries(of)).toMatchObject({
      programs: expect.stringMatching(/^missing install.* kubeadm/),
      kubelet: 'missing 1.37.0 is newer than the cluster, 1.36',
      runtime: expect.stringMatching(/^missing containerd does not run: there is no socket/),
      disk: 'missing 390 MiB are free for images and Pods below /var/lib',
      clock: expect.stringMatching(/^missing/),
      name: 'ok till-1',
      node: expect.stringMatching(/^missing this machine has joined/),
      cni: expect.stringMatching(/^missing remove .*0-calico.conflist/),
      'api-server': expect.stringMatching(/^missing no answer from https:\/\/192.0.2.10:6443/),
      token: expect.stringMatching(/^missing .*join-token is missing or empty/),
    });

    for (const program of ['kubeadm', 'losetup', 'curl']) machine.program(program, 'exit 0');
    machine.program('timedatectl', 'echo yes');
    machine.program('kubelet', 'echo Kubernetes v1.35.9');
    machine.program('df', 'echo Filesystem; echo /dev/x 8000000 2000000 6000000 25% /');
    ['/etc/kubernetes/kubelet.conf', '/etc/cni/net.d/0-calico.conflist'].forEach((path) => rmSync(machine.root + path));
    machine.write('/var/lib/edge/join-token', 'x');
    machine.write('/etc/cni/net.d/10-flannel.conflist', '{}');
    machine.write('/run/containerd/.keep', '');
    const server = createServer();
    await new Promise<void>((done) => server.listen(`${machine.root}/run/containerd/containerd.sock`, done));
    // what else the machine has, on which the tests run, is its own
    const fine = rows({ kubeletConfiguration: { failCgroupV1: false, failSwapOn: false } });
    await new Promise((done) => server.close(done));
    for (const row of ['kubelet', 'runtime', 'disk', 'clock', 'name', 'node', 'cni', 'api-server', 'token']) {
      expect([row, fine.of.get(row)]).toEqual([row, expect.stringMatching(/^ok/)]);
    }
    for (const row of ['cgroups', 'swap'])
      expect([row, fine.of.get(row)]).toEqual([row, expect.stringMatching(/^(ok|note)/)]);
    expect(fine.status).toBe([...fine.of.values()].some((text) => text.startsWith('missing')) ? 1 : 0);
    expect(machine.has('/var/lib/edge-nodepools')).toBe(false);
  });

  it('finds images, and the program that prints the token', () => {
    const props = {
      machineSettings: { imageFolder: '/var/lib/edge/images' },
      token: JoinToken.fromCommand(['print-token', '--now']),
    };
    expect(rows(props).of.get('images')).toMatch(/^missing .*var.lib.edge.images has no \*\.tar$/);
    expect(rows(props).of.get('token')).toBe('note print-token, which prints it, is not there yet');
    machine.write('/var/lib/edge/images/pause.tar', 'x');
    machine.program('print-token', 'exit 1');
    expect(rows(props).of.get('images')).toBe('ok 1 files');
    expect(rows(props).of.get('token')).toBe('ok by print-token');
  });

  it('wants the package manager, and what downloads the key for apt', () => {
    const wanted = (manager: 'apt' | 'dnf') =>
      declareJoin(KUBEADM, JoinToken.fromFile('/var/lib/edge/join-token'), {
        packages: { manager, version: '1.36.2' },
      }).join.preflightScript;
    expect(wanted('apt')).toMatch(/^for program in .* apt-get;/m);
    expect(wanted('apt')).toContain('has curl || has wget || lacking="$lacking curl"');
    expect(wanted('dnf')).toMatch(/^for program in .* dnf;/m);
    expect(wanted('dnf')).not.toContain('has wget');
  });

  describe.each(isFullDepth ? SHELLS : ['sh'])('by %s', (shell) =>
    describeFor(shell)('a script', () => {
      it('counts the space of a large disk, also where the shell counts with 32 bits', () => {
        rmSync(machine.root, { recursive: true });
        machine = new Folder(shell);
        machine.program('df', 'echo Filesystem; echo /dev/x 8000000000 3000000000 5000000000 38% /');
        expect(rows().of.get('disk')).toBe('ok 4882812 MiB free');
        machine.program('df', 'echo Filesystem; echo /dev/x 8000000 7600000 1999999 25% /');
        expect(rows().of.get('disk')).toBe('missing 1953 MiB are free for images and Pods below /var/lib');
      });
    }),
  );
});

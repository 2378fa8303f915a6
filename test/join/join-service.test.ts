import { rmSync } from 'node:fs';
import { JoinToken, type NodeJoinProps } from 'edge-nodepools';
import { isFullDepth } from '../depth.js';
import { declareJoin } from '../properties/join-arbitraries.js';
import { describeFor, Folder, JOIN_HOOK, JOIN_SHELLS, PEM, SHELLS, SUCCEEDS, TOKEN } from './machine-folder.js';
import { createServer } from 'node:net';

/** The service that joins until it has succeeded, run by a shell in a separate folder, with a fake kubeadm. */
const KUBEADM = { openYurt: 'none', kubernetes: '1.36', via: 'kubeadm' } as const;
const SERVICE = '/var/lib/edge-nodepools/service.sh';
const TIMER = '/etc/systemd/system/edge-nodepools-join.timer';
const LINK = '/etc/systemd/system/timers.target.wants/edge-nodepools-join.timer';
const COMMAND = '/usr/local/bin/edge-nodepools-join';
const NEXT = '/run/edge-nodepools-join/next';

const joinOf = (service: NodeJoinProps['service']) =>
  declareJoin(KUBEADM, JoinToken.fromFile('/var/lib/edge/join-token'), {
    attempts: 1,
    secondsBetweenAttempts: 0,
    service,
  }).join;

/** What a certificate has of its validity: 17 is the type UTCTime, 30 the one of what follows. */
const certificate = (end: string): string =>
  Buffer.from(`\x30\x1e\x17\x0d200101000000Z\x17\x0d${end}Z0`, 'latin1').toString('base64');

const REASONS: readonly (readonly [says: string, status: RegExp])[] = [
  [
    'tls: x509: certificate has expired or is not yet valid: current time 2020-01-01T02:30:00+02:00 is before 2026-11-22T18:00:00Z',
    /waits for a clock that is right: that of this machine is at least 2517 days behind/,
  ],
  ...(isFullDepth
    ? ([
        ['could not find a JWS signature in the cluster-info ConfigMap for token ID', /a token that the cluster knows/],
        [
          'current time 2026-11-22T18:40:00Z is after 2026-11-22T18:00:00Z',
          /it has ended at 2026.*, by .* 41 minutes ago/,
        ],
        ['cluster CA found in cluster-info is invalid: none of the public keys "sha256:x" are pinned', /the right CA/],
        ['a Node with name "edge1" and status "Ready" already exists in the cluster', /Delete that Node/],
        ["couldn't validate the identity of the API Server: timed out", /an answer of the API server/],
        ['error: \u001b[31msomething', /waits for help: error: \[31msomething, since/],
      ] as const)
    : []),
];

const inDepth = isFullDepth ? it : it.skip;

const describeInShell = process.platform === 'win32' ? describe.skip : describe;

describeInShell('the service of a join', () => {
  let machine: Folder;
  const service = (command: string): ReturnType<Folder['run']> => machine.run(`sh ${SERVICE} ${command}`);
  const start = (shell?: string): void => {
    machine = new Folder(shell);
    machine.write('/var/lib/edge/join-token', TOKEN);
    machine.program('timedatectl', 'echo yes');
  };
  beforeEach(() => start());
  afterEach(() => rmSync(machine.root, { recursive: true }));

  it('tries again with longer pauses until the node has joined, then removes itself', () => {
    machine.program('kubeadm', `echo run >> /run/runs; echo "sent ${TOKEN}"; exit 3`);
    machine.write(JOIN_HOOK, '');
    const first = machine.run(joinOf({ maxSecondsBetweenRuns: 60 }).script);
    expect(first.status).toBe(3);
    expect(first.said).toContain('sent (token)');
    expect(first.said).not.toContain(TOKEN);
    expect([machine.has(TIMER), machine.has(LINK), machine.has(COMMAND), machine.has(JOIN_HOOK)]).toEqual([
      true,
      true,
      true,
      false,
    ]);
    // not due
    expect(service('run').status).toBe(0);
    expect(machine.read('/run/runs')).toBe('run\n');
    expect(service('status')).toMatchObject({
      status: 1,
      said: expect.stringMatching(/; next run in (1[3-9]|2\d|30) s/),
    });
    // the third pause would have 120 s
    machine.write(NEXT, '0\n');
    machine.write('/run/edge-nodepools-join/failures', '2\n');
    service('run');
    expect(service('status').said).toMatch(/\(2 runs since .*; next run in (29|[3-5]\d|60) s/);
    machine.program('kubeadm', SUCCEEDS);
    machine.write(NEXT, '0\n');
    expect(service('run').status).toBe(0);
    expect(service('status')).toMatchObject({ status: 0, said: expect.stringMatching(/: joined, since 20/) });
    expect([TIMER, LINK].filter((path) => machine.has(path))).toEqual([]);
    expect(machine.whereIsToken()).toEqual(['/var/lib/edge/join-token']);
  });

  it('ends without systemd, and says so', () => {
    machine.lacks('systemctl');
    expect(machine.run(joinOf({}).script)).toMatchObject({
      status: 69,
      said: expect.stringContaining('this needs systemd'),
    });
    expect([machine.has(TIMER), machine.has(NEXT)]).toEqual([false, false]);
  });

  it.each(REASONS)('says what it waits for: %s', (says, status) => {
    machine.program('kubeadm', `cat <<'X'\n${says}\nX\nexit 1`);
    machine.run(joinOf({}).script);
    expect(service('status').said).toMatch(status);
  });

  describe.each(isFullDepth ? JOIN_SHELLS : ['sh'])('by %s', (shell) =>
    describeFor(shell)('a service', () => {
      it('joins again when the certificate has expired, and only then', () => {
        rmSync(machine.root, { recursive: true });
        start(shell);
        machine.program('kubeadm', `echo run >> /run/runs; ${SUCCEEDS}`);
        expect(machine.run(joinOf({ rejoinExpired: true }).script).status).toBe(0);
        // for the next boot
        expect([machine.has(TIMER), machine.has(LINK)]).toEqual([true, true]);
        const has = (end: string): void =>
          machine.write(
            PEM,
            `-----BEGIN CERTIFICATE-----\n${certificate(end)}\n-----END CERTIFICATE-----\n-----END EC PRIVATE KEY-----\n`,
          );
        has('401231235959');
        expect([service('run').status, service('status').status]).toEqual([0, 0]);
        has('210101000000');
        machine.program('timedatectl', 'echo no');
        expect(service('status').status).toBe(0);
        machine.program('timedatectl', 'echo yes');
        expect(service('status').said).toMatch(/the certificate of kubelet has expired/);
        machine.program('kubeadm', `[ ! -e /etc/kubernetes/kubelet.conf ] && echo run >> /run/runs && ${SUCCEEDS}`);
        expect(service('run').status).toBe(0);
        expect([machine.read('/run/runs'), service('status').status]).toEqual(['run\nrun\n', 0]);
      });
    }),
  );

  // each run of a script takes a tenth of a second of CPU
  inDepth('gives up at its time, and stops when it is told to', () => {
    machine.program('kubeadm', 'exit 1');
    expect(machine.run(joinOf({ until: '2026-01-31T12:00:00Z', secondsForTimeSync: 0 }).script).status).toBe(1);
    expect(service('status').said).toMatch(/gave up, .*Once more: edge-nodepools-join now/);
    expect(machine.has(TIMER)).toBe(false);
    service('now');
    expect(machine.has(TIMER)).toBe(false);
    machine.run(joinOf({}).script);
    expect(machine.has(TIMER)).toBe(true);
    expect([service('stop').status, machine.has(TIMER), machine.has(LINK)]).toEqual([0, false, false]);
  });
});

/** The script that says what a machine lacks, run by a shell in a separate folder, with fake programs. */
describeInShell('the script that says what a machine lacks', () => {
  let machine: Folder;
  const start = (shell?: string): void => {
    machine = new Folder(shell);
    // without a network curl waits for its time
    machine.program('curl', 'exit 7');
  };
  beforeEach(() => start());
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

    expect(of.get('systemd')).toBe('ok');
    machine.lacks('systemctl');
    expect(rows().of.get('systemd')).toMatch(/^missing it runs kubelet/);

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
    expect(wanted('apt')).toMatch(/^programs='[^']*\bapt-get\b/m);
    expect(wanted('apt')).toMatch(/\bdownloads=yes\b/);
    expect(wanted('dnf')).toMatch(/^programs='[^']*\bdnf\b/m);
    expect(wanted('dnf')).toMatch(/\bdownloads=''/);
  });

  describe.each(isFullDepth ? SHELLS : ['sh'])('by %s', (shell) =>
    describeFor(shell)('a script', () => {
      it('counts the space of a large disk, also where the shell counts with 32 bits', () => {
        rmSync(machine.root, { recursive: true });
        start(shell);
        machine.program('df', 'echo Filesystem; echo /dev/x 8000000000 3000000000 5000000000 38% /');
        expect(rows().of.get('disk')).toBe('ok 4882812 MiB free');
        machine.program('df', 'echo Filesystem; echo /dev/x 8000000 7600000 1999999 25% /');
        expect(rows().of.get('disk')).toBe('missing 1953 MiB are free for images and Pods below /var/lib');
      });
    }),
  );
});

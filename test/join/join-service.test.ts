/** The service that joins until it has succeeded, run by a shell in a separate folder, with a fake kubeadm. */
import { rmSync } from 'node:fs';
import { JoinToken, type NodeJoinProps } from 'edge-nodepools';
import { isFullDepth } from '../depth.js';
import { declareJoin } from '../properties/join-arbitraries.js';
import { describeFor, Folder, JOIN_HOOK, JOIN_SHELLS, PEM, SUCCEEDS, TOKEN } from './machine-folder.js';

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

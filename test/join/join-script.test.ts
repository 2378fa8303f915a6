/** The scripts of a join, run by a shell in a separate folder, with a fake kubeadm. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join as pathOf } from 'node:path';
import { JoinToken, type NodeJoinProps } from 'edge-nodepools';
import { parse } from 'yaml';
import { SCRIPT_PROGRAMS } from '../../src/join/join-command.js';
import { shell } from '../../src/join/shell-parts.js';
import { isFullDepth } from '../depth.js';
import { declareJoin, type WAYS } from '../properties/join-arbitraries.js';
import { ASKS, BEGINS, FORGET, Folder, JOIN_HOOK, PEM, SUCCEEDS, TOKEN } from './machine-folder.js';

const KUBEADM = { openYurt: 'none', kubernetes: '1.36', via: 'kubeadm' } as const;
const YURTADM = { openYurt: '1.6', kubernetes: '1.30', via: 'yurtadm' } as const;

const scriptOf = (
  props: Partial<NodeJoinProps> = {},
  way: (typeof WAYS)[number] = KUBEADM,
  token = JoinToken.inline(TOKEN),
): string => declareJoin(way, token, { secondsBetweenAttempts: 0, ...props }).join.script;

const describeInShell = process.platform === 'win32' ? describe.skip : describe;

// each run of a script takes a tenth of a second of CPU
const inDepth = isFullDepth ? it : it.skip;

describeInShell('the script of a join', () => {
  let machine: Folder;
  beforeEach(() => (machine = new Folder()));
  afterEach(() => rmSync(machine.root, { recursive: true }));

  it('retries commands before the join and the join as configured, also with an inline token', () => {
    machine.program(
      'kubeadm',
      `cp "$3" /run/seen; echo j >> /run/joins; [ $(wc -l < /run/joins) -ge 2 ] && ${SUCCEEDS}`,
    );
    const script = scriptOf({
      attempts: 3,
      preJoinCommands: [machine.moved('echo p >> /run/before; [ -e /run/third ]')],
    });
    expect(machine.run(script)).toMatchObject({ status: 1, said: expect.stringContaining('attempt 2 of 3 failed') });
    expect(machine.read('/run/before')).toBe('p\np\np\n');
    expect(machine.whereIsToken()).toEqual([]);
    machine.write('/run/third', '');
    expect(machine.run(script)).toMatchObject({ status: 0 });
    expect([machine.read('/run/before'), machine.read('/run/joins')]).toEqual(['p\np\np\np\n', 'j\nj\n']);
    expect(machine.whereIsToken()).toEqual(['/run/seen']);
    expect(machine.has(FORGET)).toBe(false);
  });

  it.each(['inline', 'file', 'command'] as const)(
    'leaves a token from %s nowhere after a power cut and a boot',
    (kind) => {
      machine.write('/var/lib/edge/join-token', `${TOKEN}\n`);
      const token = {
        inline: JoinToken.inline(TOKEN),
        file: JoinToken.fromFile('/var/lib/edge/join-token'),
        command: JoinToken.fromCommand(machine.moved('cat /var/lib/edge/join-token')),
      }[kind];
      machine.program('kubeadm', `${BEGINS}; kill -KILL $PPID`);
      expect(machine.run(scriptOf({}, KUBEADM, token)).status).toBe(null);
      machine.write('/var/lib/edge/join-token', '');
      expect(machine.whereIsToken()).toContain('/etc/kubernetes/bootstrap-kubelet.conf');
      machine.boot();
      expect(machine.whereIsToken()).toEqual([]);
      // the next run removes the list, too, whether it joins or not
      machine.program('kubeadm', 'exit 1');
      expect(machine.run(`sh ${JOIN_HOOK}`).status).not.toBe(0);
      expect(machine.has(FORGET)).toBe(false);
    },
  );

  it.each(['file', 'command'] as const)(
    'takes the line end off a token from %s, and says what else is wrong',
    (kind) => {
      const token = {
        file: JoinToken.fromFile('/var/lib/edge/join-token'),
        command: JoinToken.fromCommand(machine.moved('cat /var/lib/edge/join-token')),
      }[kind];
      const script = scriptOf({ attempts: 1 }, KUBEADM, token);
      machine.program('kubeadm', `cp "$3" /run/seen; ${SUCCEEDS}`);
      machine.write('/var/lib/edge/join-token', `"${TOKEN}"\r\n`);
      const refused = machine.run(script);
      expect(refused).toMatchObject({
        status: 65,
        said: expect.stringContaining('25 characters, not one line with 6, a dot and 16'),
      });
      expect(refused.said).not.toContain(TOKEN);
      machine.write('/var/lib/edge/join-token', `${TOKEN}\r\n`);
      expect(machine.run(script).status).toBe(0);
      expect(machine.read('/run/seen')).toContain(`    token: "${TOKEN}"\n`);
    },
  );

  it('writes the token last, and removes it on a signal', () => {
    mkdirSync(pathOf(machine.root, 'var/lib/edge-nodepools/join.sh'), { recursive: true });
    expect(machine.run(scriptOf()).status).not.toBe(0);
    expect(machine.whereIsToken()).toEqual([]);
    rmSync(pathOf(machine.root, 'var/lib/edge-nodepools'), { recursive: true });
    // the file with the token is written, and its mode is about to be set
    machine.program(
      'chmod',
      'case $2 in */run/edge-nodepools/*) cp "$2" /run/seen; kill -TERM $PPID ;; *) exec /bin/chmod "$@" ;; esac',
    );
    expect(machine.run(scriptOf()).status).toBe(143);
    expect(machine.whereIsToken()).toEqual(['/run/seen']);
  });

  it('prints no token in a trace, of the whole script or of the join script', () => {
    machine.write('/var/lib/edge/join-token', `${TOKEN}\n`);
    machine.program('kubeadm', 'exit 1');
    const script = scriptOf({ attempts: 1 }, KUBEADM, JoinToken.fromFile('/var/lib/edge/join-token'));
    const whole = machine.run(`set -x\n${script}`);
    const join = machine.run(`set -x\n${machine.read('/var/lib/edge-nodepools/join.sh')}`);
    expect([whole.status, join.status]).toEqual([1, 1]);
    expect(join.said).toContain('+ set -u');
    expect(whole.said + join.said).not.toContain(TOKEN);
  });

  it.each(['half of it', ...(isFullDepth ? ['no certificate', 'an empty kubeconfig'] : [])])(
    'has not joined with %s: the next run joins, and the next boot, too',
    (what) => {
      machine.write('/var/lib/edge/join-token', `${TOKEN}\n`);
      const cut = {
        'no certificate': ASKS,
        'half of it': `${SUCCEEDS}; echo '-----END CERTIFICATE-----' > ${PEM}`,
        'an empty kubeconfig': ': > /etc/kubernetes/kubelet.conf',
      }[what];
      machine.program(
        'kubeadm',
        `${BEGINS}; ${cut ?? ''}; mkdir -p /etc/kubernetes/pki; echo > /etc/kubernetes/pki/ca.crt; kill -KILL $PPID`,
      );
      const script = scriptOf({ attempts: 1 }, KUBEADM, JoinToken.fromFile('/var/lib/edge/join-token'));
      expect(machine.run(script).status).toBe(null);
      machine.boot();
      // what kubeadm refuses to overwrite
      machine.program(
        'kubeadm',
        `for f in kubelet.conf bootstrap-kubelet.conf pki/ca.crt; do [ ! -e /etc/kubernetes/$f ] || exit 1; done; ${SUCCEEDS}`,
      );
      expect(machine.run(`sh ${JOIN_HOOK}`)).toMatchObject({ status: 0 });
      expect([machine.read(PEM).includes('PRIVATE KEY'), machine.has(JOIN_HOOK)]).toEqual([true, false]);
      expect(machine.run(script)).toMatchObject({ status: 0, said: expect.stringContaining('has joined already') });
    },
  );

  it('keeps what it has joined with: another join says what it does not apply, and writes nothing', () => {
    machine.program('kubeadm', SUCCEEDS);
    const file = { path: '/etc/motd', content: 'one\n' };
    const first = { files: [file], postJoinCommands: ['true'] };
    expect(machine.run(scriptOf(first)).status).toBe(0);
    const other = scriptOf({
      files: [{ ...file, content: 'two\n' }],
      labels: { site: 'x' },
      postJoinCommands: ['false'],
    });
    const refused = machine.run(other);
    expect(refused.status).toBe(78);
    expect(refused.said).toMatch(/Not applied: API server and node registration, commands after the join, files\./);
    expect([machine.read('/etc/motd'), machine.has('/run/edge-nodepools/lock')]).toEqual(['one\n', false]);
    expect(machine.whereIsToken()).toEqual([]);
    // the same, also from another release of this library
    expect(machine.run(`# another text\n${scriptOf(first)}`).status).toBe(0);
    rmSync(pathOf(machine.root, 'etc/kubernetes/kubelet.conf'));
    expect(machine.run(other).status).toBe(1);
    expect(machine.read('/etc/motd')).toBe('two\n');
  });

  it.each(['', 'torn', '\0\0'])('knows that it does not know what it has joined with if the record is %j', (left) => {
    const record = '/var/lib/edge-nodepools/applied';
    machine.program('kubeadm', SUCCEEDS);
    const declared = (content: string) =>
      declareJoin(KUBEADM, JoinToken.inline(TOKEN), { files: [{ path: '/etc/motd', content }] }).join;
    const { script, contentHash } = declared('one\n');
    expect(machine.run(script).status).toBe(0);
    const whole = machine.read(record);
    const flags = (hash: string) =>
      machine.write('/var/lib/kubelet/kubeadm-flags.env', `KUBELET_KUBEADM_ARGS="--node-labels=a=b,${hash} --v=2"\n`);
    flags('edge-nodepools/join=0123456789');
    machine.write(record, left);
    for (const text of [declared('two\n').script, script, 'sh /var/lib/edge-nodepools/join.sh']) {
      expect(machine.run(text)).toMatchObject({ status: 78, said: expect.stringContaining('is unknown') });
      expect([machine.read('/etc/motd'), machine.read(record)]).toEqual(['one\n', left]);
    }
    flags(`edge-nodepools/join=${contentHash.slice(0, 10)}`);
    expect(machine.run(declared('two\n').script).status).toBe(78);
    expect(machine.run(script)).toMatchObject({ status: 0, said: expect.stringContaining('was not whole') });
    expect(machine.read(record)).toBe(whole);
  });

  it('knows what it has joined with after a power cut right after the certificate', () => {
    machine.program('kubeadm', `${SUCCEEDS}; kill -KILL $PPID`);
    machine.write('/var/lib/edge/join-token', TOKEN);
    const token = JoinToken.fromFile('/var/lib/edge/join-token');
    const first = {
      files: [{ path: '/etc/motd', content: 'one\n' }],
      postJoinCommands: [machine.moved('echo a >> /run/after')],
    };
    const { script, updateScript = '' } = declareJoin(KUBEADM, token, first).join;
    expect(machine.run(script).status).toBe(null);
    machine.boot();
    const other = { files: [{ path: '/etc/motd', content: 'two\n' }], postJoinCommands: ['false'] };
    const changed = declareJoin(KUBEADM, token, other).join;
    expect(machine.run(changed.script)).toMatchObject({
      status: 78,
      said: expect.stringContaining('Not applied: commands after the join, files.'),
    });
    expect(machine.run(changed.updateScript ?? '')).toMatchObject({
      status: 78,
      said: expect.stringContaining('has not ended'),
    });
    expect([machine.read('/etc/motd'), machine.has('/run/after')]).toEqual(['one\n', false]);
    // the next boot ends it
    expect(machine.run(`sh ${JOIN_HOOK}`)).toMatchObject({ status: 0 });
    expect(machine.read('/run/after')).toBe('a\n');
    const record = machine.read('/var/lib/edge-nodepools/applied').trimEnd();
    expect(updateScript).toContain(record.split('\n')[0]);
    expect([machine.has('/var/lib/edge-nodepools/applied.new'), machine.has(JOIN_HOOK)]).toEqual([false, false]);
    expect(machine.run(changed.script).status).toBe(78);
  });

  inDepth('takes no part of a kubelet.conf that a power cut has torn for a join', () => {
    const whole = [
      'apiVersion: v1',
      'clusters:',
      '- cluster:',
      `    certificate-authority-data: ${Buffer.from('ca').toString('base64')}`,
      '    server: https://10.0.0.1:6443',
      '  name: default-cluster',
      'contexts:',
      '- context:',
      '    cluster: default-cluster',
      '    user: default-auth',
      '  name: default-context',
      'current-context: default-context',
      'kind: Config',
      'preferences: {}',
      'users:',
      '- name: default-auth',
      '  user:',
      `    client-certificate: ${machine.moved(PEM)}`,
      `    client-key: ${machine.moved(PEM)}`,
      '',
    ].join('\n');
    machine.write(PEM, '-----END CERTIFICATE-----\n-----END EC PRIVATE KEY-----\n');
    const prefixes = [...whole].map((_, length) => whole.slice(0, length));
    // what some file systems leave of a file that was not written yet
    prefixes.push('\0'.repeat(whole.length), `${whole.slice(0, 100)}${'\0'.repeat(whole.length - 100)}`);
    const yurthub = whole.replace('https:', 'http:').replace(/users:[^]*$/, '');
    [...prefixes, whole, yurthub].forEach((text, index) => machine.write(`/run/conf/${index}`, text));
    const count = prefixes.length + 2;
    const checks = `index=0; while [ "$index" -lt ${count} ]; do conf=${machine.root}/run/conf/$index; is_joined && echo "$index"; index=$((index + 1)); done`;
    const { said } = machine.run([shell('common'), shell('systemctl'), shell('joined'), checks].join('\n'));
    expect(said.trim().split('\n')).toEqual([String(count - 2), String(count - 1)]);
  });

  it('adds the patch of kubelet to the file that kubeadm applies in every upgrade', () => {
    const config = '/var/lib/kubelet/instance-config.yaml';
    machine.program('kubeadm', `${SUCCEEDS}; echo 'containerRuntimeEndpoint: "unix:///run/x.sock"' > ${config}`);
    const script = scriptOf({ kubeletConfiguration: { maxPods: 30 } });
    expect(machine.run(script).status).toBe(0);
    const once = machine.read(config);
    expect(parse(once)).toMatchObject({ containerRuntimeEndpoint: expect.stringMatching(/^unix:/), maxPods: 30 });
    expect([machine.run(script).status, machine.read(config)]).toEqual([0, once]);
  });

  inDepth('needs only the programs that it declares', () => {
    for (const name of SCRIPT_PROGRAMS.filter((program) => program !== 'id')) {
      const [path] = ['/usr/bin', '/bin'].map((folder) => pathOf(folder, name)).filter((file) => existsSync(file));
      symlinkSync(path ?? name, pathOf(machine.root, 'bin', name));
    }
    machine.program('kubeadm', SUCCEEDS);
    machine.write('/etc/containerd/config.toml', 'disabled_plugins = ["cri"]\n');
    // printf is a builtin of this shell
    const script = scriptOf({ postJoinCommands: ['true'], sandboxImage: 'registry.example/pause:3.10' });
    const path = pathOf(machine.root, 'bin');
    const { status, stderr } = spawnSync('/bin/sh', {
      input: machine.moved(script),
      encoding: 'utf8',
      env: { PATH: path },
    });
    expect([status, stderr.replace(/.*not installed.*/, '')]).toEqual([0, '']);
    expect(machine.read('/etc/containerd/config.toml')).toContain('registry.example/pause:3.10');
  });

  it('waits for no other run: the second one ends at once, and one that was killed holds nothing', () => {
    // a second user-data, and the hook of a boot
    machine.program(
      'kubeadm',
      `[ -e /run/second ] || for again in /run/again.sh /var/lib/edge-nodepools/join.sh; do sh $again; echo "status $?" >&2; done 2> /run/second; ${SUCCEEDS}`,
    );
    const script = scriptOf();
    machine.write('/run/again.sh', machine.moved(script));
    machine.write('/run/edge-nodepools/lock', '1 1\n');
    expect(machine.run(script).status).toBe(0);
    expect(machine.read('/run/second')).toMatch(
      /^(edge-nodepools: process \d+ is joining this machine already\nstatus 75\n){2}$/,
    );
    expect(machine.has('/run/edge-nodepools/lock')).toBe(false);
    expect(machine.whereIsToken()).toEqual(['/run/again.sh']);
  });

  it('gives the token to no program as an argument, also where printf is one', () => {
    machine.write('/var/lib/edge/join-token', `${TOKEN}\n`);
    machine.program('kubeadm', SUCCEEDS);
    for (const name of ['printf', 'cat', 'rm', 'chmod', 'grep', 'sed', 'mv']) {
      machine.program(name, `echo "$*" >> /run/arguments; PATH=/usr/bin:/bin exec ${name} "$@"`);
    }
    machine.program(
      'sh',
      `case \${1--} in -*) exec /bin/sh "$@" ;; esac; exec /bin/bash -c 'enable -n printf; . "$0"' "$@"`,
    );
    const run = (script: string): number | null => {
      machine.write('/run/join.sh', machine.moved(script));
      return machine.run('exec sh /run/join.sh').status;
    };
    expect(run(scriptOf())).toBe(0);
    rmSync(pathOf(machine.root, 'etc/kubernetes/kubelet.conf'));
    rmSync(pathOf(machine.root, 'run/join.sh'));
    expect(run(scriptOf({}, KUBEADM, JoinToken.fromFile('/var/lib/edge/join-token')))).toBe(0);
    expect(machine.read('/run/arguments')).toContain('#!/bin/sh exec sh');
    expect(machine.whereIsToken()).toEqual(['/var/lib/edge/join-token']);
  });

  it('runs the commands after the join once for each join', () => {
    machine.program('kubeadm', SUCCEEDS);
    const script = scriptOf({ postJoinCommands: [machine.moved('echo after >> /run/after')] });
    expect([machine.run(script).status, machine.run(script).status]).toEqual([0, 0]);
    expect(machine.read('/run/after')).toBe('after\n');
    // reset by hand, and joined again: by the script, and then by another tool
    rmSync(pathOf(machine.root, 'etc/kubernetes/kubelet.conf'));
    expect(machine.run(script).status).toBe(0);
    expect(machine.read('/run/after')).toBe('after\nafter\n');
    machine.write('/etc/kubernetes/kubelet.conf', `${machine.read('/etc/kubernetes/kubelet.conf')}# another cluster\n`);
    expect(machine.run(script).status).toBe(0);
    expect(machine.read('/run/after')).toBe('after\nafter\nafter\n');
  });

  it('by yurtadm joins again after a reset by hand, which does not remove our marker file', () => {
    machine.program('yurtadm', `${SUCCEEDS}; echo joined >> /run/joins`);
    const script = scriptOf({}, YURTADM);
    expect([machine.run(script).status, machine.run(script).status]).toEqual([0, 0]);
    expect(machine.read('/run/joins')).toBe('joined\n');
    rmSync(pathOf(machine.root, 'etc/kubernetes/kubelet.conf'));
    machine.program('yurtadm', `${SUCCEEDS}; echo joined >> /run/joins; exit 3`);
    // it writes kubelet.conf before it joins, and then fails: the machine has not joined
    expect([machine.run(script).status, machine.run(script).status]).toEqual([3, 3]);
    expect(machine.has('/var/lib/edge-nodepools/joined')).toBe(false);
  });
});

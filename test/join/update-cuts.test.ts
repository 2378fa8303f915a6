/** Power failures in the middle of an update: after every program that the script calls, and then the next update. What was not on the disk is empty. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join as pathOf } from 'node:path';
import type { NodeJoinProps } from 'edge-nodepools';
import { isFullDepth } from '../depth.js';
import { describeFor, SHELLS } from './machine-folder.js';
import { CONFIG, FLAGS, UpdatedNode, updateOf } from './updated-node.js';

/** Programs that write. */
const WRITERS = ['awk', 'chmod', 'cp', 'kubeadm', 'kubectl', 'mkdir', 'mv', 'rm', 'sed', 'sync', 'systemctl'];

/** Lists contents; a file that is only renamed has the same one. */
const LIST = "find /etc/. /var/lib/. -type f -printf '%i %s %T@ %p\\n'";

/** A node at which the power can fail. */
class CutNode extends UpdatedNode {
  /** Counts the calls of programs, and kills the script and everything that it has started after the n-th. */
  public cutAfter(count: number): void {
    const real = pathOf(this.root, 'real');
    mkdirSync(real, { recursive: true });
    this.write('/run/calls', '');
    this.write('/run/on-disk-now', this.contents());
    for (const name of WRITERS) {
      const own = pathOf(this.root, 'bin', name);
      const program = readdirSync(pathOf(this.root, 'bin')).includes(name) ? pathOf(real, name) : `/usr/bin/${name}`;
      if (program.startsWith(real)) {
        writeFileSync(program, readFileSync(own), { mode: 0o755 });
      }
      this.program(
        name,
        `${program} "$@"; status=$?; echo ${name} >> /run/calls
         ${name === 'sync' ? `${LIST} > /run/on-disk-now` : ''}
         calls=0; while read -r line; do calls=$((calls + 1)); done < /run/calls
         [ "$calls" != ${count} ] || kill -KILL 0
         exit $status`,
      );
    }
  }

  /** Each content, by its inode. */
  private contents(): string {
    return execFileSync('sh', ['-c', this.moved(LIST)], { encoding: 'utf8' });
  }

  /** The names of files are on the disk in the order in which they were given, but contents with the next sync only (ext4 and XFS). */
  private empty(): void {
    const content = (line: string): string => line.split(' ').slice(0, 3).join(' ');
    const onDisk = new Set(this.read('/run/on-disk-now').split('\n').map(content));
    for (const line of this.contents().split('\n')) {
      if (!onDisk.has(content(line))) truncateSync(line.split(' ').slice(3).join(' '));
    }
  }

  /** The power is there again: programs are as they were, and kubelet runs with the file that it finds. */
  public override boot(): void {
    this.empty();
    const real = pathOf(this.root, 'real');
    for (const name of WRITERS) {
      rmSync(pathOf(this.root, 'bin', name));
    }
    for (const name of readdirSync(real)) {
      writeFileSync(pathOf(this.root, 'bin', name), readFileSync(pathOf(real, name)), { mode: 0o755 });
    }
    rmSync(real, { recursive: true });
    rmSync(`${this.root}/run/edge-nodepools`, { recursive: true, force: true });
    this.write('/run/running', this.read(CONFIG));
  }

  /** Every file of the node with its content and mode, without those of the last update. */
  public get files(): Readonly<Record<string, string>> {
    const all = readdirSync(this.root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/^\/(run|bin|real)(\/|$)/.test(entry.parentPath.slice(this.root.length)))
      .map((entry) => pathOf(entry.parentPath, entry.name))
      .filter((path) => !path.includes('/edge-nodepools/update/'))
      .sort();
    return Object.fromEntries(
      all.map((path) => [
        path.slice(this.root.length),
        `${(statSync(path).mode & 0o777).toString(8)} ${readFileSync(path, 'utf8')}`,
      ]),
    );
  }
}

const JOINED = { kubeletConfiguration: { maxPods: 20 }, files: [{ path: '/etc/motd', content: 'old\n' }] };
const NEXT = {
  labels: { site: 'b', rack: 'r1' },
  kubeletConfiguration: { maxPods: 30 },
  kubeletExtraArgs: { v: '3' },
  // the node has no configuration of containerd
  sandboxImage: 'registry.example/pause:3.10',
  files: [
    { path: '/etc/motd', content: 'new\n' },
    { path: '/etc/issue', content: 'new\n', permissions: '0600' },
  ],
};
// refused without a change; what was cut off is taken back all the same
const REFUSED: Partial<NodeJoinProps> = { ...NEXT, taints: [{ key: 'a', effect: 'NoExecute' }] };

/** What heals an update at the next boot. */
const UNIT = '/etc/systemd/system/edge-nodepools-update.service';

/** The first call and every n-th after it: each takes a second. All of them run by hand, with EDGE_NODEPOOLS_POWER_CUTS=1. */
const STEP = process.env.EDGE_NODEPOOLS_POWER_CUTS === '1' ? 1 : isFullDepth ? 7 : 29;
const inDepth = isFullDepth ? it : it.skip;

const moved = (files: CutNode['files'], from: CutNode, to: CutNode): CutNode['files'] =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [path, text.replaceAll(from.root, to.root)]));

describeFor('sh')('a power failure in an update', () => {
  const nodes: CutNode[] = [];
  const start = (): CutNode => {
    const node = new CutNode(JOINED);
    nodes.push(node);
    return node;
  };
  afterEach(() => nodes.splice(0).forEach(({ root }) => rmSync(root, { recursive: true })));

  /** Runs an update on one node after the other, each cut later than the one before it: the last ones are always among them. */
  function everyCut(script: string, then: (node: CutNode, old: CutNode['files'], at: string) => void): number {
    const whole = start();
    whole.cutAfter(0);
    whole.run(script);
    const all = whole.read('/run/calls').trim().split('\n').length;
    for (let count = 1; count < all; count += count < all - 8 ? Math.min(STEP, all - 8 - count) : 1) {
      const node = start();
      const old = node.files;
      node.cutAfter(count);
      expect(node.run(script).status).toBe(null);
      node.boot();
      then(node, old, `${count} ${node.read('/run/calls').trim().split('\n').at(-1) ?? ''}`);
    }
    return all;
  }

  it('leaves what the next run makes the former or the new settings, whatever it wants, and then it can be updated', () => {
    const script = updateOf(NEXT);
    const done = start();
    expect(done.run(script)).toMatchObject({ status: 0, said: expect.not.stringMatching(/cannot open|No such file/) });
    const count = everyCut(script, (node, old, at) => {
      expect({ at, ...node.run(updateOf(REFUSED)) }).toMatchObject({ at, status: 78 });
      const now = node.files;
      const next = moved(done.files, done, node);
      expect({ at, ...now }).toEqual({ at, ...(now['/etc/motd'] === old['/etc/motd'] ? old : next) });
      expect([at, node.read('/run/running')]).toEqual([at, node.read(CONFIG)]);
      expect({ at, ...node.run(script) }).toMatchObject({ at, status: 0 });
      expect({ at, ...node.files }).toEqual({ at, ...next });
    });
    expect(count).toBeGreaterThan(50);
  }, 180_000);

  it('is healed by the next boot: the rest is done, or everything is taken back, and nothing of it stays', () => {
    const script = updateOf(NEXT);
    const done = start();
    expect(done.run(script).status).toBe(0);
    expect([done.has(UNIT), done.has('/var/lib/edge-nodepools/update')]).toEqual([false, false]);
    let healed = 0;
    everyCut(script, (node, old, at) => {
      const { files: cut } = node;
      if (node.has(UNIT)) {
        const [, command = ''] = /^ExecStart=\/bin\/(.*)$/m.exec(node.read(UNIT)) ?? [];
        expect({ at, ...node.run(command) }).toMatchObject({ at, status: 0 });
        healed++;
      } else {
        // it has not begun, or it is over: but for what was left to be removed
        expect(node.has('/var/lib/edge-nodepools/update/changing')).toBe(false);
      }
      const now = node.files;
      const next = moved(done.files, done, node);
      expect({ at, ...now }).toEqual({ at, ...(now['/etc/motd'] === old['/etc/motd'] ? old : next) });
      expect([at, node.read('/run/running'), node.has(UNIT)]).toEqual([at, node.read(CONFIG), false]);
      expect(Object.keys(cut).length).toBeGreaterThan(5);
    });
    expect(healed).toBeGreaterThan(1);
  }, 180_000);

  it('is healed by a run of the join, too, which says so', () => {
    const node = start();
    const old = node.files;
    // the third restart is that of a boot
    node.program(
      'systemctl',
      'case $* in "restart kubelet") [ -e /run/cut ] || { : > /run/cut; kill -KILL $PPID; } ;; esac',
    );
    expect(node.run(updateOf(NEXT)).status).toBe(null);
    expect(node.files).not.toEqual(old);
    expect(node.run('sh /var/lib/edge-nodepools/join.sh')).toMatchObject({
      status: 0,
      said: expect.stringMatching(/an update was cut off: what it has changed is taken back\n[^]*joined already/),
    });
    // a join adds its patch to what kubeadm has written
    const instance = '/var/lib/kubelet/instance-config.yaml';
    expect({ ...node.files, [instance]: old[instance] }).toEqual(old);
  });

  inDepth(
    'leaves the former settings if kubelet was not healthy with the new ones, also while they are taken back',
    () => {
      const count = everyCut(updateOf({ ...NEXT, kubeletConfiguration: { maxPods: 13 } }), (node, old, at) => {
        expect({ at, ...node.run(updateOf(REFUSED)) }).toMatchObject({ at, status: 78 });
        expect({ at, ...node.files }).toEqual({ at, ...old });
        expect([at, node.read('/run/running')]).toEqual([at, node.read(CONFIG)]);
      });
      expect(count).toBeGreaterThan(70);
    },
    180_000,
  );
});

/** The update of a node whose kubelet talks to yurthub, run by each shell in a separate folder, with fake programs. */
describe('an update with yurthub', () => {
  const NEXT = { labels: { site: 'b' }, kubeletConfiguration: { maxPods: 30 } };

  describe.each(isFullDepth ? SHELLS : ['sh'])('by %s,', (shell) =>
    describeFor(shell)('an update of a node with yurthub', () => {
      let node: UpdatedNode;
      afterEach(() => rmSync(node.root, { recursive: true }));

      it('gives kubelet the drop-in that starts yurthub, without a restart, and starts one that no boot has started', () => {
        const dropIn = '/etc/systemd/system/kubelet.service.d/20-yurthub.conf';
        const way = { openYurt: '1.7', kubernetes: '1.34', via: undefined } as const;
        node = new UpdatedNode({}, shell);
        node.write('/etc/systemd/system/yurthub.service', '[Service]\nExecStart=/usr/local/bin/yurthub\n');
        node.program(
          'systemctl',
          'echo "$*" >> /run/systemctl; case $* in "is-active --quiet yurthub") exit 3 ;; "restart kubelet") cp /var/lib/kubelet/config.yaml /run/running ;; esac',
        );
        expect(node.run(updateOf({}, way)).status).toBe(0);
        expect(node.read(dropIn)).toMatch(/^Wants=yurthub.service$/m);
        const calls = node.read('/run/systemctl').split('\n');
        expect(calls.filter((call) => /yurthub|reload/.test(call))).toEqual([
          'is-active --quiet yurthub',
          'start yurthub',
          'daemon-reload',
        ]);
        expect(node.run(updateOf({})).status).toBe(0);
        expect(node.has(dropIn)).toBe(false);
      });

      it.each([{ nodeName: 'till-1' }, { nodeName: undefined }])(
        'keeps what yurthub has added to the arguments of kubelet as yurthub takes it away again: %j',
        (name) => {
          // node-servant of OpenYurt 1.7 (`components/kubelet.go`): written so, and removed as this text with its blanks
          const added = ' --kubeconfig=/var/lib/openyurt/kubelet.conf --bootstrap-kubeconfig= ';
          node = new UpdatedNode(name, shell);
          node.write(
            FLAGS,
            node
              .read(FLAGS)
              .replace(name.nodeName === undefined ? '--hostname-override=till-1 ' : /$^/, '')
              .replace(/"\n$/, ` ${added}"\n`),
          );
          node.write('/var/lib/openyurt/kubelet.conf', 'clusters:\n- cluster:\n    server: http://127.0.0.1:10261\n');
          node.program('kubectl', 'echo "$*" >> /run/requests');
          for (const v of ['3', '4']) {
            expect(node.run(updateOf({ ...NEXT, ...name, kubeletExtraArgs: { v } })).status).toBe(0);
            const words = node
              .read(FLAGS)
              .replaceAll(added, '')
              .trim()
              .slice(1 + 'KUBELET_KUBEADM_ARGS='.length, -1);
            expect(words.trim().split(/ +/)).toEqual([
              ...(name.nodeName === undefined ? [] : ['--hostname-override=till-1']),
              expect.stringMatching(/^--node-labels=[^ ]*,edge-nodepools\/join=\w{10}$/),
              `--v=${v}`,
            ]);
            expect(node.read(FLAGS).includes(added)).toBe(true);
          }
          expect(node.read('/run/requests')).toMatch(/^--kubeconfig \S+\/var\/lib\/openyurt\/kubelet.conf /);
          expect(node.read('/run/upgrades')).toMatch(/--kubeconfig \S+\/var\/lib\/openyurt\/kubelet.conf/);
          expect(node.restarts).toEqual(['restart kubelet', 'restart kubelet']);
        },
      );
    }),
  );
});

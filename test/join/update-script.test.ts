/** The script that updates a node, run by each shell in a separate folder, with fake programs. */
import { rmSync } from 'node:fs';
import { JoinToken, type NodeJoinProps } from 'edge-nodepools';
import { isFullDepth } from '../depth.js';
import { describeFor, SHELLS, SUCCEEDS, TOKEN } from './machine-folder.js';
import { APPLIED, CONFIG, declared, FLAGS, UpdatedNode, updateOf } from './updated-node.js';

/** Until the others have ended; not forever, if they wait too. */
const WAITS =
  ': > /run/waits; count=0; until [ -e /run/go ] || [ "$count" -gt 100 ]; do count=$((count + 1)); /bin/sleep 0.1; done';

// each run of the script takes a tenth of a second of CPU
const inDepth = isFullDepth ? it : it.skip;

describe.each(isFullDepth ? SHELLS : ['sh'])('by %s,', (shell) =>
  describeFor(shell)('the script that updates a node', () => {
    let node: UpdatedNode;
    const start = (joined: Partial<NodeJoinProps> = {}) => (node = new UpdatedNode(joined, shell));
    afterEach(() => rmSync(node.root, { recursive: true }));
    // a shell of Debian has all rows, another one the first of each table
    const rows = <T>(all: readonly T[]): readonly T[] => (isFullDepth && shell === 'dash' ? all : all.slice(0, 1));

    const NEXT = {
      labels: { site: 'b', rack: 'r1' },
      kubeletConfiguration: { maxPods: 30 },
      kubeletExtraArgs: { v: '3' },
      files: [{ path: '/etc/motd', content: "it's $(id)\n" }],
    };

    it('changes nothing without systemd', () => {
      start();
      const before = node.settings;
      node.lacks('systemctl');
      expect(node.run(updateOf(NEXT))).toMatchObject({
        status: 69,
        said: expect.stringContaining('this needs systemd: nothing is changed'),
      });
      expect(node.settings).toEqual(before);
    });

    it('changes what differs, restarts kubelet once, sets the label, and does nothing the second time', () => {
      start({
        labels: { site: 'a', gone: 'x' },
        kubeletConfiguration: { maxPods: 20 },
        kubeletExtraArgs: { 'max-pods': '7' },
      });
      const { updateScript = '', contentHash } = declared(NEXT);
      const hash = contentHash.slice(0, 10);
      const first = node.run(updateScript);
      expect(first).toMatchObject({ status: 0, said: expect.stringContaining(`this node has join ${hash} now`) });
      expect(node.restarts).toEqual(['restart kubelet']);
      expect(node.read(CONFIG)).toContain('"maxPods": 30');
      expect(node.read('/run/on-disk')).toBe(node.read(CONFIG));
      expect(node.read('/var/lib/kubelet/instance-config.yaml')).toMatch(
        /^\{"containerRuntimeEndpoint": "unix:[^\n]*\n[^]*"maxPods": 30/,
      );
      expect(node.read('/etc/motd')).toBe("it's $(id)\n");
      expect(node.read(FLAGS)).toBe(
        `KUBELET_KUBEADM_ARGS="--hostname-override=till-1 --node-labels=apps.openyurt.io/nodepool=beijing,nodepool.openyurt.io/hostnetwork=true,site=b,rack=r1,edge-nodepools/join=${hash} --v=3"\n`,
      );
      expect(JSON.parse(node.read('/run/patches'))).toEqual({
        metadata: {
          labels: {
            'nodepool.openyurt.io/hostnetwork': 'true',
            site: 'b',
            rack: 'r1',
            gone: null,
            'edge-nodepools/join': hash,
          },
        },
      });
      // the join script is the new one: it sees no difference; ksh93 does not read it
      if (shell !== 'ksh93') {
        expect(node.run('sh /var/lib/edge-nodepools/join.sh')).toMatchObject({ status: 0 });
      }
      const after = node.settings;
      expect(node.run(updateScript)).toMatchObject({ status: 0, said: expect.stringContaining('nothing to do') });
      expect([node.settings, node.restarts]).toEqual([after, ['restart kubelet']]);
      expect([node.has('/etc/kubernetes/tmp'), node.has('/var/lib/edge-nodepools/update')]).toEqual([false, false]);
      expect(node.whereIsToken()).toEqual([]);
    });

    inDepth('gives the runtime a changed password of the proxy, and takes it back if that does not start', () => {
      const proxy = { httpsProxy: 'http://proxy.example:3128', credentialsFile: '/var/lib/edge/proxy' };
      const dropIn = '/etc/systemd/system/containerd.service.d/20-edge-nodepools-proxy.conf';
      start();
      node.write(proxy.credentialsFile, 'till:first');
      const script = updateOf({ proxy });
      expect(node.run(script).status).toBe(0);
      expect(node.read(dropIn)).toContain('Environment="https_proxy=http://till:first@proxy.example:3128"');
      expect(node.restarts).toEqual(['restart containerd']);
      expect(node.run(script)).toMatchObject({ status: 0, said: expect.stringContaining('nothing to do') });
      node.write(proxy.credentialsFile, 'till:s%cond\n');
      node.write('/run/no-runtime', '');
      const failed = node.run(script);
      expect([failed.status, node.read(dropIn).includes('till:first@')]).toEqual([70, true]);
      rmSync(`${node.root}/run/no-runtime`);
      const changed = node.run(script);
      expect([changed.status, changed.said.includes('Changed: '), changed.said.includes('cond')]).toEqual([
        0,
        true,
        false,
      ]);
      expect(node.read(dropIn)).toContain('till:s%%25cond@');
      node.write(proxy.credentialsFile, 'nonsense');
      expect([node.run(script).status, node.read(dropIn).includes('till:s%%25cond@')]).toEqual([65, true]);
      // another join without it removes the drop-in
      expect([node.run(updateOf()).status, node.has(dropIn)]).toEqual([0, false]);
    });

    inDepth('needs no restart for labels', () => {
      start();
      expect(node.run(updateOf({ labels: { site: 'b' } }))).toMatchObject({
        status: 0,
        said: expect.stringContaining('Changed: '),
      });
      expect(node.restarts).toEqual([]);
      expect(node.read('/run/patches')).toContain('"site":"b"');
    });

    it.each(
      rows<[string, Partial<NodeJoinProps>, string[]]>([
        ['kubelet is not healthy', { kubeletConfiguration: { maxPods: 13 } }, ['restart kubelet', 'restart kubelet']],
        [
          'the runtime does not start',
          { sandboxImage: 'registry.example/pause:3.10' },
          ['restart containerd', 'restart containerd', 'restart kubelet'],
        ],
        ['the API server does not answer', {}, []],
      ]),
    )('takes everything back if %s', (what, props, restarts) => {
      start({ kubeletConfiguration: { maxPods: 20 } });
      node.write('/etc/containerd/config.toml', 'version = 2\n');
      if (what.startsWith('the API')) node.write('/run/offline', '');
      if (what.startsWith('the runtime')) node.write('/run/no-runtime', '');
      const before = node.settings;
      const script = updateOf({ ...NEXT, ...props });
      const failed = node.run(script);
      expect(failed).toMatchObject({ status: 70, said: expect.stringContaining('taken back: this node is as before') });
      expect([node.settings, node.restarts, node.has('/run/patches')]).toEqual([before, restarts, false]);
      expect(node.read('/run/on-disk')).toBe(node.read(CONFIG));
      // and the next one is not in its way
      ['offline', 'no-runtime'].forEach((file) => rmSync(`${node.root}/run/${file}`, { force: true }));
      expect(node.run(updateOf({ ...NEXT, kubeletConfiguration: { maxPods: 21 } })).status).toBe(0);
    });

    inDepth('that was cut off is taken back by the next run, whatever that one does', () => {
      start({ kubeletConfiguration: { maxPods: 20 } });
      const before = node.settings;
      node.program(
        'systemctl',
        'case $* in "restart kubelet") [ -e /run/cut ] || { : > /run/cut; kill -KILL $PPID; } ;; esac',
      );
      expect(node.run(updateOf(NEXT)).status).toBe(null);
      expect(node.settings).not.toEqual(before);
      expect(node.run(updateOf({ ...NEXT, taints: [{ key: 'a', effect: 'NoExecute' }] }))).toMatchObject({
        status: 78,
        said: expect.stringContaining('an update cannot change taints'),
      });
      expect(node.settings).toEqual(before);
      expect(node.run(updateOf(NEXT)).status).toBe(0);
    });

    inDepth('changes nothing when the disk is full', () => {
      start({ kubeletConfiguration: { maxPods: 20 } });
      const before = node.settings;
      node.program(
        'cp',
        'case $* in */update/old/*) echo "No space left on device" >&2; exit 1 ;; esac; exec /bin/cp "$@"',
      );
      expect(node.run(updateOf(NEXT))).toMatchObject({
        status: 74,
        said: expect.stringContaining('Nothing is changed'),
      });
      expect([node.settings, node.restarts]).toEqual([before, []]);
      // and half of it is taken back
      node.program('cp', 'case $* in */etc/.motd.edge-nodepools) exit 1 ;; esac; exec /bin/cp "$@"');
      expect(node.run(updateOf(NEXT)).status).toBe(70);
      expect([node.settings, node.restarts]).toEqual([before, []]);
    });

    it.each(
      rows<[string, Partial<NodeJoinProps>, string]>([
        ['the pool', {}, 'the pool'],
        ['the name', { nodeName: 'till-2' }, 'the name (till-1)'],
        ['commands', { postJoinCommands: ['true'] }, 'other commands after the join'],
      ]),
    )('refuses what it cannot change: %s', (what, props, says) => {
      start();
      if (what === 'the pool') node.write(FLAGS, node.read(FLAGS).replace('nodepool=beijing', 'nodepool=paris'));
      const before = node.settings;
      const script = updateOf({ ...NEXT, ...props });
      expect(node.run(script)).toMatchObject({ status: 78, said: expect.stringContaining(says) });
      expect(node.settings).toEqual(before);
      if (what === 'commands') {
        expect(node.run(`set -- --accept\n${script}`).status).toBe(0);
      }
    });

    it('of a node with an empty record says that it is unknown what it has, and writes the record', () => {
      start();
      node.write(APPLIED, '');
      expect(node.run(updateOf({ ...NEXT, postJoinCommands: ['true'] })).status).toBe(78);
      expect(node.run(updateOf(NEXT))).toMatchObject({ status: 0, said: expect.stringContaining('is unknown') });
      expect(node.run(updateOf(NEXT)).said).not.toMatch(/unknown/);
      expect(node.read(APPLIED)).toMatch(/^([0-9a-f]{8} .*\n)+$/);
    });

    it('of a join that machines share: this one keeps its name, and gets its own labels beside those of all', () => {
      const machines = [{ name: 'till-1', labels: { rack: 'r1' } }, { name: 'till-2' }];
      const shared = { nodeName: undefined, machines };
      start({ ...shared, labels: { site: 'a' } });
      const [script, before] = [updateOf({ ...shared, labels: { site: 'b' } }), node.settings];
      for (const [text, status, says] of [
        ['', 66, 'does not name this machine'],
        ['name=till-2\nlabels=\n', 78, 'cannot change the name (till-1)'],
        ['name=till-1\nlabels=,rack=$(id)\n', 65, 'has labels that are none'],
      ] as const) {
        node.write('/var/lib/edge-nodepools/machine', text);
        expect(node.run(script)).toMatchObject({ status, said: expect.stringContaining(says) });
        expect([node.settings, node.has('/run/patches')]).toEqual([before, false]);
      }
      for (const [words, labels] of [
        [',rack=r1,floor=', { rack: 'r1', floor: '' }],
        [',rack=r2', { rack: 'r2', floor: null }],
      ] as const) {
        node.write('/var/lib/edge-nodepools/machine', `name=till-1\nlabels=${words}\n`);
        expect(node.run(script).status).toBe(0);
        expect(node.read(FLAGS)).toMatch(new RegExp(`--node-labels=[^ ]*site=b,[^ ]*${words}[ "]`));
        const [patch = '{}'] = node.read('/run/patches').split('\n').slice(-2);
        expect(JSON.parse(patch).metadata.labels).toMatchObject({ site: 'b', ...labels });
      }
    });

    it.each(
      rows<[string, string, string, number | null]>([
        ['newer than the API server', '1.36.1', '1.35.4', 78],
        ['of the API server', '1.36.1', '1.36.9', 0],
        ['one minor up on a node with Pods', '1.35.1', '1.36.9', 78],
        ['one minor up on a drained node', '1.35.1', '1.36.9', 0],
        ['two minors up', '1.34.1', '1.36.9', 78],
        ['one minor down', '1.37.1', '1.37.1', 78],
      ]),
    )('checks the version of kubelet: %s', (what, have, server, status) => {
      start();
      node.write('/run/version', have);
      node.write('/run/server', server);
      node.write('/run/node', what.endsWith('drained node') ? '{"spec": {"unschedulable": true}}' : '{"spec": {}}');
      node.program('apt-get', 'case $* in *install*) echo 1.36.4 > /run/version ;; esac');
      ['dpkg', 'apt-mark'].forEach((name) => node.program(name, 'exit 0'));
      const result = node.run(updateOf({ packages: { manager: 'apt', version: '1.36.4' } }));
      expect(result.status).toBe(status);
      expect(node.read('/run/version').trim()).toBe(status === 0 ? '1.36.4' : have);
      expect(node.restarts).toEqual(status === 0 ? ['restart kubelet'] : []);
      expect(node.read('/run/upgrades')).toMatch(status === 0 ? /^upgrade node --kubeconfig/ : /^$/);
    });

    inDepth('installs the former version again when the new kubelet is not healthy', () => {
      start({ kubeletConfiguration: { maxPods: 20 } });
      ['/run/version', '/run/server'].forEach((path) => node.write(path, '1.36.2'));
      node.write('/run/server', '1.36.9');
      node.program(
        'apt-get',
        "case $* in *'kubelet=1.36.4-*'*) echo 1.36.4 > /run/version ;; *'kubelet=1.36.2-*'*) echo 1.36.2 > /run/version ;; esac",
      );
      ['dpkg', 'apt-mark'].forEach((name) => node.program(name, 'exit 0'));
      const script = updateOf({
        packages: { manager: 'apt', version: '1.36.4' },
        kubeletConfiguration: { maxPods: 13 },
      });
      expect(node.run(script)).toMatchObject({ status: 70 });
      expect(node.read('/run/version')).toBe('1.36.2\n');
      expect(node.has('/etc/apt/sources.list.d/kubernetes.list')).toBe(false);
    });

    inDepth(
      'installs the former version again after a power failure in an installation, also without a network',
      () => {
        start({ kubeletConfiguration: { maxPods: 20 } });
        ['/run/version', '/run/server'].forEach((path) => node.write(path, '1.36.2'));
        node.write('/run/server', '1.36.9');
        node.program('dpkg', 'rm -f /run/interrupted');
        node.program('apt-mark', 'exit 0');
        // apt-get: "dpkg was interrupted, you must manually run 'dpkg --configure -a'"
        node.program(
          'apt-get',
          `case $* in
         *update*) [ ! -e /run/no-network ]; exit ;;
         *'kubelet=1.36.4-*'*) echo 1.36.4 > /run/version; [ -e /run/no-network ] || { : > /run/interrupted; : > /run/no-network; kill -KILL $PPID; } ;;
         *'kubelet=1.36.2-*'*) [ ! -e /run/interrupted ] && echo 1.36.2 > /run/version ;;
         esac`,
        );
        const packages = { manager: 'apt', version: '1.36.4' } as const;
        expect(node.run(updateOf({ packages })).status).toBe(null);
        expect(node.read('/run/version')).toBe('1.36.4\n');
        const next = updateOf({ packages, taints: [{ key: 'a', effect: 'NoExecute' }] });
        expect(node.run(next)).toMatchObject({ status: 78 });
        expect(node.read('/run/version')).toBe('1.36.2\n');
        // a package manager that succeeds and changes nothing
        node.program('apt-get', "case $* in *'kubelet=1.36.4-*'*) echo 1.36.4 > /run/version; exit 1 ;; esac");
        expect(node.run(updateOf({ packages }))).toMatchObject({
          status: 71,
          said: expect.stringContaining('not everything could be taken back: kubelet 1.36.2'),
        });
      },
    );

    const inTurn = shell === 'sh' || shell === 'dash' ? it : it.skip;
    inTurn('runs alone: not beside another update, and not beside a join', () => {
      start({ kubeletConfiguration: { maxPods: 20 } });
      const script = updateOf(NEXT);
      node.write('/run/update.sh', node.moved(script));
      // the first one is in the middle of its changes until the others have ended
      node.program('kubectl', WAITS);
      const both = node.run(
        'sh /run/update.sh & until [ -e /run/waits ]; do /bin/sleep 0.1; done; sh /run/update.sh; echo "second $?"; sh /var/lib/edge-nodepools/join.sh; echo "join $?"; : > /run/go; wait $!; echo "first $?"',
      );
      expect(both.said.match(/^(second|join|first) \d+$/gm)).toEqual(['second 75', 'join 75', 'first 0']);
      expect(both.said).toMatch(/process \d+ is joining this machine already/);
      expect([node.read(CONFIG), node.restarts]).toEqual([
        expect.stringContaining('"maxPods": 30'),
        ['restart kubelet'],
      ]);
      ['go', 'waits'].forEach((file) => rmSync(`${node.root}/run/${file}`));
      // kubelet has its certificate, and kubeadm join has not ended
      ['kubelet.conf', 'go'].forEach((file) => rmSync(`${node.root}/etc/kubernetes/${file}`, { force: true }));
      node.program('kubeadm', `[ "$1" != join ] || { ${SUCCEEDS}; ${WAITS}; }`);
      node.write('/run/edge/join-token', TOKEN);
      const { script: join } = declared({ token: JoinToken.fromFile('/run/edge/join-token') });
      node.write('/run/join.sh', node.moved(join));
      const joins = node.run(
        'sh /run/join.sh & until [ -e /run/waits ]; do /bin/sleep 0.1; done; sh /run/update.sh; echo "update $?"; : > /run/go; wait $!; echo "join $?"',
      );
      expect(joins.said.match(/^(update|join) \d+$/gm)).toEqual(['update 75', 'join 0']);
    });

    inDepth('says that the label is missing, and the next run sets it', () => {
      start({ labels: { gone: 'x' } });
      node.write('/run/forbidden', '');
      const script = updateOf(NEXT);
      expect(node.run(script)).toMatchObject({
        status: 69,
        said: expect.stringMatching(/kubectl label node till-1 edge-nodepools\/join=\w{10} --overwrite/),
      });
      rmSync(`${node.root}/run/forbidden`);
      expect(node.run(script).status).toBe(0);
      expect(node.restarts).toEqual(['restart kubelet']);
      // what the first run has left is done before the second begins
      const [patch] = node.read('/run/patches').split('\n');
      expect(JSON.parse(patch as string).metadata.labels).toMatchObject({ rack: 'r1', gone: null });
    });

    inDepth('leaves a machine alone that has not joined, and one at which another run is at work', () => {
      start();
      node.write('/run/edge-nodepools/lock', '1 x');
      rmSync(`${node.root}/etc/kubernetes/kubelet.conf`);
      expect(node.run(updateOf(NEXT)).status).toBe(66);
    });
  }),
);

describe('the update of a join', () => {
  it('does not exist for yurtadm, and changes no byte of the join', () => {
    expect(
      declared({ timeouts: {} }, { openYurt: '1.6', kubernetes: '1.30', via: 'yurtadm' }).updateScript,
    ).toBeUndefined();
    expect(declared().userData).not.toContain('write_update');
  });
});

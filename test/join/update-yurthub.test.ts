/** The update of a node whose kubelet talks to yurthub, run by each shell in a separate folder, with fake programs. */
import { rmSync } from 'node:fs';
import { isFullDepth } from '../depth.js';
import { describeFor, SHELLS } from './machine-folder.js';
import { FLAGS, UpdatedNode, updateOf } from './updated-node.js';

const NEXT = { labels: { site: 'b' }, kubeletConfiguration: { maxPods: 30 } };

describe.each(isFullDepth ? SHELLS : ['sh'])('by %s,', (shell) =>
  describeFor(shell)('an update of a node with yurthub', () => {
    let node: UpdatedNode;
    afterEach(() => rmSync(node.root, { recursive: true }));

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

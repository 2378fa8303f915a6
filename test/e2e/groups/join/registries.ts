import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join as pathOf } from 'node:path';
import { JoinToken } from 'edge-nodepools';
import type { Group } from '../../harness/group.js';
import { pullSources, REGISTRIES_JUDGE } from '../../harness/registries-judge.js';
import { kubernetesTool, pathOf as programOf } from '../../harness/tool.js';
import { Declared } from './declared.js';

const KUBEADM = (['1.36'] as const).map((minor) => [minor, kubernetesTool('kubeadm', minor)] as const);

export const registries: Group = {
  name: 'registries',
  claim:
    'CRI-O pulls images from the declared mirrors in their order, with their CA and http only where declared, as its library reads the files; the pause image is the one that kubeadm names',
  programs: 'go.podman.io/image v5.39.3 (of CRI-O 1.35 and podman), kubeadm 1.36; CRI-O itself does not run',
  tools: [REGISTRIES_JUDGE, ...KUBEADM.map(([, tool]) => tool)],
  needs: ['openssl'],
  run: (proof) => {
    const folder = mkdtempSync(pathOf(tmpdir(), 'edge-nodepools-e2e-'));
    try {
      const ca = (name: string): string => {
        const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout', '/dev/null', '-subj', `/CN=${name}`, '-days', '2'];
        return execFileSync('openssl', ['req', '-x509', ...key], {
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'ignore'],
        });
      };
      const join = new Declared(`sha256:${'ab'.repeat(32)}`).join(JoinToken.fromFile('/var/lib/edge/join-token'), {
        runtime: 'cri-o',
        machineSettings: {
          registries: [
            {
              registry: 'docker.io',
              mirrors: ['https://a.example:5000/v2/hub', 'http://b.example', 'https://c.example/'],
              ca: ca('one'),
            },
            { registry: 'registry.k8s.io', mirrors: ['https://c.example'], ca: ca('two') },
            {
              registry: 'registry.example:5000',
              mirrors: ['https://registry.example:5000'],
              ca: `${ca('a')}${ca('b')}`,
            },
          ],
        },
      });
      for (const { path, content } of join.files.filter((file) => file.path.startsWith('/etc/containers/'))) {
        const file = pathOf(folder, path.replace('/etc/containers/', ''));
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, content);
      }
      const secure = (reference: string, authorities = 0): object => ({ reference, insecure: false, authorities });
      proof.same(
        'images come from the mirrors in their order and then from the registry, each with its CA',
        pullSources(folder, [
          'docker.io/library/nginx:1.29',
          'registry.k8s.io/pause:3.10.2',
          'registry.example:5000/a/b:1',
          'quay.io/x/y:1',
        ]),
        {
          'docker.io/library/nginx:1.29': [
            secure('a.example:5000/hub/library/nginx:1.29', 1),
            { reference: 'b.example/library/nginx:1.29', insecure: true, authorities: 0 },
            secure('c.example/library/nginx:1.29', 2),
            secure('docker.io/library/nginx:1.29'),
          ],
          'registry.k8s.io/pause:3.10.2': [secure('c.example/pause:3.10.2', 2), secure('registry.k8s.io/pause:3.10.2')],
          'registry.example:5000/a/b:1': [
            secure('registry.example:5000/a/b:1', 2),
            secure('registry.example:5000/a/b:1', 2),
          ],
          'quay.io/x/y:1': null,
        },
      );
      for (const [minor, tool] of KUBEADM) {
        const list = (...more: string[]): string =>
          execFileSync(programOf(tool), ['config', 'images', 'list', '--kubernetes-version', `${minor}.0`, ...more], {
            encoding: 'utf8',
            stdio: ['ignore', 'pipe', 'ignore'],
          });
        const pause = (images: string): string | undefined =>
          images.split('\n').find((image) => image.includes('/pause:'));
        const declared = new Declared(`sha256:${'ab'.repeat(32)}`, minor);
        const image = (sandboxImage: 'kubeadm' | { imageRepository: string }): string | undefined =>
          /pause_image = "(.*)"/.exec(
            declared
              .join(JoinToken.fromFile('/var/lib/edge/join-token'), { runtime: 'cri-o', sandboxImage })
              .files.find(({ path }) => path.startsWith('/etc/crio/'))?.content ?? '',
          )?.[1];
        proof.same(`kubeadm ${minor} names the same pause image`, image('kubeadm'), pause(list()));
        const imageRepository = 'registry.example:5000/k8s';
        proof.same(
          `kubeadm ${minor} names the same one of another registry`,
          image({ imageRepository }),
          pause(list('--image-repository', imageRepository)),
        );
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    return Promise.resolve();
  },
};

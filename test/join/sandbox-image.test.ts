/** The pause image that kubeadm names. */
import { JoinToken, KubeadmConfigTemplate, type NodeJoinProps } from 'edge-nodepools';
import { declareJoin, WAYS } from '../properties/join-arbitraries.js';

const fileOf = (kubernetes: string, props: Partial<NodeJoinProps>, path: string): string =>
  declareJoin(
    { openYurt: 'none', kubernetes, via: 'kubeadm' },
    JoinToken.fromFile('/var/lib/edge/join-token'),
    props,
  ).join.files.find((file) => file.path.endsWith(path))?.content ?? '';

/** `PauseVersion` in `cmd/kubeadm/app/constants/constants.go` of the last patch release of each minor. */
const PAUSE = {
  '1.22': '3.5',
  '1.23': '3.6',
  '1.24': '3.7',
  '1.25': '3.8',
  '1.26': '3.9',
  '1.27': '3.9',
  '1.28': '3.9',
  '1.29': '3.9',
  '1.30': '3.9',
  '1.31': '3.10',
  '1.32': '3.10',
  '1.33': '3.10',
  '1.34': '3.10.1',
  '1.35': '3.10.1',
  '1.36': '3.10.2',
  '1.37': '3.10.2',
};

describe('the sandbox image of kubeadm', () => {
  it.each(Object.entries(PAUSE))('of Kubernetes %s is pause:%s, with both runtimes', (kubernetes, pause) => {
    const image = `registry.k8s.io/pause:${pause}`;
    expect(fileOf(kubernetes, { sandboxImage: 'kubeadm' }, '/join.sh')).toContain(`sandbox_image "${image}"`);
    expect(
      fileOf(kubernetes, { sandboxImage: 'kubeadm', runtime: 'cri-o' }, '/crio.conf.d/10-edge-nodepools.conf'),
    ).toBe(`[crio.image]\npause_image = "${image}"\n`);
  });

  it('comes from another registry, with or without a slash at its end', () => {
    for (const imageRepository of ['registry.example:5000/k8s', 'registry.example:5000/k8s/']) {
      expect(fileOf('1.36', { sandboxImage: { imageRepository } }, '/join.sh')).toContain(
        'sandbox_image "registry.example:5000/k8s/pause:3.10.2"',
      );
    }
  });

  it('is also that of yurtadm and of templates of Cluster API', () => {
    const way = WAYS.find(({ via, openYurt }) => via === 'yurtadm' && openYurt === '1.6');
    const token = JoinToken.fromFile('/var/lib/edge/join-token');
    const { join } = declareJoin(way as (typeof WAYS)[number], token, { sandboxImage: 'kubeadm' });
    expect(join.script).toMatch(/--pause-image=.*registry.k8s.io.pause:3.9/);
    const { chart, pool } = declareJoin({ openYurt: 'none', kubernetes: '1.34', via: 'kubeadm' }, token);
    new KubeadmConfigTemplate(chart, 'template', { pool, sandboxImage: { imageRepository: 'registry.example' } });
    expect(JSON.stringify(chart.toJson())).toContain('registry.example/pause:3.10.1');
  });
});

import * as pulumi from '@pulumi/pulumi';
import { App, Chart } from 'cdk8s';
import * as constructs from 'edge-nodepools';
import * as components from 'edge-nodepools/pulumi';
import { EdgeCluster, HostNetworkNodePool, NodeJoin } from 'edge-nodepools/pulumi';
import { record } from './recorded.js';

/** A node of a Cloud pool joins as a cloud node, in both bindings: its pool has the type. */
const token = constructs.JoinToken.fromFile('/var/lib/edge/join-token');

const clusterOf = (openYurt: string, kubernetes: string): any => ({
  openYurt,
  kubernetes,
  apiServer: '10.0.0.1:6443',
  caCertHashes: [`sha256:${'0'.repeat(64)}`],
});

function synthesized(release: any, type: any, options: object): string {
  const chart = new Chart(new App(), 'chart');
  constructs.EdgeWarnings.setMode(chart, 'silent');
  const cluster = constructs.EdgeCluster.of(release);
  const pool = new constructs.RegularNodePool(chart, 'pool', { cluster, poolName: 'office', type });
  return new constructs.NodeJoin(chart, 'join', { pool, token, ...options }).userData;
}

async function declared(release: any, type: any, options: object): Promise<string> {
  let userData = '';
  const { errors } = await record(() => {
    const cluster = components.EdgeCluster.of(release);
    const pool = new components.RegularNodePool('pool', { cluster, poolName: 'office', type });
    new components.NodeJoin('join', { pool, token, ...options }).userData.apply((text) => (userData = text));
  });
  expect(errors).toEqual([]);
  return userData;
}

describe('a join to a Cloud pool', () => {
  const yurtadm = { via: 'yurtadm' as const };

  it.each<[string, any, object, string, string]>([
    ['by yurtadm of OpenYurt 1.6', clusterOf('1.6', '1.30'), yurtadm, '--node-type=cloud', '--node-type=edge'],
    ['by default of OpenYurt 1.7', clusterOf('1.7', '1.34'), {}, ', by kubeadm', ', by label-driven'],
  ])('%s is that of the construct', async (_, release, options, ofCloud, ofEdge) => {
    for (const [type, expected, other] of [
      ['Cloud', ofCloud, ofEdge],
      ['Edge', ofEdge, ofCloud],
    ]) {
      const userData = synthesized(release, type, options);
      expect(userData).toContain(expected);
      expect(userData).not.toContain(other);
      expect(await declared(release, type, options)).toBe(userData);
      expect(await declared(release, pulumi.output(type), options)).toBe(userData);
    }
  });
});

/** A join with Outputs in what a bare machine is given. */
const CLUSTER: any = {
  openYurt: '1.7',
  kubernetes: '1.34',
  apiServer: '10.0.0.1:6443',
  caCertHashes: [`sha256:${'ab'.repeat(32)}`],
};
const TEXTS = ['userData', 'files', 'joinConfiguration', 'contentHash', 'leaveScript', 'updateScript'] as const;

function expected(props: any): object {
  const chart = new Chart(new App(), 'chart');
  constructs.EdgeWarnings.setMode(chart, 'silent');
  const cluster = constructs.EdgeCluster.of(CLUSTER);
  const pool = constructs.HostNetworkNodePool.fromPoolName(chart, 'pool', { cluster, poolName: 'hz' });
  const join: any = new constructs.NodeJoin(chart, 'it', { pool, token, ...props });
  return Object.fromEntries(TEXTS.map((name) => [name, join[name]]));
}

async function made(props: any): Promise<object> {
  let texts = {};
  const { errors } = await record(async () => {
    const pool = HostNetworkNodePool.fromPoolName({ cluster: EdgeCluster.of(CLUSTER), poolName: 'hz' });
    const join: any = new NodeJoin('it', { pool, token, ...props });
    texts = Object.fromEntries(await Promise.all(TEXTS.map(async (name) => [name, await join[name].promise(true)])));
  });
  expect(errors).toEqual([]);
  return texts;
}

const crio = {
  runtime: 'cri-o',
  sandboxImage: { imageRepository: 'registry.example' },
  packages: { manager: 'dnf', version: '1.34.2', folder: '/srv/rpm', runtime: { name: 'cri-o', version: '1.34.1' } },
  machineSettings: {
    systemdCgroup: false,
    registries: [{ registry: 'docker.io', mirrors: ['https://mirror.example'] }],
  },
};
const containerd = {
  runtime: 'containerd',
  sandboxImage: 'kubeadm',
  packages: { manager: 'apt', version: '1.34.2', runtime: { name: 'containerd.io', version: '1.7.27' } },
};

describe('packages, mirrors and the sandbox image of a join', () => {
  it.each([
    ['CRI-O', crio],
    ['containerd', containerd],
  ])('with %s, of which the image may be an Output', async (_, props) => {
    const { sandboxImage } = props;
    const wanted = expected(props);
    for (const late of [
      { sandboxImage: pulumi.output(sandboxImage) },
      {
        sandboxImage:
          typeof sandboxImage === 'string' ? sandboxImage : { imageRepository: pulumi.output('registry.example') },
      },
    ]) {
      expect(await made({ ...props, ...late })).toEqual(wanted);
    }
  });
});

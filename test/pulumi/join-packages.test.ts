/** A join with Outputs in what a bare machine is given. */
import * as pulumi from '@pulumi/pulumi';
import { App, Chart } from 'cdk8s';
import * as constructs from 'edge-nodepools';
import { EdgeCluster, HostNetworkNodePool, JoinToken, NodeJoin } from 'edge-nodepools/pulumi';
import { record } from './recorded.js';

const CLUSTER: any = {
  openYurt: '1.7',
  kubernetes: '1.34',
  apiServer: '10.0.0.1:6443',
  caCertHashes: [`sha256:${'ab'.repeat(32)}`],
};
const TEXTS = ['userData', 'files', 'joinConfiguration', 'contentHash', 'leaveScript', 'updateScript'] as const;
const token = JoinToken.fromFile('/var/lib/edge/join-token');

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
  ])('with %s may be Outputs, as a whole and in part', async (_, props) => {
    const { packages, sandboxImage, runtime } = props;
    const wanted = expected(props);
    for (const late of [
      { packages: pulumi.output(packages) },
      { packages: { ...packages, version: pulumi.output(packages.version) } },
      { packages: { ...packages, runtime: pulumi.output(packages.runtime) } },
      { packages: { ...packages, runtime: { ...packages.runtime, name: pulumi.output(packages.runtime.name) } } },
      { sandboxImage: pulumi.output(sandboxImage) },
      {
        sandboxImage:
          typeof sandboxImage === 'string' ? sandboxImage : { imageRepository: pulumi.output('registry.example') },
      },
      { runtime: pulumi.output(runtime) },
    ]) {
      expect(await made({ ...props, ...late })).toEqual(wanted);
    }
  });
});

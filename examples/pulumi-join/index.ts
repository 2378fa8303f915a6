import * as pulumi from '@pulumi/pulumi';
import { BootstrapToken, EdgeCluster, HostNetworkNodePool, NodeJoin, NodeReservation } from 'edge-nodepools/pulumi';
import { Instance } from './instance.js';

const config = new pulumi.Config();

const cluster = EdgeCluster.of({
  openYurt: '1.7',
  kubernetes: '1.34',
  apiServer: 'api.shops.example:6443',
  caCertHashes: [config.require('caCertHash')],
  yurthub: true,
});

const shops = new HostNetworkNodePool('shops', {
  cluster,
  poolName: 'shops',
  registrationTaint: true,
  reservation: NodeReservation.preset('edge-small'),
});

// A secret of the stack: pulumi config set --secret joinToken "$(kubeadm token generate)"
const token = config.requireSecret('joinToken');
new BootstrapToken('shops-token', { token, expiration: config.require('validUntil') });

const join = new NodeJoin('shops-join', {
  pool: shops,
  token,
  packages: { manager: 'apt', version: '1.34.2' },
  provider: 'openstack',
});

const machines = ['shop-1', 'shop-2'].map(
  (name) =>
    new Instance(
      name,
      { name, imageName: 'debian-13', flavorName: 'm1.small', userData: join.userData },
      {
        // the provider may return the user-data without marking it as a secret
        additionalSecretOutputs: ['userData'],
        // a new token changes the user-data; machines that have joined do not need it
        ignoreChanges: ['userData'],
      },
    ),
);

/** The machines of the pool. */
export const machineIds = machines.map(({ id }) => id);
/** Script that resets a node: run it on a machine before you delete the machine. */
export const leaveScript = join.leaveScript;

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import { EdgeCluster, HostNetworkNodePool, JoinToken, NodeJoin, parseMachines } from 'edge-nodepools';

/** One join for the machines of an inventory file. */
export class ShopsChart extends Chart {
  public readonly machines: NodeJoin;

  constructor(scope: Construct, id: string) {
    super(scope, id, { namespace: 'shops' });
    const cluster = EdgeCluster.of({
      openYurt: '1.7',
      kubernetes: '1.34',
      apiServer: 'api.shops.example:6443',
      // kubeadm token create --print-join-command prints it
      caCertHashes: ['sha256:4a6b1d2f8c90e37512ab34cd56ef78900b1c2d3e4f5061728394a5b6c7d8e9f0'],
    });
    const pool = new HostNetworkNodePool(this, 'pool', { cluster, poolName: 'shops' });
    this.machines = new NodeJoin(this, 'machines', {
      pool,
      token: JoinToken.fromFile('/var/lib/edge/join-token', { removeAfterJoin: true }),
      machines: parseMachines(readFileSync(join(__dirname, 'machines.csv'), 'utf8'), 'machines.csv'),
      ntpServers: ['ntp.example'],
      service: {},
    });
  }
}

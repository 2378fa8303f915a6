import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import { EdgeCluster, EdgePreconditions } from 'edge-nodepools';

// OpenYurt 1.5 is the last release whose yurt-manager runs a node lifecycle controller of its own.
export const cluster = EdgeCluster.of({ openYurt: '1.5', kubernetes: '1.28' });

/** What the cluster has, as kubectl and a control-plane node show it. */
export const present = (name: string): string => readFileSync(join(__dirname, 'cluster', `${name}.yaml`), 'utf8');

/** Prepares a cluster for edge pools, from what it has. */
export class PreparedCluster extends Chart {
  public readonly preconditions: EdgePreconditions;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.preconditions = new EdgePreconditions(this, 'preconditions', {
      cluster,
      // required by this release: made without being asked for
      kubeControllerManager: { staticPod: present('kube-controller-manager') },
      // optional: made because it is asked for
      corefile: {
        configMap: present('coredns-configmap'),
        forwarders: [{ zone: 'site-hz.example', to: ['10.20.0.2', '10.20.0.3'] }],
      },
      coreDnsService: { apply: true, service: present('kube-dns-service') },
      coreDnsDaemonSet: { apply: true, deployment: present('coredns-deployment') },
    });
  }
}

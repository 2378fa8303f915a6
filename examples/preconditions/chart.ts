import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chart } from 'cdk8s';
import type { Construct } from 'constructs';
import { EdgeCluster, EdgePreconditions } from 'edge-nodepools';

// OpenYurt 1.5 is the last release whose yurt-manager runs its own node lifecycle controller.
export const cluster = EdgeCluster.of({ openYurt: '1.5', kubernetes: '1.28' });

/** The current objects of the cluster, from kubectl and a control-plane node. */
export const present = (name: string): string => readFileSync(join(__dirname, 'cluster', `${name}.yaml`), 'utf8');

/** Prepares an existing cluster for edge pools. */
export class PreparedCluster extends Chart {
  public readonly preconditions: EdgePreconditions;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.preconditions = new EdgePreconditions(this, 'preconditions', {
      cluster,
      // required by this release: applied by default
      kubeControllerManager: { staticPod: present('kube-controller-manager') },
      // optional: applied on request
      corefile: {
        configMap: present('coredns-configmap'),
        forwarders: [{ zone: 'site-hz.example', to: ['10.20.0.2', '10.20.0.3'] }],
      },
      coreDnsService: { apply: true, service: present('kube-dns-service') },
      coreDnsDaemonSet: { apply: true, deployment: present('coredns-deployment') },
    });
  }
}

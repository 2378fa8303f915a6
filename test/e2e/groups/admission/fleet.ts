import { App, Chart, Testing } from 'cdk8s';
import {
  EdgeCluster,
  type EdgeClusterProps,
  RegularNodePool,
  EdgeWarnings,
  HostNetworkNodePool,
  PoolAdmission,
  type PoolAdmissionProps,
} from 'edge-nodepools';
import type { ControlPlane, ControlPlaneProps } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import { pod } from './pod-requests.js';
import { ANNOTATION, LABEL, MEMBERSHIP } from './requests.js';
import { ofChosenMinors } from '../../harness/minors.js';

/** An API server, and the policies for it. */
export interface Tier {
  readonly kubernetes: string;
  readonly props: Partial<PoolAdmissionProps>;
  readonly mutates: boolean;
  readonly plane?: Partial<ControlPlaneProps>;
}

export const V1BETA1 = 'admissionregistration.k8s.io/v1beta1';

/** API servers of every kind: without and with mutating policies. */
const ALL_TIERS: readonly Tier[] = [
  { kubernetes: '1.30', props: {}, mutates: false },
  { kubernetes: '1.34', props: {}, mutates: false },
  {
    kubernetes: '1.34',
    props: { mutatingAdmissionPolicy: 'v1beta1' },
    mutates: true,
    plane: { featureGates: { MutatingAdmissionPolicy: true }, runtimeConfig: [V1BETA1] },
  },
  { kubernetes: '1.36', props: {}, mutates: true },
  { kubernetes: '1.37', props: {}, mutates: true },
];
export const TIERS = ofChosenMinors(ALL_TIERS, ({ kubernetes }) => kubernetes);

/** A host-network pool, a regular one, and the policies. */
export function fleet(
  kubernetes: string,
  props: Partial<PoolAdmissionProps> = {},
  openYurt = '1.7',
  more: Partial<EdgeClusterProps> = {},
) {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'fleet');
  const cluster = EdgeCluster.of({ openYurt, kubernetes, ...more });
  new HostNetworkNodePool(chart, 'hz', { cluster, poolName: 'hz' });
  new RegularNodePool(chart, 'regular', { cluster, poolName: 'regular' });
  const admission = new PoolAdmission(chart, 'admission', { cluster, ...props });
  const objects = Testing.synth(chart);
  const isPool = ({ kind }: any): boolean => kind === 'NodePool';
  return { admission, pools: objects.filter(isPool), policies: objects.filter((object) => !isPool(object)) };
}

/** The API server uses new policies within about a second; their effect shows it. */
export async function inForce(plane: ControlPlane, mutates: boolean, proof: Proof): Promise<void> {
  const dryRun = { query: { dryRun: 'All' } };
  const merge = { ...dryRun, contentType: 'application/merge-patch+json' };
  const status = async (path: string, patch: object): Promise<number> =>
    (await plane.api.send('PATCH', path, patch, merge)).status;
  await proof.eventually(`Kubernetes ${plane.kubernetes}: the policies are in force`, async () => {
    const made = await plane.api.send(
      'POST',
      '/api/v1/namespaces/default/pods',
      pod({}, { [ANNOTATION]: 'true' }),
      dryRun,
    );
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'probe', labels: { [MEMBERSHIP]: 'hz' } } };
    const registered = await plane.api.send('POST', '/api/v1/nodes', node, dryRun);
    const pools = '/apis/apps.openyurt.io/v1beta2/nodepools';
    const template = { spec: { template: { metadata: { annotations: { [ANNOTATION]: 'true' } } } } };
    const daemonSet = await plane.api.send(
      'PATCH',
      '/apis/apps/v1/namespaces/default/daemonsets/annotated',
      template,
      merge,
    );
    return (
      // a refusal has no spec: waits for what does not exist yet
      (!mutates ||
        (made.body.spec?.affinity !== undefined &&
          registered.body.metadata?.labels?.[LABEL] === 'true' &&
          daemonSet.body.spec?.template.spec.affinity !== undefined)) &&
      (await status('/api/v1/nodes/free', { metadata: { labels: { [LABEL]: null } } })) === 403 &&
      (await status(`${pools}/hz`, { spec: { hostNetwork: false } })) === 403
    );
  });
}

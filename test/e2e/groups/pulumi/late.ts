import { corednsConfigMap } from '../../../corpus/kube-system.js';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import { PulumiProject } from '../../harness/pulumi-project.js';
import type { LateSettings } from '../../programs/late.js';

const POOLS = '/apis/apps.openyurt.io/v1beta2/nodepools';
const COREFILE = '/api/v1/namespaces/kube-system/configmaps/coredns';

/** Outputs of whole maps, workloads and addresses, which are unknown at preview; a second update changes nothing. */
export async function late(plane: ControlPlane, proof: Proof): Promise<void> {
  const project = new PulumiProject(plane.folder, 'late', plane.kubeconfig);
  const settings: LateSettings = {};
  await plane.api.must('POST', '/api/v1/namespaces/kube-system/configmaps', corednsConfigMap());

  const preview = project.preview(settings);
  proof.that('late: preview succeeds', preview.status === 0, preview.said);
  const refused = project.up({ refused: true } satisfies LateSettings);
  proof.that('late: an invalid label fails the update', refused.status !== 0, refused.said);
  proof.that('late: with its code and path', /EDGE_LABEL +labels\.site/.test(refused.said), refused.said);
  const see = /see node_modules\/edge-nodepools\/docs\/troubleshooting\.md#edge_label$/m;
  proof.that('late: with the page that explains the code', see.test(refused.said), refused.said);
  proof.same('late: its pool is not created', (await plane.api.send('GET', `${POOLS}/refused`)).status, 404);

  const up = project.up(settings);
  proof.that('late: the update succeeds', up.status === 0, up.said);
  const { uid, userData } = project.outputs();
  const pool = await plane.api.must('GET', `${POOLS}/late`);
  proof.same('late: an Output of all labels arrives', pool.spec.labels, { site: uid, of: 'late' });
  const agent = await plane.api.must('GET', '/apis/apps/v1/namespaces/default/daemonsets/late-agent');
  const { spec, metadata } = agent.spec.template;
  proof.same(
    'late: an Output of a whole workload runs on the host network of the pool',
    [metadata.labels.site, spec.hostNetwork, spec.nodeSelector],
    [uid, true, { 'apps.openyurt.io/nodepool': 'late' }],
  );
  const web = await plane.api.must('GET', '/apis/apps/v1/namespaces/default/deployments/late-web');
  proof.that(
    'late: another one is excluded from host-network nodes',
    JSON.stringify(web.spec.template.spec.affinity).includes('nodepool.openyurt.io/hostnetwork'),
    web.spec.template.spec,
  );
  proof.that('late: a join has the address of the API server', userData.includes(`api-${uid}.example:6443`), userData);
  const { data } = await plane.api.must('GET', COREFILE);
  proof.that('late: the Corefile has the zone', data.Corefile.includes('site-hz.example'), data);

  const second = project.up(settings, ['--expect-no-changes']);
  proof.that('late: a second update changes nothing, the Corefile too', second.status === 0, second.said);
  const shorter = project.up({ shorter: true } satisfies LateSettings);
  proof.that('late: an update without one of the labels succeeds', shorter.status === 0, shorter.said);
  proof.same('late: the label is gone', (await plane.api.must('GET', `${POOLS}/late`)).spec.labels, { site: uid });

  const destroy = project.destroy(settings);
  proof.that('late: destroy succeeds', destroy.status === 0, destroy.said);
  proof.same('late: the pool is gone', (await plane.api.send('GET', `${POOLS}/late`)).status, 404);
  await plane.api.must('DELETE', COREFILE);
}

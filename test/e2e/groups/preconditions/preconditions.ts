import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { App, Chart } from 'cdk8s';
import { EdgeCluster, EdgePreconditions, EdgeWarnings, type Precondition } from 'edge-nodepools';
import { type ControlPlane, toolsOf, WITH_ROLLOUTS } from '../../harness/control-plane.js';
import type { Group, Proof } from '../../harness/group.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { documents } from '../../harness/kubectl.js';
import { runScript } from '../../harness/script.js';
import { FakeKubelets } from '../../harness/fake-kubelets.js';
import { KUBEADM, KubeadmAddOns } from '../../harness/kubeadm-add-ons.js';
import { byCommand } from './command.js';

const PROPS = WITH_ROLLOUTS;

const NAMES = {
  corefile: { apiVersion: 'v1', kind: 'ConfigMap', name: 'coredns' },
  service: { apiVersion: 'v1', kind: 'Service', name: 'kube-dns' },
  deployment: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'coredns' },
  proxyConfig: { apiVersion: 'v1', kind: 'ConfigMap', name: 'kube-proxy' },
  proxy: { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'kube-proxy' },
} as const;
type Name = keyof typeof NAMES;

const referenceTo = (name: Name): any => {
  const { name: objectName, ...others } = NAMES[name];
  return { ...others, metadata: { name: objectName, namespace: 'kube-system' } };
};

const COREDNS_DAEMON_SET = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'coredns', namespace: 'kube-system' },
};

async function objectsNow(plane: ControlPlane): Promise<Record<Name, any>> {
  const names = Object.keys(NAMES) as Name[];
  const objects = await Promise.all(
    names.map(async (name) => plane.api.must('GET', await plane.api.pathOf(referenceTo(name)))),
  );
  return Object.fromEntries(names.map((name, index) => [name, objects[index]])) as Record<Name, any>;
}

/** The fields of a user in an object: without those of the API server and the controllers. */
function written(object: any): any {
  const { status: _status, metadata, ...others } = structuredClone(object);
  const { managedFields: _fields, resourceVersion: _version, generation: _generation, annotations, ...own } = metadata;
  delete annotations?.['deprecated.daemonset.template.generation'];
  delete annotations?.['deployment.kubernetes.io/revision'];
  return { ...others, metadata: { ...own, annotations: annotations ?? {} } };
}

/** Pods of a workload of CoreDNS; the DaemonSet and the Deployment have the same labels, so the owner distinguishes them. */
async function podsOwnedBy(plane: ControlPlane, kind: 'DaemonSet' | 'ReplicaSet'): Promise<any[]> {
  const { items } = await plane.api.must('GET', '/api/v1/namespaces/kube-system/pods', undefined, {
    query: { labelSelector: 'k8s-app=kube-dns' },
  });
  return items.filter(({ metadata }: any) => metadata.ownerReferences?.some((owner: any) => owner.kind === kind));
}

/** Pods that answer DNS: Ready Pods that the Service selects. */
async function answering(plane: ControlPlane): Promise<any[]> {
  const { items } = await plane.api.must('GET', '/api/v1/namespaces/kube-system/pods', undefined, {
    query: { labelSelector: 'k8s-app=kube-dns' },
  });
  return items.filter(
    ({ metadata, status }: any) =>
      metadata.deletionTimestamp === undefined &&
      (status.conditions ?? []).some((each: any) => each.type === 'Ready' && each.status === 'True'),
  );
}

/** All five preconditions with `guide: 'tunnel'`, in a cluster of kubeadm. */
function prepare(
  plane: ControlPlane,
  now: Record<Name, any>,
  artifactFolder = 'preconditions',
): { folder: string; made: EdgePreconditions } {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const made = new EdgePreconditions(new Chart(app, 'system'), 'preconditions', {
    cluster: EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' }),
    guide: 'tunnel',
    artifactFolder,
    corefile: { configMap: now.corefile },
    coreDnsService: { service: now.service },
    coreDnsDaemonSet: { deployment: now.deployment },
    kubeProxy: { configMap: now.proxyConfig, daemonSet: now.proxy, verbosity: 6 },
  });
  for (const { path, content } of made.artifacts) {
    const file = join(plane.folder, ...path.split('/'));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return { folder: join(plane.folder, artifactFolder), made };
}

/** Which preconditions hold in the cluster. */
function holding(now: Record<Name, any>): Partial<Record<Precondition['component'], boolean>> {
  return {
    corefile: now.corefile.data.Corefile.includes('hosts /etc/edge/tunnel-nodes'),
    'coredns-service': now.service.metadata.annotations['openyurt.io/topologyKeys'] === 'openyurt.io/nodepool',
    'coredns-daemon-set': now.deployment.spec.replicas === 0,
    'kube-proxy': now.proxyConfig.data['config.conf'].includes('#kubeconfig:'),
  };
}

async function cluster(plane: ControlPlane, proof: Proof): Promise<void> {
  const addOns = new KubeadmAddOns(plane.folder);
  await plane.nodes.fake('regular-1');
  await plane.nodes.fake('regular-2');
  await plane.nodes.fake('edge-1', { 'nodepool.openyurt.io/hostnetwork': 'true' });
  addOns.install('coredns', plane.kubeconfig);
  addOns.install('kube-proxy', plane.kubeconfig);
  await proof.eventually('kubeadm starts CoreDNS', async () => (await answering(plane)).length === 2, 60);
  const before = await objectsNow(plane);
  const { folder, made } = prepare(plane, before);
  let fewest = Number.POSITIVE_INFINITY;
  const look = async (): Promise<void> => {
    fewest = Math.min(fewest, (await answering(plane)).length);
  };

  const all = { corefile: true, 'coredns-service': true, 'coredns-daemon-set': true, 'kube-proxy': true };
  const endState = async (when: string): Promise<Record<Name, any>> => {
    const now = await objectsNow(plane);
    proof.same(`${when}: all preconditions hold`, holding(now), all);
    const pods = async (): Promise<string[]> =>
      (await podsOwnedBy(plane, 'DaemonSet')).map(({ spec }: any) => String(spec.nodeName)).sort();
    await proof.eventually(
      `${when}: CoreDNS is on each regular node and on no other`,
      async () => (await pods()).join() === 'regular-1,regular-2',
    );
    await proof.eventually(
      `${when}: the Deployment has no Pod`,
      async () => (await podsOwnedBy(plane, 'ReplicaSet')).length === 0,
    );
    return now;
  };
  await runScript(plane, folder, 'apply.sh', look);
  const after = await endState('after apply.sh');
  proof.that('the cluster always had a DNS that answers', fewest > 0, String(fewest));
  const hash = after.proxy.spec.template.metadata.annotations?.['edge-nodepools/config-hash'];
  proof.that('kube-proxy is rolled', typeof hash === 'string');
  proof.that('kube-proxy is verbose', after.proxy.spec.template.spec.containers[0].command.includes('--v=6'));
  const others = { ...after.proxyConfig.data, 'config.conf': undefined };
  proof.same('the kubeconfig in the ConfigMap does not change', others, {
    ...before.proxyConfig.data,
    'config.conf': undefined,
  });

  const versions = (now: Record<Name, any>): string[] =>
    Object.values(now).map(({ metadata }) => metadata.resourceVersion);
  await runScript(plane, folder, 'apply.sh', look);
  proof.same('a second run of apply.sh changes nothing', versions(await objectsNow(plane)), versions(after));

  addOns.install('coredns', plane.kubeconfig);
  addOns.install('kube-proxy', plane.kubeconfig);
  const upgraded = holding(await objectsNow(plane));
  for (const { component, lostAfter } of made.report) {
    if (component in upgraded) {
      proof.same(
        `kubeadm run again: ${component} as documented`,
        upgraded[component],
        !lostAfter.includes('kubeadm upgrade'),
      );
    }
  }
  await runScript(plane, folder, 'apply.sh', look);
  await endState('after kubeadm and apply.sh');

  fewest = Number.POSITIVE_INFINITY;
  await runScript(plane, folder, 'revert.sh', look);
  proof.that('the rollback always had a DNS that answers', fewest > 0, String(fewest));
  const reverted = await objectsNow(plane);
  for (const name of Object.keys(NAMES) as Name[]) {
    proof.same(`the rollback restores ${name} field by field`, written(reverted[name]), written(before[name]));
  }
  const left = await plane.api.send('GET', await plane.api.pathOf(COREDNS_DAEMON_SET));
  proof.that('and leaves no DaemonSet', left.status === 404 || left.body.metadata.deletionTimestamp !== undefined);
}

/** Objects of client-side `kubectl apply`: a server-side apply by kubectl would remove fields, so patches are written. */
async function appliedByKubectl(plane: ControlPlane, proof: Proof): Promise<void> {
  const look = (): Promise<void> => Promise.resolve();
  const beforeAny = await objectsNow(plane);
  const ofKubeadm = prepare(plane, beforeAny, 'for-kubeadm');
  const manifests = Object.values(beforeAny).map((object) => {
    const { uid: _uid, creationTimestamp: _created, ...metadata } = written(object).metadata;
    return { ...written(object), metadata };
  });
  const applied = plane.kubectl(['apply', '-f', '-'], documents(manifests));
  proof.that('kubectl apply accepts the objects', applied.status === 0, applied.stderr);
  const before = await objectsNow(plane);
  const refused = await runScript(plane, ofKubeadm.folder, 'apply.sh', look).catch((error: Error) => error.message);
  proof.that('a script that would remove fields stops', refused.includes('came by plain kubectl apply'), refused);
  const untouched = await objectsNow(plane);
  for (const name of Object.keys(NAMES) as Name[]) {
    proof.same(`and does not change ${name}`, written(untouched[name]), written(before[name]));
  }

  const { folder } = prepare(plane, before, 'for-kubectl');
  for (const time of ['once', 'twice']) {
    await runScript(plane, folder, 'apply.sh', look);
    const now = await objectsNow(plane);
    const all = { corefile: true, 'coredns-service': true, 'coredns-daemon-set': true, 'kube-proxy': true };
    proof.same(`by patches, ${time}: all preconditions hold`, holding(now), all);
    proof.same(
      `by patches, ${time}: the kubeconfig in the ConfigMap does not change`,
      now.proxyConfig.data['kubeconfig.conf'],
      before.proxyConfig.data['kubeconfig.conf'],
    );
    proof.same(`by patches, ${time}: the ports of the Service do not change`, now.service.spec, before.service.spec);
  }
  await runScript(plane, folder, 'revert.sh', look);
  const reverted = await objectsNow(plane);
  for (const name of Object.keys(NAMES) as Name[]) {
    proof.same(`by patches: the rollback restores ${name}`, written(reverted[name]), written(before[name]));
  }
}

export const preconditions: Group = {
  name: 'preconditions',
  claim:
    'the scripts prepare a real cluster, DNS answers at every moment, the changes survive kubeadm as documented, and the rollback restores every object field by field; objects of client-side kubectl apply lose no field; the command finds what is missing in a dump, and nothing after its own scripts',
  programs: 'kubeadm, kube-apiserver, kube-scheduler, kube-controller-manager and kubectl 1.36',
  tools: [...toolsOf(PROPS), KUBEADM],
  run: async (proof) => {
    await onControlPlane(PROPS, proof, async (plane) => {
      // slow enough that the cluster has no DNS if a step does not wait
      const kubelets = new FakeKubelets(plane.api, 2000);
      try {
        await cluster(plane, proof);
        await appliedByKubectl(plane, proof);
        await byCommand(plane, proof);
      } finally {
        await kubelets.stop();
      }
    });
  },
};

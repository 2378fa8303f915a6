import { Testing } from 'cdk8s';
import {
  type EdgeError,
  EdgeWarnings,
  ExcludedWorkload,
  HostNetworkNodePool,
  HostNetworkWorkload,
} from 'edge-nodepools';
import { EdgeCluster } from '../../../../src/cluster/edge-cluster.js';
import { ProblemList } from '../../../../src/base/errors.js';
import { OPENYURT_HOST_NETWORK } from '../../../../src/kubernetes/labels.js';
import { podSpecExcludes } from '../../../../src/workloads/exclusion-affinity.js';
import { excludeWorkload } from '../../../../src/workloads/exclusion.js';
import { HOST_NETWORK_TWEAKS, type Tweak, TWEAKS, yurtAppSet } from '../../../corpus/yurt-app-tweaks.js';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';

const POOL = 'shop';
const SETS = '/apis/apps.openyurt.io/v1beta1/namespaces/default/yurtappsets';
const PODS = '/api/v1/namespaces/default/pods';
const TAINT = { key: 'site', value: 'shop', effect: 'NoSchedule' } as const;
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
/** Patches by which the Pod names its node, so that no scheduler reads its affinity. */
const NAMES_A_NODE = ['a node', 'nodename in lower case'];

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });

/** An excluded YurtAppSet on a host-network pool, to which the patches are added afterwards. */
function excludedSet(name: string, { patches }: Tweak): any {
  const { manifest } = excludeWorkload(cluster, yurtAppSet(name, { pools: [POOL] }), {}, new ProblemList()) as any;
  const tweaks = patches.length === 0 ? {} : { workloadTweaks: [{ pools: [POOL], tweaks: { patches } }] };
  return { ...manifest, spec: { ...manifest.spec, workload: { ...manifest.spec.workload, ...tweaks } } };
}

/** Whether a YurtAppSet with these patches is accepted by the library. */
function isAccepted(name: string, tweak: Tweak): boolean {
  return excludeWorkload(cluster, excludedSet(name, tweak), {}, new ProblemList()) !== undefined;
}

/** A YurtAppSet for the host-network pool, as the construct writes it, to which the patches are added afterwards. */
function hostNetworkSet(name: string, patches: readonly object[]): { readonly set: any; readonly isAccepted: boolean } {
  const write = (list: readonly object[]): any => {
    const tweaks = list.length === 0 ? [] : [{ pools: [POOL], tweaks: { patches: list } }];
    const chart = Testing.chart();
    EdgeWarnings.setMode(chart, 'silent');
    const pool = new HostNetworkNodePool(chart, 'pool', { cluster, poolName: POOL, taints: [TAINT] });
    const workload = yurtAppSet(name, { pools: [POOL] }, tweaks);
    return new HostNetworkWorkload(chart, 'web', { pool, workload }).manifest;
  };
  const set = write([]);
  const tweaks = patches.length === 0 ? {} : { workloadTweaks: [{ pools: [POOL], tweaks: { patches } }] };
  let isAccepted = true;
  try {
    write(patches);
  } catch {
    isAccepted = false;
  }
  return { set: { ...set, spec: { ...set.spec, workload: { ...set.spec.workload, ...tweaks } } }, isAccepted };
}

/** YurtAppSets that name the host-network pool, in both versions of the API, with and without the exclusion. */
function setsOfThePool(): { readonly what: string; readonly isExcluded: boolean; readonly set: any }[] {
  const beta = yurtAppSet('beta', { pools: [POOL] });
  const { workload } = beta.spec;
  const membership = { key: 'apps.openyurt.io/nodepool', operator: 'In', values: [POOL] };
  const alpha = {
    ...beta,
    apiVersion: 'apps.openyurt.io/v1alpha1',
    spec: {
      selector: { matchLabels: { app: 'beta' } },
      ...workload,
      topology: { pools: [{ name: POOL, nodeSelectorTerm: { matchExpressions: [membership] }, replicas: 1 }] },
    },
  };
  return [
    ['v1beta1, spec.pools', beta],
    ['v1alpha1, spec.topology.pools', alpha],
  ].flatMap(([what, set]) =>
    [true, false].map((isExcluded) => {
      const name = `${isExcluded ? 'excluded' : 'free'}-${set.apiVersion.split('/')[1]}`;
      const { manifest } = isExcluded
        ? (excludeWorkload(cluster, set, {}, new ProblemList()) as any)
        : { manifest: set };
      return { what, isExcluded, set: { ...manifest, metadata: { ...manifest.metadata, name } } };
    }),
  );
}

/** Whether the library refuses to exclude a YurtAppSet in a program that declares the host-network pool, and where. */
function refusedAt(set: object): string | undefined {
  const chart = Testing.chart();
  EdgeWarnings.setMode(chart, 'silent');
  new HostNetworkNodePool(chart, 'pool', { cluster, poolName: POOL });
  try {
    new ExcludedWorkload(chart, 'web', { cluster, workload: set as any });
    return undefined;
  } catch (error) {
    return (error as EdgeError).problems.map(({ code, path }) => `${code} ${path}`).join();
  }
}

/**
 * What becomes of an excluded YurtAppSet that names a declared host-network pool, which the library refuses: yurt-manager makes a workload for the pool
 * whose Pods can never run. Without the exclusion they are bound there.
 */
async function excludedFromItsPool(plane: ControlPlane, proof: Proof): Promise<void> {
  const sets = setsOfThePool();
  const found = await deploymentsOf(
    plane,
    proof,
    sets.map(({ set }) => set),
  );
  const pods = await podsOf(
    plane,
    proof,
    new Map(sets.map(({ set }) => [set.metadata.name, found.get(set.metadata.name as string)])),
    'named',
  );
  for (const { what, isExcluded, set } of sets) {
    const claim = `yurt-manager 1.7, ${what} with a host-network pool, ${isExcluded ? 'excluded' : 'as it is'}`;
    const { nodeSelector } = found.get(set.metadata.name as string).spec.template.spec;
    proof.same(`${claim}: a Deployment for the pool`, nodeSelector['apps.openyurt.io/nodepool'], POOL);
    const { spec } = pods.get(set.metadata.name as string);
    proof.same(
      isExcluded ? `${claim}: its Pod can never run` : `${claim}: its Pod is bound to a host-network node`,
      spec.nodeName,
      isExcluded ? undefined : 'shop-2',
    );
    const path = what.startsWith('v1beta1') ? 'workload.spec.pools[0]' : 'workload.spec.topology.pools[0].name';
    proof.same(
      `${claim}: excluding it is refused if the pool is declared`,
      refusedAt(set),
      `EDGE_CONTRADICTION ${path}`,
    );
  }
}

/** Creates YurtAppSets, and waits for their Deployments; undefined for one that the API server refuses, or whose Deployment it refuses. */
async function deploymentsOf(plane: ControlPlane, proof: Proof, sets: readonly any[]): Promise<Map<string, any>> {
  const { api } = plane;
  const made = new Set<string>();
  for (const set of sets) {
    const { status } = await api.send('POST', SETS.replace('v1beta1', String(set.apiVersion.split('/')[1])), set);
    if (status < 300) {
      made.add(set.metadata.name as string);
    }
  }
  const found = new Map<string, any>();
  await proof.eventually('yurt-manager 1.7: every YurtAppSet has a Deployment for its pool', async () => {
    const { items } = await api.must('GET', DEPLOYMENTS);
    (items as any[]).forEach((item) => found.set(item.metadata.ownerReferences[0].name as string, item));
    return [...made].every((name) => found.has(name));
  });
  return found;
}

/** The Pods of Deployments as the API server stores them when the scheduler has decided. Without a node, a Pod is unschedulable. */
async function podsOf(
  plane: ControlPlane,
  proof: Proof,
  deployments: Map<string, any>,
  suffix: string,
): Promise<Map<string, any>> {
  const { api } = plane;
  for (const [name, { spec }] of deployments) {
    const { metadata, spec: podSpec } = spec.template;
    await api.must('POST', PODS, { metadata: { ...metadata, name: `${name}-${suffix}` }, spec: podSpec });
  }
  const found = new Map<string, any>();
  await proof.eventually(`the scheduler decides about every Pod ${suffix}`, async () => {
    const { items } = await api.must('GET', PODS);
    for (const pod of items as any[]) {
      const isDecided =
        pod.spec.nodeName !== undefined ||
        (pod.status.conditions ?? []).some(({ reason }: any) => reason === 'Unschedulable');
      if (isDecided && pod.metadata.name.endsWith(`-${suffix}`)) {
        found.set(pod.metadata.name.slice(0, -suffix.length - 1) as string, pod);
      }
    }
    return [...deployments.keys()].every((name) => found.has(name));
  });
  return found;
}

/**
 * What the YurtAppSet controller of yurt-manager 1.7 makes of patches, and where the real scheduler puts the Pods of its Deployments, with its Pod webhook
 * and without: those that we accept keep the exclusion, or the place on a host-network node.
 */
export async function yurtAppSets(plane: ControlPlane, proof: Proof): Promise<void> {
  const { api } = plane;
  await api.must('POST', '/apis/apps.openyurt.io/v1beta2/nodepools', {
    apiVersion: 'apps.openyurt.io/v1beta2',
    kind: 'NodePool',
    metadata: { name: POOL },
    spec: { type: 'Edge', hostNetwork: true },
  });
  const labels = { 'apps.openyurt.io/nodepool': POOL, 'nodepool.openyurt.io/hostnetwork': 'true', disk: 'ssd' };
  await plane.nodes.fake('shop-1', labels, [TAINT]);
  await hostNetworkSets(plane, proof);
  // without a taint, so that nothing but the exclusion keeps a Pod away
  await plane.nodes.fake('shop-2', labels);
  const sets = TWEAKS.map((tweak, index) => ({ tweak, name: `tweak-${index}` }));
  const found = await deploymentsOf(
    plane,
    proof,
    sets.map(({ tweak, name }) => excludedSet(name, tweak)),
  );
  const ours = new Map([...found].filter(([name]) => name.startsWith('tweak-')));
  const plain = new Map([
    [
      'plain',
      { spec: { template: yurtAppSet('plain', {}).spec.workload.workloadTemplate.deploymentTemplate.spec.template } },
    ],
  ]);
  await proof.eventually('the scheduler knows the node: a Pod that is not excluded is there', async () => {
    const [pod] = [...(await podsOf(plane, proof, plain, `scout-${Date.now()}`)).values()];
    return pod?.spec.nodeName === 'shop-2';
  });
  await excludedFromItsPool(plane, proof);
  const withWebhook = await podsOf(plane, proof, ours, 'with-webhook');
  for (const kind of ['mutating', 'validating']) {
    await api.send('DELETE', `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations`);
  }
  const withoutWebhook = await podsOf(plane, proof, ours, 'without-webhook');
  const lured: string[] = [];
  for (const { tweak, name } of sets) {
    const deployment = found.get(name);
    const is =
      deployment === undefined
        ? 'no Deployment'
        : podSpecExcludes(deployment.spec.template.spec, OPENYURT_HOST_NETWORK)
          ? 'excluded'
          : 'free';
    const claim = `yurt-manager 1.7, workloadTweaks: ${tweak.what}`;
    proof.same(claim, is, tweak.in17 ?? (tweak.refused === undefined ? 'excluded' : 'free'));
    proof.that(
      `${claim}: accepted by the library only if it keeps the exclusion`,
      is === 'excluded' || !isAccepted(name, tweak),
      is,
    );
    proof.that(
      `${claim}: refused if it undoes the exclusion`,
      isAccepted(name, tweak) === (tweak.refused === undefined),
    );
    const nodes = [withWebhook, withoutWebhook].map((pods) => pods.get(name)?.spec.nodeName as string | undefined);
    proof.that(
      `${claim}: accepted only if no Pod is on a host-network node`,
      nodes.every((node) => node === undefined) || !isAccepted(name, tweak),
      nodes,
    );
    proof.same(
      `${claim}: without the webhook its Pod is on a host-network node`,
      nodes[1] !== undefined,
      is === 'free' || NAMES_A_NODE.includes(tweak.what),
    );
    if (nodes[0] !== undefined) {
      lured.push(tweak.what);
    }
  }
  // its Pod webhook excludes the others again, because their Pods still have the annotation
  proof.same('yurt-manager 1.7: the patches after which not even its webhook keeps the Pod away', lured, [
    'another template, without the annotation',
    ...NAMES_A_NODE,
  ]);
}

async function hostNetworkSets(plane: ControlPlane, proof: Proof): Promise<void> {
  const sets = HOST_NETWORK_TWEAKS.map((tweak, index) => ({
    tweak,
    name: `pinned-${index}`,
    ...hostNetworkSet(`pinned-${index}`, tweak.patches),
  }));
  const found = await deploymentsOf(
    plane,
    proof,
    sets.map(({ set }) => set),
  );
  const pods = await podsOf(plane, proof, found, 'pinned');
  for (const { tweak, name, isAccepted: isFine } of sets) {
    const spec = pods.get(name)?.spec;
    const works = spec?.nodeName === 'shop-1' && spec.hostNetwork === true && spec.dnsPolicy === 'Default';
    const claim = `yurt-manager 1.7, workloadTweaks of a host-network workload: ${tweak.what}`;
    proof.same(`${claim}: judged as expected`, isFine, tweak.refused === undefined);
    // 1.7 ignores a patch that only removes a field; another release may do what it says
    const isIgnored = JSON.stringify(tweak.patches).includes('"remove"') || tweak.what === 'no nodeSelector';
    proof.same(
      `${claim}: ${isFine || isIgnored ? 'its Pod has the network of the node' : 'its Pod would not work there'}`,
      works,
      isFine || isIgnored,
    );
  }
}

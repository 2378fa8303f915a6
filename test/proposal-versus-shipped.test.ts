/**
 * The documents in which host-network pools were proposed differ from what OpenYurt shipped. Each difference that this library touches is a
 * test here, by its number in the project's list of 25, so that the proposal's YAML does not get into the library by mistake.
 */
import { App, Chart, Testing } from 'cdk8s';
import {
  EdgeCluster,
  type EdgeError,
  RegularNodePool,
  EdgeSystemComponents,
  ExcludedWorkload,
  HostNetworkNodePool,
  HostNetworkWorkload,
  SystemComponent,
} from 'edge-nodepools';
import { daemonSet, deployment, required } from './bad-inputs/case.js';
import { canLeavePool } from '../src/cluster/openyurt-capabilities.js';

const RELEASES: [string, string][] = [
  ['1.4', '1.23'],
  ['1.5', '1.28'],
  ['1.6', '1.30'],
  ['1.7', '1.34'],
];
const clusterOf = ([openYurt, kubernetes]: [string, string]): EdgeCluster => EdgeCluster.of({ openYurt, kubernetes });
const cluster = clusterOf(['1.7', '1.34']);
const chart = (): Chart => new Chart(new App(), 'chart');

function poolObject(release: [string, string], props: object = {}): any {
  const scope = chart();
  new HostNetworkNodePool(scope, 'pool', { cluster: clusterOf(release), poolName: 'beijing', ...props });
  return Testing.synth(scope)[0];
}

function refusal(make: () => unknown): EdgeError {
  try {
    make();
  } catch (error) {
    return error as EdgeError;
  }
  throw new Error('accepted');
}

function excluded(workload: any): any {
  return new ExcludedWorkload(chart(), 'x', { cluster, workload }).manifest;
}

const anyText = (): string =>
  JSON.stringify([
    ...RELEASES.map((release) => poolObject(release, { registrationTaint: true })),
    excluded(daemonSet()),
    Testing.synth(
      new EdgeSystemComponents(chart(), 's', { cluster, exclude: SystemComponent.known() }).patchChart as Chart,
    ),
    new HostNetworkNodePool(chart(), 'p', { cluster, poolName: 'p' }).joinLabels,
  ]);

describe('proposal versus shipped', () => {
  it.each(RELEASES)('1: spec.hostNetwork is a boolean, there is no spec.networkMode (OpenYurt %s)', (...release) => {
    expect(poolObject(release).spec.hostNetwork).toBe(true);
    expect(poolObject(release).spec).not.toHaveProperty('networkMode');
    expect(refusal(() => poolObject(release, { networkMode: 'HostNetwork' })).code).toBe('EDGE_UNKNOWN_PROPERTY');
  });

  it('2: there is no node-network-mode', () => {
    expect(refusal(() => poolObject(['1.7', '1.34'], { 'node-network-mode': true })).code).toBe(
      'EDGE_UNKNOWN_PROPERTY',
    );
    expect(anyText()).not.toContain('network-mode');
  });

  it.each(RELEASES)('3: type Cloud with host network is refused, only Edge is written (OpenYurt %s)', (...release) => {
    expect(refusal(() => poolObject(release, { type: 'Cloud' })).code).toBe('EDGE_CLOUD_HOST_NETWORK');
    expect(poolObject(release).spec.type).toBe('Edge');
  });

  it.each(RELEASES)('4: the API version is the one in which hostNetwork is not lost (OpenYurt %s)', (...release) => {
    expect(poolObject(release).apiVersion).toBe(
      release[0] === '1.7' ? 'apps.openyurt.io/v1beta2' : 'apps.openyurt.io/v1beta1',
    );
  });

  it('5: the node label is nodepool.openyurt.io/hostnetwork, without a dash', () => {
    expect(anyText()).toContain('nodepool.openyurt.io/hostnetwork');
    expect(anyText()).not.toContain('host-network"');
  });

  it('6: the affinity key is the host-network label, not network-mode', () => {
    const [term] =
      excluded(daemonSet()).spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution
        .nodeSelectorTerms;
    expect(term.matchExpressions[0].key).toBe('nodepool.openyurt.io/hostnetwork');
  });

  it('7: the value is the text "true"; a YAML boolean is refused with what to write', () => {
    const [term] =
      excluded(daemonSet()).spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution
        .nodeSelectorTerms;
    expect(term.matchExpressions[0].values).toEqual(['true']);
    const yaml = `
      apiVersion: apps/v1
      kind: DaemonSet
      metadata: { name: kube-proxy }
      spec:
        selector: { matchLabels: { app: kube-proxy } }
        template:
          metadata: { labels: { app: kube-proxy } }
          spec:
            containers: [{ name: kube-proxy, image: registry.example/kube-proxy:1 }]
            affinity:
              nodeAffinity:
                requiredDuringSchedulingIgnoredDuringExecution:
                  nodeSelectorTerms:
                  - matchExpressions:
                    - key: nodepool.openyurt.io/hostnetwork
                      operator: NotIn
                      values:
                        - true`;
    expect(refusal(() => excluded(yaml)).hint).toContain('"true" in quotes');
  });

  it('8: NotIn excludes nodes with the label; nodes without it remain eligible', () => {
    const [term] =
      excluded(daemonSet()).spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution
        .nodeSelectorTerms;
    expect(term.matchExpressions).toEqual([
      { key: 'nodepool.openyurt.io/hostnetwork', operator: 'NotIn', values: ['true'] },
    ]);
  });

  it('9: the node gets its label from OpenYurt’s webhook, and joins with it in case the webhook is down', () => {
    const { joinLabels } = new HostNetworkNodePool(chart(), 'p', { cluster, poolName: 'beijing' });
    expect(joinLabels).toEqual({ 'apps.openyurt.io/nodepool': 'beijing', 'nodepool.openyurt.io/hostnetwork': 'true' });
  });

  it('11: a node is a member by its label, so the join needs no --nodepool-name', () => {
    expect(new HostNetworkNodePool(chart(), 'p', { cluster, poolName: 'beijing' }).nodeSelector).toEqual({
      'apps.openyurt.io/nodepool': 'beijing',
    });
  });

  it('12: no Pod label makes a Pod a hostNetwork Pod; the workload sets hostNetwork', () => {
    const scope = chart();
    const pool = new HostNetworkNodePool(scope, 'p', { cluster, poolName: 'p' });
    const { manifest } = new HostNetworkWorkload(scope, 'w', { pool, workload: daemonSet() }) as any;
    expect(manifest.spec.template.spec.hostNetwork).toBe(true);
    expect(manifest.spec.template.metadata.labels).toEqual({ app: 'web' });
  });

  it('13: the yurthub filter existed in 1.4 only', () => {
    expect(RELEASES.map((release) => clusterOf(release).hasHostNetworkFilter())).toEqual([true, false, false, false]);
  });

  it.each(RELEASES)(
    '14: Pods are not host-network by themselves: HostNetworkWorkload writes hostNetwork on every release (OpenYurt %s)',
    (...release) => {
      const scope = chart();
      const pool = new HostNetworkNodePool(scope, 'p', { cluster: clusterOf(release), poolName: 'p' });
      expect(
        (new HostNetworkWorkload(scope, 'w', { pool, workload: deployment() }).manifest as any).spec.template.spec
          .hostNetwork,
      ).toBe(true);
    },
  );

  it.each(RELEASES)('15: leaving a pool by its label is allowed from 1.7 on (OpenYurt %s)', (...release) => {
    expect(canLeavePool(clusterOf(release))).toBe(release[0] === '1.7');
  });

  it('16: system components are patched by this library, since no chart or controller of OpenYurt does it', () => {
    const { report } = new EdgeSystemComponents(chart(), 's', {
      cluster,
      exclude: [SystemComponent.KUBE_PROXY, SystemComponent.COREDNS, SystemComponent.FLANNEL],
    });
    expect(report.every(({ strategies }) => strategies.length > 0)).toBe(true);
  });

  it('17: the annotation is on the Pod template with exactly "true", the requirement is in every term', () => {
    const result = excluded(
      deployment(
        required([
          { matchExpressions: [{ key: 'a', operator: 'Exists' }] },
          { matchExpressions: [{ key: 'b', operator: 'Exists' }] },
        ]),
      ),
    );
    expect(result.metadata.annotations).toBeUndefined();
    expect(result.spec.template.metadata.annotations).toEqual({ 'apps.openyurt.io/exclude-host-network-pool': 'true' });
    const { nodeSelectorTerms } =
      result.spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution;
    expect(nodeSelectorTerms.map((term: any) => term.matchExpressions.length)).toEqual([2, 2]);
  });

  it('18: a workload with hostNetwork by the filter of 1.4 sets it explicitly, so an upgrade to 1.5 changes nothing', () => {
    const results = RELEASES.slice(0, 2).map((release) => {
      const scope = chart();
      const pool = new HostNetworkNodePool(scope, 'p', { cluster: clusterOf(release), poolName: 'p' });
      return new HostNetworkWorkload(scope, 'w', { pool, workload: daemonSet() }).manifest;
    });
    expect(results[0]).toEqual(results[1]);
  });

  it.each(RELEASES)(
    '23: membership is apps.openyurt.io/nodepool; desired-nodepool is refused as a label (OpenYurt %s)',
    (...release) => {
      const scope = chart();
      const pool = new RegularNodePool(scope, 'p', { cluster: clusterOf(release), poolName: 'p' });
      expect(pool.joinLabels).toEqual({ 'apps.openyurt.io/nodepool': 'p' });
      expect(refusal(() => poolObject(release, { labels: { 'apps.openyurt.io/desired-nodepool': 'p' } })).code).toBe(
        'EDGE_RESERVED_KEY',
      );
    },
  );

  it('25: the proposal’s own example, which is still in the repository, is refused', () => {
    const { problems } = refusal(() => poolObject(['1.4', '1.23'], { type: 'Cloud', hostNetwork: true }));
    expect(problems.map(({ code }) => code)).toEqual(['EDGE_UNKNOWN_PROPERTY', 'EDGE_CLOUD_HOST_NETWORK']);
  });
});

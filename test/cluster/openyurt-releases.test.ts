import {
  EdgeCluster,
  EdgeError,
  HostNetworkNodePool,
  JoinToken,
  KubeadmConfigTemplate,
  NodeReservation,
} from 'edge-nodepools';
import { KUBERNETES_MINORS, lookUpKubernetes } from '../../src/cluster/kubernetes-minors.js';
import {
  isClaimedPair,
  lookUpOpenYurt,
  NEXT_CONVERSION,
  OPENYURT_RELEASES,
  openYurtRow,
} from '../../src/cluster/openyurt-releases.js';
import { canLeavePool } from '../../src/cluster/openyurt-capabilities.js';
import { kubeadmKnowsPatchTarget } from '../../src/cluster/kubeadm-capabilities.js';
import { ApiObject, App, Chart } from 'cdk8s';
import { declareJoin, WAYS } from '../properties/join-arbitraries.js';
import { hasCompressibleReservations, knownKubeletFlags } from '../../src/cluster/kubelet-capabilities.js';

const on = (openYurt: string, kubernetes: string): EdgeCluster => EdgeCluster.of({ openYurt, kubernetes });

describe('OpenYurt releases', () => {
  // CRD, webhooks and README of each release
  it.each([
    ['1.4', 'apps.openyurt.io/v1beta1', ['v1alpha1', 'v1beta1'], false, true, false],
    ['1.5', 'apps.openyurt.io/v1beta1', ['v1alpha1', 'v1beta1'], true, false, false],
    ['1.6', 'apps.openyurt.io/v1beta1', ['v1alpha1', 'v1beta1'], true, false, false],
    ['1.7', 'apps.openyurt.io/v1beta2', ['v1alpha1', 'v1beta1', 'v1beta2'], true, false, true],
  ])('%s: what it serves and does', (release, written, served, podWebhook, filter, canLeave) => {
    const cluster = on(release, '1.23');
    expect(cluster.nodePoolApiVersion()).toBe(written);
    expect(openYurtRow(release)?.nodePoolVersions).toEqual(served);
    expect(cluster.hasPodWebhook()).toBe(podWebhook);
    expect(cluster.hasHostNetworkFilter()).toBe(filter);
    expect(canLeavePool(cluster)).toBe(canLeave);
    expect(cluster.hasOpenYurt()).toBe(true);
  });

  // 1.7 has a unit without [Install], the earlier ones a static Pod
  it.each(WAYS)('a boot starts yurthub with kubelet if no release does: %j', (way) => {
    const path = '/etc/systemd/system/kubelet.service.d/20-yurthub.conf';
    const {
      files,
      userData,
      script,
      leaveScript,
      updateScript = path,
    } = declareJoin(way, JoinToken.fromFile('/var/lib/edge/join-token')).join;
    const found = files.find((file) => file.path === path);
    expect(found?.content).toBe(
      way.openYurt === '1.7' ? '[Unit]\nWants=yurthub.service\nAfter=yurthub.service\n' : undefined,
    );
    const has = [userData, script, leaveScript, updateScript].map((text) => text.includes(path));
    // an update to a join without it removes it
    expect(has).toEqual([way.openYurt === '1.7', way.openYurt === '1.7', way.openYurt === '1.7', true]);
  });

  it('only 1.7 converts nodes, and its chart lacks the rights; master is prepared, and is no release', () => {
    expect(OPENYURT_RELEASES.map(({ conversion }) => conversion?.rights)).toEqual([
      ...[undefined, undefined, undefined],
      'missing',
    ]);
    expect(NEXT_CONVERSION).toEqual({
      rights: 'in the chart',
      finalizer: 'openyurt.io/node-conversion',
      setsZone: true,
      unitEnabled: false,
    });
    expect(() => on('1.8', '1.34')).toThrow(/EDGE_/);
  });

  const everywhere = ['type', 'hostNetwork', 'labels', 'annotations', 'taints'] as const;
  const since17 = [
    'interConnectivity',
    'leaderElectionStrategy',
    'leaderNodeLabelSelector',
    'enableLeaderElection',
    'poolScopeMetadata',
    'leaderReplicas',
  ] as const;

  it.each(['1.4', '1.5', '1.6', '1.7'])('%s: the spec fields of its NodePool', (release) => {
    const cluster = on(release, '1.23');
    expect(everywhere.map((field) => cluster.hasNodePoolField(field))).toEqual(everywhere.map(() => true));
    expect(since17.map((field) => cluster.hasNodePoolField(field))).toEqual(since17.map(() => release === '1.7'));
  });

  it('none: plain Kubernetes has no NodePool and no webhook', () => {
    const cluster = on('none', '1.36');
    expect(cluster.hasOpenYurt()).toBe(false);
    expect(cluster.nodePoolApiVersion()).toBeUndefined();
    expect(cluster.hasPodWebhook()).toBe(false);
    expect(cluster.hasNodePoolField('type')).toBe(false);
    expect(canLeavePool(cluster)).toBe(true);
    expect(cluster.yurthub).toBe(false);
    expect(String(cluster)).toBe('Kubernetes 1.36 without OpenYurt');
  });

  it('are in order, without duplicates, and claim minors of the table', () => {
    const names = OPENYURT_RELEASES.map(({ release }) => release);
    expect(names).toEqual([...new Set(names)].sort());
    for (const { claimedKubernetes, testedKubernetes } of OPENYURT_RELEASES) {
      expect(lookUpKubernetes(claimedKubernetes).kind).toBe('known');
      expect(lookUpKubernetes(testedKubernetes).kind).toBe('known');
    }
  });
});

describe('Kubernetes minors', () => {
  it('are complete from 1.22 to 1.37', () => {
    expect(KUBERNETES_MINORS.map(({ minor }) => minor)).toEqual(
      Array.from({ length: 16 }, (_, index) => `1.${22 + index}`),
    );
    expect(KUBERNETES_MINORS.every(({ kubeadmPatchTargets }) => Array.isArray(kubeadmPatchTargets))).toBe(true);
  });

  it.each(KUBERNETES_MINORS.map(({ minor }) => [minor, Number(minor.slice(2))] as const))(
    '%s: policies and kubeadm patch targets',
    (minor, number) => {
      const cluster = on('none', minor);
      expect(cluster.hasValidatingAdmissionPolicy()).toBe(number >= 30);
      expect(cluster.hasMutatingAdmissionPolicy()).toBe(number >= 36);
      expect(cluster.hasMutatingAdmissionPolicy('v1beta1')).toBe(false);
      expect(kubeadmKnowsPatchTarget(cluster, 'corednsdeployment')).toBe(number >= 31);
      expect(kubeadmKnowsPatchTarget(cluster, 'kubeproxydaemonset')).toBe(number >= 37);
    },
  );

  it('only kubeadm reads kubeadm patches', () => {
    const cluster = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.37', distribution: 'other' });
    expect(kubeadmKnowsPatchTarget(cluster, 'corednsdeployment')).toBe(false);
  });
});

describe('a version', () => {
  it.each([
    ['1.34', '1.34'],
    ['v1.34', '1.34'],
    ['1.34.2', '1.34'],
    ['v1.34.2+k3s1', '1.34'],
    ['1.31.1-gke.1200', '1.31'],
    ['v1.30.4-eks-a737599', '1.30'],
    ['1.30', '1.30'],
  ])('%s is Kubernetes %s', (written, minor) => {
    expect(on('none', written).kubernetes).toBe(minor);
    expect(on('none', written).kubernetesVersion).toBe(written.replace(/^v/, ''));
  });

  it.each([
    ['v1.7.0', '1.7'],
    ['1.6.1', '1.6'],
    ['1.4.4', '1.4'],
  ])('%s is OpenYurt %s', (written, release) => {
    expect(on(written, '1.23').openYurt).toBe(release);
  });

  it.each(['', 'latest', '1', '1.x', '1.7.0.0', ' 1.7', '1.7 ', 'vv1.7', '01.7', '-1.7', '1.7\n'])(
    '%j is not one',
    (written) => {
      expect(['unknown', 'refused']).toContain(lookUpOpenYurt(written).kind);
      expect(() => on(written, '1.34')).toThrow(EdgeError);
    },
  );

  it('newer than the table is treated as the newest known one when asked to, with a warning', () => {
    const cluster = EdgeCluster.of({ openYurt: '1.9.2', kubernetes: '1.40', allowNewer: true });
    expect([cluster.openYurt, cluster.kubernetes]).toEqual(['1.7', '1.37']);
    expect(cluster.warnings.map(({ code, path }) => `${code} ${path}`)).toEqual([
      'EDGE_ASSUMED_NEWEST openYurt',
      'EDGE_ASSUMED_NEWEST kubernetes',
      'EDGE_UNCLAIMED_PAIR kubernetes',
    ]);
  });

  it('that is a pre-release is its minor, with a warning', () => {
    const cluster = on('none', '1.37.0-rc.1');
    expect(cluster.kubernetes).toBe('1.37');
    expect(cluster.warnings[0]?.message).toContain('pre-release');
  });
});

describe('a pair of releases', () => {
  it.each([
    ['1.4', '1.23'],
    ['1.5', '1.29'],
    ['1.6', '1.31'],
    ['1.7', '1.34'],
  ])('OpenYurt %s claims Kubernetes up to %s; beyond is a warning, not an error', (openYurt, newest) => {
    const number = Number(newest.slice(2));
    expect(on(openYurt, newest).warnings).toEqual([]);
    const beyond = on(openYurt, `1.${number + 1}`);
    expect(beyond.warnings).toHaveLength(1);
    expect(beyond.warnings[0]).toMatchObject({ code: 'EDGE_UNCLAIMED_PAIR', path: 'kubernetes' });
  });

  it('is checked against the table, for each of the 64 pairs', () => {
    const claimed = OPENYURT_RELEASES.map(
      (release) => KUBERNETES_MINORS.filter((minor) => isClaimedPair(release, minor)).length,
    );
    expect(claimed).toEqual([2, 8, 10, 13]);
  });
});

const flagsOf = (kubernetes: string): readonly string[] =>
  knownKubeletFlags(EdgeCluster.of({ openYurt: 'none', kubernetes })) ?? [];

describe('the flags of kubelet', () => {
  // counted in `kubelet --help` of 1.36.2 and in cmd/kubelet/app/options of the others
  it.each([
    ['1.22', 185],
    ['1.26', 154],
    ['1.36', 149],
    ['1.37', 130],
  ])('of Kubernetes %s: %i', (kubernetes, count) => {
    const flags = flagsOf(kubernetes);
    expect(flags).toHaveLength(count);
    expect(new Set(flags).size).toBe(count);
    expect(flags).toEqual(expect.arrayContaining(['max-pods', 'node-ip', 'v', 'feature-gates']));
  });

  it('are unknown for a newer Kubernetes, so none is refused', () => {
    const cluster = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.99', allowNewer: true });
    expect(knownKubeletFlags(cluster)).toBeUndefined();
    const pool = new HostNetworkNodePool(new Chart(new App(), 'site'), 'pool', { cluster, poolName: 'hz' });
    expect(
      () => new KubeadmConfigTemplate(pool, 'join', { pool, kubeletExtraArgs: { 'of-the-future': '1' } }),
    ).not.toThrow();
  });

  it('for compressible reservations exist from 1.32 on', () => {
    const has = (kubernetes: string): boolean =>
      hasCompressibleReservations(EdgeCluster.of({ openYurt: 'none', kubernetes }));
    expect([has('1.31'), has('1.32')]).toEqual([false, true]);
  });
});

describe('all as the one check that only warns', () => {
  it('is the only one, because kubeadm refuses it together with ours', () => {
    for (const way of WAYS.filter(({ via }) => via !== 'yurtadm')) {
      const { join, pool, chart } = declareJoin(way, JoinToken.fromFile('/run/t'), { ignorePreflightErrors: ['all'] });
      expect((join.joinConfiguration as any).nodeRegistration.ignorePreflightErrors).toEqual(['all']);
      const template = new KubeadmConfigTemplate(chart, 'template', { pool, ignorePreflightErrors: ['all'] });
      const { spec } = ApiObject.of(template).toJson();
      expect(spec.template.spec.joinConfiguration.nodeRegistration.ignorePreflightErrors).toEqual(['all']);
    }
  });
});

describe('a minimum reclaim', () => {
  it('may be 0', () => {
    const reservation = NodeReservation.of({
      evictionMinimumReclaim: { 'memory.available': '0', 'nodefs.available': '0.5%' },
    });
    expect(reservation.kubeletConfiguration().evictionMinimumReclaim).toEqual({
      'memory.available': '0',
      'nodefs.available': '0.5%',
    });
  });
});

import { configMap, dumpOf, node, pool, RELEASES } from './dump.js';
import { idsOf, planned, refusal, same, step } from './planned.js';
import { EdgeCluster } from 'edge-nodepools';
import { parseAllDocuments } from 'yaml';
import { yurthubRights } from '../../src/pools/node-conversion.js';
import { ProblemList } from '../../src/base/errors.js';
import { planUpgrade, type UpgradePlan } from '../../src/adopt/upgrade-plan.js';

const WEBHOOKS = ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'];
const MINORS = ['1.30', '1.31', '1.32', '1.33', '1.34', '1.35', '1.36', '1.37'];

describe('a plan for OpenYurt', () => {
  const STEPS: Readonly<Record<string, readonly string[]>> = {
    '1.4 1.5': ['backup', 'annotate-pools', 'replace-plain-pods', 'crds', 'yurt-manager', 'program', 'preconditions'],
    '1.5 1.6': ['backup', 'annotate-pools', 'crds', 'yurt-manager', 'program', 'preconditions'],
    '1.5 1.7': [
      ...['backup', 'annotate-pools', 'keep-nodes', 'yurthub-rights', 'crds', 'yurt-manager'],
      ...['host-network-pools', 'rewrite-pools', 'program', 'preconditions'],
    ],
    '1.6 1.7': [
      ...['backup', 'annotate-pools', 'keep-nodes', 'yurthub-rights', 'crds', 'yurt-manager'],
      ...['host-network-pools', 'rewrite-pools', 'program', 'preconditions'],
    ],
  };

  it.each(RELEASES.flatMap((from) => RELEASES.map((to) => [from, to])))('from %s to %s', (from, to) => {
    const steps = STEPS[`${from} ${to}`];
    if (from === to) {
      expect(planned([from, to], same('1.30'))).toMatchObject({ steps: [], files: [] });
    } else if (steps === undefined) {
      expect(refusal([from, to], same('1.30'))).toContain('EDGE_UPGRADE  to: ');
    } else {
      expect(idsOf(planned([from, to], same('1.30')))).toEqual(steps);
    }
  });

  it('names the way over the release that cannot be skipped', () => {
    expect(refusal(['1.4', '1.7'], same('1.30'))).toContain('--from 1.4 --to 1.5; then --from 1.5 --to 1.7');
    expect(refusal(['1.7', '1.5'], same('1.30'))).toMatch(/older than 1\.7.*cannot read its NodePools[^]*etcd/);
  });

  it('neither installs nor removes OpenYurt', () => {
    expect(refusal(['none', '1.7'], same('1.30'))).toContain('installing OpenYurt is not an upgrade');
    expect(refusal(['1.7', 'none'], same('1.30'))).toContain('removing OpenYurt is not an upgrade');
  });

  it('sets the tag of the image: a minor means its first patch release', () => {
    const tagOf = (to: string): string => step(planned(['1.4', to], same('1.30')), 'yurt-manager').variables.tag;
    expect(tagOf('1.5')).toBe('v1.5.0');
    expect(tagOf('v1.5.1')).toBe('v1.5.1');
  });

  it('refuses a patch release that does not exist', () => {
    expect(refusal(['1.5', '1.7.9'], same('1.30'))).toMatch(
      /EDGE_UPGRADE {2}to: OpenYurt 1\.7\.9 is not a release[^]*of 1\.7 it knows 1\.7\.0\n.*--to 1\.7\.0/,
    );
    expect(refusal(['1.5', '1.5.2'], same('1.30'))).toContain('it knows 1.5.0, 1.5.1');
  });

  it('checks the pools that are host-network pools by field or annotation; a label on a node makes none', () => {
    const objects = dumpOf('1.5', '1.30', [
      pool('old-api', { version: 'v1alpha1', annotations: { 'nodepool.openyurt.io/hostnetwork': 'True' } }),
      pool('by-node'),
      node('edge-1', 'by-node', '1.30.0', { 'nodepool.openyurt.io/hostnetwork': 'true' }),
    ]);
    const { files } = planned(['1.5', '1.7'], same('1.30'), objects);
    const names = files.find(({ path }) => path === 'files/host-network-pools.txt');
    expect(names?.content).toBe('beijing\nold-api\n');
    expect(step(planned(['1.5', '1.7'], same('1.30'), objects), 'annotate-pools').what).toMatch(
      /no other: by-node \(regular, although nodes of it have the label of a host-network pool\)\.$/,
    );
  });

  it('lets nodes be converted only on request; the script asks the cluster for the pools', () => {
    const plan = planned(['1.5', '1.7'], same('1.30'));
    expect(idsOf(plan)).toContain('keep-nodes');
    expect(step(plan, 'yurt-manager').variables.keeps_nodes).toBe('yes');
    const { content = '' } = plan.files.find(({ path }) => path.endsWith('-keep-nodes.sh')) ?? {};
    expect(content).not.toMatch(/beijing|office/);
    const converted = planned(['1.5', '1.7'], same('1.30'), undefined, { convertNodes: true });
    expect(idsOf(converted)).not.toContain('keep-nodes');
    expect(step(converted, 'yurt-manager').variables.keeps_nodes).toBe('');
  });

  it('replaces workloads that lose their controller, and installs missing rights of yurthub', () => {
    const template = {
      deploymentTemplate: { spec: { template: { spec: { containers: [{ name: 'a', image: 'a' }] } } } },
    };
    const daemon = {
      apiVersion: 'apps.openyurt.io/v1alpha1',
      kind: 'YurtAppDaemon',
      metadata: { name: 'agent', namespace: 'edge', labels: { a: 'b' } },
      spec: { selector: {}, nodepoolSelector: { matchLabels: { site: 'x' } }, workloadTemplate: template },
    };
    const overrider = { apiVersion: 'apps.openyurt.io/v1alpha1', kind: 'YurtAppOverrider', metadata: { name: 'o' } };
    const without = dumpOf('1.5', '1.30', [daemon, overrider]).filter(({ kind }) => kind !== 'ClusterRole');
    const plan = planned(['1.5', '1.7'], same('1.30'), without);
    expect(idsOf(plan).slice(0, 5)).toEqual([
      'backup',
      'annotate-pools',
      'retired-workloads',
      'keep-nodes',
      'yurthub-rights',
    ]);
    expect(plan.unread).toEqual(['pods', 'clusterroles', ...WEBHOOKS]);
    // the rights of another chart can go with it, so those of that name do not count
    const file17 = plan.files.find(({ path }) => path === 'files/yurthub-rights.yaml')?.content;
    expect(parseAllDocuments(file17 ?? '').map((each) => each.toJS())).toEqual(yurthubRights());
    expect(step(plan, 'retired-workloads').what).toContain('YurtAppDaemon edge/agent, YurtAppOverrider o');
    const file = plan.files.find(({ path }) => path === 'files/yurtappsets.yaml')?.content;
    expect(file).toMatch(/^apiVersion: apps.openyurt.io\/v1beta1\nkind: YurtAppSet\n/);
    expect(file).toContain('nodepoolSelector:\n    matchLabels:\n      site: x\n  workload:\n    workloadTemplate:\n');
    // 1.6 still has the controller
    expect(idsOf(planned(['1.5', '1.6'], same('1.30'), without))).not.toContain('retired-workloads');
  });
});

describe('a plan for Kubernetes', () => {
  it.each(MINORS.flatMap((from) => MINORS.map((to) => [from, to])))(
    'from %s to %s: every minor, in order',
    (from, to) => {
      const [first, last] = [MINORS.indexOf(from), MINORS.indexOf(to)];
      if (last < first) {
        expect(refusal(same('1.7'), [from, to])).toContain(
          `EDGE_UPGRADE  kubernetes: Kubernetes ${to} is older than ${from}`,
        );
        return;
      }
      const minors = idsOf(planned(same('1.7'), [from, to])).filter((id) => id.startsWith('control-plane-'));
      expect(minors).toEqual(MINORS.slice(first + 1, last + 1).map((minor) => `control-plane-${minor}`));
    },
  );

  it('comes after OpenYurt, each with its program', () => {
    const ids = idsOf(planned(['1.5', '1.7'], ['1.30', '1.31']));
    expect(ids.slice(-5)).toEqual(['program', 'preconditions', 'control-plane-1.31', 'add-ons-1.31', 'program-1.31']);
  });

  it('stops where admission changes its mechanism', () => {
    const programs = (from: string, to: string): string[] =>
      idsOf(planned(same('none'), [from, to])).filter((id) => id.startsWith('program-'));
    expect(programs('1.27', '1.37')).toEqual(['program-1.28', 'program-1.30', 'program-1.36', 'program-1.37']);
  });

  it('upgrades kubelets that would be too old first', () => {
    const nodes = [node('edge-1', 'beijing', '1.28.9'), node('edge-2', 'beijing', '1.30.1+k3s1')];
    const plan = planned(same('1.7'), ['1.31', '1.34'], dumpOf('1.7', '1.31', nodes));
    const ids = idsOf(plan);
    // they get the minor of the API server, so that edge-1 is upgraded once
    expect(ids.filter((id) => id.startsWith('kubelets'))).toEqual(['kubelets-before-1.32', 'kubelets-before-1.34']);
    expect(ids.indexOf('kubelets-before-1.32')).toBe(ids.indexOf('control-plane-1.32') - 1);
    expect(step(plan, 'kubelets-before-1.32').what).toBe(
      'Upgrade the kubelets that are older than 1.29: edge-1 (1.28).',
    );
    expect(step(plan, 'kubelets-before-1.32').commands[0]).toContain('of 1.31, the minor of the API server');
    expect(step(plan, 'kubelets-before-1.34').what).toBe(
      'Upgrade the kubelets that are older than 1.31: edge-2 (1.30).',
    );
  });

  // pod-infra-container-image was removed in 1.35
  it.each([
    ['a map', { kind: 'KubeadmConfigTemplate', spec: { kubeletExtraArgs: { 'pod-infra-container-image': 'x' } } }],
    ['a list', { kind: 'KubeadmConfigTemplate', spec: { kubeletExtraArgs: [{ name: 'pod-infra-container-image' }] } }],
    [
      'user-data',
      configMap('kube-system', 'join', { 'user-data': 'KUBELET_EXTRA_ARGS="--pod-infra-container-image=x"' }),
    ],
    ['a kubeadm file', configMap('kube-system', 'join', { a: 'kubeletExtraArgs:\n    pod-infra-container-image: x' })],
    ['its list', configMap('kube-system', 'join', { a: 'kubeletExtraArgs:\n  - name: "pod-infra-container-image"' })],
  ])('finds removed kubelet flags in %s', (_, object) => {
    const named = { apiVersion: 'v1', metadata: { name: 'join' }, ...object };
    const flagged = planned(same('none'), ['1.33', '1.36'], dumpOf('none', '1.33', [named]));
    expect(idsOf(flagged).filter((id) => id.startsWith('kubelet-flags'))).toEqual(['kubelet-flags-1.35']);
    expect(step(flagged, 'kubelet-flags-1.35').what).toContain('--pod-infra-container-image');
    expect(idsOf(planned(same('none'), ['1.33', '1.36'])).filter((id) => id.startsWith('kubelet-flags'))).toEqual([]);
  });

  it('keeps what kubeadm patches did on nodes: without them a reservation would be dropped', () => {
    const plan = planned(same('1.7'), ['1.31', '1.32'], dumpOf('1.7', '1.31', [node('e', 'beijing', '1.28.9')]));
    expect(step(plan, 'kubelets-before-1.32').commands.join('\n')).toMatch(
      /^kubeadm upgrade node --patches \/etc\/kubernetes\/patches/m,
    );
    // kubeadm patches kubelet from 1.25 on
    const old = planned(same('none'), ['1.24', '1.25'], dumpOf('none', '1.24', [node('e', 'beijing', '1.22.9')]));
    expect(step(old, 'kubelets-before-1.25').commands.join('\n')).toMatch(/^kubeadm upgrade node$/m);
  });

  it('removes flags before the kubelets that are far behind, too', () => {
    const join = configMap('kube-system', 'join', { a: 'kubeletExtraArgs:\n  container-runtime: remote\n' });
    const nodes = [node('e', 'beijing', '1.26.9'), join];
    const plan = planned(same('none'), ['1.29', '1.30'], dumpOf('none', '1.29', nodes));
    expect(idsOf(plan).slice(1, 3)).toEqual(['kubelet-flags-1.30', 'kubelets-before-1.30']);
    expect(step(plan, 'kubelet-flags-1.30').what).toContain('--container-runtime from joins and nodes');
    // 1.27 is that minor already
    const later = [node('e', 'beijing', '1.27.9'), join];
    expect(idsOf(planned(same('none'), ['1.30', '1.31'], dumpOf('none', '1.30', later)))).not.toContain(
      'kubelet-flags-1.31',
    );
  });

  it('names the program that writes the patches of a new target', () => {
    const commands = step(planned(same('1.7'), ['1.30', '1.31']), 'control-plane-1.31').commands.join('\n');
    expect(commands).toMatch(/corednsdeployment[^\n]*kubernetes: '1\.31'/);
  });

  it('knows the flags that yurtadm passes', () => {
    const ids = idsOf(planned(same('1.7'), ['1.34', '1.35']));
    expect(ids).toEqual(['backup', 'kubelet-flags-1.35', 'control-plane-1.35', 'add-ons-1.35', 'program-1.35']);
  });
});

describe('the state of the cluster', () => {
  const on = (objects: readonly any[]): string => refusal(['1.5', '1.7'], ['1.30', '1.31'], objects);

  it.each([
    [
      'another release',
      dumpOf('1.6', '1.30'),
      /EDGE_WRONG_CLUSTER {2}dump: yurt-manager runs 1\.6, not 1\.5\n.*--from 1\.6/,
    ],
    [
      'another minor',
      dumpOf('1.5', '1.29'),
      /EDGE_WRONG_CLUSTER {2}dump: the API server is of 1\.29.*\n.*--kubernetes 1\.29\.\.1\.31/,
    ],
    ['yurt-manager upgraded already', dumpOf('1.7', '1.30'), /EDGE_HALF_UPGRADED.*yurt-manager already runs 1\.7/],
    [
      'CustomResourceDefinitions ahead of yurt-manager',
      [
        ...dumpOf('1.7', '1.30').filter(({ kind }) => kind !== 'Deployment'),
        ...dumpOf('1.5', '1.30').filter(({ kind }) => kind === 'Deployment'),
      ],
      /EDGE_HALF_UPGRADED.*served as v1beta2 already, and yurt-manager is 1\.5\n.*upgrade\.sh/,
    ],
    [
      'control-plane nodes with two minors',
      dumpOf(
        '1.5',
        '1.30',
        ['1.30.1', '1.31.0'].map((version) => ({
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: `kube-apiserver-${version}`, namespace: 'kube-system' },
          spec: { containers: [{ image: `registry.k8s.io/kube-apiserver:v${version}` }] },
        })),
      ),
      /EDGE_HALF_UPGRADED.*different minors: 1\.30, 1\.31/,
    ],
    [
      'not the API server of a hosted cluster',
      dumpOf('1.5', '1.30', [
        {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'kube-apiserver-tenant', namespace: 'tenants' },
          spec: { containers: [{ image: 'registry.k8s.io/kube-apiserver:v1.29.1' }] },
        },
        configMap('tenants', 'kubeadm-config', { ClusterConfiguration: 'kubernetesVersion: v1.28.1\n' }),
      ]),
      /^planned$/,
    ],
  ])('%s', (_, objects, message) => {
    expect(on(objects)).toMatch(message);
  });

  it('without OpenYurt: a yurt-manager is a mistake', () => {
    expect(refusal(same('none'), ['1.30', '1.31'], dumpOf('1.5', '1.30'))).toContain(
      'yurt-manager 1.5 runs in this cluster',
    );
  });

  it('that is not in the dump, and without which the plan would miss steps, is an error', () => {
    const said = refusal(['1.5', '1.7'], same('1.30'), [node('n', 'p', '1.30.1')]);
    expect(said.match(/EDGE_MISSING {2}dump: it does not contain .*/g)).toEqual([
      expect.stringContaining('the namespace kube-system'),
      expect.stringContaining('the CustomResourceDefinition nodepools.apps.openyurt.io'),
      expect.stringContaining('the Deployment yurt-manager'),
      expect.stringContaining('nodepools.apps.openyurt.io'),
    ]);
    expect(said).toContain('-> kubectl get nodepools.apps.openyurt.io --all-namespaces --output=yaml');
    expect(planned(['1.5', '1.7'], same('1.30')).unread).toEqual(['pods', ...WEBHOOKS]);
  });

  it('of another patch release', () => {
    expect(refusal(['1.5.3', '1.7'], same('1.30'), dumpOf('1.5', '1.30'))).toContain('--from 1.5.1');
    expect(refusal(['1.5.1', '1.5.0'], same('1.30'), dumpOf('1.5', '1.30'))).toContain('EDGE_UPGRADE');
    const ids = idsOf(planned(['1.4.1', '1.4.2'], same('1.30'), dumpOf('1.4', '1.30')));
    expect(ids).toEqual(['backup', 'annotate-pools', 'crds', 'yurt-manager', 'program', 'preconditions']);
    expect(planned(['1.5', '1.5.0'], same('1.30'), dumpOf('1.5', '1.30')).steps).toEqual([]);
  });
});

describe('the format of this library', () => {
  describe('what earlier and later versions of this library wrote', () => {
    const own = { 'app.kubernetes.io/managed-by': 'edge-nodepools', 'edge-nodepools/manifest-format': '1' };
    const list = {
      ...configMap('kube-system', 'edge-nodepools-pools', { 'host-network': 'beijing\n' }),
      metadata: { namespace: 'kube-system', name: 'edge-nodepools-pools', labels: own, uid: 'x', resourceVersion: '7' },
    };
    const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });
    const planned = (others: readonly any[]): UpgradePlan => {
      const problems = new ProblemList();
      const objects = [...dumpOf('1.7', '1.36'), ...others];
      const plan = planUpgrade({ from: cluster, to: cluster, objects }, problems);
      problems.throwIfAny('upgrade');
      return plan;
    };

    it('is deleted if nothing reads it any more, also without an upgrade', () => {
      const { steps } = planned([list]);
      expect(steps.map(({ id }) => id)).toEqual(['backup', 'pool-list']);
      const { variables, files } = steps[1] as any;
      expect(variables).toEqual({ list_namespace: 'kube-system', list: 'edge-nodepools-pools', file: files[0].path });
      expect(files[0].content).toContain('beijing');
      expect(files[0].content).not.toMatch(/uid|resourceVersion/);
    });

    it('stays if it is of somebody else', () => {
      const { metadata, ...rest } = list;
      const others = [
        { ...list, data: { pools: 'beijing' } },
        { ...rest, metadata: { ...metadata, labels: {} } },
      ];
      others.forEach((each) => expect(planned([each]).steps).toEqual([]));
    });

    it('is refused in a later format', () => {
      const labels = { ...own, 'edge-nodepools/manifest-format': '2' };
      const later = { ...pool('beijing'), metadata: { name: 'beijing', labels } };
      expect(() => planned([later])).toThrow(/NodePool beijing has the manifest format 2, .*later version/);
    });

    it('a dump of two clusters is refused', () => {
      const other = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system', uid: 'another' } };
      expect(() => planned([other])).toThrow(/EDGE_WRONG_CLUSTER {2}dump: it has objects of two clusters/);
    });
  });
});

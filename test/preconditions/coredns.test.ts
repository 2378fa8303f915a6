import { Corefile } from 'edge-nodepools';
import { ProblemList } from '../../src/base/errors.js';
import { COREFILE as COREFILE_EDITS } from '../../src/preconditions/coredns-corefile.js';
import { COREDNS_DAEMON_SET } from '../../src/preconditions/coredns-daemon-set.js';
import { COREDNS_SERVICE } from '../../src/preconditions/coredns-service.js';
import { KUBERNETES_MINORS } from '../../src/cluster/kubernetes-minors.js';
import {
  COREFILE,
  corednsConfigMap,
  corednsDeployment,
  kubeDns,
  on,
  CONFIG_CONF,
  kubeProxyConfigMap,
  kubeProxyDaemonSet,
} from '../corpus/kube-system.js';
import { parse } from 'yaml';
import { KUBE_PROXY, withKubeconfig } from '../../src/preconditions/kube-proxy.js';

function checked<T>(make: (problems: ProblemList) => T): T {
  const problems = new ProblemList();
  const made = make(problems);
  expect(problems.problems).toEqual([]);
  return made;
}

describe('the Corefile', () => {
  const edits = { proxyNames: 'raven', forwarders: [{ zone: 'site-hz.example', to: ['10.1.0.2'] }] } as const;
  const plan = (input: object) =>
    checked((problems) => COREFILE_EDITS.plan({ cluster: on('1.7', '1.34'), ...input }, problems)).precondition;

  it('is written as only one key, with a diff, and restored by the rollback', () => {
    const { steps, rollback, files } = plan({
      configMap: corednsConfigMap(),
      ...edits,
      forwarders: [...edits.forwarders],
    });
    const partial = (Corefile: string) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'coredns', namespace: 'kube-system' },
      data: { Corefile },
    });
    const after = Corefile.parse(COREFILE)
      .withHosts({ file: '/etc/edge/tunnel-nodes' })
      .withForwarder(edits.forwarders[0] as never);
    expect(steps.flatMap(({ manifests }) => manifests)).toEqual([partial(String(after))]);
    expect(rollback.flatMap(({ manifests }) => manifests)).toEqual([partial(COREFILE)]);
    expect(files).toEqual([{ path: 'coredns/Corefile.diff', content: Corefile.parse(COREFILE).diff(after) }]);
  });

  it('is not written without changes, and restarts CoreDNS only without the reload plugin', () => {
    const first = plan({ corefile: COREFILE, proxyNames: 'raven' });
    const after = (first.steps[0]?.manifests[0] as any).data.Corefile;
    expect(plan({ corefile: after, proxyNames: 'raven' }).steps).toEqual([]);
    expect(first.steps[0]?.commands).toEqual([]);
    const still = plan({ corefile: COREFILE.replace('    reload\n', ''), proxyNames: 'raven' });
    expect(still.steps[0]?.commands).toHaveLength(1);
  });
});

describe('the Service', () => {
  const plan = (openYurt: string, kubernetes: string, input: object = {}) =>
    checked((problems) => COREDNS_SERVICE.plan({ cluster: on(openYurt, kubernetes), apply: true, ...input }, problems))
      .precondition;
  const made = (openYurt: string, kubernetes: string, input: object = {}): any => {
    const { metadata, spec } = plan(openYurt, kubernetes, input).steps.flatMap(({ manifests }) => manifests)[0] as any;
    return { ...metadata.annotations, ...spec };
  };

  it.each([
    ['1.4', '1.23', { 'openyurt.io/topologyKeys': 'openyurt.io/nodepool' }],
    ['1.6', '1.34', { 'openyurt.io/topologyKeys': 'openyurt.io/nodepool' }],
    ['1.7', '1.30', { 'openyurt.io/topologyKeys': 'openyurt.io/nodepool' }],
    ['1.7', '1.31', { trafficDistribution: 'PreferClose' }],
    ['1.7', '1.33', { trafficDistribution: 'PreferClose' }],
    ['1.7', '1.34', { trafficDistribution: 'PreferSameZone' }],
    ['none', '1.36', { trafficDistribution: 'PreferSameZone' }],
  ])('OpenYurt %s on Kubernetes %s', (openYurt, kubernetes, fields) => {
    expect(made(openYurt, kubernetes)).toEqual(fields);
  });

  it('supports topology within the node', () => {
    expect(made('1.7', '1.34', { within: 'node' })).toEqual({ trafficDistribution: 'PreferSameNode' });
    expect(made('1.5', '1.29', { within: 'node' })).toEqual({ 'openyurt.io/topologyKeys': 'kubernetes.io/hostname' });
  });

  it('is restored by the rollback, with or without topology', () => {
    const back = (service: unknown) => plan('1.7', '1.34', { service }).rollback[0]?.manifests[0] as any;
    expect(back(kubeDns({ trafficDistribution: 'PreferClose' })).spec).toEqual({ trafficDistribution: 'PreferClose' });
    expect(back(kubeDns())).toEqual({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'kube-dns', namespace: 'kube-system' },
    });
  });
});

describe('the DaemonSet', () => {
  const plan = (input: object = {}, cluster = on('1.7', '1.34')) =>
    checked((problems) => COREDNS_DAEMON_SET.plan({ cluster, apply: true, ...input }, problems));
  const daemonSet = (input: object = {}, cluster?: any): any =>
    plan(input, cluster).precondition.steps[0]?.manifests[0];

  it.each(KUBERNETES_MINORS.map(({ minor }) => minor))(
    '%s: the Pod of the Deployment, and only what the form needs besides',
    (minor) => {
      const cluster = on('none', minor);
      const { spec } = daemonSet({}, cluster);
      const { template } = corednsDeployment(cluster).spec;
      const { nodeAffinity, ...affinity } = spec.template.spec.affinity;
      expect({ ...spec.template.spec, affinity }).toEqual(template.spec);
      expect(spec.template.metadata.labels).toEqual(template.metadata.labels);
      expect(nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms).toEqual([
        { matchExpressions: [{ key: 'nodepool.openyurt.io/hostnetwork', operator: 'NotIn', values: ['true'] }] },
      ]);
    },
  );

  it('never leaves the cluster without DNS: the Deployment is scaled to 0 after the DaemonSet answers, and restored first', () => {
    const { steps, rollback } = plan({ deployment: corednsDeployment() }).precondition;
    expect(steps.map(({ manifests }) => manifests.map(({ kind }) => kind))).toEqual([['DaemonSet'], ['Deployment']]);
    expect(steps[0]?.commands.join('\n')).toMatch(/rollout status daemonset\/coredns[^]*numberReady}'\)" -gt 0/);
    expect(steps[1]?.manifests).toEqual([
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'coredns', namespace: 'kube-system' },
        spec: { replicas: 0 },
      },
    ]);
    expect((rollback[0]?.manifests[0] as any).spec).toEqual({ replicas: 2 });
    expect(rollback[0]?.commands[0]).toContain('rollout status deployment/coredns');
    expect(rollback[1]?.commands[0]).toMatch(/test "0\$\(.*deployment coredns .*readyReplicas}'\)" -gt 0/);
    expect(rollback[1]?.commands[1]).toContain('delete daemonset coredns');
  });

  it.each([
    [0, 2],
    [1, 1],
    [undefined, 1],
    [5, 5],
  ])('of a Deployment with %s replicas restores %s, never 0', (before, after) => {
    const deployment = corednsDeployment();
    const { replicas: _, ...spec } = deployment.spec;
    const given = { ...deployment, spec: { ...spec, ...(before === undefined ? {} : { replicas: before }) } };
    expect((plan({ deployment: given }).precondition.rollback[0]?.manifests[0] as any).spec.replicas).toBe(after);
  });

  it('removes a required anti-affinity to the Pods of the Deployment, with a warning', () => {
    const term = (labels: object, topologyKey = 'kubernetes.io/hostname') => ({
      labelSelector: {
        matchExpressions: [{ key: 'k8s-app', operator: 'In', values: ['kube-dns'] }],
        matchLabels: labels,
      },
      topologyKey,
    });
    const of = (...terms: object[]) => {
      const deployment = corednsDeployment();
      deployment.spec.template.spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution = terms;
      return plan({ deployment });
    };
    const others = [term({ app: 'database' }), term({}, 'topology.kubernetes.io/zone')];
    const made = of(term({}), ...others);
    const { podAntiAffinity } = (made.precondition.steps[0]?.manifests[0] as any).spec.template.spec.affinity;
    expect(podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution).toEqual(others);
    expect(podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution).toHaveLength(1);
    expect(made.warnings.map(({ path }) => path)).toEqual(['deployment.spec.template.spec.affinity.podAntiAffinity']);
    expect(of(...others).warnings).toEqual([]);
  });

  it('never tolerates everything, with a warning', () => {
    const deployment = corednsDeployment();
    deployment.spec.template.spec.tolerations.push({ operator: 'Exists' });
    const own = { key: 'site', operator: 'Exists', effect: 'NoSchedule' };
    const { precondition, warnings } = plan({ deployment, tolerations: [own] });
    const { tolerations } = (precondition.steps[0]?.manifests[0] as any).spec.template.spec;
    expect(tolerations.filter(({ key }: any) => key === undefined)).toEqual([]);
    expect(tolerations).toContainEqual(own);
    expect(warnings.map(({ path }) => path)).toEqual(['deployment.spec.template.spec.tolerations']);
  });

  it.each([
    ['yurt-tunnel', 'yurt-tunnel-nodes'],
    ['raven', 'edge-tunnel-nodes'],
  ])('mounts the hosts file of %s, and starts without it', (proxyNames, name) => {
    const { spec } = daemonSet({ proxyNames, image: 'registry.example/coredns:v1' }).spec.template;
    expect(spec.volumes).toContainEqual({ name: 'hosts', configMap: { name, optional: true } });
    expect(spec.containers[0].volumeMounts).toContainEqual({ name: 'hosts', mountPath: '/etc/edge', readOnly: true });
    expect(spec.containers[0].image).toBe('registry.example/coredns:v1');
  });
});

describe('kube-proxy', () => {
  function plan(input: object = {}, conf = CONFIG_CONF) {
    const problems = new ProblemList();
    const all = { cluster: on('1.4', '1.23'), guide: 'tunnel', configMap: kubeProxyConfigMap(conf), ...input } as const;
    const planned = KUBE_PROXY.plan(all, problems);
    expect(problems.problems).toEqual([]);
    return planned;
  }
  const configOf = (list: readonly any[]): string => list[0].manifests[0].data['config.conf'];

  describe('the configuration of kube-proxy', () => {
    it('has one more character: the line of the kubeconfig is a comment', () => {
      const { steps, rollback } = plan().precondition;
      expect(configOf(steps)).toBe(CONFIG_CONF.replace('  kubeconfig:', '  #kubeconfig:'));
      expect(configOf(rollback)).toBe(CONFIG_CONF);
      expect((steps[0]?.manifests[0] as any).data).not.toHaveProperty('kubeconfig.conf');
    });

    it('is the same without the line with mode remove; comments and unknown fields do not change', () => {
      const text = configOf(plan({ mode: 'remove' }).precondition.steps);
      const { clientConnection, ...others } = parse(CONFIG_CONF);
      const { kubeconfig: _, ...connection } = clientConnection;
      expect(parse(text)).toEqual({ ...others, clientConnection: connection });
      expect(text).toContain('# of the platform team\n');
      expect(text).toContain('0.0.0.0 # all of them\n');
    });

    it.each([
      [
        'in braces',
        CONFIG_CONF.replace(/clientConnection:\n( {2}.*\n)+/, 'clientConnection: { kubeconfig: /a, qps: 5 }\n'),
        { qps: 5 },
      ],
      [
        'as its only field',
        CONFIG_CONF.replace(/clientConnection:\n( {2}.*\n)+/, 'clientConnection:\n  kubeconfig: /a\n'),
        null,
      ],
    ])('also %s', (_, conf, connection) => {
      expect(parse(configOf(plan({}, conf).precondition.steps)).clientConnection).toEqual(connection);
    });

    it('is idempotent', () => {
      const once = configOf(plan().precondition.steps);
      expect(configOf(plan({}, once).precondition.steps)).toBe(once);
    });

    it('re-creates the Pods if it changes, and only then', () => {
      const hash = (conf?: string) =>
        (plan({}, conf).precondition.steps[1]?.manifests[0] as any).spec.template.metadata.annotations[
          'edge-nodepools/config-hash'
        ];
      expect(hash()).toMatch(/^[0-9a-f]{64}$/);
      expect(hash()).toBe(hash());
      expect(hash(CONFIG_CONF.replace('qps: 0', 'qps: 1'))).not.toBe(hash());
    });

    it('is verbose with a reminder; the rollback restores the command', () => {
      const daemonSet = kubeProxyDaemonSet(['--v=2']);
      const { precondition, warnings } = plan({ verbosity: 6, daemonSet });
      const command = (list: readonly any[]) => list[1].manifests[0].spec.template.spec.containers;
      const { command: before } = daemonSet.spec.template.spec.containers[0];
      expect(command(precondition.steps)).toEqual([{ name: 'kube-proxy', command: [...before.slice(0, -1), '--v=6'] }]);
      expect(command(precondition.rollback)).toEqual([{ name: 'kube-proxy', command: before }]);
      expect(warnings.map(({ code }) => code)).toEqual(['EDGE_REMINDER', 'EDGE_OBSOLETE']);
    });

    it('can be verbose without the edit of the kubeconfig, and then needs no ConfigMap', () => {
      const cluster = on('1.7', '1.34');
      const daemonSet = kubeProxyDaemonSet();
      const { precondition, warnings } = plan({
        cluster,
        guide: undefined,
        configMap: undefined,
        verbosity: 6,
        daemonSet,
      });
      const { steps, rollback } = precondition;
      expect([...steps, ...rollback].flatMap(({ manifests }) => manifests.map(({ kind }) => kind))).toEqual([
        'DaemonSet',
        'DaemonSet',
      ]);
      const { command } = daemonSet.spec.template.spec.containers[0];
      const of = ([step]: readonly any[]) => step.manifests[0].spec.template.spec.containers[0].command;
      expect([of(steps), of(rollback)]).toEqual([[...command, '--v=6'], command]);
      expect(warnings.map(({ code }) => code)).toEqual(['EDGE_REMINDER']);
    });

    it.each([CONFIG_CONF, CONFIG_CONF.replace('/var/lib/kube-proxy/kubeconfig.conf', '/etc/own/kubeconfig')])(
      'gets the line of its kubeconfig back as it was',
      (before) => {
        const commented = configOf(plan({}, before).precondition.steps);
        expect(commented).not.toBe(before);
        expect(withKubeconfig(commented)).toBe(before);
        const removed = configOf(plan({ mode: 'remove' }, before).precondition.steps);
        expect(parse(withKubeconfig(removed)).clientConnection.kubeconfig).toBe('/var/lib/kube-proxy/kubeconfig.conf');
      },
    );
  });
});

/** Access to nodes: the plan as tables. What it does is shown by the end-to-end group node-access. */
import { App, Chart } from 'cdk8s';
import {
  EdgeCluster,
  EdgeWarnings,
  HostNetworkNodePool,
  HostNetworkWorkload,
  JoinToken,
  NodeAccess,
  type NodeAccessProps,
  NodeJoin,
} from 'edge-nodepools';
import type { KonnectivitySettings } from 'edge-nodepools/types';
import { findAccess, wayToNodes } from '../../src/preconditions/access-findings.js';
import { daemonSet } from '../bad-inputs/case.js';

const RELEASES = { openYurt: '1.7', kubernetes: '1.36', apiServer: '192.0.2.1:6443' } as const;
const cluster = EdgeCluster.of({ ...RELEASES, caCertHashes: [`sha256:${'ab'.repeat(32)}`] });

function declared(konnectivity: KonnectivitySettings = {}, more: Partial<NodeAccessProps> = {}) {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'fleet');
  const on = more.cluster ?? cluster;
  const pool = new HostNetworkNodePool(chart, 'pool', { cluster: on, poolName: 'shops', autonomy: 'forever' });
  const isThrough = (more.via ?? 'konnectivity') === 'konnectivity';
  const settings = isThrough ? { konnectivity } : {};
  const access = new NodeAccess(chart, 'access', {
    cluster: on,
    pools: [pool],
    via: 'konnectivity',
    ...settings,
    ...more,
  });
  const objects = (): any[] => chart.toJson().filter(({ kind }) => kind !== 'NodePool');
  const file = (path: string): string => access.artifacts.find((each) => each.path === path)?.content ?? 'no such file';
  return { app, chart, pool, access, objects, file };
}

const agentsIn = (objects: any[]): any[] => objects.filter(({ kind }) => kind === 'DaemonSet');
const argsOf = (agent: any): string[] => agent.spec.template.spec.containers[0].args;
const nodesOf = (agent: any): unknown => {
  const { nodeSelector, affinity } = agent.spec.template.spec;
  const required = affinity?.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms;
  return nodeSelector ?? required[0].matchExpressions.map(({ key, operator }: any) => `${operator} ${key}`);
};

describe('the agents of konnectivity', () => {
  it('are on every node, each known by the name of its node, and those of the control plane are the default route', () => {
    const agents = agentsIn(declared().objects());
    const outside = 'NotIn apps.openyurt.io/nodepool';
    expect(agents.map((agent) => [nodesOf(agent), argsOf(agent).filter((arg) => arg.includes('identifiers'))])).toEqual(
      [
        [{ 'apps.openyurt.io/nodepool': 'shops' }, ['--agent-identifiers=host=$(NODE_NAME)']],
        [
          ['Exists node-role.kubernetes.io/control-plane', outside],
          ['--agent-identifiers=host=$(NODE_NAME)&default-route=true'],
        ],
        [['DoesNotExist node-role.kubernetes.io/control-plane', outside], ['--agent-identifiers=host=$(NODE_NAME)']],
      ],
    );
  });

  it('need no CNI, tolerate everything, have bounds, and end quickly', () => {
    for (const agent of agentsIn(declared().objects())) {
      const { spec } = agent.spec.template;
      expect(spec).toMatchObject({
        hostNetwork: true,
        dnsPolicy: 'Default',
        tolerations: [{ operator: 'Exists' }],
        terminationGracePeriodSeconds: 5,
        automountServiceAccountToken: false,
      });
      expect(spec.containers[0].resources.limits.memory).toBe('80Mi');
      expect(spec.volumes[0].projected.sources[0].serviceAccountToken.audience).toBe('system:konnectivity-server');
    }
  });

  it.each<[KonnectivitySettings, string[]]>([
    [{}, ['--proxy-server-host=192.0.2.1', '--proxy-server-port=8132', '--keepalive-time=30s']],
    [{ server: 'control.example' }, ['--proxy-server-host=control.example', '--proxy-server-port=8132']],
    [{ server: '[fd00::1]:443' }, ['--proxy-server-host=fd00::1', '--proxy-server-port=443']],
    [{ server: 'fd00::1' }, ['--proxy-server-host=fd00::1', '--proxy-server-port=8132']],
    [{ keepaliveSeconds: 120, agentExtraArgs: { v: '4' } }, ['--keepalive-time=120s', '--v=4']],
  ])('with %j have the flags %j', (settings, flags) => {
    agentsIn(declared(settings).objects()).forEach((agent) =>
      expect(argsOf(agent)).toEqual(expect.arrayContaining(flags)),
    );
  });

  it('have the images of the minor, or those that are given', () => {
    const images = (minor: string, settings: KonnectivitySettings = {}): string[] => {
      const { objects, file } = declared(settings, { cluster: EdgeCluster.of({ ...RELEASES, kubernetes: minor }) });
      const server = /image: (.*)/.exec(file('access/apply/konnectivity-server.manifest'))?.[1] ?? '';
      return [agentsIn(objects())[0].spec.template.spec.containers[0].image, server];
    };
    const registry = 'registry.k8s.io/kas-network-proxy';
    const of = (tag: string): string[] => [`${registry}/proxy-agent:${tag}`, `${registry}/proxy-server:${tag}`];
    expect(['1.30', '1.33', '1.34', '1.35', '1.36', '1.37'].map((minor) => images(minor))).toEqual(
      ['v0.30.3', 'v0.30.3', 'v0.34.0', 'v0.34.0', 'v0.36.0', 'v0.36.0'].map(of),
    );
    expect(images('1.28', { agentImage: 'a/agent:1', serverImage: 'a/server:1' })).toEqual(['a/agent:1', 'a/server:1']);
  });

  it('leave their ports to nobody else on the pool', () => {
    const { chart, pool } = declared();
    const container = { name: 'web', image: 'web:1', ports: [{ containerPort: 8094 }] };
    expect(
      () => new HostNetworkWorkload(chart, 'web', { pool, workload: daemonSet({ containers: [container] }) }),
    ).toThrow(/EDGE_PORT_CONFLICT.*\n?.*konnectivity-agent/);
  });
});

describe('the control plane', () => {
  const PRESENT = {
    v1beta3: [
      'apiVersion: kubeadm.k8s.io/v1beta3',
      'kind: ClusterConfiguration',
      '# ours',
      'apiServer:',
      '  extraArgs:',
      '    audit-log-path: "-"',
      '    kubelet-preferred-address-types: Hostname',
      '',
    ].join('\n'),
    v1beta4: [
      'apiVersion: kubeadm.k8s.io/v1beta4',
      'kind: ClusterConfiguration',
      'apiServer:',
      '  extraArgs:',
      '    - name: audit-log-path',
      '      value: "-"',
      '  extraVolumes:',
      '    - name: audit',
      '      hostPath: /var/log/audit',
      '      mountPath: /var/log/audit',
      '',
    ].join('\n'),
  };

  it.each(['v1beta3', 'v1beta4'] as const)('edits a ClusterConfiguration of %s, and keeps what is there', (version) => {
    const { file } = declared({ clusterConfiguration: PRESENT[version] });
    const [authority, egress] = ['1-authority', '2-egress'].map((name) => file(`access/apply/kubeadm/${name}.yaml`));
    expect(authority).toContain('audit-log-path');
    expect(authority).toContain('kubelet-certificate-authority');
    expect(authority).toContain('Hostname,InternalIP');
    expect(authority).not.toContain('egress-selector-config-file');
    expect(egress).toContain('egress-selector-config-file');
    expect(egress).toContain('/run/konnectivity-server');
    expect(file('access/revert/kubeadm/before.yaml')).toBe(PRESENT[version]);
    expect(egress).toMatch(version === 'v1beta3' ? /# ours/ : /name: audit$/m);
  });

  it.each([
    ['1.30', 'v1beta3', /^ {4}kubelet-certificate-authority: "/m],
    ['1.36', 'v1beta4', /^ {4}- name: kubelet-certificate-authority\n {6}value: "/m],
  ])('of %s gets parts of %s to merge, which no command applies as they are', (kubernetes, version, form) => {
    const { file } = declared({}, { cluster: EdgeCluster.of({ ...RELEASES, kubernetes }) });
    const part = file('access/apply/kubeadm/2-egress.yaml');
    expect(part).toContain(`kubeadm.k8s.io/${version}`);
    expect(part).toMatch(form);
    expect(file('access/apply.sh')).not.toContain('--config=kubeadm/');
  });

  it('checks certificates before requests go through agents, and agents are there before', () => {
    const { access } = declared({ clusterConfiguration: PRESENT.v1beta4 });
    expect(access.steps.map(({ where, commands }) => [where, commands[0]?.split(' ').at(-1)])).toEqual([
      ['kubectl', '--field-selector=spec.signerName=kubernetes.io/kubelet-serving'],
      ['control-plane', 'proxy-server.sh'],
      ['kubectl', 'konnectivity-agent-default-route'],
      ['control-plane', '--config=kubeadm/1-authority.yaml'],
      ['control-plane', '--config=kubeadm/2-egress.yaml'],
    ]);
    expect(access.rollback[0]?.what).toContain('without --egress-selector-config-file');
  });

  it('has several servers behind a balancer', () => {
    const { access, file } = declared({ servers: 3, server: 'control.example' });
    expect(file('access/apply/konnectivity-server.manifest')).toContain('--server-count=3');
    expect(file('access/apply/certificate.ext')).toContain('subjectAltName=DNS:control.example\n');
    expect(access.steps[1]?.what).toContain('a balancer control.example that reaches all 3');
  });

  it('that kubeadm did not make gets files, and its flags in words', () => {
    const { access, file } = declared({}, { cluster: EdgeCluster.of({ ...RELEASES, distribution: 'other' }) });
    const paths = access.artifacts.map(({ path }) => path);
    expect(paths.some((path) => path.includes('kubeadm') || path.endsWith('proxy-server.sh'))).toBe(false);
    for (const [flag, value] of Object.entries(access.apiServerFlags)) {
      expect(file('access/apply.sh')).toContain(`--${flag}=${value}`);
    }
  });
});

describe('other ways', () => {
  it('raven makes a Gateway for each pool, of the nodes that dial', () => {
    const { objects, access } = declared({}, { via: 'raven', gatewayNodes: { shops: ['shop-1', 'shop-2'] } });
    expect(objects()).toMatchObject([
      {
        apiVersion: 'raven.openyurt.io/v1beta1',
        kind: 'Gateway',
        metadata: { name: 'shops' },
        spec: {
          nodeSelector: { matchLabels: { 'raven.openyurt.io/gateway': 'shops' } },
          proxyConfig: { Replicas: 2 },
          tunnelConfig: { Replicas: 0 },
          endpoints: ['shop-1', 'shop-2'].map((nodeName) => ({ nodeName, type: 'proxy', underNAT: true })),
        },
      },
    ]);
    expect(access.assumptions[0]).toContain('was not run');
  });

  it('direct writes nothing, and says what it assumes', () => {
    const { objects, access } = declared({}, { via: 'direct' });
    expect([objects(), access.artifacts, access.steps]).toEqual([[], [], []]);
    expect(access.assumptions.join()).toContain('10250');
  });
});

describe('a join', () => {
  const warned = (via: NodeAccessProps['via'] | undefined, asks: boolean): string[] => {
    const { app, chart, pool } = via === 'konnectivity' ? declared() : declared({}, { via: 'direct' });
    const of = via === undefined ? new HostNetworkNodePool(chart, 'labs', { cluster, poolName: 'labs' }) : pool;
    new NodeJoin(chart, 'join', {
      pool: of,
      token: JoinToken.fromFile('/var/lib/edge/token'),
      machineSettings: { servingCertificates: asks },
    });
    app.synth();
    return EdgeWarnings.of(app)
      .filter(
        ({ code, path }) => code === 'EDGE_NO_ACCESS' || (code === 'EDGE_CERTIFICATE' && path.endsWith('Certificates')),
      )
      .map(({ code, hint }) => `${code} ${hint.includes('write machineSettings') ? 'asks for none' : ''}`.trim());
  };

  it.each([
    ['of a pool through agents needs serving certificates', 'konnectivity', false, ['EDGE_CERTIFICATE asks for none']],
    ['of a pool that is reached directly needs none', 'direct', false, []],
    ['of a pool that was forgotten is told', undefined, false, ['EDGE_NO_ACCESS']],
  ] as const)('%s', (_, via, asks, codes) => {
    expect(warned(via, asks)).toEqual(codes);
  });
});

describe('a dump', () => {
  const node = {
    kind: 'Node',
    metadata: { name: 'shop-1', labels: { 'nodepool.openyurt.io/hostnetwork': 'true' } },
  };
  const program = (kind: string, name: string, args: readonly string[]): any => {
    const spec = { containers: [{ name, args }] };
    return { kind, metadata: { name }, spec: kind === 'Pod' ? spec : { template: { spec } } };
  };
  const agent = (...args: string[]): any => program('DaemonSet', 'tunnel', ['--proxy-server-host=a', ...args]);
  const apiServer = (...args: string[]): any => program('Pod', 'api', ['--kubelet-client-certificate=x', ...args]);
  const server = (...args: string[]): any => program('Pod', 'proxy', ['--agent-port=8132', ...args]);
  const good = agent('--keepalive-time=30s', '--agent-identifiers=host=$(NODE_NAME)');
  const egress = '--egress-selector-config-file=/e.yaml';

  it.each<[string, any[], string | undefined, RegExp]>([
    ['without host-network nodes', [], undefined, /undefined/],
    ['with no way', [node], 'unknown', /behind NAT/],
    ['with Gateways', [node, { apiVersion: 'raven.openyurt.io/v1beta1', kind: 'Gateway' }], 'unknown', /raven-agent/],
    ['with agents alone', [node, good], 'fine', /not in the dump/],
    ['with agents that nothing uses', [node, good, apiServer()], 'unknown', /does not use them/],
    ['with a selector and no authority', [node, good, apiServer(egress)], 'harmful', /which kubelet answers/],
    [
      'with all of it',
      [
        node,
        good,
        server('--proxy-strategies=destHost,defaultRoute', '--keepalive-time=30s'),
        apiServer(egress, '--kubelet-certificate-authority=/ca'),
      ],
      'fine',
      /undefined/,
    ],
    ['with the default keepalive', [node, agent('--agent-identifiers=host=a')], 'harmful', /never comes back/],
    [
      'with identities of addresses',
      [node, agent('--keepalive-time=1m', '--agent-identifiers=ipv4=10.0.0.1')],
      'harmful',
      /addresses/,
    ],
    ['with the default strategy', [node, good, server('--keepalive-time=30s')], 'harmful', /any agent/],
    [
      'with addresses first',
      [
        node,
        good,
        apiServer(egress, '--kubelet-certificate-authority=/ca', '--kubelet-preferred-address-types=InternalIP'),
      ],
      'harmful',
      /addresses first/,
    ],
  ])('%s', (_, objects, state, reason) => {
    const found = findAccess(cluster, objects);
    expect(found?.state).toBe(state);
    expect(String(found?.reason)).toMatch(reason);
  });

  it('of what this library writes is fine', () => {
    const { objects } = declared();
    expect(findAccess(cluster, [node, ...objects()])?.state).toBe('fine');
    expect([wayToNodes(objects()), wayToNodes([])]).toEqual(['konnectivity', undefined]);
  });
});

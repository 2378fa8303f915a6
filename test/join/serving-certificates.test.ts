import { App, Chart, Testing } from 'cdk8s';
import {
  EdgeCluster,
  EdgeWarnings,
  HostNetworkNodePool,
  JoinToken,
  NodeJoin,
  ServingCertificateApprover,
  type ServingCertificateApproverProps,
} from 'edge-nodepools';

const caCertHashes = [`sha256:${'ab'.repeat(32)}`];
const cluster = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36', apiServer: '10.0.0.1:6443', caCertHashes });
const machines = [
  { name: 'shop-0001.example', address: '192.0.2.10/24' },
  { name: 'shop-0002', address: '2001:db8::2/64' },
];

function declared(props: Partial<ServingCertificateApproverProps> = {}) {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'approver');
  const approver = new ServingCertificateApprover(chart, 'approver', { cluster, machines, ...props });
  const objects: any[] = Testing.synth(chart);
  const of = (kind: string): any => objects.find((object) => object.kind === kind);
  const { spec } = of('Deployment').spec.template;
  const env = Object.fromEntries(spec.containers[0].env.map(({ name, value }: any) => [name, value]));
  return { app, approver, objects, of, spec, env };
}

/** What a program is given for a variable: `$(NAME)` is replaced, and `$$` is `$` (`k8s.io/kubernetes/third_party/forked/golang/expansion`). */
const expanded = (text: string): string => text.replace(/\$(\$|\([^)]*\))/g, (_, what) => (what === '$' ? '$' : ''));

describe('an approver', () => {
  it('allows the whole names and the very addresses of machines', () => {
    const { approver, env } = declared();
    expect(approver.nameRegex).toBe('^(?:shop-0001\\.example|shop-0002)$');
    expect(env).toEqual({
      PROVIDER_REGEX: approver.nameRegex,
      PROVIDER_IP_PREFIXES: '192.0.2.10/32,2001:db8::2/128',
      BYPASS_DNS_RESOLUTION: 'true',
      SKIP_DENY_STEP: 'true',
      MAX_EXPIRATION_SEC: String(367 * 24 * 3600),
    });
    const names = new RegExp(approver.nameRegex);
    expect(
      ['shop-0001.example', 'shop-0001xexample', 'shop-00022', 'a-shop-0002'].map((name) => names.test(name)),
    ).toEqual([true, false, false, false]);
  });

  it.each(['a$', 'a$$', '(?:x$|y$(?:z)?)', '$(HOME)', '$$(HOME)'])('gets the pattern %s as it is', (namePattern) => {
    const { approver, env } = declared({ namePattern, addresses: ['10.0.0.0/8', '10.0.0.7'] });
    expect(expanded(env.PROVIDER_REGEX)).toBe(approver.nameRegex);
    expect(approver.nameRegex).toContain(`(?:${namePattern})`);
    expect(approver.ipPrefixes).toEqual(['192.0.2.10/32', '2001:db8::2/128', '10.0.0.0/8', '10.0.0.7/32']);
  });

  it('may approve one signer, and has a Lease only if it is one of several', () => {
    const { of, spec } = declared();
    expect(of('ClusterRole').rules.filter(({ verbs }: any) => verbs.includes('approve'))).toEqual([
      {
        apiGroups: ['certificates.k8s.io'],
        resources: ['signers'],
        resourceNames: ['kubernetes.io/kubelet-serving'],
        verbs: ['approve'],
      },
    ]);
    expect(spec.containers[0].args).toContain('-leader-election');
    const alone = declared({ replicas: 1, deniesOthers: true, resolvesNames: true });
    expect([alone.of('Role'), alone.of('RoleBinding')]).toEqual([undefined, undefined]);
    expect(alone.spec.containers[0].args).not.toContain('-leader-election');
    expect([alone.env.SKIP_DENY_STEP, alone.env.BYPASS_DNS_RESOLUTION]).toEqual(['false', 'false']);
  });

  it('runs on no host-network node, with priority', () => {
    const { spec } = declared();
    expect(JSON.stringify(spec.affinity)).toContain('"key":"nodepool.openyurt.io/hostnetwork","operator":"NotIn"');
    expect(spec.priorityClassName).toBe('system-cluster-critical');
  });

  it('warns about a pattern for any name', () => {
    const codes = (namePattern: string): string[] =>
      EdgeWarnings.of(declared({ namePattern, addresses: ['10.0.0.0/8'] }).app).map(({ code }) => code);
    expect(['.*', '[a-z.]+', '\\w+(\\.\\w+)*'].map(codes)).toEqual(Array(3).fill(['EDGE_CERTIFICATE']));
    expect(['shop-.*', 'kubernetes-node-[0-9]+'].map(codes)).toEqual([[], []]);
  });

  it('takes a pattern that only Go can match in time', () => {
    // JavaScript takes minutes for some of them to see that they do not match
    for (const namePattern of [
      '([a-z.]*([a-z.]*([a-z.]*)*)*)*0',
      '(([a-z.]*)*)*0',
      '([a-z.]*[a-z.]*)*0',
      '([a-z]|[a-z]|[a-z.])*0',
      '([a-z.]{0,9}){0,9}0',
      '.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*.*0',
    ]) {
      expect(EdgeWarnings.of(declared({ namePattern, addresses: ['10.0.0.0/8'] }).app)).toEqual([]);
    }
  });
});

describe('a join with serving certificates', () => {
  const codes = (props: object, approver?: 'before' | 'after' | 'elsewhere'): string[] => {
    const app = new App();
    EdgeWarnings.setMode(app, 'silent');
    const chart = new Chart(app, 'join');
    const other = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36', apiServer: '10.9.9.9:6443', caCertHashes });
    const approve = (on = cluster): void =>
      void new ServingCertificateApprover(new Chart(app, 'approver'), 'approver', { cluster: on, machines });
    if (approver === 'before') approve();
    if (approver === 'elsewhere') approve(other);
    const pool = new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'shops' });
    new NodeJoin(chart, 'join', { pool, token: JoinToken.fromFile('/var/lib/edge/join-token'), ...props });
    if (approver === 'after') approve();
    app.synth();
    return EdgeWarnings.of(app).map(({ code }) => code);
  };
  const asks = { machineSettings: { servingCertificates: true } };

  it('warns if nothing in the program approves them', () => {
    expect(codes(asks)).toEqual(['EDGE_CERTIFICATE']);
    expect(codes({ kubeletConfiguration: { serverTLSBootstrap: true } })).toEqual(['EDGE_CERTIFICATE']);
    expect(codes(asks, 'elsewhere')).toEqual(['EDGE_CERTIFICATE']);
    expect([codes(asks, 'before'), codes(asks, 'after'), codes({})]).toEqual([[], [], []]);
  });
});

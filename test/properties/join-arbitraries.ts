import { App, Chart } from 'cdk8s';
import {
  EdgeCluster,
  EdgeWarnings,
  HostNetworkNodePool,
  JoinToken,
  NodeJoin,
  type NodeJoinProps,
  NodeReservation,
} from 'edge-nodepools';
import fc from 'fast-check';
import { hostileText } from './hostile-text.js';

const CA_CERT_HASH = `sha256:${'ab'.repeat(32)}`;

/** Every pair of releases with every join method that it supports. */
export const WAYS: readonly {
  readonly openYurt: string;
  readonly kubernetes: string;
  readonly via: NodeJoinProps['via'];
}[] = [
  ...['1.22', '1.24', '1.25', '1.27', '1.30', '1.31', '1.34', '1.35', '1.36', '1.37'].map((kubernetes) => ({
    openYurt: 'none',
    kubernetes,
    via: 'kubeadm' as const,
  })),
  ...[
    ['1.4', '1.23'],
    ['1.5', '1.28'],
    ['1.6', '1.30'],
    ['1.7', '1.34'],
  ].flatMap(([openYurt = '', kubernetes = '']) =>
    (['kubeadm', 'yurtadm'] as const).map((via) => ({ openYurt, kubernetes, via })),
  ),
  { openYurt: '1.7', kubernetes: '1.34', via: 'label-driven' },
  { openYurt: '1.7', kubernetes: '1.36', via: undefined },
];

export const tokenText = fc
  .tuple(fc.stringMatching(/^[a-z0-9]{6}$/), fc.stringMatching(/^[a-z0-9]{16}$/))
  .map((halves) => halves.join('.'))
  .filter((text) => text !== 'token0.placeholder00000');

type TokenKind = 'inline' | 'file' | 'command' | 'timed command' | 'secret';

/** A token of a kind; the text is for an inline one. */
export function tokenOf(kind: TokenKind, text: string): JoinToken {
  switch (kind) {
    case 'inline':
      return JoinToken.inline(text);
    case 'file':
      return JoinToken.fromFile('/var/lib/edge/join-token', { removeAfterJoin: true });
    case 'command':
      return JoinToken.fromCommand(['sh', '-c', 'cat "$1"', "it's", '/var/lib/edge/join-token']);
    case 'timed command':
      return JoinToken.fromCommand('cat /var/lib/edge/join-token', { timeoutSeconds: 30 });
    default:
      return JoinToken.fromSecret({ name: 'join-token', namespace: 'kube-system' });
  }
}

export const tokenKind = fc.constantFrom<TokenKind>('inline', 'file', 'command', 'timed command', 'secret');

const path = fc.stringMatching(/^(\/[a-z0-9._@-]{1,8}){1,3}$/).filter((text) => !/\/\.\.?(\/|$)/.test(text));
// a list is refused that only a shell would understand
const isForShell = (words: readonly string[]): boolean =>
  (words.length === 1 && /^[\w.-]+ /.test(words[0] ?? '')) || words.some((word) => /^[\d&|;<>]+$/.test(word));
const command = fc.oneof(
  hostileText.filter((text) => text !== ''),
  fc.array(hostileText, { minLength: 1, maxLength: 3 }).filter((words) => words[0] !== '' && !isForShell(words)),
);

/** Options of a join, with hostile text wherever any text is allowed. */
export const joinOptions: fc.Arbitrary<Partial<NodeJoinProps>> = fc.record(
  {
    nodeName: fc.stringMatching(/^[a-z]([a-z0-9-]{0,20}[a-z0-9])?$/),
    labels: fc.dictionary(
      fc.constantFrom('site', 'example.com/rank', 'on', '0644'),
      fc.constantFrom('hz', 'yes', '1.0', 'true', ''),
    ),
    taints: fc.constantFrom(
      [],
      [{ key: 'yes', value: 'on', effect: 'NoExecute' as const }],
      [{ key: 'example.com/a', effect: 'PreferNoSchedule' as const }],
    ),
    reservation: fc.constantFrom(
      NodeReservation.preset('edge-small', { diskSize: '32Gi' }),
      NodeReservation.preset('edge-small'),
      NodeReservation.of({}),
    ),
    // flags that are text
    kubeletExtraArgs: fc.dictionary(
      fc.constantFrom('root-dir', 'vmodule', 'node-ip'),
      fc.stringMatching(/^[a-z0-9.{}%<=,:~-]{0,12}$/),
    ),
    runtime: fc.constantFrom('containerd' as const, 'cri-o' as const),
    cniFolder: fc.constantFrom('/etc/cni/net.d', '/etc/edge/cni'),
    sandboxImage: fc.constantFrom('registry.example:5000/pause:3.10', 'kubeadm', {
      imageRepository: 'registry.example:5000/k8s',
    }),
    ignorePreflightErrors: fc.constantFrom([], ['Swap']),
    files: fc.uniqueArray(fc.record({ path, content: hostileText }), { maxLength: 3, selector: (file) => file.path }),
    preJoinCommands: fc.array(command, { maxLength: 2 }),
    postJoinCommands: fc.array(command, { maxLength: 2 }),
    ntpServers: fc.constantFrom(['0.pool.ntp.org', 'fd00::1']),
    attempts: fc.integer({ min: 1, max: 9 }),
    proxy: fc.constantFrom(
      { httpsProxy: 'http://user:p%40ss@proxy.example:3128', noProxy: ['10.0.0.0/8'] },
      { httpProxy: 'http://proxy.example:3128', credentialsFile: '/var/lib/edge/proxy-credentials' },
    ),
    service: fc.constantFrom({}, { until: '2027-01-31T12:00:00Z' }),
    format: fc.constantFrom('cloud-config' as const, 'script' as const),
    registrationTaint: fc.boolean(),
    staticPods: fc.constantFrom(
      [],
      [
        {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'agent', namespace: 'edge', annotations: { note: "it's {{ on }} %" } },
          spec: {
            containers: [{ name: 'agent', image: 'agent:1', args: ['$(id)', 'é'], ports: [{ containerPort: 9110 }] }],
          },
        },
      ],
    ),
  },
  { requiredKeys: [] },
);

/** A join as a user declares it, in a new tree. */
export function declareJoin(
  way: (typeof WAYS)[number],
  token: JoinToken,
  options: Partial<NodeJoinProps> & {
    readonly registrationTaint?: boolean;
    readonly poolReservation?: NodeReservation;
  } = {},
): { readonly app: App; readonly chart: Chart; readonly join: NodeJoin; readonly pool: HostNetworkNodePool } {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'site');
  const { openYurt, kubernetes, via } = way;
  const cluster = EdgeCluster.of({ openYurt, kubernetes, apiServer: '192.0.2.10:6443', caCertHashes: [CA_CERT_HASH] });
  const { registrationTaint, poolReservation: reservation, ...props } = options;
  const pool = new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'beijing', registrationTaint, reservation });
  return { app, chart, pool, join: new NodeJoin(chart, 'join', { pool, token, via, ...props }) };
}

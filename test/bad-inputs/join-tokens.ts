import type { Chart } from 'cdk8s';
import { BootstrapToken, EdgeCluster, HostNetworkNodePool, JoinToken, NodeJoin } from 'edge-nodepools';
import { type BadInput, untyped } from './case.js';

const TOKEN = 'abcdef.0123456789abcdef';

const bootstrap = (props: object) => (chart: Chart) =>
  new BootstrapToken(
    chart,
    'token',
    untyped({ token: JoinToken.inline(TOKEN), expiration: '2026-01-31T12:00:00Z', ...props }),
  );

const inline = (what: string, value: unknown): BadInput => ({
  what: `an inline token that is ${what}`,
  code: 'EDGE_TOKEN',
  path: 'value',
  hint: 'kubeadm token generate',
  make: () => JoinToken.inline(untyped(value)),
});

/** Tokens, their sources, and the Secret of a bootstrap token. */
export const joinTokens: BadInput[] = [
  inline('empty', ''),
  inline('nothing', undefined),
  inline('null', null),
  inline('a number', 123456),
  inline('an id alone', 'abcdef'),
  inline('in capitals', 'ABCDEF.0123456789ABCDEF'),
  inline('one character too long', `${TOKEN}0`),
  inline('one character too short', TOKEN.slice(0, -1)),
  inline('without a dot', 'abcdef0123456789abcdef'),
  inline('followed by another line', `${TOKEN}\n# token`),
  inline('blank', ' \r\n'),
  inline('in quotes', `"${TOKEN}"`),
  inline('with a byte order mark in it', `${TOKEN.slice(0, 3)}\uFEFF${TOKEN.slice(3)}`),
  inline('part of a command', `kubeadm join --token ${TOKEN}`),
  inline('the placeholder', 'token0.placeholder00000'),
  {
    what: 'a token in a label of a pool that is joined',
    code: 'EDGE_TOKEN',
    path: 'pool.joinLabels.token',
    hint: 'the token belongs in token',
    make: (chart) => {
      const cluster = EdgeCluster.of({
        openYurt: 'none',
        kubernetes: '1.34',
        apiServer: 'api.example:6443',
        caCertHashes: [`sha256:${'0f'.repeat(32)}`],
      });
      const pool = new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'hz', labels: { token: TOKEN } });
      return new NodeJoin(chart, 'join', { pool, token: JoinToken.fromFile('/var/lib/edge/join-token') });
    },
  },
  {
    what: 'a bootstrap token without a token',
    code: 'EDGE_MISSING',
    path: 'token',
    hint: 'config.requireSecret',
    make: bootstrap({ token: undefined }),
  },
  {
    what: 'half of a surrogate pair in the command of a token',
    code: 'EDGE_TYPE',
    path: 'command',
    hint: /./,
    make: () => JoinToken.fromCommand(['cat', '/etc/\ud800']),
  },
  {
    what: 'a token file without a path',
    code: 'EDGE_VALUE',
    path: 'path',
    hint: '/var/lib/edge/join-token',
    make: () => JoinToken.fromFile(untyped(undefined)),
  },
  {
    what: 'a token file with a relative path',
    code: 'EDGE_VALUE',
    path: 'path',
    hint: '/var/lib/edge/join-token',
    make: () => JoinToken.fromFile('run/token'),
  },
  {
    what: 'a token file with .. in its path',
    code: 'EDGE_VALUE',
    path: 'path',
    hint: '/var/lib/edge/join-token',
    make: () => JoinToken.fromFile('/run/../etc/shadow'),
  },
  {
    what: 'a token instead of its file',
    code: 'EDGE_TOKEN',
    path: 'path',
    hint: 'JoinToken.inline',
    make: () => JoinToken.fromFile(TOKEN),
  },
  {
    what: 'a token file with a misspelled option',
    code: 'EDGE_UNKNOWN_PROPERTY',
    path: 'options.removeAfter',
    hint: 'removeAfterJoin',
    make: () => JoinToken.fromFile('/run/token', untyped({ removeAfter: true })),
  },
  {
    what: 'a token file whose option is text',
    code: 'EDGE_TYPE',
    path: 'options.removeAfterJoin',
    hint: 'true or false',
    make: () => JoinToken.fromFile('/run/token', untyped({ removeAfterJoin: 'yes' })),
  },
  ...[30, '30', null, []].map((options): BadInput => ({
    what: `a token command with ${JSON.stringify(options)} in the place of its options`,
    code: 'EDGE_TYPE',
    path: 'options',
    hint: '{ timeoutSeconds: 30 }',
    make: () => JoinToken.fromCommand('x', untyped(options)),
  })),
  {
    what: 'a token file with true in the place of its options',
    code: 'EDGE_TYPE',
    path: 'options',
    hint: '{ removeAfterJoin: true }',
    make: () => JoinToken.fromFile('/var/lib/edge/join-token', untyped(true)),
  },
  ...[0, 3601, 1.5, '30', NaN].map((timeoutSeconds): BadInput => ({
    what: `a token command with the timeout ${JSON.stringify(timeoutSeconds)}`,
    code: 'EDGE_VALUE',
    path: 'options.timeoutSeconds',
    hint: '30',
    make: () => JoinToken.fromCommand('x', untyped({ timeoutSeconds })),
  })),
  {
    what: 'a token command with a misspelled option',
    code: 'EDGE_UNKNOWN_PROPERTY',
    path: 'options.timeout',
    hint: 'timeoutSeconds',
    make: () => JoinToken.fromCommand('x', untyped({ timeout: 30 })),
  },
  {
    what: 'a token command that is empty',
    code: 'EDGE_MISSING',
    path: 'command',
    hint: 'vault',
    make: () => JoinToken.fromCommand(''),
  },
  {
    what: 'a token command without words',
    code: 'EDGE_MISSING',
    path: 'command',
    hint: 'vault',
    make: () => JoinToken.fromCommand([]),
  },
  {
    what: 'a token command with a number',
    code: 'EDGE_TYPE',
    path: 'command',
    hint: "['cat'",
    make: () => JoinToken.fromCommand(untyped(['head', 1])),
  },
  {
    what: 'a token in the command that reads it',
    code: 'EDGE_TOKEN',
    path: 'command',
    hint: 'reads the token from a secret store',
    make: () => JoinToken.fromCommand(`echo ${TOKEN}`),
  },
  {
    what: 'a token Secret without namespace',
    code: 'EDGE_MISSING',
    path: 'namespace',
    hint: "namespace: 'kube-system'",
    make: () => JoinToken.fromSecret(untyped({ name: 'join-token' })),
  },
  {
    what: 'a token Secret that is text',
    code: 'EDGE_TYPE',
    path: '',
    hint: 'name:',
    make: () => JoinToken.fromSecret(untyped('kube-system/join-token')),
  },
  {
    what: 'a token Secret with an invalid key',
    code: 'EDGE_NAME',
    path: 'key',
    hint: "'token'",
    make: () => JoinToken.fromSecret({ name: 'join-token', namespace: 'kube-system', key: 'a/b' }),
  },
  {
    what: 'a bootstrap token by reference',
    code: 'EDGE_TOKEN',
    path: 'token',
    hint: 'JoinToken.inline(value)',
    make: bootstrap({ token: JoinToken.fromFile('/run/token') }),
  },
  {
    what: 'a bootstrap token as text',
    code: 'EDGE_TYPE',
    path: 'token',
    hint: 'JoinToken.inline(value)',
    make: bootstrap({ token: TOKEN }),
  },
  {
    what: 'a bootstrap token without value',
    code: 'EDGE_MISSING',
    path: 'token',
    hint: 'kubeadm token generate',
    make: bootstrap({ token: undefined }),
  },
  {
    what: 'a bootstrap token without expiration',
    code: 'EDGE_MISSING',
    path: 'expiration',
    hint: 'T12:00:00Z',
    make: bootstrap({ expiration: undefined }),
  },
  {
    what: 'a bootstrap token with a duration as expiration',
    code: 'EDGE_VALUE',
    path: 'expiration',
    hint: 'T12:00:00Z',
    make: bootstrap({ expiration: '24h' }),
  },
  {
    what: 'a bootstrap token that expires on 31 February',
    code: 'EDGE_VALUE',
    path: 'expiration',
    hint: 'T12:00:00Z',
    make: bootstrap({ expiration: '2026-02-31T12:00:00Z' }),
  },
  {
    what: 'a bootstrap token with a ttl',
    code: 'EDGE_UNKNOWN_PROPERTY',
    path: 'ttl',
    hint: 'not a duration',
    make: bootstrap({ ttl: '24h' }),
  },
  {
    what: 'a bootstrap token without usages',
    code: 'EDGE_VALUE',
    path: 'usages',
    hint: "'signing'",
    make: bootstrap({ usages: [] }),
  },
  {
    what: 'a bootstrap token for administrators',
    code: 'EDGE_VALUE',
    path: 'groups[0]',
    hint: 'system:bootstrappers:',
    make: bootstrap({ groups: ['system:masters'] }),
  },
  {
    what: 'a bootstrap token without properties',
    code: 'EDGE_MISSING',
    path: '',
    hint: 'expiration',
    make: (chart) => new BootstrapToken(chart, 'token', untyped(undefined)),
  },
];

/** The subcommands, and samples of their options. */
import fc from 'fast-check';
import { main } from '../../src/cli/main.js';
import { quoted } from '../../src/base/properties.js';
import { daemonSet } from '../bad-inputs/case.js';
import { corednsConfigMap, kubeProxyConfigMap } from '../corpus/kube-system.js';
import { dumpOf, node } from '../adopt/dump.js';

const HASH = `sha256:${'0f'.repeat(32)}`;

/** Something that takes properties. */
export interface Noun {
  readonly name: string;
  readonly samples: fc.Arbitrary<any>;
  readonly use: (given: any) => unknown;
}

/** Inside of a file is no folder: no command that gets such a path reads or writes anything. */
const PATHS = ['dump', 'from', 'out', 'check', 'compare', '*'];
/** A subcommand with flags; `*` is its argument. */
function command(
  name: string,
  flags: Readonly<Record<string, string | true>>,
  stdin = fc.constantFrom<any>('a: b'),
): Noun {
  const flagOf =
    (written: any) =>
    (flag: string): string => {
      const value =
        PATHS.includes(flag) && written[flag] !== '-' ? `${__filename}/${written[flag]}` : `${written[flag]}`;
      return ['*', 'path'].includes(flag) ? value : flags[flag] === true ? `--${flag}` : `--${flag}=${value}`;
    };
  return {
    name: `edge-nodepools ${name}`,
    samples: stdin.map((read) => ({ ...flags, stdin: read })),
    use: ({ stdin: read, ...written }) =>
      main([name, ...Object.keys(written).map(flagOf(written))], {
        stdin: () => (typeof read === 'string' ? read : quoted({ kind: 'List', items: read })),
        stdout: () => undefined,
        stderr: () => undefined,
      }),
  };
}

const dump = fc.constantFrom<any>('a: b', [
  ...dumpOf('1.6', '1.30', [node('edge-1', 'beijing', '1.30.4')]),
  corednsConfigMap(),
  kubeProxyConfigMap(),
  daemonSet(),
]);
const OUT = { out: 'out', 'host-network-label': 'a=b', format: 'json' } as const;

export const COMMANDS: readonly Noun[] = [
  command('init', {
    '*': 'folder',
    openyurt: '1.7',
    kubernetes: '1.36',
    'api-server': 'api.example:6443',
    'ca-cert-hash': HASH,
    'package-manager': 'npm',
  }),
  command('post-render', { openyurt: '1.7' }, dump),
  command('post-render', {
    only: 'A',
    skip: 'B',
    'pod-template-path': 'A=spec',
    openyurt: 'none',
    kubernetes: '1.34',
    'host-network-label': 'a=b',
  }),
  command(
    'show',
    {
      '*': '-',
      format: 'text',
      pool: 'beijing',
      nodes: 'a=1',
      'node-pool-label': 'a',
      'host-network-label': 'a=b',
      'host-network-pool': 'beijing',
    },
    dump,
  ),
  command(
    'check',
    {
      '*': '-',
      format: 'sarif',
      'fail-on': 'warning',
      kubernetes: '1.30',
      nodes: 'a=1',
      'host-network-pool': 'beijing',
      'node-pool-label': 'a',
      'host-network-label': 'a=b',
    },
    dump,
  ),
  command(
    'explain',
    {
      '*': 'kube-proxy',
      path: '-',
      format: 'text',
      pool: 'beijing',
      node: 'edge-1',
      'host-network-pool': 'beijing',
      'node-pool-label': 'a',
      'host-network-label': 'a=b',
    },
    dump,
  ),
  command(
    'diff',
    {
      '*': '-',
      path: `${__filename}/new`,
      format: 'text',
      'host-network-pool': 'beijing',
      'node-pool-label': 'a',
      'host-network-label': 'a=b',
    },
    dump,
  ),
  command(
    'simulate',
    {
      '*': '-',
      down: 'pool=beijing,node=edge-1',
      for: '10m',
      update: 'DaemonSet kube-system/kube-proxy',
      zones: 'pool',
      kubernetes: '1.36',
      flag: 'node-eviction-rate=1',
      nodes: 'beijing=1',
      'other-nodes': '3',
      format: 'text',
      'host-network-pool': 'beijing',
      'node-pool-label': 'a',
      'host-network-label': 'a=b',
    },
    dump,
  ),
  // in place of the argument
  ...['show', 'check', 'simulate'].map((name) => command(name, { dump: '-' }, dump)),
  ...['explain', 'diff'].map((name) => command(name, { '*': 'kube-proxy', dump: '-' }, dump)),
  command('nodes', { dump: '-', 'host-network-pool': 'beijing', 'node-pool-label': 'a', ...OUT }, dump),
  command('import', { '*': '-', to: 'pulumi', openyurt: '1.6', kubernetes: '1.30', out: 'out' }, dump),
  command(
    'import',
    { '*': '-', openyurt: 'none', 'host-network-label': 'a=b', 'node-pool-label': 'a', out: 'out' },
    dump,
  ),
  command('import', { '*': '-', secrets: 'external', 'secret-store': 'SecretStore/vault', out: 'out' }, dump),
  command('import', { '*': '-', compare: 'out' }, dump),
  command('dump', { '*': 'nodes', print: true, openyurt: '1.7', context: 'c' }),
  command('bundle', { '*': 'folder', out: 'out', check: 'folder', image: 'a:1' }),
  command(
    'preconditions',
    { dump: '-', openyurt: '1.6', kubernetes: '1.30', guide: 'tunnel', distribution: 'other', ...OUT },
    dump,
  ),
  command(
    'upgrade',
    {
      dump: '-',
      from: '1.6',
      to: '1.7',
      kubernetes: '1.30..1.34',
      out: 'out',
      distribution: 'other',
      'node-pool-label': 'a',
      'cluster-name': 'edge',
      'ca-cert-hash': HASH,
      format: 'json',
    },
    dump,
  ),
];

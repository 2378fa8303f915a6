import type { Chart } from 'cdk8s';
import { Corefile, EdgePreconditions } from 'edge-nodepools';
import { COREFILE, corednsConfigMap, on } from '../corpus/kube-system.js';
import { OTHER_COREFILES } from '../corpus/corefiles.js';
import { type BadInput, untyped } from './case.js';

/** A Corefile with a syntax error, and its position. */
const broken = (what: string, text: unknown, place: string, hint: string): BadInput & { place: string } => ({
  what: `a Corefile with ${what}`,
  code: 'EDGE_COREFILE',
  path: '',
  hint,
  place,
  make: () => Corefile.parse(untyped(text)),
});

/** Each names the line and the column of the mistake. */
export const brokenCorefiles: (BadInput & { place: string })[] = [
  broken('a brace that is never closed', '.:53 {\n    errors\n', 'line 1, column 6', "'}'"),
  broken('a plugin whose brace is never closed', '.:53 {\n    health {\n    errors\n}\n', 'line 1, column 6', "'}'"),
  broken('a brace too many', '.:53 {\n    errors\n}\n}\n', 'line 4, column 1', 'remove it'),
  broken('a closing brace first', '}\n', 'line 1, column 1', 'remove it'),
  broken('a brace glued to the address', '.:53{\n    errors\n}\n', 'line 1, column 1', '.:53 {'),
  broken('a brace glued to a plugin', '.:53 {\n    errors\n    health{\n    }\n}\n', 'line 3, column 5', 'health {'),
  broken('a block without address', '{\n    errors\n}\n', 'line 1, column 1', '.:53'),
  broken('a block without plugin', '.:53 {\n    {\n    errors\n    }\n}\n', 'line 2, column 5', 'plugin'),
  broken('a comma before the brace', '.:53, {\n    errors\n}\n', 'line 1, column 7', 'comma'),
  broken('a comma at the end', '.:53,', 'line 1, column 1', 'comma'),
  broken('an open quote', '.:53 {\n    kubernetes "cluster.local\n}\n', 'line 2, column 16', 'closing "'),
  broken('a snippet without braces', '(snip)\nerrors\n', 'line 1, column 1', '(snip) {'),
  broken('a snippet twice', '(a) {\n}\n(a) {\n}\n', 'line 3, column 1', 'unique name'),
  broken('an import of nothing', '.:53 {\n    import\n}\n', 'line 2, column 5', 'import name'),
  broken('an import of two', '.:53 {\n    import a b\n}\n', 'line 2, column 5', 'import name'),
  broken('an import of nothing outside', 'import\n', 'line 1, column 1', 'import name'),
  broken('the closing brace on the line of a plugin', '. { whoami }\n', 'line 1, column 12', 'own line'),
  broken('two closing braces on one line', '.:53 {\n    health {\n    } }\n', 'line 3, column 7', 'own line'),
  broken('a plain server closed', '.:53\nerrors\n}\n', 'line 3, column 1', 'remove it'),
];

const corefile = (props: object) => (chart: Chart) =>
  new EdgePreconditions(
    chart,
    'corefile',
    untyped({ cluster: on('1.7', '1.34'), only: ['corefile'], corefile: { corefile: COREFILE, ...props } }),
  );
const edit =
  (method: 'withHosts' | 'withForwarder' | 'withNodeLocalCache', props: unknown, text = COREFILE) =>
  () =>
    Corefile.parse(text)[method](untyped(props));

export const preconditionsCorefile: BadInput[] = [
  ...brokenCorefiles,
  {
    what: 'a Corefile that is a map',
    code: 'EDGE_TYPE',
    path: '',
    hint: 'data.Corefile',
    make: () => Corefile.parse(untyped(corednsConfigMap())),
  },
  ...(['withoutHosts', 'withoutForwarder', 'diff'] as const).flatMap((method): BadInput[] =>
    [undefined, 7, ['site-hz.example'], {}].map((given) => ({
      what: `${method} of ${JSON.stringify(given)}`,
      code: 'EDGE_TYPE',
      path: '',
      hint: { withoutHosts: '/etc/edge/tunnel-nodes', withoutForwarder: 'site-hz.example', diff: 'Corefile.parse' }[
        method
      ],
      make: () => Corefile.parse(COREFILE)[method](untyped(given)),
    })),
  ),
  ...['', ' \n', '# of the cluster\n'].map((text): BadInput => ({
    what: `a forwarder for the Corefile ${JSON.stringify(text)}`,
    code: 'EDGE_COREFILE',
    path: 'corefile.corefile',
    hint: 'kubectl get configmap coredns',
    make: corefile({ corefile: text, forwarders: [{ zone: 'site-hz.example', to: ['10.1.0.2'] }] }),
  })),
  {
    what: 'a forwarder for a ConfigMap whose Corefile is a comment',
    code: 'EDGE_COREFILE',
    path: 'corefile.configMap',
    hint: 'kubectl get configmap coredns',
    make: corefile({
      corefile: undefined,
      configMap: corednsConfigMap('# none\n'),
      forwarders: [{ zone: 'site-hz.example', to: ['10.1.0.2'] }],
    }),
  },
  {
    what: 'hosts for a block that has a hosts plugin',
    code: 'EDGE_COREFILE',
    path: '',
    hint: '/etc/coredns/NodeHosts',
    make: edit('withHosts', { file: '/etc/edge/tunnel-nodes' }, OTHER_COREFILES.K3s),
  },
  {
    what: 'hosts for a Corefile without the kubernetes plugin',
    code: 'EDGE_COREFILE',
    path: '',
    hint: 'kubernetes plugin',
    make: edit('withHosts', { file: '/etc/edge/tunnel-nodes' }, OTHER_COREFILES['NodeLocal DNSCache']),
  },
  { what: 'hosts without a file', code: 'EDGE_MISSING', path: 'file', hint: '/etc/edge', make: edit('withHosts', {}) },
  {
    what: 'hosts with a path that is not absolute',
    code: 'EDGE_VALUE',
    path: 'file',
    hint: 'absolute',
    make: edit('withHosts', { file: 'tunnel-nodes' }),
  },
  {
    what: 'hosts with a duration without unit',
    code: 'EDGE_VALUE',
    path: 'reload',
    hint: '300ms',
    make: edit('withHosts', { file: '/f', reload: '300' }),
  },
  {
    what: 'hosts with a property that does not exist',
    code: 'EDGE_UNKNOWN_PROPERTY',
    path: 'path',
    hint: 'file',
    make: edit('withHosts', { file: '/f', path: '/f' }),
  },
  {
    what: 'a forwarder for no zone',
    code: 'EDGE_NAME',
    path: 'zone',
    hint: 'site-hz.example',
    make: edit('withForwarder', { zone: 'Site Hz', to: ['10.1.0.2'] }),
  },
  {
    what: 'a forwarder without servers',
    code: 'EDGE_MISSING',
    path: 'to',
    hint: '10.1.0.2',
    make: edit('withForwarder', { zone: 'hz.example', to: [] }),
  },
  {
    what: 'a forwarder to a name',
    code: 'EDGE_VALUE',
    path: 'to[0]',
    hint: 'IP address',
    make: edit('withForwarder', { zone: 'hz.example', to: ['dns.hz.example'] }),
  },
  {
    what: 'a forwarder on port 0',
    code: 'EDGE_VALUE',
    path: 'port',
    hint: '65535',
    make: edit('withForwarder', { zone: 'hz.example', to: ['10.1.0.2'], port: 0 }),
  },
  {
    what: 'a forwarder for a zone with another server block',
    code: 'EDGE_COREFILE',
    path: '',
    hint: 'another zone',
    make: edit('withForwarder', { zone: 'corp.example', to: ['10.1.0.2'] }, 'corp.example {\n    whoami\n}\n'),
  },
  {
    what: 'a node-local cache without address',
    code: 'EDGE_MISSING',
    path: 'addresses',
    hint: '169.254.20.10',
    make: edit('withNodeLocalCache', { addresses: [] }),
  },
  {
    what: 'a node-local cache on a name',
    code: 'EDGE_VALUE',
    path: 'addresses[0]',
    hint: '169.254.20.10',
    make: edit('withNodeLocalCache', { addresses: ['node'] }),
  },
  {
    what: 'a node-local cache of no answers',
    code: 'EDGE_VALUE',
    path: 'success',
    hint: '1 or more',
    make: edit('withNodeLocalCache', { addresses: ['169.254.20.10'], success: 0 }),
  },
  {
    what: 'proxy names of an unknown tunnel',
    code: 'EDGE_VALUE',
    path: 'corefile.proxyNames',
    hint: 'raven',
    make: corefile({ proxyNames: 'frp' }),
  },
  {
    what: 'a Corefile and its ConfigMap',
    code: 'EDGE_CONTRADICTION',
    path: 'corefile.corefile',
    hint: 'one of the two',
    make: corefile({ proxyNames: 'raven', configMap: corednsConfigMap() }),
  },
  {
    what: 'edits of no Corefile',
    code: 'EDGE_MISSING',
    path: 'corefile.configMap',
    hint: 'get configmap coredns',
    make: corefile({ proxyNames: 'raven', corefile: undefined }),
  },
  {
    what: 'the ConfigMap of kube-proxy for that of CoreDNS',
    code: 'EDGE_WRONG_OBJECT',
    path: 'corefile.configMap',
    hint: 'get configmap coredns',
    make: corefile({
      proxyNames: 'raven',
      corefile: undefined,
      configMap: { ...corednsConfigMap(), metadata: { name: 'kube-proxy', namespace: 'kube-system' } },
    }),
  },
  {
    what: 'a ConfigMap of CoreDNS in another namespace',
    code: 'EDGE_WRONG_OBJECT',
    path: 'corefile.configMap',
    hint: '--namespace kube-system',
    make: corefile({
      proxyNames: 'raven',
      corefile: undefined,
      configMap: { ...corednsConfigMap(), metadata: { name: 'coredns', namespace: 'dns' } },
    }),
  },
  {
    what: 'a Secret for the ConfigMap of CoreDNS',
    code: 'EDGE_WRONG_OBJECT',
    path: 'corefile.configMap',
    hint: 'configmap',
    make: corefile({ proxyNames: 'raven', corefile: undefined, configMap: { ...corednsConfigMap(), kind: 'Secret' } }),
  },
  {
    what: 'a ConfigMap of CoreDNS without Corefile',
    code: 'EDGE_MISSING',
    path: 'corefile.configMap.data.Corefile',
    hint: 'corefile',
    make: corefile({
      proxyNames: 'raven',
      corefile: undefined,
      configMap: { ...corednsConfigMap(), data: { corefile: '' } },
    }),
  },
  {
    what: 'a ConfigMap of CoreDNS without data',
    code: 'EDGE_MISSING',
    path: 'corefile.configMap.data',
    hint: 'Corefile',
    make: corefile({ proxyNames: 'raven', corefile: undefined, configMap: { ...corednsConfigMap(), data: undefined } }),
  },
  {
    what: 'a ConfigMap with a broken Corefile',
    code: 'EDGE_COREFILE',
    path: 'corefile.configMap.data.Corefile',
    hint: "'}'",
    make: corefile({ proxyNames: 'raven', corefile: undefined, configMap: corednsConfigMap('.:53 {\n') }),
  },
  {
    what: 'forwarders that are a map',
    code: 'EDGE_TYPE',
    path: 'corefile.forwarders',
    hint: 'zone',
    make: corefile({ forwarders: { zone: 'hz.example' } }),
  },
  {
    what: 'a forwarder that is text',
    code: 'EDGE_TYPE',
    path: 'corefile.forwarders[0]',
    hint: 'zone',
    make: corefile({ forwarders: ['hz.example'] }),
  },
];

import type { Chart } from 'cdk8s';
import { EdgeCluster, HostNetworkNodePool, JoinToken, NodeJoin } from 'edge-nodepools';
import { type BadInput, untyped } from './case.js';

const join = (props: object) => (chart: Chart) => {
  const caCertHashes = [`sha256:${'ab'.repeat(32)}`];
  const cluster = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.34', apiServer: '10.0.0.1:6443', caCertHashes });
  return new NodeJoin(
    chart,
    'join',
    untyped({
      pool: new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'hz' }),
      token: JoinToken.fromFile('/var/lib/edge/join-token'),
      ...props,
    }),
  );
};

/** The password of a proxy. */
export const joinProxies: BadInput[] = [
  {
    what: 'a password in place of the file with it',
    code: 'EDGE_VALUE',
    path: 'proxy.credentialsFile',
    hint: '/var/lib/edge/proxy-credentials',
    make: join({ proxy: { httpsProxy: 'http://proxy:3128', credentialsFile: 'till:s3cret' } }),
  },
  {
    what: 'a number in place of the file with the password',
    code: 'EDGE_VALUE',
    path: 'proxy.credentialsFile',
    hint: '/var/lib/edge/proxy-credentials',
    make: join({ proxy: { httpsProxy: 'http://proxy:3128', credentialsFile: untyped(7) } }),
  },
  {
    what: 'a file with a password and no proxy',
    code: 'EDGE_MISSING',
    path: 'proxy.credentialsFile',
    hint: 'httpsProxy',
    make: join({ proxy: { credentialsFile: '/var/lib/edge/proxy-credentials' } }),
  },
  {
    what: 'a user in the URL and in the file',
    code: 'EDGE_CONTRADICTION',
    path: 'proxy.httpsProxy',
    hint: 'without the part before @',
    make: join({ proxy: { httpsProxy: 'http://till:x@proxy:3128', credentialsFile: '/var/lib/edge/proxy' } }),
  },
  {
    what: 'a password of its own',
    code: 'EDGE_UNKNOWN_PROPERTY',
    path: 'proxy.password',
    hint: 'credentialsFile',
    make: join({ proxy: untyped({ httpsProxy: 'http://proxy:3128', password: 'x' }) }),
  },
  {
    what: 'a file of the user in the place of the password of the proxy',
    code: 'EDGE_RESERVED_KEY',
    path: 'files[0].path',
    hint: /./,
    make: join({
      files: [{ path: '/etc/systemd/system/containerd.service.d/20-edge-nodepools-proxy.conf', content: 'x' }],
    }),
  },
];

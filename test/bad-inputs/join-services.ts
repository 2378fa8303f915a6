import type { Chart } from 'cdk8s';
import { EdgeCluster, HostNetworkNodePool, JoinToken, NodeJoin } from 'edge-nodepools';
import { type BadInput, untyped } from './case.js';

const join = (service: unknown, openYurt = 'none', props: object = {}): ((chart: Chart) => NodeJoin) => {
  return (chart) => {
    const cluster = EdgeCluster.of({
      openYurt,
      kubernetes: '1.34',
      apiServer: '10.0.0.1:6443',
      caCertHashes: [`sha256:${'ab'.repeat(32)}`],
    });
    const pool = new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'hz' });
    const token = JoinToken.fromFile('/var/lib/edge/join-token');
    return new NodeJoin(chart, 'join', untyped({ pool, token, service, ...props }));
  };
};

/** A service with one wrong property. */
const rows: readonly (readonly [
  what: string,
  service: unknown,
  code: BadInput['code'],
  path: string,
  hint: BadInput['hint'],
])[] = [
  ['true for a service', true, 'EDGE_TYPE', 'service', '{}'],
  ['a service of OpenRC', { manager: 'openrc' }, 'EDGE_UNKNOWN_PROPERTY', 'service.manager', 'without systemd'],
  ['an interval of a service', { interval: 30 }, 'EDGE_UNKNOWN_PROPERTY', 'service.interval', 'secondsBetweenRuns'],
  ['a pause as text', { secondsBetweenRuns: '30s' }, 'EDGE_VALUE', 'service.secondsBetweenRuns', /whole|write/],
  ['a pause of a second', { secondsBetweenRuns: 1 }, 'EDGE_VALUE', 'service.secondsBetweenRuns', /10/],
  ['a pause of a week', { maxSecondsBetweenRuns: 604_800 }, 'EDGE_VALUE', 'service.maxSecondsBetweenRuns', '86400'],
  [
    'a longest pause below the first',
    { secondsBetweenRuns: 600, maxSecondsBetweenRuns: 60 },
    'EDGE_CONTRADICTION',
    'service.maxSecondsBetweenRuns',
    '600 or more',
  ],
  ['a duration for a time', { until: '72h' }, 'EDGE_VALUE', 'service.until', '2036-01-31T12:00:00Z'],
  ['a day that is none', { until: '2026-02-31T00:00:00Z' }, 'EDGE_VALUE', 'service.until', '2036-01-31'],
  ['a command for a time', { until: '$(id)' }, 'EDGE_VALUE', 'service.until', '2036-01-31'],
  ['a negative wait for the clock', { secondsForTimeSync: -1 }, 'EDGE_VALUE', 'service.secondsForTimeSync', /0/],
  ['text for rejoinExpired', { rejoinExpired: 'yes' }, 'EDGE_TYPE', 'service.rejoinExpired', 'true'],
];

/** The service of a join. */
export const joinServices: BadInput[] = [
  ...rows.map(([what, service, code, path, hint]): BadInput => ({ what, code, path, hint, make: join(service) })),
  {
    what: 'rejoinExpired with yurtadm',
    code: 'EDGE_JOIN',
    path: 'service.rejoinExpired',
    hint: "via: 'kubeadm'",
    make: join({ rejoinExpired: true }, '1.7', { via: 'yurtadm' }),
  },
  {
    what: 'the hash of a join as a label',
    code: 'EDGE_RESERVED_KEY',
    path: 'labels["edge-nodepools/join"]',
    hint: 'leave it out',
    make: join(undefined, 'none', { labels: { 'edge-nodepools/join': '0123456789' } }),
  },
  {
    what: 'a file in the place of the service',
    code: 'EDGE_RESERVED_KEY',
    path: 'files[0].path',
    hint: 'another path',
    make: join({}, 'none', { files: [{ path: '/etc/systemd/system/edge-nodepools-join.timer', content: 'x' }] }),
  },
];

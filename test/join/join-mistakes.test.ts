/** A machine with a static network, and an API server that it does not reach. */
import { Testing as Cdk8sTesting } from 'cdk8s';
import {
  EdgeCluster,
  EdgeWarnings,
  HostNetworkNodePool,
  type JoinMachine,
  JoinToken,
  NodeJoin,
  type NodeJoinProps,
} from 'edge-nodepools';

function told(apiServer: string, machine: Partial<JoinMachine>, props: Partial<NodeJoinProps> = {}): string[] {
  const chart = Cdk8sTesting.chart();
  EdgeWarnings.setMode(chart, 'silent');
  const cluster = EdgeCluster.of({
    ...{ openYurt: 'none', kubernetes: '1.34' },
    apiServer,
    caCertHashes: [`sha256:${'ab'.repeat(32)}`],
  });
  const pool = new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'edge' });
  const machines = [{ name: 'a', mac: '52:54:00:00:00:01', ...machine }];
  new NodeJoin(chart, 'join', { pool, token: JoinToken.fromFile('/var/lib/edge/join-token'), machines, ...props });
  return EdgeWarnings.of(chart).map(({ code, path }) => `${code} ${path}`);
}

const address = '192.0.2.10/24';
const gateway = '192.0.2.1';
const nameservers = ['192.0.2.53'];

describe('a static network', () => {
  const files = [{ path: '/etc/hosts', content: 'x' }];
  it.each<[string, string, Partial<JoinMachine>, Partial<NodeJoinProps>]>([
    ['finds a server by its name', 'api.example:6443', { address, gateway, nameservers }, {}],
    ['reaches one in its network', '192.0.2.200:6443', { address }, {}],
    ['reaches one by its gateway', '198.51.100.1:6443', { address, gateway }, {}],
    ['has routes by router advertisements', '[2001:db8::1]:6443', { address: 'fd00::2/64' }, {}],
    ['finds one in a file', 'api.example:6443', { address, gateway }, { files }],
    ['finds one by a command', 'api.example:6443', { address, gateway }, { preJoinCommands: ['edit /etc/hosts'] }],
    ['gets routes by a command', '198.51.100.1:6443', { address }, { preJoinCommands: [['ip', 'route', 'add', 'x']] }],
    ['reads a file of discovery', 'api.example:6443', { address, gateway }, { discoveryFile: '/etc/edge/d.conf' }],
    ['of DHCP has all', 'api.example:6443', {}, {}],
  ])('%s', (_, apiServer, machine, props) => {
    expect(told(apiServer, machine, props)).toEqual([]);
  });

  it.each<[string, string, Partial<JoinMachine>, string]>([
    ['without DNS servers, and a server with a name', 'api.example:6443', { address, gateway }, 'nameservers'],
    ['without a gateway, and a server elsewhere', '198.51.100.1:6443', { address, nameservers }, 'gateway'],
    [
      'without a gateway, and DNS servers elsewhere',
      'api.example:6443',
      { address, nameservers: ['198.51.100.53'] },
      'gateway',
    ],
    ['of IPv6, and a server of IPv4', '198.51.100.1:6443', { address: 'fd00::2/64', gateway: 'fd00::1' }, 'address'],
  ])('%s is a warning', (_, apiServer, machine, property) => {
    const others = { files: [{ path: '/etc/motd', content: 'x' }], preJoinCommands: ['modprobe overlay'] };
    for (const props of [{}, others]) {
      expect(told(apiServer, machine, props)).toEqual([`EDGE_CONTRADICTION machines[0].${property}`]);
    }
  });
});

describe('a field of kubelet that contradicts the default of another one', () => {
  it.each<[object, string[]]>([
    [{ imageGCHighThresholdPercent: 70 }, ['EDGE_CONTRADICTION kubeletConfiguration.imageGCHighThresholdPercent']],
    [{ imageGCLowThresholdPercent: 85 }, ['EDGE_CONTRADICTION kubeletConfiguration.imageGCLowThresholdPercent']],
    [
      { shutdownGracePeriodCriticalPods: '10s' },
      ['EDGE_CONTRADICTION kubeletConfiguration.shutdownGracePeriodCriticalPods'],
    ],
    [{ shutdownGracePeriod: '30s' }, []],
    [{ imageGCHighThresholdPercent: 81 }, []],
    [{ imageGCHighThresholdPercent: 70, imageGCLowThresholdPercent: 60 }, []],
  ])('%j', (kubeletConfiguration, warnings) => {
    const props = { kubeletConfiguration: { ...kubeletConfiguration } };
    expect(told('10.0.0.1:6443', {}, props)).toEqual(warnings);
  });

  it('is none with the size of a disk, which sets both', () => {
    const props = { kubeletConfiguration: { imageGCLowThresholdPercent: 55 }, machineSettings: { diskSize: '8Gi' } };
    expect(told('10.0.0.1:6443', {}, props)).toEqual([]);
  });
});

it('a cloud provider that kubelet no longer has is a warning', () => {
  const warned = (provider: string): string[] =>
    told('10.0.0.1:6443', {}, { kubeletExtraArgs: [{ name: 'cloud-provider', value: provider }] });
  expect(warned('openstack')).toEqual(['EDGE_UNUSED kubeletExtraArgs["cloud-provider"]']);
  expect(warned('external')).toEqual([]);
});

it.each<[string[], string[]]>([
  [['apt-get', 'update'], ['EDGE_VALUE preJoinCommands[0]']],
  [['apt install jq'], ['EDGE_UNUSED preJoinCommands[0]']],
  [['apt install -y jq', 'apt-get -qq update', 'dnf install --assumeyes jq', 'sync', 'apt-get update'], []],
])('what %j are as commands', (preJoinCommands, warnings) => {
  expect(told('10.0.0.1:6443', {}, { preJoinCommands })).toEqual(warnings);
});

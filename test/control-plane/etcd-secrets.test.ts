import { secretWords } from '../../src/control-plane/secret-words.js';
import { X509Certificate } from 'node:crypto';
import { App, Chart } from 'cdk8s';
import { EdgeCluster, EdgeWarnings } from 'edge-nodepools';
import { EtcdCluster } from 'edge-nodepools/control-plane';
import { CA, CLIENT, CLIENT_KEY } from '../bad-inputs/certificates.js';
import { MEMBERS } from '../bad-inputs/etcd.js';

// those with one: test/bad-inputs/etcd-credentials.ts
it.each([
  [['restic', '-r', 'swift:token=backups/x', 'backup', '{file}']],
  [['rclone', 'copy', '{file}', 'remote:a/secret=b']],
  [['sh', '-c', 'curl -u "$USER:$PASSWORD" -T "$1" https://store.example/', 'sh', '{file}']],
  [['docker', 'run', '-u', '1000:1000', 'tools', '{file}']],
  [['sshpass', '-e', 'scp', '-p', '{file}', 'backup@store.example:']],
  [['scp', '-p', '{file}', 'backup@store.example:']],
  [['curl', '-K', '/etc/etcd/curl.conf', '-T', '{file}', 'https://store.example/?signed=1']],
  [['swift', 'upload', '--object-name', 'etcd', 'backups', '{file}']],
  [['openstack', '--os-cloud', 'edge', 'object', 'create', 'tokens', '{file}']],
])('an upload without a credential is accepted: %j', (upload) => {
  expect(secretWords(upload)).toEqual([]);
});

describe('certificates of etcd', () => {
  const cluster = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36' });

  it('a certificate for Cluster API that is past is reported', () => {
    const clusterApi = { clusterName: 'edge', caCertificate: CA, clientCertificate: CLIENT, clientKey: CLIENT_KEY };
    const { validTo } = new X509Certificate(CLIENT);
    const warned = (at: number): string[] => {
      jest.spyOn(Date, 'now').mockReturnValue(at);
      const chart = new Chart(new App(), 'chart');
      EdgeWarnings.setMode(chart, 'silent');
      new EtcdCluster(chart, 'etcd', {
        ...{ cluster, name: 'edge', members: MEMBERS, certificates: { source: 'files' }, clusterApi },
      });
      jest.restoreAllMocks();
      return EdgeWarnings.of(chart).map(({ path }) => path);
    };
    expect(warned(Date.parse(validTo) - 1)).toEqual([]);
    expect(warned(Date.parse(validTo) + 1)).toContain('clusterApi.clientCertificate');
  });
});

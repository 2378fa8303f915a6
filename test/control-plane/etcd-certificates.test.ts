import { X509Certificate } from 'node:crypto';
import { App, Chart } from 'cdk8s';
import { EdgeCluster, EdgeWarnings } from 'edge-nodepools';
import { EtcdCluster } from 'edge-nodepools/control-plane';
import { CA, CLIENT, CLIENT_KEY } from '../bad-inputs/certificates.js';
import { MEMBERS } from '../bad-inputs/etcd.js';

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

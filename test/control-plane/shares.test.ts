import { App, Chart, Testing } from 'cdk8s';
import { artifactsOf, EdgeCluster } from 'edge-nodepools';
import { ManilaCredentials, ManilaStorageClass, NfsVolume, PersistentData } from 'edge-nodepools/control-plane';

const chartOf = (): Chart => new Chart(new App(), 'chart', { namespace: 'edge' });
const secret = { name: 'manila', namespace: 'kube-system' };
const LOGIN = { name: 'manila', authUrl: 'https://keystone.example/v3', region: 'RegionOne' };
const NFS = {
  name: 'shares',
  protocol: 'NFS' as const,
  shareType: 'default',
  clients: ['10.0.0.0/24', '192.0.2.7'],
  secret,
};

describe('a class of Manila', () => {
  it('gives access to its clients, with the Secret for every operation that reads it', () => {
    const chart = chartOf();
    const made = new ManilaStorageClass(chart, 'a', { ...NFS, shareMetadata: { team: 'edge' } });
    const [{ provisioner, parameters, volumeBindingMode }] = Testing.synth(chart);
    expect([provisioner, volumeBindingMode, made.medium]).toEqual(['nfs.manila.csi.openstack.org', 'Immediate', 'nfs']);
    expect(parameters).toMatchObject({
      'nfs-shareClient': '10.0.0.0/24,192.0.2.7',
      appendShareMetadata: '{"team":"edge"}',
    });
    for (const operation of ['provisioner', 'controller-expand', 'node-stage', 'node-publish']) {
      expect(parameters[`csi.storage.k8s.io/${operation}-secret-name`]).toBe('manila');
      expect(parameters[`csi.storage.k8s.io/${operation}-secret-namespace`]).toBe('kube-system');
    }
  });

  it('keeps its driver away from host-network nodes, by the label that they have', () => {
    const key = 'eks.amazonaws.com/compute-type';
    const cluster = EdgeCluster.of({
      openYurt: 'none',
      kubernetes: '1.36',
      hostNetworkLabel: { key, value: 'hybrid' },
    });
    const values: any = new ManilaStorageClass(chartOf(), 'a', { ...NFS, cluster }).driverValues;
    const [term] =
      values.nodeplugin.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms;
    expect(term.matchExpressions).toEqual([{ key, operator: 'NotIn', values: ['hybrid'] }]);
  });

  it('lets a driver that can name its node run everywhere', () => {
    const newer = { driverRelease: '1.37.0', hostNetworkPools: 'include' as const };
    const { driverValues, nodeArguments }: any = new ManilaStorageClass(chartOf(), 'a', { ...NFS, ...newer });
    expect(driverValues.nodeplugin).toEqual({ tolerations: [{ operator: 'Exists' }] });
    expect(nodeArguments).toContain('--nodeid=$(NODE_ID)');
  });
});

describe('credentials of Manila', () => {
  const application = { applicationCredential: { id: 'one', secret: 'canary' } };

  it('are in no manifest, but in a file for its owner', () => {
    const chart = chartOf();
    const made = new ManilaCredentials(chart, 'a', { ...LOGIN, ...application });
    expect([Testing.synth(chart), made.secret]).toEqual([[], secret]);
    const [file, ...others] = artifactsOf(chart);
    expect([file?.path, file?.isSecret, others]).toEqual(['secrets/kube-system-manila.json', true, []]);
    expect(JSON.parse(file?.content ?? '').stringData).toEqual({
      'os-authURL': LOGIN.authUrl,
      'os-region': LOGIN.region,
      'os-applicationCredentialID': 'one',
      'os-applicationCredentialSecret': 'canary',
    });
  });

  it('are in the manifests if that is asked for, and never in a message', () => {
    const chart = chartOf();
    new ManilaCredentials(chart, 'a', { ...LOGIN, ...application, inManifest: true });
    expect([Testing.synth(chart).length, artifactsOf(chart)]).toEqual([1, []]);
    const broken: any = { ...LOGIN, password: { userName: 'a', password: 'canary' } };
    expect(() => new ManilaCredentials(chart, 'b', broken)).toThrow(/^(?![^]*canary)/);
  });
});

describe('an NFS volume', () => {
  it.each([
    ['192.0.2.10:/shares/a', '192.0.2.10', '/shares/a'],
    ['[2001:db8::1]:/a', '2001:db8::1', '/a'],
    ['nfs.example:/a:b', 'nfs.example', '/a:b'],
  ])('reads %s', (exportLocation, server, share) => {
    const chart = chartOf();
    new NfsVolume(chart, 'a', { name: 'a', exportLocation, size: '1Gi' });
    new NfsVolume(chart, 'b', { name: 'b', exportLocation, size: '1Gi', mode: 'in-tree', accessMode: 'ReadOnlyMany' });
    const [driver, , kubelet] = Testing.synth(chart);
    expect(driver.spec.csi.volumeAttributes).toEqual({ server, share });
    expect(kubelet.spec.nfs).toEqual({ server, path: share, readOnly: true });
  });

  it('has a name of its own in the cluster, whatever the namespace of its claim', () => {
    const chart = chartOf();
    const share = (id: string, namespace: string, name: string): NfsVolume =>
      new NfsVolume(chart, id, { name, namespace, exportLocation: '192.0.2.10:/a', size: '1Gi' });
    share('first', 'one', 'a');
    expect(() => share('second', 'two', 'a')).toThrow(/first already creates PersistentVolume a/);
    expect(() => share('third', 'two', 'b')).not.toThrow();
    // another chart may be for another cluster
    expect(
      () => new NfsVolume(chartOf(), 'a', { name: 'a', exportLocation: '192.0.2.10:/a', size: '1Gi' }),
    ).not.toThrow();
  });

  it('is pinned to its claim, in no class, and has a handle of its own', () => {
    const chart = chartOf();
    const made = ['a', 'b'].map(
      (name) => new NfsVolume(chart, name, { name, exportLocation: '192.0.2.10:/a', size: '1Gi' }),
    );
    const objects = Testing.synth(chart);
    const [volume, claim, other] = objects;
    expect([volume.spec.claimRef, claim.spec.volumeName]).toEqual([{ namespace: 'edge', name: 'a' }, 'a']);
    expect(objects.map(({ spec }) => spec.storageClassName)).toEqual(['', '', '', '']);
    expect(volume.spec.csi.volumeHandle).not.toBe(other.spec.csi.volumeHandle);
    expect(volume.metadata).not.toHaveProperty('namespace');
    const data = { name: 'web', storage: made[0] as NfsVolume, size: '1Gi', replicas: 3, mountPath: '/data' };
    expect(PersistentData.forDeployment(chart, 'web', data).volumes[0]?.persistentVolumeClaim.claimName).toBe('a');
  });
});

it('data that is larger than its share is refused, and as much as it has is not', () => {
  const chart = chartOf();
  const storage = new NfsVolume(chart, 'share', { name: 'a', exportLocation: '192.0.2.10:/a', size: '10Gi' });
  const data = (name: string, size: string): PersistentData =>
    PersistentData.forDeployment(chart, name, { name, storage, size, mountPath: '/data' });
  expect(() => data('large', '20Gi')).toThrow(/the data needs 20Gi, and the claim a has 10Gi/);
  expect(data('whole', '10240Mi').volumes).toMatchObject([{ persistentVolumeClaim: { claimName: 'a' } }]);
});

describe('data in one folder of a share', () => {
  const data = (scope: Chart, id: string, exportLocation: string, props: object = {}): PersistentData => {
    const storage = new NfsVolume(scope, `${id}-share`, { name: `${id}-share`, exportLocation, size: '10Gi' });
    return PersistentData.forDeployment(scope, id, { name: id, storage, size: '5Gi', mountPath: '/data', ...props });
  };

  it.each([
    ['the same', '192.0.2.10:/a'],
    ['with a slash behind it', '192.0.2.10:/a/'],
    ['with two slashes', '192.0.2.10:/x//../a'],
  ])('of two declarations is refused: %s', (_, second) => {
    const app = new App();
    data(new Chart(app, 'one'), 'web', '192.0.2.10:/a');
    expect(() => data(new Chart(app, 'two'), 'shop', second)).toThrow(
      /EDGE_DUPLICATE {2}storage: one\/web keeps its data in 192\.0\.2\.10:\/a, too/,
    );
  });

  it('is accepted in another folder or at another server, and where it is only read', () => {
    const chart = chartOf();
    data(chart, 'web', '192.0.2.10:/a');
    data(chart, 'shop', '192.0.2.10:/a/shop');
    data(chart, 'mirror', '192.0.2.11:/a');
    data(chart, 'reader', '192.0.2.10:/a', { accessMode: 'ReadOnlyMany' });
    expect(Testing.synth(chart)).toHaveLength(8);
  });
});

import { ApiObject, App, Chart, Testing } from 'cdk8s';
import { EdgeError } from 'edge-nodepools';
import { CinderStorageClass, PersistentData, VolumeSnapshotClass } from 'edge-nodepools/control-plane';
import fc from 'fast-check';
import { dataBytes, durationSeconds, shareOfSize } from '../../src/control-plane/retention.js';
import { runs } from '../depth.js';

const chartOf = (): Chart => new Chart(new App(), 'chart', { namespace: 'monitoring' });
const block = { storageClassName: 'ssd', medium: 'block' as const };
const share = { storageClassName: 'share', medium: 'nfs' as const };

describe('a class of Cinder', () => {
  it('keeps the data, waits for its node, and can grow', () => {
    const chart = chartOf();
    const made = new CinderStorageClass(chart, 'ssd', { name: 'ssd', volumeType: 'nvme', zones: ['az1'] });
    expect([made.storageClassName, made.medium, made.encrypted]).toEqual(['ssd', 'block', false]);
    expect(ApiObject.of(made).toJson()).toMatchObject({
      metadata: { name: 'ssd' },
      parameters: { type: 'nvme', 'csi.storage.k8s.io/fstype': 'ext4' },
      reclaimPolicy: 'Retain',
      volumeBindingMode: 'WaitForFirstConsumer',
      allowVolumeExpansion: true,
    });
    // it belongs to no namespace, also in a chart that has one
    expect(Testing.synth(chart)[0].metadata).not.toHaveProperty('namespace');
  });

  it('has only the parameters that its driver reads', () => {
    const chart = chartOf();
    new CinderStorageClass(chart, 'a', { name: 'a', availability: 'nova', isDefault: true });
    const [{ metadata, parameters, provisioner }] = Testing.synth(chart);
    expect([provisioner, parameters]).toEqual([
      'cinder.csi.openstack.org',
      { availability: 'nova', 'csi.storage.k8s.io/fstype': 'ext4' },
    ]);
    expect(metadata.annotations).toEqual({ 'storageclass.kubernetes.io/is-default-class': 'true' });
  });
});

describe('a class of snapshots', () => {
  it('takes snapshots of volumes in use, with values that are text', () => {
    const chart = chartOf();
    new VolumeSnapshotClass(chart, 'a', { name: 'a', type: 'backup', backupSecondsPerGib: 30 });
    expect(Testing.synth(chart)[0]).toMatchObject({
      driver: 'cinder.csi.openstack.org',
      deletionPolicy: 'Retain',
      parameters: { type: 'backup', 'force-create': 'true', 'backup-max-duration-seconds-per-gb': '30' },
    });
  });
});

describe('persistent data', () => {
  const consumers = ['Prometheus', 'Alertmanager', 'Elasticsearch', 'Loki', 'StatefulSet', 'Deployment'] as const;
  const databases = ['Prometheus', 'Elasticsearch', 'Loki'];

  it.each(consumers)('of %s is on a block device, and on a share only if it is no database', (consumer) => {
    const make = (storage: typeof block | typeof share) => (): PersistentData =>
      PersistentData[`for${consumer}`](chartOf(), 'x', {
        name: 'x',
        storage,
        size: '9Gi',
        ...(['StatefulSet', 'Deployment'].includes(consumer) ? { mountPath: '/data' } : {}),
      });
    expect(JSON.stringify([make(block)().spec, make(block)().helmValues])).toContain(
      consumer === 'Deployment' ? 'Recreate' : '"9Gi"',
    );
    const isRefused = databases.includes(consumer);
    const tried = expect(make(share));
    void (isRefused ? tried.toThrow(EdgeError) : tried.not.toThrow());
  });

  it('of Prometheus leaves space for its log, and is refused where it has none', () => {
    const at = (retentionSize?: string): any =>
      PersistentData.forPrometheus(chartOf(), 'x', { name: 'k8s', storage: block, size: '100Gi', retentionSize }).spec;
    expect(at().retentionSize).toBe(`${85 * 1024}MiB`);
    expect(at('90GB').retentionSize).toBe('90GB');
    expect(() => at('91GB')).toThrow(EdgeError);
  });

  it('names the claims that the operators make, and takes a snapshot of each', () => {
    const chart = chartOf();
    const snapshots = { name: 'before-upgrade', className: 'snapshots' };
    const two = PersistentData.forPrometheus(chart, 'a', {
      name: 'k8s',
      storage: block,
      size: '9Gi',
      replicas: 2,
      snapshots,
    });
    expect(two.claimNames).toEqual(['prometheus-k8s-db-prometheus-k8s-0', 'prometheus-k8s-db-prometheus-k8s-1']);
    const logs = PersistentData.forElasticsearch(chart, 'b', {
      name: 'logs',
      storage: block,
      size: '9Gi',
      nodeSet: 'hot',
    });
    expect(logs.claimNames).toEqual(['elasticsearch-data-logs-es-hot-0']);
    const made = Testing.synth(chart);
    expect(
      made.map(({ kind, metadata, spec }) => [kind, metadata.namespace, spec.source.persistentVolumeClaimName]),
    ).toEqual(two.claimNames.map((name) => ['VolumeSnapshot', 'monitoring', name]));
  });

  it('of an Elasticsearch outlives it, unless that is wanted', () => {
    const policy = (retain?: boolean): unknown =>
      PersistentData.forElasticsearch(chartOf(), 'x', { name: 'logs', storage: block, size: '9Gi', retain }).spec
        .volumeClaimDeletePolicy;
    expect([policy(), policy(true), policy(false)]).toEqual([
      'DeleteOnScaledownOnly',
      'DeleteOnScaledownOnly',
      'DeleteOnScaledownAndClusterDeletion',
    ]);
  });

  it('of a Deployment is one claim: for one Pod at a time on a block device, for all on a share', () => {
    const chart = chartOf();
    const one = PersistentData.forDeployment(chart, 'one', {
      name: 'one',
      storage: block,
      size: '9Gi',
      mountPath: '/data',
    });
    const all = PersistentData.forDeployment(chart, 'all', {
      name: 'all',
      storage: share,
      size: '9Gi',
      mountPath: '/data',
      replicas: 3,
    });
    expect(Testing.synth(chart).map(({ spec }) => spec.accessModes)).toEqual([['ReadWriteOnce'], ['ReadWriteMany']]);
    expect([one.spec, all.spec]).toEqual([{ replicas: 1, strategy: { type: 'Recreate' } }, { replicas: 3 }]);
    expect(one.volumes).toEqual([{ name: 'data', persistentVolumeClaim: { claimName: 'one-data' } }]);
    expect(one.volumeMounts).toEqual([{ name: 'data', mountPath: '/data' }]);
  });

  it('of a Deployment can be an existing claim, which is not made again', () => {
    const chart = chartOf();
    const storage = { claimName: 'share-a', medium: 'nfs' as const };
    const data = PersistentData.forDeployment(chart, 'x', {
      name: 'x',
      storage,
      size: '9Gi',
      mountPath: '/data',
      replicas: 2,
    });
    expect(Testing.synth(chart)).toEqual([]);
    expect([data.claimNames, data.volumes[0]?.persistentVolumeClaim]).toEqual([['share-a'], { claimName: 'share-a' }]);
  });

  it('of Loki is what its chart accepts, in a StatefulSet of that name', () => {
    const data = PersistentData.forLoki(chartOf(), 'x', { name: 'logs', storage: block, size: '9Gi' });
    const values: any = data.helmValues;
    // templates/validate.yaml of the chart 18.11: no scalable targets beside the single one, of which there are three each by default
    expect(['read', 'write', 'backend'].map((target) => values[target])).toEqual(Array(3).fill({ replicas: 0 }));
    expect([values.deploymentMode, values.singleBinary.replicas]).toEqual(['SingleBinary', 1]);
    // loki.fullname: without it the StatefulSet of the release logs is logs-loki, and its claim another one
    expect([values.fullnameOverride, data.claimNames]).toEqual(['logs', ['storage-logs-0']]);
  });

  it('that must be encrypted takes an encrypted class', () => {
    const chart = chartOf();
    const storage = new CinderStorageClass(chart, 'luks', { name: 'luks', volumeType: 'luks', encrypted: true });
    const data = { name: 'x', size: '9Gi', encrypted: true };
    expect(PersistentData.forLoki(chart, 'x', { ...data, storage }).claimNames).toEqual(['storage-x-0']);
    expect(() => PersistentData.forLoki(chart, 'y', { ...data, storage: block })).toThrow(EdgeError);
  });
});

const GIB = 1024 ** 3;

describe('amounts of data', () => {
  // pattern of retentionSize in the resource definition of Prometheus
  const accepted = /(^0|([0-9]*[.])?[0-9]+((K|M|G|T|E|P)i?)?B)$/;

  it('are a share of the size, never more, in a form that the operator takes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: 100 }), (gibibytes, percent) => {
        const share = shareOfSize(`${gibibytes}Gi`, percent);
        expect(share).toMatch(accepted);
        const bytes = dataBytes(share) as number;
        expect(bytes).toBeLessThanOrEqual((gibibytes * GIB * percent) / 100);
        expect(bytes).toBeGreaterThan((gibibytes * GIB * percent) / 100 - 1024 ** 2);
      }),
      runs(200),
    );
  });

  it.each([
    ['40GB', 40 * GIB],
    ['40GiB', 40 * GIB],
    ['1.5TB', 1.5 * 1024 * GIB],
    ['512B', 512],
    ['40G', undefined],
    ['GB', undefined],
    [40, undefined],
    ['-1GB', undefined],
  ])('%p is %p bytes', (text, bytes) => expect(dataBytes(text)).toBe(bytes));
});

describe('durations', () => {
  it.each([
    ['15d', 15 * 86_400],
    ['1d12h', 129_600],
    ['1y2w', (365 + 14) * 86_400],
    ['90m30s', 5430],
    ['', undefined],
    ['12h1d', undefined],
    ['15', undefined],
    [15, undefined],
  ])('%p is %p seconds', (text, seconds) => expect(durationSeconds(text)).toBe(seconds));
});

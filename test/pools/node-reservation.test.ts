import fc from 'fast-check';
import { runs } from '../depth.js';
import { EdgeCluster, EdgeError, NodeReservation, type NodeReservationProps, SystemComponent } from 'edge-nodepools';
import { knownKubeletFlags } from '../../src/cluster/kubelet-capabilities.js';
import { kubeletFlags } from '../../src/pools/node-reservation.js';
import { Quantity } from '../../src/kubernetes/quantity.js';

const GI = 1024 ** 3;

describe('the example of the documents: 16 CPU, 32Gi, 100Gi', () => {
  const reservation = NodeReservation.preset('kubernetes-example');
  const { cpu, memory, ephemeralStorage } = reservation.allocatable({
    cpu: '16',
    memory: '32Gi',
    ephemeralStorage: '100Gi',
  });

  it('leaves 14.5 CPU and 28.51Gi of memory', () => {
    expect(cpu).toBe('14500m');
    expect(memory).toBe('29196Mi');
    expect((29196 / 1024).toFixed(2)).toBe('28.51');
  });

  it('leaves 88Gi of storage, not 98Gi: the slides do not consider the threshold of nodefs, 10% of the capacity', () => {
    expect((Number(ephemeralStorage) / GI).toFixed(2)).toBe('88.00');
    // kubelet represents 10% as a float32, slightly more than a tenth
    expect(88 * GI - Number(ephemeralStorage)).toBe(Math.trunc(100 * GI * Math.fround(0.1)) - 10 * GI);
    const without = NodeReservation.of({
      kubeReserved: { ephemeralStorage: '1Gi' },
      systemReserved: { ephemeralStorage: '1Gi' },
      evictionHard: { 'nodefs.available': '0%' },
    });
    expect(without.allocatable({ ephemeralStorage: '100Gi' })).toEqual({ ephemeralStorage: '98Gi' });
  });

  it('is the result of kubelet on a disk of 264212084Ki, which differs by 403 bytes from exact arithmetic', () => {
    const { ephemeralStorage: rest } = NodeReservation.of({}).allocatable({ ephemeralStorage: '264212084Ki' });
    const capacity = 264212084n * 1024n;
    expect(capacity - BigInt(rest) - capacity / 10n).toBe(403n);
  });
});

describe('allocatable', () => {
  it('returns exactly the given keys', () => {
    const reservation = NodeReservation.preset('edge-small');
    expect(reservation.allocatable({})).toEqual({});
    expect(reservation.allocatable({ cpu: 4, memory: '4Gi' })).toEqual({ cpu: '3800m', memory: '3484Mi' });
  });

  it('is the capacity minus the thresholds without a reservation', () => {
    expect(NodeReservation.of({}).allocatable({ cpu: 1, memory: '1Gi' })).toEqual({ cpu: '1', memory: '924Mi' });
  });

  it('does not count inodes, the image file system or soft thresholds', () => {
    const reservation = NodeReservation.of({
      evictionHard: { 'memory.available': '0%', 'nodefs.available': '100%', 'imagefs.available': '50%' },
      evictionSoft: { 'memory.available': '1Gi' },
      evictionSoftGracePeriod: { 'memory.available': '1m30s' },
    });
    expect(reservation.allocatable({ memory: '2Gi', ephemeralStorage: '10Gi' })).toEqual({
      memory: '2Gi',
      ephemeralStorage: '10Gi',
    });
  });

  it('is an error if kubelet would not start, and 0 if everything is reserved', () => {
    const reservation = NodeReservation.of({
      kubeReserved: { memory: '1Gi' },
      evictionHard: { 'memory.available': '0%' },
    });
    expect(reservation.allocatable({ memory: '1Gi' })).toEqual({ memory: '0' });
    expect(() => reservation.allocatable({ memory: '1023Mi' })).toThrow(EdgeError);
  });

  it('never grows when more is reserved', () => {
    const mi = fc.integer({ min: 0, max: 400 });
    fc.assert(
      fc.property(mi.filter(Boolean), mi, mi, (kube, system, more) => {
        const left = (extra: number): bigint => {
          const { memory } = NodeReservation.of({
            kubeReserved: { memory: kube * 2 ** 20 + extra },
            systemReserved: { memory: `${system}Mi` },
            evictionHard: { 'memory.available': '0%' },
          }).allocatable({ memory: 2 ** 32 + 1 });
          // a number with trailing zeros is printed with a suffix
          return Quantity.parse(memory)?.wholeUnits() as bigint;
        };
        expect(left(0) - left(more)).toBe(BigInt(more));
      }),
      runs(100),
    );
  });
});

describe('presets', () => {
  const cpuOf = (preset: 'gke' | 'eks' | 'aks', cpu: number): unknown =>
    (NodeReservation.preset(preset, { capacity: { cpu, memory: '64Gi' } }).kubeletConfiguration() as any).kubeReserved
      .cpu;
  const memoryOf = (preset: 'gke' | 'eks' | 'aks', memory: string, maxPods?: number): unknown =>
    (NodeReservation.preset(preset, { capacity: { cpu: 4, memory }, maxPods }).kubeletConfiguration() as any)
      .kubeReserved.memory;

  it.each([
    [1, '60m', '60m'],
    [2, '70m', '100m'],
    [4, '80m', '140m'],
    [8, '90m', '180m'],
    [16, '110m', '260m'],
    [32, '150m', '420m'],
    [64, '230m', '740m'],
  ])('%d cores: %s of GKE and EKS, %s of AKS', (cores, gke, aks) => {
    expect([cpuOf('gke', cores), cpuOf('eks', cores), cpuOf('aks', cores)]).toEqual([gke, gke, aks]);
  });

  it.each([
    ['512Mi', '255Mi'],
    ['2Gi', '512Mi'],
    ['4Gi', '1Gi'],
    ['8Gi', '1844Mi'],
    ['16Gi', '2663Mi'],
    ['32Gi', '3646Mi'],
    ['64Gi', '5612Mi'],
    ['128Gi', '9544Mi'],
  ])('%s: %s of GKE', (memory, reserved) => expect(memoryOf('gke', memory)).toBe(reserved));

  it.each([
    [29, '574Mi'],
    [58, '893Mi'],
    [110, '1465Mi'],
    [234, '2829Mi'],
  ])('%d Pods: %s of EKS', (maxPods, reserved) => expect(memoryOf('eks', '8Gi', maxPods)).toBe(reserved));

  it.each([
    [3, '75m', '75m'],
    [5, '83m', '82m'],
    [6, '85m', '85m'],
    [7, '88m', '87m'],
  ])('%d cores: %s of GKE, %s of EKS, which rounds down in each tier', (cores, gke, eks) => {
    expect([cpuOf('gke', cores), cpuOf('eks', cores)]).toEqual([gke, eks]);
  });

  it.each([
    ['10Gi', '5Gi'],
    ['100Gi', '41Gi'],
    ['500Gi', '100Gi'],
  ])('a boot disk of %s: %s of GKE', (ephemeralStorage, reserved) => {
    const capacity = { cpu: 4, memory: '16Gi', ephemeralStorage };
    const { kubeReserved } = NodeReservation.preset('gke', { capacity }).kubeletConfiguration() as any;
    expect(kubeReserved['ephemeral-storage']).toBe(reserved);
  });

  it('uses the smaller of Pods and a quarter on AKS', () => {
    expect(memoryOf('aks', '8G', 30)).toBe('650M');
    expect(memoryOf('aks', '4G', 70)).toBe('1G');
  });

  it('leaves some memory of a node of 1Gi with edge-small', () => {
    const { cpu, memory } = NodeReservation.preset('edge-small').allocatable({ cpu: 1, memory: '1Gi' });
    expect([cpu, memory]).toEqual(['800m', '412Mi']);
  });

  it.each(['edge-small', 'kubespray', 'kubernetes-example'] as const)(
    '%s says amounts as text, and every threshold',
    (name) => {
      const { apiVersion, kind, kubeReserved, evictionHard } = NodeReservation.preset(
        name,
      ).kubeletConfiguration() as any;
      expect([apiVersion, kind]).toEqual(['kubelet.config.k8s.io/v1beta1', 'KubeletConfiguration']);
      expect(Object.values(kubeReserved as object).every((amount) => typeof amount === 'string')).toBe(true);
      expect(Object.keys(evictionHard as object)).toEqual(
        expect.arrayContaining([
          'memory.available',
          'nodefs.available',
          'nodefs.inodesFree',
          'imagefs.available',
          'imagefs.inodesFree',
        ]),
      );
    },
  );
});

describe('NodeReservation', () => {
  const props: NodeReservationProps = {
    kubeReserved: { cpu: 0.2, memory: '512Mi', ephemeralStorage: '1Gi', pid: 1000 },
    evictionSoft: { 'memory.available': '300Mi' },
    evictionSoftGracePeriod: { 'memory.available': '1m30s' },
    evictionMinimumReclaim: { 'nodefs.available': '500Mi' },
    evictionMaxPodGracePeriod: 60,
    enforceNodeAllocatable: ['pods', 'kube-reserved-compressible'],
    kubeReservedCgroup: '/kube.slice',
  };

  it('is a kubeadm patch, and flags where patches are not supported', () => {
    const reservation = NodeReservation.of(props);
    const patch = reservation.kubeadmPatch();
    expect(patch.fileName).toBe('kubeletconfiguration0+strategic.json');
    expect(JSON.parse(patch.content)).toEqual(reservation.kubeletConfiguration());
    expect(kubeletFlags(reservation.kubeletConfiguration())).toEqual({
      'kube-reserved': 'cpu=200m,memory=512Mi,ephemeral-storage=1Gi,pid=1k',
      'eviction-hard':
        'imagefs.available<15%,imagefs.inodesFree<5%,memory.available<100Mi,nodefs.available<10%,nodefs.inodesFree<5%',
      'eviction-soft': 'memory.available<300Mi',
      'eviction-soft-grace-period': 'memory.available=1m30s',
      'eviction-minimum-reclaim': 'nodefs.available=500Mi',
      'eviction-max-pod-grace-period': '60',
      'enforce-node-allocatable': 'pods,kube-reserved-compressible',
      'kube-reserved-cgroup': '/kube.slice',
    });
  });

  it.each([
    ['15Gi', '2Mi', 2, 70, 60],
    ['16Gi', '5Mi', 3, 75, 65],
    ['32768Mi', '10Mi', 3, 80, 70],
    ['64Gi'],
    [undefined],
  ])(
    'for a disk of %s, logs are at most %s, %s of them, and images are removed from %s %% to %s %%',
    (diskSize, ...of) => {
      const [containerLogMaxSize, containerLogMaxFiles, imageGCHighThresholdPercent, imageGCLowThresholdPercent] = of;
      const sizes = {
        containerLogMaxSize,
        containerLogMaxFiles,
        imageGCHighThresholdPercent,
        imageGCLowThresholdPercent,
      };
      const reservation = NodeReservation.of({ ...props, diskSize });
      expect(reservation.diskSize).toBe(diskSize);
      const configuration = { ...NodeReservation.of(props).kubeletConfiguration(), ...(of.length > 0 ? sizes : {}) };
      expect(reservation.kubeletConfiguration()).toEqual(configuration);
      expect(JSON.parse(reservation.kubeadmPatch().content)).toEqual(configuration);
    },
  );

  it('has flags for the sizes that every kubelet has', () => {
    const flags = kubeletFlags(NodeReservation.of({ diskSize: '8Gi' }).kubeletConfiguration());
    expect(flags).toMatchObject({
      'container-log-max-size': '2Mi',
      'container-log-max-files': '2',
      'image-gc-high-threshold': '70',
      'image-gc-low-threshold': '60',
    });
    for (const kubernetes of ['1.22', '1.24', '1.30', '1.37'] as const) {
      const known = knownKubeletFlags(EdgeCluster.of({ openYurt: 'none', kubernetes }));
      expect(Object.keys(flags).filter((flag) => known?.includes(flag) === false)).toEqual([]);
    }
  });

  it('is not derived from the capacity of a preset', () => {
    const capacity = { cpu: 4, memory: '8Gi', ephemeralStorage: '16Gi' };
    expect(NodeReservation.preset('gke', { capacity }).diskSize).toBeUndefined();
    expect(NodeReservation.preset('gke', { capacity, diskSize: '20G' }).diskSize).toBe('20G');
  });

  it.each(['25%', '0%', '100%', '4Gi', '3Gi'])(
    'may have a disk of 16Gi under pressure with less than %s, which images leave',
    (threshold) => {
      const evictionHard = { 'nodefs.available': threshold, 'imagefs.available': threshold };
      expect(NodeReservation.of({ diskSize: '16Gi', evictionHard }).evictionHard).toMatchObject(evictionHard);
    },
  );

  it('is immutable, also by changes of its input', () => {
    const mine = { kubeReserved: { memory: '1Gi' } };
    const reservation = NodeReservation.of(mine);
    mine.kubeReserved.memory = '2Gi';
    expect(reservation.allocatable({ memory: '2Gi' })).toEqual({ memory: '924Mi' });
    expect(() => Object.assign(reservation.evictionHard, { 'memory.available': '1Mi' })).toThrow(TypeError);
  });

  it('reports what a node saves without excluded components', () => {
    const { parts, memory } = NodeReservation.preset('edge-small').savedPerNode([
      SystemComponent.KUBE_PROXY,
      SystemComponent.FLANNEL,
      SystemComponent.METRICS_SERVER,
    ]);
    expect(memory).toBe('35Mi');
    expect(parts.map(({ memory: each }) => each)).toEqual(['22Mi', '13Mi', undefined]);
  });
});

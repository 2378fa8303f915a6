import { type EdgeWarning, ProblemList } from '../base/errors.js';
import { EdgeCluster } from '../cluster/edge-cluster.js';
import { hasCompressibleReservations } from '../cluster/kubelet-capabilities.js';
import { MADE, checkFactory } from '../base/factory.js';
import { type PlainMap, copyOf, entryOf, isMap, mapAt } from '../base/plain-data.js';
import { allocatableOf, quantityOf } from './allocatable.js';
import { DEFAULT_EVICTION_HARD, type EvictionThresholds, shareOf } from './eviction-signal.js';
import { checkOnDisk } from './disk-checks.js';
import { sizesOnDisk } from './disk-size.js';
import {
  type ReservationPreset,
  type ReservationPresetOptions,
  presetOf,
  unusedOptions,
} from './reservation-presets.js';
import {
  KUBELET_RESOURCES,
  type NodeCapacity,
  type NodeReservationProps,
  type ReservedResources,
  checkReservation,
} from './reservation-props.js';
import { compute } from '../base/unknown.js';
import { savingsOf } from './savings.js';
import { inProgram } from '../base/program-language.js';
import { Quantity } from '../kubernetes/quantity.js';

/**
 * The resources that a node reserves for its system and kubelet, and the allocatable rest. Immutable; the same class for cdk8s and Pulumi.
 *
 * ```ts
 * import { NodeReservation } from 'edge-nodepools';
 *
 * const reservation = NodeReservation.of({ kubeReserved: { cpu: '100m', memory: '256Mi' } });
 * console.log(reservation.allocatable({ cpu: 4, memory: '8Gi' })); // { cpu: '3900m', memory: '7836Mi' }
 * ```
 *
 * @category Join nodes
 */
export class NodeReservation {
  /**
   * A reservation with given amounts.
   *
   * @param props amounts, thresholds and what is enforced
   * @throws {@link EdgeError} with EDGE_QUANTITY, EDGE_VALUE, EDGE_MISSING, EDGE_CONTRADICTION, EDGE_RESERVATION, EDGE_DUPLICATE, EDGE_TYPE or
   * EDGE_UNKNOWN_PROPERTY
   */
  public static of(props: NodeReservationProps): NodeReservation {
    const problems = new ProblemList();
    checkReservation(props, problems);
    problems.throwIfAny('NodeReservation');
    checkOnDisk(props, problems);
    problems.throwIfAny('NodeReservation');
    return new NodeReservation(MADE, copyOf(props));
  }

  /**
   * A preset: `edge-small` (of this library, for 1 to 4 cores and 1 to 8 Gi), `kubespray`, `gke`, `eks`, `aks`, or `kubernetes-example`, the example of
   * the Kubernetes documentation for a node with 16 CPU, 32 Gi and 100 Gi.
   *
   * @param name which one
   * @param options what the node has, for those that are computed from it
   * @throws {@link EdgeError} with EDGE_VALUE, EDGE_MISSING, EDGE_QUANTITY, EDGE_CONTRADICTION, EDGE_RESERVATION, EDGE_TYPE or EDGE_UNKNOWN_PROPERTY
   */
  public static preset(name: ReservationPreset, options: ReservationPresetOptions = {}): NodeReservation {
    const problems = new ProblemList();
    const props = presetOf(name, options, problems);
    problems.throwIfAny(inProgram('NodeReservation.preset', 'reservation'));
    checkOnDisk(props ?? {}, problems);
    problems.throwIfAny(inProgram('NodeReservation.preset', 'reservation'));
    const unused = unusedOptions(name, options).map((option) => ({ option, preset: name }));
    return new NodeReservation(MADE, props ?? {}, unused);
  }

  /** Hard thresholds of all signals, because kubelet uses 0 for missing ones. */
  public readonly evictionHard: Readonly<EvictionThresholds>;

  /** Options that the preset does not read. @internal */
  public readonly unused: readonly { readonly option: string; readonly preset: string }[];

  private readonly props: NodeReservationProps;

  private constructor(made: typeof MADE, props: NodeReservationProps, unused: NodeReservation['unused'] = []) {
    checkFactory(made, 'NodeReservation', "NodeReservation.preset('edge-small')");
    this.props = props;
    this.unused = unused;
    this.evictionHard = Object.freeze({ ...DEFAULT_EVICTION_HARD, ...props.evictionHard });
    Object.freeze(this);
  }

  /**
   * The allocatable resources of a node, computed as kubelet does: percentages with its precision (float32), everything else exact.
   *
   * @param capacity what the node has
   * @returns the same keys, as Kubernetes quantities: `{ cpu: '14500m', memory: '29196Mi' }`
   * @throws {@link EdgeError} with EDGE_RESERVATION if the reservation exceeds the capacity (kubelet would not start), EDGE_QUANTITY, EDGE_TYPE or
   * EDGE_UNKNOWN_PROPERTY
   */
  public allocatable<C extends NodeCapacity>(capacity: C): { readonly [K in keyof C & keyof NodeCapacity]: string } {
    const problems = new ProblemList();
    const allocatable = allocatableOf(this.props, this.evictionHard, capacity, problems);
    problems.throwIfAny('NodeReservation.allocatable');
    return allocatable as { [K in keyof C & keyof NodeCapacity]: string };
  }

  /** A KubeletConfiguration with the fields of this reservation. */
  public kubeletConfiguration(): Record<string, unknown> {
    return { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration', ...this.kubeletFields() };
  }

  /** The same fields as a strategic merge patch, a JSON file for the patch directory of kubeadm (target `kubeletconfiguration`, Kubernetes 1.25+). */
  public kubeadmPatch(): { readonly fileName: string; readonly content: string } {
    return kubeletPatch(this.kubeletFields());
  }

  /**
   * The memory that a host-network node saves because components are excluded from it.
   *
   * @param excluded the components, as in `exclude` of {@link EdgeSystemComponents}
   * @returns each component with the minimum measured memory usage of one Pod, and their sum
   * @throws {@link EdgeError} with EDGE_TYPE
   */
  public savedPerNode(excluded: readonly { readonly name: string }[]): {
    readonly parts: readonly { readonly component: string; readonly memory?: string }[];
    readonly memory: string;
  } {
    const problems = new ProblemList();
    if (!Array.isArray(excluded) || excluded.some(({ name }: { name?: unknown }) => typeof name !== 'string')) {
      problems
        .at('excluded')
        .add(
          'EDGE_TYPE',
          'excluded must be a list of system components',
          `write [${inProgram('SystemComponent.KUBE_PROXY', "'kube-proxy'")}]`,
        );
    }
    problems.throwIfAny('NodeReservation.savedPerNode');
    return savingsOf(excluded);
  }

  /** Size of the disk of a node; undefined if it is not known. */
  public get diskSize(): string | undefined {
    return this.props.diskSize;
  }

  /** What is enforced by control groups; empty for the default of kubelet. @internal */
  public get enforced(): readonly string[] {
    return this.props.enforceNodeAllocatable ?? [];
  }

  /** Soft thresholds. @internal */
  public get evictionSoft(): Readonly<EvictionThresholds> | undefined {
    return this.props.evictionSoft;
  }

  /** The fields by name, in a fixed order. */
  private kubeletFields(): PlainMap {
    const { kubeReserved, systemReserved, ...others } = this.props;
    return {
      ...given('kubeReserved', resourcesOf(kubeReserved)),
      ...given('systemReserved', resourcesOf(systemReserved)),
      evictionHard: sorted(this.evictionHard),
      ...given('evictionSoft', sorted(others.evictionSoft)),
      ...given('evictionSoftGracePeriod', sorted(others.evictionSoftGracePeriod)),
      ...given('evictionMinimumReclaim', sorted(others.evictionMinimumReclaim)),
      ...given('evictionMaxPodGracePeriod', others.evictionMaxPodGracePeriod),
      ...given('enforceNodeAllocatable', others.enforceNodeAllocatable),
      ...given('kubeReservedCgroup', others.kubeReservedCgroup),
      ...given('systemReservedCgroup', others.systemReservedCgroup),
      // last, where the join writes those of its machine: whichever has the size, the join is the same
      ...sizesOnDisk(others.diskSize)?.kubelet,
    };
  }
}

/** A strategic merge patch for the KubeletConfiguration of kubeadm. */
export function kubeletPatch(fields: PlainMap): ReturnType<NodeReservation['kubeadmPatch']> {
  const content = compute(fields, (known) => {
    const patch = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration', ...known };
    return `${JSON.stringify(patch, undefined, 2)}\n`;
  });
  return { fileName: 'kubeletconfiguration0+strategic.json', content };
}

/** Flags with other names than the field. */
const FLAGS: Readonly<Record<string, string>> = {
  imageGCHighThresholdPercent: 'image-gc-high-threshold',
  imageGCLowThresholdPercent: 'image-gc-low-threshold',
};

/** The same fields as kubelet flags, for yurtadm and for a kubeadm that cannot patch the KubeletConfiguration. */
export function kubeletFlags(fields: PlainMap): Record<string, string> {
  const others = Object.entries(fields).filter(([field]) => field !== 'apiVersion' && field !== 'kind');
  return Object.fromEntries(
    others.map(([field, value]) => {
      const sign = field === 'evictionHard' || field === 'evictionSoft' ? '<' : '=';
      const flag = entryOf(FLAGS, field) ?? field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      const entries = (map: PlainMap): string[] => Object.entries(map).map(([key, item]) => key + sign + String(item));
      return [flag, isMap(value) ? entries(value).join(',') : String(value)];
    }),
  );
}

function given(field: string, value: unknown): PlainMap {
  return value === undefined ? {} : { [field]: value };
}

function sorted(map: object | undefined): PlainMap | undefined {
  return map === undefined
    ? undefined
    : Object.fromEntries(
        Object.entries(map)
          .filter(([, value]) => value !== undefined)
          .sort(([a], [b]) => (a < b ? -1 : 1)),
      );
}

/** Amounts as text: kubelet refuses `cpu: 1` as a number. */
function resourcesOf(resources: ReservedResources | undefined): PlainMap | undefined {
  const entries = Object.entries(resources ?? {}).filter(([, amount]) => amount !== undefined);
  return resources === undefined
    ? undefined
    : Object.fromEntries(
        entries.map(([name, amount]) => [
          KUBELET_RESOURCES[name] ?? name,
          quantityOf(amount as string | number).toString(),
        ]),
      );
}

/** Checks a reservation against a cluster. An invalid cluster is reported elsewhere. */
export function checkNodeReservation(reservation: unknown, cluster: EdgeCluster, problems: ProblemList): void {
  if (reservation === undefined) {
    return;
  }
  if (!(reservation instanceof NodeReservation)) {
    problems.add(
      'EDGE_TYPE',
      'this is not a reservation',
      inProgram(
        "write NodeReservation.preset('edge-small') or NodeReservation.of({ … })",
        "write { preset: 'edge-small' } or { kubeReserved: { … } }",
      ),
    );
    return;
  }
  const compressible = reservation.enforced.filter((name) => name.endsWith('-compressible'));
  if (compressible.length > 0 && cluster instanceof EdgeCluster && !hasCompressibleReservations(cluster)) {
    problems
      .at('enforceNodeAllocatable')
      .add(
        'EDGE_RESERVATION',
        `the kubelet of Kubernetes ${cluster.kubernetes} does not know ${compressible.join(' and ')}, and would not start`,
        `write ${compressible.map((name) => `'${name.replace(/-compressible$/, '')}'`).join(', ')}`,
      );
  }
}

/** Cores that no daemon of a node needs: those who write '10' mean 10 thousandths, or a share. Managed Kubernetes reserves less on its largest nodes. */
const MANY_CORES = 4_000_000_000n;

/** A threshold in percent that no node keeps: somebody means what may be used. */
const MUCH = 60;

/** Warns of a reservation with which kubelet does not start on an ordinary machine, because it has fewer cores. */
export function reservationWarnings(reservation: NodeReservation | undefined, path: string): EdgeWarning[] {
  const kubelet = reservation?.kubeletConfiguration() ?? {};
  const unused = (reservation?.unused ?? []).map(({ option, preset }): EdgeWarning => ({
    code: 'EDGE_UNUSED',
    path: `${path}.${option}`,
    message: `the preset ${preset} does not read ${option}`,
    hint:
      option === 'maxPods'
        ? 'write kubeletConfiguration: { maxPods } in the join to limit the Pods of a node, and leave it out here'
        : 'leave it out, or take a preset that is computed from it: gke, eks or aks',
  }));
  const cores = (['kubeReserved', 'systemReserved'] as const).flatMap((field): EdgeWarning[] => {
    const { cpu } = mapAt(kubelet, field) as ReservedResources;
    return quantityOf(cpu).nano < MANY_CORES
      ? []
      : [
          {
            code: 'EDGE_RESERVATION',
            path: `${path}.${field}.cpu`,
            message: `${quantityOf(cpu).toString()} cores are reserved: kubelet does not start on a node that has fewer`,
            hint: `write '${String(cpu)}m' for thousandths of a core; nothing to do if the nodes have more cores`,
          },
        ];
  });
  const early = (['evictionHard', 'evictionSoft'] as const).flatMap((field): EdgeWarning[] =>
    Object.entries(mapAt(kubelet, field)).flatMap(([signal, threshold]): EdgeWarning[] => {
      const percent = Number(/^(\d{1,3}(?:\.\d{1,9})?)%$/.exec(String(threshold))?.[1] ?? 0);
      return percent < MUCH
        ? []
        : [
            {
              code: 'EDGE_RESERVATION',
              path: `${path}.${field}["${signal}"]`,
              message: `Pods are evicted as soon as less than ${percent} % is free, which is almost always`,
              hint: `a threshold is what must stay free: write '${Math.round((100 - percent) * 100) / 100}%' to evict when ${percent} % are used`,
            },
          ];
    }),
  );
  const late =
    reservation === undefined
      ? []
      : lateThresholdWarnings(reservation.evictionSoft ?? {}, reservation.evictionHard, path);
  return [...unused, ...cores, ...early, ...late];
}

/** Warns of soft thresholds that are met only when the hard one is, which evicts at once: kubelet compares the two with nothing (`ParseThresholdConfig`). */
function lateThresholdWarnings(soft: EvictionThresholds, hard: EvictionThresholds, path: string): EdgeWarning[] {
  return Object.entries(soft).flatMap(([signal, threshold]): EdgeWarning[] => {
    const limit = hard[signal as keyof EvictionThresholds];
    return limit === undefined || !isMetLater(threshold, limit)
      ? []
      : [
          {
            code: 'EDGE_CONTRADICTION',
            path: `${path}.evictionSoft["${signal}"]`,
            message: `the soft threshold ${threshold} is not above the hard one, ${limit}, which evicts at once: it has no effect`,
            hint: `write more than ${limit}, or leave it out`,
          },
        ];
  });
}

/** Whether a threshold is met at or after another one of the same unit. kubelet ignores 0% and 100%. */
function isMetLater(soft: string, hard: string): boolean {
  const [share, limit] = [shareOf(soft), shareOf(hard)];
  if (share === undefined && limit === undefined) {
    const [amount, most] = [Quantity.parse(soft), Quantity.parse(hard)];
    return amount !== undefined && most !== undefined && amount.nano <= most.nano;
  }
  return share !== undefined && limit !== undefined && limit > 0 && limit < 1 && share > 0 && share <= limit;
}

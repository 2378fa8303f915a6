import type { ProblemList } from '../base/errors.js';
import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import { checkProperties, optional, type PropertyTable } from '../base/property-table.js';
import { numberAsText, showValue } from '../base/properties.js';
import { type NodeLifecycle, nodeLifecycleOf } from './node-lifecycle.js';
import { checkDuration, secondsOf } from '../kubernetes/duration.js';

/**
 * Flags of kube-controller-manager that decide what an outage does. A dump with the Pod of kube-controller-manager has them.
 *
 * @category Foresee an outage
 */
export interface ControllerManagerFlags {
  /** How often the Nodes are looked at: seconds, or a text such as `5s`.
   * @default 5s */
  readonly nodeMonitorPeriod?: string | number;
  /** How long a Node may be silent before it is not Ready.
   * @default - 40s up to Kubernetes 1.31, 50s from 1.32 on */
  readonly nodeMonitorGracePeriod?: string | number;
  /** Nodes in a second.
   * @default 0.1 */
  readonly nodeEvictionRate?: number;
  /** Nodes in a second.
   * @default 0.01 */
  readonly secondaryNodeEvictionRate?: number;
  /** A share of the Nodes of a zone.
   * @default 0.55 */
  readonly unhealthyZoneThreshold?: number;
  /** Zones with fewer Nodes are not evicted at all while too many are not Ready.
   * @default 50 */
  readonly largeClusterSizeThreshold?: number;
  /** Value of `--controllers`; `-taint-eviction-controller` in it turns evictions off.
   * @default '*' */
  readonly controllers?: string;
}

function amount(most = Infinity): (value: unknown, problems: ProblemList) => void {
  return optional((value, problems) => {
    if (typeof value !== 'number' || !(value >= 0 && value <= most)) {
      const said = numberAsText(value);
      problems.add(
        'EDGE_VALUE',
        said?.message ?? `${showValue(value)} is not a number of ${most === Infinity ? 'at least 0' : `0 to ${most}`}`,
        said?.hint ?? `write ${most === Infinity ? '0.1' : '0.55'}`,
      );
    }
  });
}

const FLAGS: PropertyTable<ControllerManagerFlags> = {
  nodeMonitorPeriod: checkDuration,
  nodeMonitorGracePeriod: checkDuration,
  nodeEvictionRate: amount(),
  secondaryNodeEvictionRate: amount(),
  unhealthyZoneThreshold: amount(1),
  largeClusterSizeThreshold: amount(),
  controllers: optional((value, problems) => {
    if (typeof value !== 'string') {
      problems.add('EDGE_TYPE', 'the value of --controllers is text', "write '*,-taint-eviction-controller'");
    }
  }),
};

/** Checks the flags that a user gives. */
export function checkFlags(flags: unknown, problems: ProblemList): void {
  if (flags !== undefined) {
    checkProperties(flags as object, FLAGS, problems);
  }
}

/** IsControllerEnabled (k8s.io/controller-manager): the first entry that names the controller counts, else `*`. */
function runs(controllers: string, names: readonly string[]): boolean {
  const entries = controllers === '' ? ['*'] : controllers.split(',');
  const named = entries.find((entry) => names.includes(entry.replace(/^-/, '')));
  return named === undefined ? entries.includes('*') : !named.startsWith('-');
}

/** The rule with these flags. */
export function lifecycleWith(minor: string, flags: ControllerManagerFlags): NodeLifecycle {
  const { controllers, nodeMonitorPeriod, nodeMonitorGracePeriod, ...numbers } = flags;
  const defaults = nodeLifecycleOf(minor);
  const isSet = ([, value]: [string, unknown]): boolean => value !== undefined;
  const nodeLifecycle = controllers === undefined || runs(controllers, ['node-lifecycle-controller', 'nodelifecycle']);
  return {
    ...defaults,
    ...Object.fromEntries(Object.entries(numbers).filter(isSet)),
    nodeMonitorPeriod: secondsOf(nodeMonitorPeriod) ?? defaults.nodeMonitorPeriod,
    nodeMonitorGracePeriod: secondsOf(nodeMonitorGracePeriod) ?? defaults.nodeMonitorGracePeriod,
    nodeLifecycle,
    taintEviction: controllers === undefined || runs(controllers, ['taint-eviction-controller']),
  };
}

/** The kube-controller-manager of a dump: its minor and its flags. */
export interface FoundManager {
  readonly version?: string;
  readonly flags: ControllerManagerFlags;
}

/** Reads the flags of the static Pod of kube-controller-manager, or of its mirror Pod. */
export function managerIn(objects: readonly PlainMap[]): FoundManager | undefined {
  for (const pod of objects.filter(({ kind }) => kind === 'Pod')) {
    const { containers } = mapAt(pod, 'spec');
    const container = (Array.isArray(containers) ? containers.filter(isMap) : []).find(
      ({ name }) => name === 'kube-controller-manager',
    );
    if (container !== undefined) {
      return foundIn(container);
    }
  }
  return undefined;
}

function foundIn(container: PlainMap): FoundManager {
  const { command, args, image } = container;
  const words = [command, args].flatMap((list) => (Array.isArray(list) ? list.map(String) : []));
  const given = new Map<string, string[]>();
  words.forEach((word, index) => {
    const [, name, value = words[index + 1] ?? ''] = /^--([a-z-]+)(?:=(.*))?$/.exec(word) ?? [];
    if (name !== undefined) {
      given.set(name, [...(given.get(name) ?? []), value]);
    }
  });
  const flags = Object.keys(FLAGS).flatMap((property) => {
    const values = given.get(property.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
    // --controllers is a list, of every other flag the last one counts
    const value = property === 'controllers' ? values?.join(',') : values?.at(-1);
    const isText = property === 'controllers' || property.endsWith('Period');
    return value === undefined ? [] : [[property, isText ? value : Number(value)] as const];
  });
  const [tag = ''] = String(image).split('@')[0]?.split(':').slice(-1) ?? [];
  const version = /^v?\d/.test(tag) ? tag : undefined;
  return { flags: Object.fromEntries(flags), ...(version === undefined ? {} : { version }) };
}

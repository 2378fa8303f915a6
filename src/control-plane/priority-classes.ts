import type { PlannedObject } from '../cluster/plan.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import { checkObjectName } from '../kubernetes/names.js';
import { isMap } from '../base/plain-data.js';
import { checkBoolean, showValue, whatIs } from '../base/properties.js';
import { type Check, checkProperties, listOf, optional, type PropertyTable } from '../base/property-table.js';

/**
 * A PriorityClass: which Pods the scheduler places first, and which the kubelet evicts last.
 *
 * @category Run the control plane
 */
export interface PriorityClassProps {
  /** Name of the PriorityClass. Names that begin with `system-` are those of Kubernetes. */
  readonly name: string;
  /** A whole number of at most 1000000000; higher ones are those of Kubernetes. */
  readonly value: number;
  /** Whether Pods without a class get this one. At most one class of a cluster does.
   * @default false */
  readonly globalDefault?: boolean;
  /** Whether its Pods evict Pods with a lower priority when they have no node, or wait for room.
   * @default true */
  readonly preempts?: boolean;
  /** What it is for.
   * @default - none */
  readonly description?: string;
}

/** The highest value of a user, and the lowest number of 32 bits (`apis/scheduling/validation`, HighestUserDefinablePriority). */
const HIGHEST = 1_000_000_000;
const LOWEST = -2_147_483_648;

const PROPERTIES: PropertyTable<PriorityClassProps> = {
  name: (name, problems) => {
    checkObjectName(name, problems);
    if (typeof name === 'string' && name.startsWith('system-')) {
      problems.add(
        'EDGE_NAME',
        `${name} begins with system-, which the API server refuses`,
        `write '${name.replace(/^(system-)+/, 'platform-')}'; system-cluster-critical and system-node-critical are there already`,
      );
    }
  },
  value: (value, problems) => {
    const isWhole = typeof value === 'number' && Number.isInteger(value);
    if (!isWhole || value > HIGHEST || value < LOWEST) {
      problems.add(
        value === undefined ? 'EDGE_MISSING' : 'EDGE_VALUE',
        value === undefined
          ? 'the value is missing'
          : isWhole
            ? `${showValue(value)} is ${value > HIGHEST ? 'higher than 1000000000, which is for Kubernetes itself' : 'less than a 32-bit number can be'}`
            : `${showValue(value)} is not a whole number`,
        'write a whole number of at most 1000000000, for example 900000000',
      );
    }
  },
  globalDefault: checkBoolean,
  preempts: checkBoolean,
  description: optional((text, problems) => {
    if (typeof text !== 'string') {
      problems.add(
        'EDGE_TYPE',
        `the description is ${whatIs(text)}, not text`,
        "write 'metrics and logs of the cluster'",
      );
    }
  }),
};

const ADVICE: Readonly<Record<string, string>> = {
  priority: 'did you mean value?',
  isDefault: 'did you mean globalDefault?',
  preemptionPolicy: 'write preempts: false for Never',
};

const checkClass: Check = (one, problems) => {
  if (!isMap(one)) {
    problems.add('EDGE_TYPE', `this is ${whatIs(one)}, not a map`, "write { name: 'observability', value: 900000000 }");
  } else {
    checkProperties(one, PROPERTIES, problems, ADVICE);
  }
};

const checkEach = listOf(
  checkClass,
  "write [{ name: 'observability', value: 900000000 }]",
  'priorityClasses must be a list',
);

/** Checks PriorityClasses, each and together. */
export const checkPriorityClasses: Check = (list, problems) => {
  checkEach(list, problems);
  const classes = classesIn(list);
  classes.forEach((one, index) => {
    if (classes.findIndex(({ name }) => name === one.name) < index) {
      problems.at(index, 'name').add('EDGE_DUPLICATE', `${showValue(one.name)} is listed twice`, 'name it once');
    }
    if (one.globalDefault === true && classes.findIndex(({ globalDefault }) => globalDefault === true) < index) {
      problems
        .at(index, 'globalDefault')
        .add('EDGE_DUPLICATE', 'another class is the default already', 'write globalDefault: true for one class only');
    }
  });
};

/** The classes of a list that may be invalid. */
export function classesIn(list: unknown): readonly Partial<PriorityClassProps>[] {
  return Array.isArray(list) && list.every(isMap) ? list : [];
}

/** The PriorityClasses. Their values never change: a class with another value is another object. */
export function priorityClasses(list: readonly PriorityClassProps[]): PlannedObject[] {
  return list.map(({ name, value, globalDefault, preempts, description }) => ({
    object: {
      apiVersion: 'scheduling.k8s.io/v1',
      kind: 'PriorityClass',
      metadata: { name, labels: { ...OWN_LABELS } },
      value,
      ...(globalDefault === undefined ? {} : { globalDefault }),
      ...(preempts === undefined ? {} : { preemptionPolicy: preempts ? 'PreemptLowerPriority' : 'Never' }),
      ...(description === undefined ? {} : { description }),
    },
    apply: 'create',
    id: name,
    after: [],
    replaceOn: { fields: ['value', 'preemptionPolicy'], deleteFirst: true },
  }));
}

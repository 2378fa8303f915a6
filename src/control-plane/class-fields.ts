import type { PlannedObject } from '../cluster/plan.js';
import type { ProblemList } from '../base/errors.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { isMap } from '../base/plain-data.js';
import { quoted, whatIs } from '../base/properties.js';
import type { Check } from '../base/property-table.js';

/** What becomes of a volume when its claim is deleted. */
export type ReclaimPolicy = 'Retain' | 'Delete';

/** Fields of a StorageClass that the API server refuses to change (pkg/apis/storage/validation); the name stays, so the old class is deleted first. */
const IMMUTABLE = ['provisioner', 'parameters', 'reclaimPolicy', 'volumeBindingMode'];

/** A StorageClass as an object of a plan. Volumes and claims keep the name of their class, so nothing happens to them when it is replaced. */
export function plannedClass(object: KubernetesObject): PlannedObject {
  return { object, apply: 'create', replaceOn: { fields: IMMUTABLE, deleteFirst: true } };
}

/** Text that is not empty and has no blank at its ends. */
export function words(example: string): Check {
  return (value, problems) => {
    if (typeof value !== 'string' || value.trim() !== value || value === '') {
      problems.add(
        value === undefined ? 'EDGE_MISSING' : 'EDGE_VALUE',
        value === undefined ? 'this is missing' : `${quoted(value)} is not usable here`,
        `write '${example}'`,
      );
    }
  };
}

/** An option of mount, without blanks: options are separate. */
export function mountOption(example: string): Check {
  return (value, problems) =>
    typeof value === 'string' && /\s/.test(value)
      ? problems.add('EDGE_VALUE', `${quoted(value)} has a blank`, `write each option on its own: '${example}'`)
      : words(example)(value, problems);
}

/** An availability zone. It becomes the value of a node label, so it has no blanks. */
export const checkZone: Check = (zone, problems) => {
  if (typeof zone !== 'string' || !/^[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/.test(zone)) {
    problems.add(
      'EDGE_LABEL',
      `${quoted(zone)} cannot be the value of a node label, which the zone of a node is`,
      "write 'az1', as openstack availability zone list --volume shows it; a zone with blanks cannot be used",
    );
  }
};

/** Reports a construct without properties. @returns whether there are any */
export function hasProperties(props: unknown, noun: string, example: string, problems: ProblemList): boolean {
  if (!isMap(props)) {
    problems.add('EDGE_MISSING', `a ${noun} needs properties, this is ${whatIs(props)}`, `write ${example}`);
    return false;
  }
  return true;
}

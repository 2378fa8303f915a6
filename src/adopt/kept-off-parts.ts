import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { nameOf } from '../kubernetes/object.js';
import { REQUIRED_PATH, requiredTerms } from '../kubernetes/node-affinity.js';
import { termsExclude } from '../workloads/exclusion-affinity.js';
import { SystemComponent } from '../system-components/system-component.js';
import { isMap, mapAt, type ObjectPath, type PlainMap, valueAt } from '../base/plain-data.js';
import type { ImportInput, InputObject, LeftOut } from './input-objects.js';
import { isFromServer } from '../fleet/server-fields.js';

const POD_SPEC = ['spec', 'template', 'spec'];
const REQUIRED: ObjectPath = [...POD_SPEC, ...REQUIRED_PATH];

/** The annotation of a component that the policy sees being patched: `<name of the policy>/patched`. */
const MARK = /\/patched$/;

/**
 * System components of a cluster that are kept off host-network nodes, while kubeadm or another tool writes all the rest of them: of these a program has the
 * part that keeps them off, as for server-side apply. The whole object would be taken from its tool, and its next upgrade would take it back.
 */
export function withKeptOffParts(input: ImportInput, cluster: EdgeCluster): Pick<ImportInput, 'objects' | 'leftOut'> {
  const leftOut: LeftOut[] = [];
  const objects = input.objects.map((each): InputObject => {
    const patchFile = patchFileOf(each, cluster);
    if (patchFile === undefined) {
      return each;
    }
    leftOut.push({
      name: nameOf(each.given),
      reason: 'written by another tool: the program has only what keeps it off host-network nodes',
    });
    const part = partOf(each.object);
    return { object: part, given: part, place: each.place, patchFile, others: [] };
  });
  return { objects, leftOut: [...input.leftOut, ...leftOut] };
}

/** The file of the part; undefined for an object that is imported as a whole. */
function patchFileOf({ object, given, patchFile }: InputObject, cluster: EdgeCluster): string | undefined {
  const podSpec = valueAt(object, POD_SPEC);
  const terms = isMap(podSpec) ? requiredTerms(podSpec) : undefined;
  const isKeptOff = terms !== undefined && terms.length > 0 && termsExclude(terms, cluster.hostNetworkLabel);
  if (patchFile !== undefined || !isFromServer(given) || !isKeptOff) {
    return undefined;
  }
  return isPatched(given) ? 'system-components' : isOfKubeadm(given) ? 'kubeadm-components' : undefined;
}

/** Whether the policy of a declaration sees the object being patched. */
export function isMarked(object: PlainMap): boolean {
  return Object.keys(mapAt(mapAt(object, 'metadata'), 'annotations')).some((key) => MARK.test(key));
}

/** Whether one tool has applied the affinity and no container, and another one has written the containers. */
function isPatched(given: PlainMap): boolean {
  if (isMarked(given)) {
    return true;
  }
  const metadata = mapAt(given, 'metadata');
  const entries = (Array.isArray(metadata.managedFields) ? metadata.managedFields : []).filter(isMap);
  const owns = ({ fieldsV1 }: PlainMap, path: ObjectPath): boolean =>
    valueAt(
      fieldsV1,
      path.map((field) => `f:${field}`),
    ) !== undefined;
  const containers = [...POD_SPEC, 'containers'];
  return (
    entries.some((entry) => entry.operation === 'Apply' && owns(entry, REQUIRED) && !owns(entry, containers)) &&
    entries.some((entry) => owns(entry, containers))
  );
}

/** Whether `kubeadm upgrade` writes it. */
function isOfKubeadm({ kind, metadata }: PlainMap): boolean {
  const { name, namespace } = mapAt({ metadata }, 'metadata');
  return SystemComponent.known().some(
    ({ data }) =>
      data.owner === 'kubeadm' &&
      data.workloads.some((each) => each.kind === kind && each.name === name && each.namespace === namespace),
  );
}

function partOf(object: PlainMap): PlainMap {
  const { name, namespace, annotations } = mapAt(object, 'metadata');
  const marks = Object.entries(isMap(annotations) ? annotations : {}).filter(([key]) => MARK.test(key));
  const affinity = REQUIRED.slice(POD_SPEC.length).reduceRight<unknown>(
    (below, field) => ({ [field]: below }),
    valueAt(object, REQUIRED),
  ) as PlainMap;
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: {
      name,
      namespace,
      ...(marks.length === 0 ? {} : { annotations: Object.fromEntries(marks) }),
    },
    spec: { template: { spec: affinity } },
  };
}

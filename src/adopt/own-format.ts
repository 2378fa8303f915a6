import type { ProblemList } from '../base/errors.js';
import { MANAGED_BY, MANAGED_BY_LABEL, MANIFEST_FORMAT, MANIFEST_FORMAT_LABEL } from '../kubernetes/labels.js';
import { nameOf } from '../kubernetes/object.js';
import { printManifests } from '../base/yaml-print.js';
import { withoutServerFields } from '../preconditions/cluster-state.js';
import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import { type UpgradeStep, upgradeStep } from './upgrade-step.js';

const labelsOf = (object: PlainMap): PlainMap => mapAt(mapAt(object, 'metadata'), 'labels');

/** Refuses manifests that a later version of this library wrote: this one does not know what belongs to them. */
export function checkFormat(objects: readonly PlainMap[], problems: ProblemList): void {
  const later = objects.find((object) => {
    const format = labelsOf(object)[MANIFEST_FORMAT_LABEL];
    return typeof format === 'string' && format !== MANIFEST_FORMAT;
  });
  if (later !== undefined) {
    problems.add(
      'EDGE_UPGRADE',
      `${nameOf(later)} has the manifest format ${String(labelsOf(later)[MANIFEST_FORMAT_LABEL])}, which a later version of edge-nodepools wrote`,
      'npm install edge-nodepools@latest',
    );
  }
}

/** Removes what earlier versions of this library wrote and this one no longer uses. */
export function formatSteps(objects: readonly PlainMap[]): UpgradeStep[] {
  return objects.filter(isPoolList).map((object, index) => {
    const { namespace = 'kube-system', name } = mapAt(object, 'metadata');
    const file = `files/pool-list-${index + 1}.yaml`;
    return upgradeStep({
      id: index === 0 ? 'pool-list' : `pool-list-${index + 1}`,
      what: `Delete the ConfigMap ${String(namespace)}/${String(name)}.`,
      why: 'Earlier versions of edge-nodepools listed the host-network pools in it. Now their names are in the policy itself.',
      pods: 'stay',
      parts: ['pool-list'],
      variables: { list_namespace: String(namespace), list: String(name), file },
      files: [{ path: file, content: printManifests([withoutServerFields(object)]) }],
    });
  });
}

/** The list of pools that `pools: 'listed'` of PoolAdmission wrote until version 0.1. */
function isPoolList(object: PlainMap): boolean {
  const isOurs = labelsOf(object)[MANAGED_BY_LABEL] === MANAGED_BY;
  return object.kind === 'ConfigMap' && isOurs && isMap(object.data) && typeof object.data['host-network'] === 'string';
}

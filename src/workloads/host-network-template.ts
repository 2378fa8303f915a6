import type { ProblemList } from '../errors.js';
import { isAbsent } from '../kubernetes/field-values.js';
import { EXCLUDE_ANNOTATION } from '../kubernetes/labels.js';
import { checkShapes } from '../kubernetes/pod-spec.js';
import { isMap, mapAt, type PlainMap } from '../validation/plain-data.js';
import { checkTemplateMetadata } from './exclusion.js';

/** Checks a Pod template for host-network pools: what contradicts them, and what this library reads. */
export function checkTemplate(template: PlainMap, hasCheckedContainers: boolean, problems: ProblemList): void {
  const spec = mapAt(template, 'spec');
  const at = problems.at('spec');
  checkTemplateMetadata(template, problems.at('metadata'));
  checkShapes(spec, ['nodeSelector', 'dnsConfig'], ['tolerations', 'containers', 'initContainers'], at);
  checkEnvironments(spec, at);
  if (spec.hostNetwork === false) {
    at.at('hostNetwork').add(
      'EDGE_CONTRADICTION',
      'conflicting settings: the Pod has hostNetwork: false, and a host-network pool runs only hostNetwork Pods',
      'remove hostNetwork, or use ExcludedWorkload to exclude the workload from such pools',
    );
  } else if (spec.hostNetwork !== undefined && spec.hostNetwork !== null && spec.hostNetwork !== true) {
    at.at('hostNetwork').add(
      'EDGE_TYPE',
      `hostNetwork must be true, this is ${JSON.stringify(spec.hostNetwork)}`,
      'write hostNetwork: true, without quotes',
    );
  }
  if (mapAt(mapAt(template, 'metadata'), 'annotations')[EXCLUDE_ANNOTATION] === 'true') {
    problems
      .at('metadata', 'annotations', EXCLUDE_ANNOTATION)
      .add(
        'EDGE_CONTRADICTION',
        'conflicting scheduling constraints: the annotation excludes the Pod from host-network pools',
        'remove the annotation, or use ExcludedWorkload instead',
      );
  }
  const containers = spec.containers;
  const isMissing = isAbsent(containers) || (Array.isArray(containers) && containers.length === 0);
  if (isMissing ? !hasCheckedContainers : !Array.isArray(containers) || !containers.every(isMap)) {
    at.at('containers').add(
      'EDGE_MISSING',
      'at least one container is required',
      "write containers: [{ name: 'app', image: '…' }]",
    );
  }
  if (spec.hostUsers === false) {
    at.at('hostUsers').add(
      'EDGE_CONTRADICTION',
      'a Pod in a user namespace (hostUsers: false) cannot use the host network',
      'remove hostUsers',
    );
  }
}

function checkEnvironments(spec: PlainMap, problems: ProblemList): void {
  for (const field of ['initContainers', 'containers']) {
    const containers = spec[field];
    (Array.isArray(containers) ? containers : []).forEach((container: unknown, index) => {
      if (isMap(container)) {
        checkShapes(container, [], ['env', 'ports'], problems.at(field, index));
      }
    });
  }
}

import type { ProblemList } from '../base/errors.js';
import { checkLabelValue, isQualifiedName, isSetByKubelet } from '../kubernetes/label-syntax.js';
import { HOST_NETWORK_LABEL, type HostNetworkLabel, TRUE } from '../kubernetes/labels.js';
import { isMap } from '../base/plain-data.js';
import { quoted, whatIs } from '../base/properties.js';
import { checkProperties, type PropertyTable } from '../base/property-table.js';

const EXAMPLE = "write { key: 'eks.amazonaws.com/compute-type', value: 'hybrid' }";

/** Label that a cloud provider gives every node. */
const INSTANCE_TYPE = /^(beta|node)\.kubernetes\.io\/instance-type$/;

/** Labels of control planes (kubeadm). */
const OF_CONTROL_PLANES = /^node-role\.kubernetes\.io\/(control-plane|master)$/;

const PROPERTIES: PropertyTable<HostNetworkLabel> = {
  key: checkKey,
  value: (value, problems) =>
    value === undefined
      ? problems.add('EDGE_MISSING', 'the label needs a value', "write value: '' for a label without a value")
      : checkLabelValue(value, problems),
};

/** Checks the label of host-network nodes. */
export function checkHostNetworkLabel(label: unknown, problems: ProblemList): void {
  if (label === undefined) {
    return;
  }
  if (!isMap(label)) {
    problems.add('EDGE_TYPE', `the label is ${whatIs(label)}, not a map with key and value`, asMap(label));
    return;
  }
  checkProperties(label, PROPERTIES, problems, { name: 'did you mean key?', values: 'did you mean value?' });
  if (label.key === HOST_NETWORK_LABEL && typeof label.value === 'string' && label.value !== TRUE) {
    problems
      .at('value')
      .add('EDGE_LABEL', `OpenYurt’s label only ever has the value "true", not ${quoted(label.value)}`, "write 'true'");
  }
}

/** `key=value`, as kubectl writes it, as a map. */
function asMap(label: unknown): string {
  const [, key, value] = typeof label === 'string' ? (/^([^=\s]+)(?:=([^=\s]*))?$/.exec(label) ?? []) : [];
  return key === undefined ? EXAMPLE : `write { key: '${key}', value: '${value ?? ''}' }`;
}

function checkKey(key: unknown, problems: ProblemList): void {
  if (key === undefined) {
    problems.add('EDGE_MISSING', 'the label needs a key', EXAMPLE);
  } else if (typeof key !== 'string' || !isQualifiedName(key)) {
    problems.add('EDGE_LABEL', `${quoted(key)} is not a label key`, 'write "name" or "prefix.example/name"');
  } else if (isSetByKubelet(key) || INSTANCE_TYPE.test(key)) {
    problems.add(
      'EDGE_LABEL',
      `every node has a label ${key}, and kubelet sets its value`,
      'name the label that only host-network nodes have',
    );
  } else if (OF_CONTROL_PLANES.test(key)) {
    problems.add(
      'EDGE_LABEL',
      `the nodes of the control plane have the label ${key}, and they need a Pod network`,
      'name the label that only host-network nodes have',
    );
  }
}

import { isUnknown } from '../base/unknown.js';
import type { EdgeCode } from '../base/error-codes.js';
import type { ProblemList } from '../base/errors.js';
import { isMap } from '../base/plain-data.js';
import { isDnsSubdomain } from './names.js';
import { quoted, showValue, whatIs } from '../base/properties.js';

// apimachinery validation.IsQualifiedName and IsValidLabelValue.
const NAME_PART = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;

// apimachinery validation.TotalAnnotationSizeLimitB
const ANNOTATIONS_LIMIT = 256 * 1024;

export function isQualifiedName(key: string): boolean {
  const slash = key.indexOf('/');
  const name = slash < 0 ? key : key.slice(slash + 1);
  const prefixIsFine = slash < 0 || isDnsSubdomain(key.slice(0, slash));
  return prefixIsFine && name.length <= 63 && NAME_PART.test(name);
}

export function isLabelValue(value: string): boolean {
  return value.length <= 63 && LABEL_VALUE.test(value);
}

// kubelet --node-labels (pkg/kubelet/apis/well_known_labels.go); NodeRestriction refuses the same (plugin/pkg/admission/noderestriction)
const KUBELET_LABELS =
  /^(kubernetes\.io\/(hostname|arch|os)|node\.kubernetes\.io\/.*|kubelet\.kubernetes\.io\/.*|([^/]+\.)?(node|kubelet)\.kubernetes\.io\/.*|topology\.kubernetes\.io\/(zone|region)|failure-domain\.beta\.kubernetes\.io\/(zone|region)|beta\.kubernetes\.io\/(arch|os|instance-type))$/;

/** Whether a kubelet must not set a label of its own Node. */
export function isRefusedByKubelet(key: string): boolean {
  const prefix = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
  const isKubernetes = /(^|\.)(kubernetes|k8s)\.io$/.test(prefix);
  return isKubernetes && !KUBELET_LABELS.test(key);
}

// pkg/kubelet/kubelet_node_status.go, initialNode and updateDefaultLabels, without those of a cloud provider
const SET_BY_KUBELET =
  /^((beta\.)?kubernetes\.io\/(os|arch)|kubernetes\.io\/hostname|node\.kubernetes\.io\/windows-build)$/;

/** Values of `kubernetes.io/arch`: the platforms of the kubelet's binaries. */
const ARCHITECTURES: readonly unknown[] = ['amd64', 'arm64', 'arm', '386', 'ppc64le', 's390x', 'riscv64'];

/** Whether a label says of which architecture all nodes of a pool are, which nothing else says before there are nodes. */
export function saysArchitecture(key: string, value: unknown): boolean {
  return key === 'kubernetes.io/arch' && (isUnknown(value) || ARCHITECTURES.includes(value));
}

/** Whether kubelet sets a label from what its machine is, and corrects it whenever it starts. */
export function isSetByKubelet(key: string): boolean {
  return SET_BY_KUBELET.test(key);
}

function checkKey(key: string, code: EdgeCode, problems: ProblemList): void {
  if (!isQualifiedName(key)) {
    problems.add(
      code,
      `the key ${quoted(key)} is not a qualified name`,
      'write "name" or "prefix.example/name": letters, digits, "-", "_" and ".", name at most 63, at most one "/"',
    );
  }
}

function notText(value: unknown): string {
  if (value === undefined || value === null) {
    return 'give it a value, or leave the key out';
  }
  return `write text in quotes: ${quoted(typeof value === 'object' ? 'text' : showValue(value))}`;
}

/** Validates a label value as the API server does: text, at most 63 characters. */
export function checkLabelValue(value: unknown, problems: ProblemList): void {
  if (typeof value !== 'string') {
    problems.add(
      'EDGE_TYPE',
      `a label value must be text, this is ${value === null ? 'null' : whatIs(value)}`,
      notText(value),
    );
  } else if (!isLabelValue(value)) {
    problems.add(
      'EDGE_LABEL',
      `${quoted(value)} is not a label value`,
      'write at most 63 letters, digits, "-", "_" and ".", beginning and ending with a letter or digit; for free text use annotations',
    );
  }
}

/** Labels as kubectl writes them, `a=b,c=d`, as a map; undefined if this is something else. */
function asMap(labels: unknown): string | undefined {
  const parts: unknown[] = Array.isArray(labels) ? labels : typeof labels === 'string' ? labels.split(',') : [];
  const pairs = parts.map((part) => /^\s*([\w./-]{1,320})=([\w.-]{0,63})\s*$/.exec(String(part)));
  return pairs.length > 0 && pairs.length < 20 && pairs.every((pair) => pair !== null)
    ? `{ ${pairs.map((pair) => `${/^[A-Za-z_]\w*$/.test(pair[1] ?? '') ? pair[1] : `'${pair[1]}'`}: '${pair[2]}'`).join(', ')} }`
    : undefined;
}

/** Validates a map of labels. */
export function checkLabels(labels: unknown, problems: ProblemList): void {
  if (labels === undefined) {
    return;
  }
  if (!isMap(labels)) {
    problems.add('EDGE_TYPE', 'labels must be a map of text to text', `write ${asMap(labels) ?? "{ site: 'hz-01' }"}`);
    return;
  }
  for (const [key, value] of Object.entries(labels)) {
    checkKey(key, 'EDGE_LABEL', problems.at(key));
    checkLabelValue(value, problems.at(key));
  }
}

/** Validates a map of annotations. */
export function checkAnnotations(annotations: unknown, problems: ProblemList): void {
  if (annotations === undefined) {
    return;
  }
  if (!isMap(annotations)) {
    problems.add('EDGE_TYPE', 'annotations must be a map of text to text', "write { owner: 'team-edge' }");
    return;
  }
  let size = 0;
  for (const [key, value] of Object.entries(annotations)) {
    // annotation keys are compared in lower case (validation.ValidateAnnotations)
    checkKey(key.toLowerCase(), 'EDGE_ANNOTATION', problems.at(key));
    if (typeof value !== 'string') {
      const message = `an annotation value must be text, this is ${value === null ? 'null' : whatIs(value)}`;
      problems.at(key).add('EDGE_TYPE', message, notText(value));
    } else {
      size += key.length + Buffer.byteLength(value);
    }
  }
  if (size > ANNOTATIONS_LIMIT) {
    problems.add(
      'EDGE_ANNOTATION',
      `the annotations have ${size} bytes in total`,
      `keep keys and values together within ${ANNOTATIONS_LIMIT} bytes`,
    );
  }
}

import { joinPath, ProblemList } from '../base/errors.js';
import { isMap, type PlainMap, withField, mapAt } from '../base/plain-data.js';
import { isUnknown, compute, merged } from '../base/unknown.js';
import { nearMiss, showValue, quoted, whatIs } from '../base/properties.js';
import { readTexts, isAbsent } from './field-values.js';
import { checkAnnotations, checkLabels } from './label-syntax.js';
import { checkNamespace, checkObjectName, isDnsLabel, isDnsSubdomain } from './names.js';
import { groupKindOf } from './group-kind.js';

/** Validates the metadata of a given object. */
export function checkMetadata(metadata: unknown, problems: ProblemList): void {
  if (metadata === undefined || metadata === null) {
    return;
  }
  if (!isMap(metadata)) {
    problems.add('EDGE_TYPE', 'metadata must be a map', "write metadata: { name: 'web', namespace: 'default' }");
    return;
  }
  if (metadata.name !== undefined) {
    checkObjectName(metadata.name, problems.at('name'));
  }
  if ((metadata.generateName ?? undefined) !== undefined && metadata.name === undefined) {
    const hint = "write name: '…' instead of generateName";
    problems.at('generateName').add('EDGE_NAME', 'an object with generateName cannot be applied declaratively', hint);
  }
  if ((metadata.namespace ?? undefined) !== undefined) {
    checkNamespace(metadata.namespace, problems.at('namespace'));
  }
  checkLabels(readTexts(metadata.labels) ?? undefined, problems.at('labels'));
  checkAnnotations(readTexts(metadata.annotations) ?? undefined, problems.at('annotations'));
}

/** Fields of ObjectMeta (k8s.io/apimachinery meta/v1), without selfLink, which is no longer set. */
const METADATA_FIELDS: readonly string[] = [
  ...['annotations', 'creationTimestamp', 'deletionGracePeriodSeconds', 'deletionTimestamp', 'finalizers'],
  ...['generateName', 'generation', 'labels', 'managedFields', 'name', 'namespace', 'ownerReferences'],
  ...['resourceVersion', 'uid'],
];

/** Reports fields that are almost those of Kubernetes: the API server drops them, or refuses the object. */
export function checkMetadataFields(metadata: unknown, problems: ProblemList): void {
  for (const field of Object.keys(isMap(metadata) ? metadata : {})) {
    const near = METADATA_FIELDS.includes(field) ? undefined : nearMiss(field, METADATA_FIELDS);
    if (near !== undefined) {
      const hint = `did you mean ${near}?`;
      problems.at(field).add('EDGE_UNKNOWN_PROPERTY', `metadata has no field ${field}: the API server drops it`, hint);
    }
  }
}

/** Validates the metadata of an object that this library makes. */
export function checkMadeMetadata(metadata: unknown, problems: ProblemList): void {
  checkMetadata(metadata, problems);
  checkMetadataFields(metadata, problems);
}

/** A changed object, and the paths that changed. */
export interface Changed {
  readonly object: PlainMap;
  readonly changed: readonly string[];
}

/** Adds entries to the labels or annotations of an object. Other values of the same keys are refused. */
export function withMetadata(
  object: PlainMap,
  field: 'labels' | 'annotations',
  added: Readonly<Record<string, string>>,
  problems: ProblemList,
): Changed {
  if (isUnknown(object.metadata)) {
    const known = compute(object.metadata, (metadata) => knownMetadata({ metadata }, field, added));
    return {
      object: withField(object, 'metadata', known),
      changed: Object.keys(added).map((key) => ['metadata', field, key].reduce<string>(joinPath, '')),
    };
  }
  const metadata = mapAt(object, 'metadata');
  const given = metadata[field];
  const missing = Object.entries(added).filter(([key, value]) => {
    const own = isMap(given) ? given[key] : undefined;
    if (own !== undefined && own !== value && !isUnknown(own)) {
      const message = `conflicting settings: ${key} is ${showValue(own)} here, and becomes ${value}`;
      problems.at('metadata', field, key).add('EDGE_CONTRADICTION', message, 'remove it');
    }
    return own !== value;
  });
  if (missing.length === 0) {
    return { object, changed: [] };
  }
  const all = merged(given as PlainMap | undefined, Object.fromEntries(missing));
  return {
    object: withField(object, 'metadata', withField(metadata, field, all)),
    changed: missing.map(([key]) => ['metadata', field, key].reduce<string>(joinPath, '')),
  };
}

/** The metadata that was unknown as a whole. */
function knownMetadata(
  object: PlainMap,
  field: 'labels' | 'annotations',
  added: Readonly<Record<string, string>>,
): unknown {
  const problems = new ProblemList();
  const { metadata } = withMetadata(object, field, added, problems).object;
  problems.throwIfAny('the workload');
  return metadata;
}

/**
 * Kinds whose names may have other characters (pkg/apis/rbac/validation, pkg/apis/certificates/validation, ValidateIPAddressName; kube-aggregator,
 * ValidateAPIService: `v1.` is that of the core group).
 */
const OTHER_NAMES =
  /^(?:Role|ClusterRole|RoleBinding|ClusterRoleBinding)\.rbac\.|^CertificateSigningRequest\.certificates\.|^IPAddress\.networking\.|^APIService\.apiregistration\./;

/** Kinds whose names have no dots (core validation ValidateNamespaceName, ValidateServiceName). */
const LABEL_NAMES = ['Namespace', 'Service'];

/** Kinds that are asked and not stored. */
const WITHOUT_NAME = /(?:Review|Rule)s?$|^Binding$|^Eviction$|List$/;

/** Refuses the metadata of an object in a file that the API server refuses (apimachinery ValidateObjectMeta). */
export function checkWrittenMetadata(object: PlainMap, problems: ProblemList): void {
  const { metadata } = object;
  if (!isAbsent(metadata) && !isMap(metadata)) {
    problems.add('EDGE_TYPE', `the metadata are ${whatIs(metadata)}, not a map`, 'write metadata: { name: web }');
    return;
  }
  checkNames(object, problems);
  const { labels, annotations } = mapAt(object, 'metadata');
  checkLabels(readTexts(labels ?? undefined), problems.at('labels'));
  checkAnnotations(readTexts(annotations ?? undefined), problems.at('annotations'));
}

function checkNames(object: PlainMap, problems: ProblemList): void {
  const { name, generateName, namespace } = mapAt(object, 'metadata');
  const kind = String(object.kind);
  const groupKind = groupKindOf(object);
  if (isAbsent(name) || name === '') {
    if ((isAbsent(generateName) || generateName === '') && !WITHOUT_NAME.test(kind)) {
      problems.at('name').add('EDGE_MISSING', 'a name is required', 'write metadata: { name: web }');
    }
  } else if (typeof name !== 'string') {
    problems.at('name').add('EDGE_TYPE', `a name must be text, this is ${whatIs(name)}`, `write '${quoted(name)}'`);
  } else if (!OTHER_NAMES.test(groupKind) && !isName(name, groupKind)) {
    problems.at('name').add(
      'EDGE_NAME',
      `${quoted(name)} is not a valid name of a ${kind}: API servers refuse it`,
      hintFor(name, (text) => isName(text, groupKind)),
    );
  }
  if (typeof namespace === 'string' && namespace !== '' && !isDnsLabel(namespace)) {
    const message = `${quoted(namespace)} is not a valid name of a namespace: API servers refuse it`;
    problems.at('namespace').add('EDGE_NAME', message, hintFor(namespace, isDnsLabel));
  }
}

function isName(name: string, groupKind: string): boolean {
  return LABEL_NAMES.includes(groupKind) ? isDnsLabel(name) : isDnsSubdomain(name);
}

function hintFor(name: string, isValid: (text: string) => boolean): string {
  const near = name.toLowerCase().replace(/[^a-z0-9.-]+/g, '-');
  return /\$[({]|\{\{|</.test(name)
    ? 'replace the variable in it before, for example with envsubst'
    : isValid(near)
      ? `write ${near}`
      : 'write lower-case letters, digits, "-" and ".", and begin and end with a letter or digit';
}

/** What the API server refuses of kinds that most programs have beside their workloads. */
const RULES: Readonly<Record<string, (object: PlainMap, problems: ProblemList) => void>> = {
  ConfigMap: (object, problems) => {
    checkTexts(object.data, problems.at('data'));
    checkTexts(object.binaryData, problems.at('binaryData'), isBase64);
  },
  Secret: (object, problems) => {
    checkTexts(object.stringData, problems.at('stringData'));
    checkTexts(object.data, problems.at('data'), isBase64);
  },
  Service: checkService,
};

/** Refuses what the API server refuses of a ConfigMap, a Secret or a Service (core validation). */
export function checkPlainKind(object: PlainMap, problems: ProblemList): void {
  const groupKind = groupKindOf(object);
  if (Object.hasOwn(RULES, groupKind)) {
    RULES[groupKind]?.(object, problems);
  }
}

/** encoding/base64 StdEncoding, which skips line breaks. */
function isBase64(text: string): boolean {
  const whole = text.replace(/[\r\n]/g, '');
  return whole.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(whole);
}

function checkTexts(map: unknown, problems: ProblemList, isValid?: (text: string) => boolean): void {
  if (isAbsent(map)) {
    return;
  }
  if (!isMap(map)) {
    problems.add('EDGE_TYPE', `this must be a map, and is ${whatIs(map)}`, "write { key: 'value' }");
    return;
  }
  for (const [key, value] of Object.entries(map)) {
    if (isAbsent(value)) {
      continue;
    }
    if (typeof value !== 'string') {
      problems
        .at(key)
        .add(
          'EDGE_TYPE',
          `this must be text in quotes, and is ${typeof value === 'object' ? whatIs(value) : quoted(value)}: the API server refuses it`,
          typeof value === 'object' ? 'write it as text: |' : `write '${quoted(value)}', in quotes`,
        );
    } else if (isValid?.(value) === false) {
      problems.at(key).add('EDGE_VALUE', 'this is not base64', 'write it below stringData, or encode it in base64');
    }
  }
}

/** ValidateService: ports are required, except for headless Services and those that are a name (ExternalName). */
function checkService(object: PlainMap, problems: ProblemList): void {
  const { ports, type, clusterIP, selector } = mapAt(object, 'spec');
  const isWithout = isAbsent(ports) || (Array.isArray(ports) && ports.length === 0);
  // without a selector it may be a part of one, for server-side apply or kustomize
  if (isMap(selector) && isWithout && type !== 'ExternalName' && clusterIP !== 'None') {
    problems.at('spec', 'ports').add('EDGE_MISSING', 'a Service needs a port', 'write ports: [{ port: 80 }]');
  }
}

import type { ProblemList } from '../errors.js';
import { isMap, mapAt, type PlainMap } from '../validation/plain-data.js';
import { quoted, whatIs } from '../validation/properties.js';
import { isAbsent, readTexts } from './field-values.js';
import { groupKindOf } from './group-kind.js';
import { checkAnnotations, checkLabels } from './label-syntax.js';
import { isDnsLabel, isDnsSubdomain } from './names.js';

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
    problems
      .at('namespace')
      .add(
        'EDGE_NAME',
        `${quoted(namespace)} is not a valid name of a namespace: API servers refuse it`,
        hintFor(namespace, isDnsLabel),
      );
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

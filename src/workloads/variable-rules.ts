import { isDnsSubdomain } from '../kubernetes/names.js';
import { isMap } from '../validation/plain-data.js';
import { quoted } from '../validation/properties.js';
import { formed, known, needs, oneOf, onlyOne, type Rule } from './rule-builders.js';

/** Paths of the Pod that a variable can have (core/v1 validEnvDownwardAPIFieldPathExpressions). */
const FIELD_PATH =
  /^(?:metadata\.(?:name|namespace|uid|(?:labels|annotations)\['[^']+'\])|spec\.(?:nodeName|serviceAccountName)|status\.(?:hostIPs?|podIPs?))$/;

const checkFieldPath: Rule = (part, problems) => {
  const ref = part.fieldRef;
  const path = isMap(ref) ? known(ref, 'fieldPath') : undefined;
  if (typeof path === 'string' && path !== '' && !FIELD_PATH.test(path)) {
    problems
      .at('fieldRef', 'fieldPath')
      .add(
        'EDGE_VALUE',
        `a variable cannot have ${quoted(path)}`,
        "write 'metadata.name', 'spec.nodeName', 'status.hostIP' or 'status.podIP'",
      );
  }
};

/** Amounts that a variable or a file can have (core validation validContainerResourceFieldPathExpressions). */
const AMOUNT = /^(?:limits|requests)\.(?:cpu|memory|ephemeral-storage|hugepages-.*)$/;

/** Keys of ConfigMaps and Secrets (apimachinery validation.IsConfigMapKey). */
const isKey = (key: string): boolean => /^(?!\.\.|\.$)[-._a-zA-Z0-9]{1,253}$/.test(key);

/** A trailing "-" is allowed here (core validation ValidateConfigMapName with a prefix). */
const isSourceName = (name: string): boolean => isDnsSubdomain(name.replace(/-$/, 'a'));

const aName = (isName: (name: string) => boolean): Rule =>
  formed('name', isName, 'is not a name', 'write lower-case letters, digits, "-" and "."', 'EDGE_NAME');

const keyOf = (kind: string): readonly Rule[] => [
  needs('a variable', 'name', `write the name of a ${kind}`),
  needs('a variable', 'key', `write a key of the ${kind}`),
  aName(isDnsSubdomain),
  formed('key', isKey, 'is not a key', 'write letters, digits, "-", "_" and "."', 'EDGE_NAME'),
];

/** What the API server refuses in variables and where their values come from (core validation ValidateEnv, ValidateEnvFrom), by type. */
export const VARIABLE_RULES: Readonly<Record<string, readonly Rule[]>> = {
  EnvVar: [
    formed(
      'name',
      (name) => /^[ -<>-~]+$/.test(name),
      'is not a valid name of an environment variable',
      'write letters, digits and "_"',
      'EDGE_NAME',
    ),
  ],
  EnvVarSource: [
    onlyOne('a variable', ['configMapKeyRef', 'fieldRef', 'fileKeyRef', 'resourceFieldRef', 'secretKeyRef']),
    oneOf(
      'valueFrom',
      ['configMapKeyRef', 'fieldRef', 'fileKeyRef', 'resourceFieldRef', 'secretKeyRef'],
      'write one of them, or value',
    ),
    checkFieldPath,
  ],
  EnvFromSource: [
    oneOf('envFrom', ['configMapRef', 'secretRef'], "write configMapRef: { name: 'settings' }"),
    onlyOne('envFrom', ['configMapRef', 'secretRef']),
  ],
  ConfigMapEnvSource: [needs('envFrom', 'name', 'write the name of a ConfigMap'), aName(isSourceName)],
  SecretEnvSource: [needs('envFrom', 'name', 'write the name of a Secret'), aName(isSourceName)],
  ConfigMapKeySelector: keyOf('ConfigMap'),
  SecretKeySelector: keyOf('Secret'),
  ObjectFieldSelector: [needs('fieldRef', 'fieldPath', "write fieldPath: 'metadata.name'")],
  ResourceFieldSelector: [
    needs('resourceFieldRef', 'resource', "write resource: 'limits.cpu'"),
    formed(
      'resource',
      (resource) => AMOUNT.test(resource),
      'is not an amount of a container',
      "write 'limits.cpu' or 'requests.memory'",
    ),
  ],
};

import type { KubernetesObject, ObjectMetadata } from '../kubernetes/object.js';
import type { PlainMap } from '../validation/plain-data.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import type { FailurePolicy } from '../cluster/openyurt-webhook.js';
import { celTexts } from './cel.js';

/** API group of policies and webhook configurations. */
export const ADMISSION_GROUP = 'admissionregistration.k8s.io';

/** The namespace of a namespace, as the API server labels it (well-known label, every supported minor). */
const NAMESPACE_NAME_LABEL = 'kubernetes.io/metadata.name';

/**
 * What a validating policy does with what it refuses. `Deny` and `Warn` exclude each other.
 *
 * @category Admit Pods and Nodes
 */
export type ValidationAction = 'Deny' | 'Warn' | 'Audit';

/** A named CEL condition or variable. */
export interface Named {
  readonly name: string;
  readonly expression: string;
}

/** What both kinds of policy share. */
export interface PolicyBase {
  /** `admissionregistration.k8s.io/v1`. */
  readonly apiVersion: string;
  readonly name: string;
  readonly metadata?: ObjectMetadata;
  readonly failurePolicy: FailurePolicy;
  readonly apiGroup: string;
  readonly apiVersions: readonly string[];
  readonly resources: readonly string[];
  readonly operations: readonly ('CREATE' | 'UPDATE')[];
  readonly matchConditions: readonly Named[];
  readonly variables?: readonly Named[];
  readonly parameters?: PolicyParameters;
  readonly breakGlassGroups: readonly string[];
  /** Namespaces that the binding leaves out. */
  readonly excludedNamespaces: readonly string[];
}

/** The objects that a policy reads beside the request. */
export interface PolicyParameters {
  readonly kind: { readonly apiVersion: string; readonly kind: string };
  readonly ref: PlainMap;
}

/** A policy that refuses. */
export interface ValidatingPolicy extends PolicyBase {
  readonly validations: readonly PlainMap[];
  readonly validationActions: readonly ValidationAction[];
}

/** A policy that changes. */
export interface MutatingPolicy extends PolicyBase {
  readonly mutations: readonly PlainMap[];
}

/** A validating policy and, after it, its binding: a policy without binding does nothing, so an interrupted apply leaves nothing half done. */
export function validatingPolicy(policy: ValidatingPolicy): KubernetesObject[] {
  const { validations, validationActions } = policy;
  return [
    object(policy, 'ValidatingAdmissionPolicy', { ...commonSpec(policy), validations }),
    object(policy, 'ValidatingAdmissionPolicyBinding', { ...bindingSpec(policy), validationActions }),
  ];
}

/** A mutating policy and, after it, its binding. It is called again when something later in the chain has changed the object. */
export function mutatingPolicy(policy: MutatingPolicy): KubernetesObject[] {
  const { mutations } = policy;
  return [
    object(policy, 'MutatingAdmissionPolicy', { ...commonSpec(policy), reinvocationPolicy: 'IfNeeded', mutations }),
    object(policy, 'MutatingAdmissionPolicyBinding', bindingSpec(policy)),
  ];
}

function object({ apiVersion, name, metadata }: PolicyBase, kind: string, spec: PlainMap): KubernetesObject {
  return {
    apiVersion,
    kind,
    metadata: { ...metadata, name, labels: { ...metadata?.labels, ...OWN_LABELS } },
    spec,
  };
}

function commonSpec(policy: PolicyBase): PlainMap {
  const { apiGroup, apiVersions, resources, operations, variables = [], parameters } = policy;
  const conditions = [...breakGlass(policy.breakGlassGroups), ...policy.matchConditions];
  return {
    failurePolicy: policy.failurePolicy,
    ...(parameters === undefined ? {} : { paramKind: { ...parameters.kind } }),
    matchConstraints: {
      // Equivalent: a write in another served version of the same kind is judged too
      matchPolicy: 'Equivalent',
      resourceRules: [
        {
          apiGroups: [apiGroup],
          apiVersions: [...apiVersions],
          resources: [...resources],
          operations: [...operations],
        },
      ],
    },
    ...(conditions.length > 0 ? { matchConditions: conditions.map((condition) => ({ ...condition })) } : {}),
    ...(variables.length > 0 ? { variables: variables.map((variable) => ({ ...variable })) } : {}),
  };
}

function breakGlass(groups: readonly string[]): Named[] {
  return groups.length === 0
    ? []
    : [
        {
          name: 'no-break-glass',
          expression: `!request.userInfo.?groups.orValue([]).exists(group, group in ${celTexts(groups)})`,
        },
      ];
}

function bindingSpec({ name, parameters, excludedNamespaces }: PolicyBase): PlainMap {
  return {
    policyName: name,
    ...(parameters === undefined ? {} : { paramRef: { ...parameters.ref } }),
    ...(excludedNamespaces.length === 0
      ? {}
      : {
          matchResources: {
            namespaceSelector: {
              matchExpressions: [
                { key: NAMESPACE_NAME_LABEL, operator: 'NotIn', values: [...excludedNamespaces].sort() },
              ],
            },
          },
        }),
  };
}

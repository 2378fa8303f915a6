import type { FailurePolicy } from '../cluster/openyurt-webhook.js';
import type { PlannedObject } from '../cluster/plan.js';
import type { ObjectMetadata } from '../kubernetes/object.js';
import { TRUE, ownMetadata } from '../kubernetes/labels.js';
import { copyOf, type PlainMap } from '../base/plain-data.js';
import { compute, isUnknown, text } from '../base/unknown.js';
import { celTexts } from './cel.js';

/** API group of policies and webhook configurations. */
export const ADMISSION_GROUP = 'admissionregistration.k8s.io';

/** API version of validating policies. */
export const VALIDATING = `${ADMISSION_GROUP}/v1`;

/** Label of each namespace with its name; the API server sets it (well-known label, all supported minors). */
const NAMESPACE_NAME_LABEL = 'kubernetes.io/metadata.name';

/**
 * What a validating policy does with a request that violates it. `Deny` and `Warn` exclude each other.
 *
 * @category Admit Pods and Nodes
 */
export type ValidationAction = 'Deny' | 'Warn' | 'Audit';

/** A named CEL condition or variable. */
export interface Named {
  readonly name: string;
  readonly expression: string;
}

/** The requests that a policy matches. */
export interface PolicyRule {
  readonly apiGroup: string;
  readonly apiVersions: readonly string[];
  readonly resources: readonly string[];
  readonly operations: readonly ('CREATE' | 'UPDATE')[];
}

export const PODS = { apiGroup: '', apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] } as const;
export const NODES = {
  apiGroup: '',
  apiVersions: ['v1'],
  resources: ['nodes'],
  operations: ['CREATE', 'UPDATE'],
} as const;
export const WORKLOADS = { apiGroup: 'apps', apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'] } as const;

/** What both kinds of policy share. */
export interface PolicyBase extends PolicyRule {
  /** `admissionregistration.k8s.io/v1`. */
  readonly apiVersion: string;
  /** Distinguishes the policies of one declaration; empty if there is only one. */
  readonly id: string;
  readonly name: string;
  readonly metadata?: ObjectMetadata;
  readonly failurePolicy: FailurePolicy;
  readonly matchConditions: readonly Named[];
  /** All conditions instead, if they are only known when the whole program is declared. */
  readonly lateConditions?: unknown;
  readonly variables?: readonly Named[];
  /** All variables instead, if they are only known when the whole program is declared. */
  readonly lateVariables?: unknown;
  readonly parameters?: PolicyParameters;
  readonly breakGlassGroups?: readonly string[];
  /** Label of the only objects that the policy matches; what has no such label is not converted for it, and costs nothing.
   * @default - all objects */
  readonly objectLabel?: string;
  /** Namespaces that the binding does not match. */
  readonly excludedNamespaces?: readonly string[];
  /** Label of namespaces that the binding does not match if its value is `"true"`. */
  readonly openNamespaceLabel?: string;
}

/** The parameters of a policy: other objects that it reads. */
export interface PolicyParameters {
  readonly kind: { readonly apiVersion: string; readonly kind: string };
  readonly ref: PlainMap;
}

/** A policy that refuses requests. */
export interface ValidatingPolicy extends PolicyBase {
  readonly validations: readonly PlainMap[];
  readonly validationActions: readonly ValidationAction[];
  readonly auditAnnotations?: readonly PlainMap[];
}

/**
 * A policy that changes objects. After a later mutation by another policy or a webhook, the API server calls it again only if its match conditions held the
 * first time (apiserver pkg/admission/plugin/policy/mutating/dispatcher.go). So a match condition never judges what a later mutation adds; a condition
 * inside of the mutation does, and costs every request a quarter more.
 */
export interface MutatingPolicy extends PolicyBase {
  readonly mutations: readonly PlainMap[];
}

/** A validating policy and then its binding. A policy without a binding has no effect, so an interrupted apply does no harm. */
export function validatingPolicy(policy: ValidatingPolicy): PlannedObject[] {
  const { validations, validationActions, auditAnnotations } = policy;
  const audited = auditAnnotations === undefined ? {} : { auditAnnotations };
  return [
    planned(policy, 'ValidatingAdmissionPolicy', { ...commonSpec(policy), validations, ...audited }),
    planned(policy, 'ValidatingAdmissionPolicyBinding', { ...bindingSpec(policy), validationActions }),
  ];
}

/** A mutating policy and then its binding. */
export function mutatingPolicy(policy: MutatingPolicy): PlannedObject[] {
  const { mutations } = policy;
  return [
    planned(policy, 'MutatingAdmissionPolicy', { ...commonSpec(policy), reinvocationPolicy: 'IfNeeded', mutations }),
    planned(policy, 'MutatingAdmissionPolicyBinding', bindingSpec(policy)),
  ];
}

/**
 * The same for a policy whose work another one checks. The binding is first, so that it is also deleted first in the order of the file: the check holds only
 * while the binding exists. A binding without a policy has no effect, either.
 */
export function checkedPolicy(policy: MutatingPolicy): PlannedObject[] {
  return mutatingPolicy(policy).reverse();
}

function planned({ apiVersion, id, name, metadata }: PolicyBase, kind: string, spec: PlainMap): PlannedObject {
  return {
    object: copyOf({ apiVersion, kind, metadata: ownMetadata(metadata, { name }), spec }),
    apply: 'create',
    id,
  };
}

function commonSpec(policy: PolicyBase): PlainMap {
  const { apiGroup, apiVersions, resources, operations, parameters } = policy;
  const variables = policy.lateVariables ?? policy.variables ?? [];
  const conditions = policy.lateConditions ?? conditionsOf(policy.breakGlassGroups, policy.matchConditions);
  return {
    failurePolicy: policy.failurePolicy,
    ...(parameters === undefined ? {} : { paramKind: parameters.kind }),
    matchConstraints: {
      // Equivalent: a write in another served version of the same kind is checked too
      matchPolicy: 'Equivalent',
      resourceRules: [{ apiGroups: [apiGroup], apiVersions, resources, operations }],
      ...(policy.objectLabel === undefined ? {} : { objectSelector: { matchLabels: { [policy.objectLabel]: TRUE } } }),
    },
    ...(conditions === undefined ? {} : { matchConditions: conditions }),
    ...(Array.isArray(variables) && variables.length === 0 ? {} : { variables }),
  };
}

/** The conditions of a policy, after the one that exempts break-glass groups; undefined if there are none. */
export function conditionsOf(
  breakGlassGroups: readonly string[] | undefined,
  matchConditions: readonly Named[],
): Named[] | undefined {
  return compute(
    { groups: breakGlassGroups, own: matchConditions },
    ({ groups, own }) => {
      const all = [...breakGlass(groups ?? []), ...own];
      return all.length > 0 ? all : undefined;
    },
    isUnknown(breakGlassGroups) && breakGlassGroups,
  );
}

function breakGlass(groups: readonly string[]): Named[] {
  return groups.length === 0 ? [] : [{ name: 'no-break-glass', expression: text`!${isInGroups(groups)}` }];
}

/** Whether the user is in one of the groups. */
export function isInGroups(groups: readonly string[]): string {
  return compute(groups, (all) => `request.userInfo.?groups.orValue([]).exists(group, group in ${celTexts(all)})`);
}

function bindingSpec({ name, parameters, excludedNamespaces, openNamespaceLabel }: PolicyBase): PlainMap {
  const matchResources = matchResourcesBut(excludedNamespaces, openNamespaceLabel);
  return {
    policyName: name,
    ...(parameters === undefined ? {} : { paramRef: parameters.ref }),
    ...(matchResources === undefined ? {} : { matchResources }),
  };
}

function matchResourcesBut(
  excludedNamespaces: readonly string[] | undefined,
  openLabel: string | undefined,
): PlainMap | undefined {
  return compute(
    excludedNamespaces,
    (namespaces = []) => {
      const values = compute(namespaces, (names) => [...names].sort());
      const matchExpressions = [
        ...(namespaces.length === 0 ? [] : [{ key: NAMESPACE_NAME_LABEL, operator: 'NotIn', values }]),
        // NotIn selects namespaces without the label, too
        ...(openLabel === undefined ? [] : [{ key: openLabel, operator: 'NotIn', values: [TRUE] }]),
      ];
      return matchExpressions.length === 0 ? undefined : { namespaceSelector: { matchExpressions } };
    },
    isUnknown(excludedNamespaces) && excludedNamespaces,
  );
}

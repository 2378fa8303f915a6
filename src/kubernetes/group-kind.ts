import type { ProblemList } from '../errors.js';
import type { PlainMap } from '../validation/plain-data.js';
import { showValue } from '../validation/properties.js';
import { type WorkloadKind, WORKLOADS } from './workload-kinds.js';

/** `Kind.group` of an object, as Kubernetes' GroupKind prints it; only the kind in the core group. */
export function groupKindOf({ apiVersion, kind }: PlainMap): string {
  const version = String(apiVersion);
  const slash = version.indexOf('/');
  return slash < 0 ? String(kind) : `${String(kind)}.${version.slice(0, slash)}`;
}

/** API groups of Kubernetes itself, whose kinds are all known (staging/src/k8s.io/api), and of kustomize, whose objects are never in a cluster. */
const KNOWN_GROUPS: ReadonlySet<string> = new Set([
  ...['', 'apps', 'autoscaling', 'batch', 'extensions', 'policy'],
  ...['admissionregistration', 'apiextensions', 'apiregistration', 'authentication', 'authorization'].map(ofKubernetes),
  ...['certificates', 'coordination', 'discovery', 'events', 'networking', 'node', 'rbac.authorization'].map(
    ofKubernetes,
  ),
  ...['flowcontrol.apiserver', 'internal.apiserver', 'resource', 'scheduling', 'storage'].map(ofKubernetes),
  ...['storagemigration', 'kustomize.config'].map(ofKubernetes),
]);

function ofKubernetes(group: string): string {
  return `${group}.k8s.io`;
}

/** Groups of Kubernetes itself: their kinds need no group where a kind is named. */
const BUILT_IN_GROUPS = ['', '.apps', '.batch'];

const ROWS = new Map<string, readonly WorkloadKind[]>();
for (const row of WORKLOADS) {
  ROWS.set(row.kind, [...(ROWS.get(row.kind) ?? []), row]);
}

/** Names of all known kinds, with and without their group. */
export const KIND_NAMES: readonly string[] = [
  ...new Set(WORKLOADS.flatMap(({ kind }) => [String(kind.split('.')[0]), kind])),
];

/** The kind of an object, looked up once. */
export interface ObjectKind {
  /** `Kind.group`. */
  readonly groupKind: string;
  /** Its row; undefined if the kind or its version is not known. */
  readonly row: WorkloadKind | undefined;
  /** Whether its API group is one of Kubernetes itself, or of kustomize. */
  readonly isOfKubernetes: boolean;
}

export function objectKind(object: PlainMap): ObjectKind {
  const apiVersion = String(object.apiVersion);
  const slash = apiVersion.lastIndexOf('/');
  const version = apiVersion.slice(slash + 1);
  const groupKind = groupKindOf(object);
  return {
    groupKind,
    row: ROWS.get(groupKind)?.find(({ versions }) => versions?.includes(version) ?? true),
    isOfKubernetes: KNOWN_GROUPS.has(slash < 0 ? '' : apiVersion.slice(0, apiVersion.indexOf('/'))),
  };
}

/** The row of an object's kind; undefined if the kind or its version is not known. */
export function workloadKindOf(object: PlainMap): WorkloadKind | undefined {
  return objectKind(object).row;
}

/** Known kinds with the name of an object's kind: another group or version than that of the object. */
export function kindsOfName({ kind }: PlainMap): readonly WorkloadKind[] {
  return WORKLOADS.filter((row) => row.kind.split('.')[0] === kind);
}

/** Whether a name means the kind of an object: `Kind.group`, or only `Kind` for one of Kubernetes itself. */
export function isKind(object: PlainMap, name: string): boolean {
  const groupKind = groupKindOf(object);
  return name === groupKind || (name === object.kind && BUILT_IN_GROUPS.includes(groupKind.slice(name.length)));
}

/** Refuses what names no kind exactly: a kind without group, unless Kubernetes itself has it, and other notations. */
export function checkKindName(name: string, problems: ProblemList): void {
  // a kind may begin with a small letter: postgresql.acid.zalan.do
  const [, kind, group] = /^([A-Za-z][A-Za-z0-9]*)(\.[a-z0-9][a-z0-9.-]*)?$/.exec(name) ?? [];
  const spelling = KIND_NAMES.find((known) => known !== name && known.toLowerCase() === name.toLowerCase());
  if (kind !== undefined && spelling !== undefined) {
    problems.add('EDGE_VALUE', `${name} is not a kind: the case of letters counts`, `did you mean ${spelling}?`);
  } else if (kind === undefined) {
    problems.add(
      'EDGE_VALUE',
      `${showValue(name)} is not a kind with its API group`,
      "write Kind.group: 'Worker.example.com' for apiVersion: example.com/v1, kind: Worker",
    );
  } else if (group === undefined && !BUILT_IN_GROUPS.some((one) => ROWS.has(`${kind}${one}`))) {
    const [known] = kindsOfName({ kind });
    problems.add(
      'EDGE_VALUE',
      `Kubernetes itself has no workloads of the kind ${kind}, so its API group is needed`,
      known === undefined
        ? `write '${kind}.example.com' for apiVersion: example.com/v1, kind: ${kind}`
        : `write '${known.kind}'; its Pod templates are known, so the entry can be left out`,
    );
  }
}

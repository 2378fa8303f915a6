import { createRequire } from 'node:module';
import * as pulumi from '@pulumi/pulumi';
import { KUBERNETES_MINORS } from '../cluster/kubernetes-minors.js';
import { OPENYURT_RELEASES } from '../cluster/openyurt-releases.js';
import type { PlannedObject } from '../cluster/plan.js';
import { CLUSTER_API_VERSIONS } from '../join/kubeadm-config-template.js';
import { WORKLOADS } from '../kubernetes/workload-kinds.js';
import { type PlainMap, isMap, mapAt } from '../base/plain-data.js';
import { importHooks } from './imported.js';
import { isOutput, promiseOf } from './outputs.js';
import { hookOf } from './hooks.js';

/** A class of @pulumi/kubernetes. */
type ResourceClass = new (name: string, args: unknown, options?: pulumi.CustomResourceOptions) => pulumi.CustomResource;

/** The classes of @pulumi/kubernetes, by group, version and kind. */
type Classes = Record<string, Record<string, Record<string, ResourceClass | undefined> | undefined> | undefined>;

let loaded: Classes | undefined;

/** Loaded with the first object and not at import, because it takes as long as all other imports together. */
function kubernetes(): Classes {
  return (loaded ??= createRequire(__filename)('@pulumi/kubernetes') as Classes);
}

/** The class of a kind; undefined for kinds that are not built into Kubernetes. */
function classOf(apiVersion: string, kind: string): ResourceClass | undefined {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
  const isBuiltIn = !group?.includes('.') || group.endsWith('.k8s.io');
  return isBuiltIn ? kubernetes()[group?.split('.')[0] as string]?.[version as string]?.[kind] : undefined;
}

/** What is awaited of a rollout: all of it, as the provider does for the kinds of Kubernetes; the first Pod; or nothing. */
export type Awaited = 'all' | 'first Pod' | 'nothing';

/** What a component decides about its resources besides its plan. */
export interface Applying {
  /** Field manager of its patches.
   * @default - each patch has its own, with a random name, which the state remembers */
  readonly fieldManager?: string | undefined;
  /** Whether its patches take over fields of other field managers.
   * @default - only those whose plan says so */
  readonly force?: boolean | undefined;
  /** What of the rollout of an object of a kind is awaited.
   * @default - of a created object what the provider awaits, of a patch nothing */
  readonly awaits?: (kind: string) => Awaited;
  /** Whether objects stay in the cluster that their plan retains.
   * @default true */
  readonly retains?: boolean | undefined;
}

/** Whether an object stays in the cluster when its resource is deleted. */
export function isRetained({ retain }: PlannedObject, { retains }: Applying): boolean {
  return retain === 'always' || (retain === true && retains !== false);
}

/**
 * Field manager of objects that are retained: the same in each life of a stack, so that one that was retained is adopted by the next. With a random one
 * per resource, as the provider makes them, the object would get one more owner each time.
 */
const RETAINING = 'edge-nodepools-retained';

/** A resource that is to be created with `new Class(name, args, options)`. */
export interface Registration {
  readonly Class: ResourceClass;
  readonly name: string;
  readonly args: PlainMap;
  readonly options: pulumi.CustomResourceOptions;
}

/**
 * The resource of an object, with the class of its kind or as a CustomResource; for a patch, with the patch class of its kind.
 *
 * @param object the object, with Outputs for unknown values
 */
export function registrationOf(
  name: string,
  planned: PlannedObject,
  object: PlainMap,
  options: pulumi.CustomResourceOptions,
  applying: Applying,
): Registration {
  const [apiVersion, kind] = [String(object.apiVersion), String(object.kind)];
  if (planned.apply === 'patch') {
    const Class = classOf(apiVersion, `${kind}Patch`) as ResourceClass;
    return { Class, name, args: asPatch(object, planned, applying), options: { ...options, ...failureHooks() } };
  }
  // the provider refuses to create an object that exists, except as a patch: with server-side apply, that creates it or adopts it
  const adopts = planned.force === true && isRetained(planned, applying);
  const builtIn = classOf(apiVersion, adopts ? `${kind}Patch` : kind);
  const Class = builtIn ?? (kubernetes().apiextensions?.CustomResource as unknown as ResourceClass);
  const annotations = {
    ...AWAIT_ANNOTATIONS[applying.awaits?.(kind) ?? 'all'],
    ...(adopts ? { 'pulumi.com/patchFieldManager': RETAINING, 'pulumi.com/patchForce': 'true' } : {}),
  };
  const named = adopts ? withNameForPreview(object) : object;
  const args = Object.keys(annotations).length === 0 ? named : withAnnotations(named, annotations);
  const aliases = [
    ...formerTypes(apiVersion, kind),
    ...((planned.retain ?? false) !== false && planned.force === true
      ? [{ type: typeOf(apiVersion, kind, !adopts) }]
      : []),
  ];
  return {
    Class,
    name,
    args,
    options: {
      ...options,
      ...(aliases.length === 0 ? {} : { aliases: [...aliases] }),
      ...(/AdmissionPolicy(Binding)?$/.test(kind) ? failureHooks() : {}),
      ...(builtIn === undefined ? importHooks() : {}),
    },
  };
}

/** With a name also in a preview that does not know it: there the provider refuses a patch without a name. */
function withNameForPreview(object: PlainMap): PlainMap {
  const metadata = mapAt(object, 'metadata');
  const { name } = metadata;
  if (!isOutput(name) || !pulumi.runtime.isDryRun()) {
    return object;
  }
  const known = promiseOf(pulumi.output(name)).then((text) => (text as string | undefined) ?? 'known-after-preview');
  return { ...object, metadata: { ...metadata, name: known } };
}

/** The type of a built-in kind, or of its patches. */
function typeOf(apiVersion: string, kind: string, isPatch: boolean): string {
  return `kubernetes:${apiVersion.includes('/') ? apiVersion : `core/${apiVersion}`}:${kind}${isPatch ? 'Patch' : ''}`;
}

/**
 * Annotations for the provider. `skipAwait` also ends the deletion of a workload before its Pods end (`allowsSkipAwaitWithDelete` in pkg/metadata of the
 * provider), which those of an offline node do not.
 */
const AWAIT_ANNOTATIONS: Readonly<Record<Awaited, Readonly<Record<string, string>>>> = {
  all: {},
  // the API server omits the field while it is 0
  'first Pod': { 'pulumi.com/waitFor': 'jsonpath={.status.numberAvailable}' },
  nothing: { 'pulumi.com/skipAwait': 'true' },
};

const POLICIES = 'admissionregistration.k8s.io';

/** Kinds whose API version is a choice. */
const CLUSTER_API_KINDS = [
  'KubeadmConfigTemplate.bootstrap.cluster.x-k8s.io',
  'MachineDeployment.cluster.x-k8s.io',
  'OpenStackMachineTemplate.infrastructure.cluster.x-k8s.io',
];

/** All API versions of a kind whose version follows an OpenYurt release or a Kubernetes minor, or is a choice; none for other kinds. */
function versionsOf(group: string, kind: string): readonly (string | undefined)[] {
  const policy = kind.replace(/Binding$/, '');
  return [
    ...OPENYURT_RELEASES.flatMap(({ webhooks, nodePoolVersion }) => [
      // only those that are written: for Pulumi each alias costs as much as two Outputs
      ...(`${kind}.${group}` === 'NodePool.apps.openyurt.io' ? [nodePoolVersion] : []),
      ...webhooks
        .filter(({ apiGroup, resource }) => apiGroup === group && resource === `${kind.toLowerCase()}s`)
        .map(({ apiVersion }) => apiVersion),
    ]),
    ...KUBERNETES_MINORS.map(({ validatingAdmissionPolicy, mutatingAdmissionPolicy }) =>
      group === POLICIES && policy === 'ValidatingAdmissionPolicy'
        ? validatingAdmissionPolicy?.version
        : group === POLICIES && policy === 'MutatingAdmissionPolicy'
          ? mutatingAdmissionPolicy?.version
          : undefined,
    ),
    ...(CLUSTER_API_KINDS.includes(`${kind}.${group}`) ? CLUSTER_API_VERSIONS : []),
    ...WORKLOADS.flatMap((row) => (row.kind === `${kind}.${group}` ? (row.versions ?? []) : [])),
  ];
}

/** The aliases of a kind, computed once: a fleet has many objects of few kinds. */
const ALIASES = new Map<string, pulumi.Alias[]>();

/**
 * The resource types of a kind in its other API versions, as aliases. The type of a resource contains the API version, so without them a new version is
 * another resource: Pulumi would create an object that exists, and delete the one that it has just written.
 */
export function formerTypes(apiVersion: string, kind: string): readonly pulumi.Alias[] {
  const key = `${apiVersion} ${kind}`;
  const [group, version] = apiVersion.split('/') as [string, string | undefined];
  const aliases =
    ALIASES.get(key) ??
    [...new Set(version === undefined ? [] : versionsOf(group, kind))]
      .filter((other) => other !== undefined && other !== version)
      .map((other) => ({ type: `kubernetes:${group}/${other}:${kind}` }));
  ALIASES.set(key, aliases);
  return aliases;
}

/**
 * A patch of some fields of an object that another tool manages. It does not await the rollout, which never ends while an edge node is offline.
 *
 * By default the provider makes a field manager for each patch: two patches that apply something to one object with the same field manager take it from
 * each other. A named one is an annotation of the object, so only one patch of an object can name its own.
 */
function asPatch(object: PlainMap, { force }: PlannedObject, applying: Applying): PlainMap {
  return withAnnotations(object, {
    ...(applying.fieldManager === undefined ? {} : { 'pulumi.com/patchFieldManager': applying.fieldManager }),
    ...(applying.awaits?.(String(object.kind)) === 'all' ? {} : AWAIT_ANNOTATIONS.nothing),
    ...(force === true || applying.force === true ? { 'pulumi.com/patchForce': 'true' } : {}),
  });
}

/** An object with more annotations; those of the object have precedence. Its metadata, or their annotations, may be an Output. */
function withAnnotations(object: PlainMap, added: Readonly<Record<string, string>>): PlainMap {
  const inMetadata = (metadata: unknown): PlainMap => {
    const given = isMap(metadata) ? metadata : {};
    return { ...given, annotations: whenMap(given.annotations, (own) => ({ ...added, ...own })) };
  };
  return { ...object, metadata: whenMap(object.metadata, inMetadata) };
}

/** Changes a map, or an Output of one. */
function whenMap(value: unknown, change: (map: PlainMap) => PlainMap): unknown {
  const apply = (known: unknown): PlainMap => change(isMap(known) ? known : {});
  return isOutput(value) ? (pulumi.output(value) as unknown as pulumi.Output<unknown>).apply(apply) : apply(value);
}

/**
 * Name of the resource of an object: the name of the component for its main object, and for others with kind and name of the object,
 * `admission-validatingadmissionpolicy-edge-nodepools-immutable-pools`. The name is part of the URN and must be plain, so an unknown `metadata.name` is
 * left out.
 */
export function childName(component: string, { object, id }: PlannedObject): string {
  if (id === undefined) {
    return component;
  }
  const { name } = mapAt(object, 'metadata');
  const which = typeof name === 'string' ? name : id;
  return [component, object.kind.toLowerCase(), ...(which === '' ? [] : [which])].join('-');
}

/** What an object is told about, when the API server refuses to apply it. */
interface Refused {
  /** Type of the resource: `kubernetes:apps/v1:DaemonSetPatch`. */
  readonly type: string;
  /** The object, as far as it is known. */
  readonly object: PlainMap;
  /** The errors of the provider. */
  readonly errors: readonly string[];
}

/** The ways on when the API server has refused a patch or a policy, for which the provider has no advice; undefined for any other error. */
export function waysOn({ type, object, errors }: Refused): string | undefined {
  const text = errors.join('\n');
  const kind = String(type.split(':').at(-1));
  const isPatch = kind.endsWith('Patch');
  const { namespace, name } = mapAt(object, 'metadata') as { namespace?: string; name?: string };
  const which = `${kind.replace(/Patch$/, '')} ${namespace === undefined ? '' : `${namespace}/`}${name ?? '(name not known)'}`;
  const owners = [...new Set([...text.matchAll(/conflict with "([^"]+)"/g)].map(([, owner]) => owner))];
  if (isPatch && owners.length > 0) {
    return (
      `${which}: another tool has set these fields, with the field manager ${owners.map((one) => JSON.stringify(one)).join(', ')}. Take them out of what it ` +
      'applies; or write force: true, and the patch is their only owner, so that pulumi destroy removes them. A kubectl patch with the same ' +
      'value also ends the conflict, but it is a second owner: they stay after pulumi destroy'
    );
  }
  if (isPatch && /is invalid:.*Required value|not found/.test(text)) {
    return (
      `${which} does not exist, or it is another kind in this cluster. Leave it out of exclude; or say what differs here, for example ` +
      "components: { coredns: { namespace: 'dns' } }; or install it first, and make this component depend on it (dependsOn)"
    );
  }
  if (!isPatch && /already exists/.test(text)) {
    return (
      `${which} exists: another stack or tool has created it. Give this one another name (write policyName: '…', or namePrefix: '…' for PoolAdmission); ` +
      'or adopt it, with upsertExistingObjects of the provider or pulumi import, if nothing else manages it any more'
    );
  }
  return undefined;
}

/** The name of the hook is all that an engine prints when it fails to delete without running the program, because then it cannot call it. */
const NAME = 'edge-nodepools: pulumi destroy --run-program shows what failed';

/** Hooks that tell the ways on when the object cannot be applied. */
function failureHooks(): pulumi.CustomResourceOptions {
  const hook = hookOf('ErrorHook', NAME, (name) => {
    return new pulumi.ErrorHook(name, async ({ type, newInputs, errors }) => {
      const ways = waysOn({ type, object: (newInputs ?? {}) as PlainMap, errors });
      await (ways === undefined ? undefined : pulumi.log.error(ways));
      return false;
    });
  });
  return hook === undefined ? {} : { hooks: { onError: [hook] } };
}

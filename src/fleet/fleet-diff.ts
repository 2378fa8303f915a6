import { ProblemList } from '../base/errors.js';
import { withoutDefaults } from '../kubernetes/api-defaults.js';
import { nameOf } from '../kubernetes/object.js';
import { podPlaces } from '../kubernetes/pod-places.js';
import { IMMUTABLE_FIELDS } from '../pools/node-pool.js';
import { hangingText } from '../base/table.js';
import { isMap, type PlainMap, requireTree, valueAt } from '../base/plain-data.js';
import { showValue } from '../base/properties.js';
import { heldRolloutOf } from '../workloads/rollout.js';
import { type FieldChange, fieldChanges, sorted } from './field-changes.js';

/**
 * An object of both fleets that differs.
 *
 * @category Compare two releases
 */
export interface ObjectChange {
  /** The object: `NodePool beijing`, `Deployment default/web`. */
  readonly object: string;
  /** Its API versions, if they differ: `['apps.openyurt.io/v1beta1', 'apps.openyurt.io/v1beta2']`.
   * @default - the same version */
  readonly versions?: readonly [before: string, after: string];
  /** The fields that differ, besides `apiVersion`. */
  readonly fields: readonly FieldChange[];
  /** Whether its Pods are replaced, because its Pod template differs. */
  readonly rollsOut: boolean;
  /** Why its Pods are not replaced by themselves, or not all, although its Pod template differs: it is paused, has a partition, or OnDelete.
   * @default - nothing holds it */
  readonly held?: string;
  /** Paths of changed fields that the API server refuses to change: the object must be deleted and created again. */
  readonly immutable: readonly string[];
}

/**
 * How two fleets differ, for example the manifests of one program for two releases.
 *
 * @category Compare two releases
 */
export class FleetDifferences {
  /** What {@link fleetDiff} has found. @internal */
  public static of(created: string[], deleted: string[], changed: ObjectChange[]): FleetDifferences {
    return new FleetDifferences(created, deleted, changed);
  }

  private constructor(
    /** Objects that only the second fleet has. */
    public readonly created: readonly string[],
    /** Objects that only the first fleet has: a tool that prunes deletes them, others leave them. */
    public readonly deleted: readonly string[],
    /** Objects of both that differ, in the order of the second fleet. */
    public readonly changed: readonly ObjectChange[],
  ) {}

  /** Whether nothing differs. */
  public isEmpty(): boolean {
    return this.created.length + this.deleted.length + this.changed.length === 0;
  }

  /** The differences as lines of at most 100 columns, for a terminal or a log. */
  public toString(): string {
    const lines = [
      ...this.deleted.map((object) => hangingText('- ', object)),
      ...this.created.map((object) => hangingText('+ ', object)),
      ...this.changed.flatMap(({ object, fields, immutable, ...change }) => [
        hangingText('~ ', changeTitle({ object, ...change })),
        ...immutable.map((path) =>
          hangingText(INDENT, `${path} cannot be changed: delete the object, and create it again`),
        ),
        ...fields.map((field) => hangingText(INDENT, changeText(object, field))),
      ]),
    ];
    return lines.length === 0 ? 'no differences' : lines.join('\n');
  }
}

/** What becomes of the Pods of an object that differs. */
export function changeTitle({
  object,
  versions,
  rollsOut,
  held,
}: Pick<ObjectChange, 'object' | 'versions'> & {
  readonly rollsOut?: boolean | undefined;
  readonly held?: string | undefined;
}): string {
  const from = versions === undefined ? '' : ` (${versions.join(' -> ')})`;
  const pods =
    rollsOut === true
      ? `: its Pods are replaced${held === undefined ? '' : ` ${held}`}`
      : held === undefined
        ? ''
        : `: its Pods are not replaced (${held})`;
  return `${object}${from}${pods}`;
}

const INDENT = '    ';

/** How many characters of a value are shown. */
const SHOWN = 60;

/** A change in one line; nothing of a Secret. Of long values the part is shown in which they differ. */
export function changeText(object: string, { path, before, after }: FieldChange): string {
  const isSecret = object.startsWith('Secret ') && /^(data|stringData)\b/.test(path);
  const texts = [before, after].map((value) => (isSecret ? '(secret)' : showValue(value)));
  const [one = '', other = ''] = texts;
  const same = before === undefined || after === undefined ? 0 : [...one].findIndex((text, at) => text !== other[at]);
  // from there on all fits
  const begin = Math.max(
    0,
    Math.min(same === -1 ? one.length : same, Math.max(one.length, other.length) - SHOWN / 2) - 20,
  );
  const [from, to] = texts.map((text) => shortened(text, text.length > SHOWN ? begin : 0));
  return `${path}: ${before === undefined ? 'appears' : from} -> ${after === undefined ? 'is gone' : to}`;
}

function shortened(text: string, begin: number): string {
  const rest = text.slice(begin);
  const part = rest.length > SHOWN ? `${rest.slice(0, SHOWN - 3)}...` : rest;
  return begin > 0 ? `...${part}` : part;
}

/** Kinds whose Pods a changed template does not replace. */
const WITHOUT_ROLLOUT = ['Pod', 'PodTemplate', 'ReplicaSet', 'ReplicationController', 'Job', 'CronJob'];

/**
 * Compares two sets of manifests. Objects are the same if kind, API group, namespace and name are; their API versions may differ.
 *
 * @param before plain Kubernetes objects, for example `Testing.synth(chart)` of the program for the release of today
 * @param after the same for another release
 * @throws {@link EdgeError} with EDGE_TYPE, EDGE_NOT_AN_OBJECT or EDGE_DUPLICATE
 * @category Compare two releases
 */
export function fleetDiff(before: readonly object[], after: readonly object[]): FleetDifferences {
  requireTree([before, after], 'fleetDiff');
  const problems = new ProblemList();
  const [first, second] = [byIdentity(before, problems.at('before')), byIdentity(after, problems.at('after'))];
  problems.throwIfAny('fleetDiff');
  const only = (these: Map<string, PlainMap>, others: Map<string, PlainMap>): string[] =>
    [...these].filter(([identity]) => !others.has(identity)).map(([, object]) => nameOf(object));
  const changed = [...second].flatMap(([identity, object]) => {
    const earlier = first.get(identity);
    return earlier === undefined ? [] : changeOf(earlier, object);
  });
  return FleetDifferences.of(only(second, first), only(first, second), changed);
}

function byIdentity(objects: unknown, problems: ProblemList): Map<string, PlainMap> {
  const found = new Map<string, PlainMap>();
  if (!Array.isArray(objects)) {
    problems.add(
      'EDGE_TYPE',
      'this must be a list of Kubernetes objects',
      'write Testing.synth(chart), or parse the manifests',
    );
    return found;
  }
  (objects as unknown[]).forEach((object, index) => {
    const metadata = isMap(object) ? object.metadata : undefined;
    if (!isMap(object) || typeof object.kind !== 'string' || !isMap(metadata)) {
      problems
        .at(index)
        .add(
          'EDGE_NOT_AN_OBJECT',
          `${showValue(object)} is not a Kubernetes object`,
          'give objects with apiVersion, kind and metadata',
        );
      return;
    }
    const identity = JSON.stringify([groupOf(object), object.kind, metadata.namespace ?? '', metadata.name]);
    if (found.has(identity)) {
      problems.at(index).add('EDGE_DUPLICATE', `${nameOf(object)} is in the list twice`, 'give each object once');
    }
    found.set(identity, object);
  });
  return found;
}

function changeOf(one: PlainMap, other: PlainMap): ObjectChange[] {
  // what is written as the API server would complete it is the same
  const [before, after] = [withoutDefaults(one, 'compare'), withoutDefaults(other, 'compare')];
  const paths = fieldChanges(before, after, '').map(({ path }) => path);
  const fields = fieldChanges(one, other, '').filter(
    ({ path }) => path !== 'apiVersion' && paths.some((each) => isBelow(path, each) || isBelow(each, path)),
  );
  const [from, to] = [String(before.apiVersion), String(after.apiVersion)];
  if (fields.length === 0 && from === to) {
    return [];
  }
  const templatesOf = (object: PlainMap): string =>
    JSON.stringify(podPlaces(object).map(({ path }) => sorted(valueAt(object, path))));
  const isTweaked = after.kind === 'YurtAppSet' && fields.some(({ path }) => path.startsWith('spec.workload'));
  // an amount that is only written otherwise is not a field that differs
  const isInTemplate = podPlaces(after)
    .map(({ path }) => path.slice(0, 2).join('.'))
    .some((template) => fields.some(({ path }) => path.startsWith(template)));
  const differs = isTweaked || (isInTemplate && templatesOf(before) !== templatesOf(after));
  const held = differs ? heldRolloutOf(after) : undefined;
  const rollsOut = differs && held?.isAll !== true && !WITHOUT_ROLLOUT.includes(String(after.kind));
  return [
    {
      object: nameOf(after),
      ...(from === to ? {} : { versions: [from, to] as const }),
      fields,
      rollsOut,
      ...(held === undefined ? {} : { held: held.reason }),
      immutable: immutableChanges(after, fields),
    },
  ];
}

const SELECTOR = ['spec.selector'];

/** Fields that cannot be changed, by group and kind (validation in `pkg/apis` of Kubernetes 1.37; OpenYurt's webhook for NodePools). */
const IMMUTABLE: Readonly<Record<string, readonly string[]>> = {
  'apps/DaemonSet': SELECTOR,
  'apps/Deployment': SELECTOR,
  'apps/ReplicaSet': SELECTOR,
  'apps/StatefulSet': [...SELECTOR, 'spec.serviceName', 'spec.podManagementPolicy', 'spec.volumeClaimTemplates'],
  'batch/Job': [...SELECTOR, 'spec.template', 'spec.completionMode'],
  'apps.openyurt.io/NodePool': IMMUTABLE_FIELDS,
  'bootstrap.cluster.x-k8s.io/KubeadmConfigTemplate': ['spec'],
};

function immutableChanges(object: PlainMap, fields: readonly FieldChange[]): string[] {
  if (object.kind === 'Pod' && groupOf(object) === '') {
    return fields.filter((field) => field.path.startsWith('spec') && !mayChangeInPod(field)).map(({ path }) => path);
  }
  const immutable = IMMUTABLE[`${groupOf(object)}/${String(object.kind)}`] ?? [];
  return immutable.filter((field) => fields.some(({ path }) => isBelow(path, field)));
}

/** ValidatePodUpdate of `pkg/apis/core/validation`: images, a shorter deadline, further tolerations and their time, fewer scheduling gates. */
function mayChangeInPod({ path, before, after }: FieldChange): boolean {
  if (path === 'spec.activeDeadlineSeconds') {
    return typeof after === 'number' && (before === undefined || after <= Number(before));
  }
  return (
    /^spec\.(?:initContainers|containers)\[[^\]]*\]\.image$/.test(path) ||
    /^spec\.tolerations\[[^\]]*\]\.tolerationSeconds$/.test(path) ||
    (/^spec\.tolerations(?:\[[^\]]*\])?$/.test(path) && before === undefined) ||
    (/^spec\.schedulingGates(?:\[[^\]]*\])?$/.test(path) && after === undefined)
  );
}

/** Whether a path is that of a field, or of a part of it. */
function isBelow(path: string, field: string): boolean {
  return path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`);
}

function groupOf({ apiVersion }: PlainMap): string {
  const version = String(apiVersion);
  return version.includes('/') ? version.slice(0, version.indexOf('/')) : '';
}

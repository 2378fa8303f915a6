import { GUARANTEES, type PoolGuarantee } from '../admission/guarantee.js';
import { planOpenYurtWebhooks } from '../admission/openyurt-webhooks/openyurt-webhooks.js';
import { planPoolAdmission } from '../admission/pool-admission.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { Plan, PlannedObject } from '../cluster/plan.js';
import type { Declarations, Scope } from '../cluster/scope.js';
import { nameOf } from '../kubernetes/object.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import { planEdgeSystemComponents } from '../system-components/edge-system-components.js';
import { SystemComponent } from '../system-components/system-component.js';
import { mapAt, type PlainMap, same } from '../validation/plain-data.js';
import type { ImportedObject } from './recognized-object.js';
import { keyOf } from './input-objects.js';
import { Expression } from './program-printer.js';
import { attempted, comparingScope, type Recognized } from './recognized-object.js';

/** A declaration that makes several objects, and which ones. */
export interface RecognizedSet {
  readonly recognized: Recognized;
  readonly objects: readonly ImportedObject[];
}

/** How the objects of a plan are found among those that were imported: all of them, each exactly the same. */
class Search {
  private readonly whole = new Map<string, ImportedObject>();
  private readonly parts = new Map<string, readonly ImportedObject[]>();

  constructor(
    objects: readonly ImportedObject[],
    private readonly declared: Declarations,
  ) {
    for (const each of objects) {
      const key = keyOf(each.object);
      if (each.patchFile === undefined) {
        this.whole.set(key, each);
      } else {
        this.parts.set(key, [...(this.parts.get(key) ?? []), each]);
      }
    }
  }

  /** The objects that a plan makes; undefined if it makes none, is refused, or one is not there as it is. */
  public made(plan: (scope: Scope) => Plan<unknown>): readonly ImportedObject[] | undefined {
    const found = this.each(plan);
    return found.length === 0 || found.includes(undefined) ? undefined : (found as ImportedObject[]);
  }

  /** How many objects of a plan are there as they are, less those that are not. */
  public score(plan: (scope: Scope) => Plan<unknown>): number {
    return this.each(plan).reduce((sum, found) => sum + (found === undefined ? -1 : 1), 0);
  }

  private each(plan: (scope: Scope) => Plan<unknown>): (ImportedObject | undefined)[] {
    const result = attempted(() => plan(comparingScope('it', this.declared)));
    return 'refused' in result ? [] : result.made.objects.map((planned) => this.find(planned));
  }

  private find({ object, apply }: PlannedObject): ImportedObject | undefined {
    const key = keyOf(object);
    const candidates = apply === 'patch' ? (this.parts.get(key) ?? []) : [this.whole.get(key)];
    return candidates.find((each) => each !== undefined && same(each.object, object));
  }
}

/**
 * The declarations that make several of the objects.
 *
 * @param pools makes declarations in which the pools of the program are known
 */
export function recognizeSets(
  objects: readonly ImportedObject[],
  cluster: EdgeCluster,
  pools: () => Declarations,
): readonly RecognizedSet[] {
  return [
    ...systemComponents(objects, cluster, pools),
    ...admission(objects, cluster, pools),
    ...webhooks(objects, cluster, pools),
  ];
}

/** The patches of one file are those of one declaration. */
function systemComponents(
  objects: readonly ImportedObject[],
  cluster: EdgeCluster,
  pools: () => Declarations,
): RecognizedSet[] {
  const files = [...new Set(objects.flatMap(({ patchFile }) => patchFile ?? []))].sort();
  return files.flatMap((file) => {
    const parts = objects.filter(({ patchFile }) => patchFile === file);
    const names = new Set(parts.map(({ object }) => nameOf(object)));
    const exclude = SystemComponent.known().filter(({ data }) =>
      data.workloads.some(({ kind, namespace, name }) => names.has(`${kind} ${namespace}/${name}`)),
    );
    const made = new Search(objects, pools()).made((scope) => planEdgeSystemComponents({ cluster, exclude }, scope));
    const isWhole = made !== undefined && parts.every((part) => made.includes(part));
    const constants = exclude.map(
      (component) => new Expression(`SystemComponent.${SystemComponent.constantOf(component) ?? ''}`),
    );
    return isWhole
      ? [{ recognized: { className: 'EdgeSystemComponents', props: { exclude: constants } }, objects: made }]
      : [];
  });
}

const isPolicy = ({ object }: ImportedObject): boolean =>
  /AdmissionPolicy(Binding)?$/.test(String(object.kind)) &&
  Object.entries(OWN_LABELS).every(([key, value]) => mapAt(mapAt(object, 'metadata'), 'labels')[key] === value);

/** Policies of this library: with as few properties as possible. */
function admission(
  objects: readonly ImportedObject[],
  cluster: EdgeCluster,
  pools: () => Declarations,
): RecognizedSet[] {
  if (!objects.some(isPolicy)) {
    return [];
  }
  const planned =
    (props: PlainMap) =>
    (scope: Scope): Plan<unknown> =>
      planPoolAdmission({ cluster, ...props }, scope);
  const search = (): Search => new Search(objects, pools());
  const best = [{}, { pools: 'live' }]
    .flatMap((base): PlainMap[] => [base, { ...base, mutatingAdmissionPolicy: 'v1beta1' }])
    .map((base) => withBestGuarantees(base, (props) => search().score(planned(props))))
    .flatMap((props) => {
      const made = search().made(planned(props));
      return made === undefined ? [] : [{ props, made }];
    })
    .sort((one, other) => other.made.length - one.made.length)[0];
  return best === undefined
    ? []
    : [{ recognized: { className: 'PoolAdmission', props: best.props }, objects: best.made }];
}

/** Turns each guarantee on or off, as long as that finds more of the policies: one may change what another one writes. */
function withBestGuarantees(base: PlainMap, score: (props: PlainMap) => number): PlainMap {
  const names = Object.keys(GUARANTEES) as PoolGuarantee[];
  let guarantees: PlainMap = {};
  const propsOf = (some: PlainMap): PlainMap => (Object.keys(some).length === 0 ? base : { ...base, guarantees: some });
  let best = score(base);
  for (let isBetter = true; isBetter;) {
    isBetter = false;
    for (const name of names) {
      const { [name]: given, ...others } = guarantees;
      const flipped = given === undefined ? { ...guarantees, [name]: !GUARANTEES[name].byDefault } : others;
      const found = score(propsOf(flipped));
      if (found > best) {
        [best, guarantees, isBetter] = [found, flipped, true];
      }
    }
  }
  return propsOf(Object.fromEntries(Object.entries(guarantees).sort()));
}

function webhooks(
  objects: readonly ImportedObject[],
  cluster: EdgeCluster,
  pools: () => Declarations,
): RecognizedSet[] {
  if (!cluster.hasOpenYurt() || !objects.some(({ object }) => /WebhookConfiguration$/.test(String(object.kind)))) {
    return [];
  }
  const made = new Search(objects, pools()).made((scope) => planOpenYurtWebhooks({ cluster }, scope));
  return made === undefined ? [] : [{ recognized: { className: 'OpenYurtWebhooks', props: {} }, objects: made }];
}

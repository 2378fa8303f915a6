import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { Plan } from '../cluster/plan.js';
import type { Declarations, Scope } from '../cluster/scope.js';
import { requiredTerms, expressionsOf } from '../kubernetes/node-affinity.js';
import { planEdgeSystemComponents } from '../system-components/edge-system-components.js';
import { ExclusionStrategy } from '../system-components/exclusion-strategy.js';
import { SystemComponent, type SystemComponentProps } from '../system-components/system-component.js';
import { SYSTEM_COMPONENT_POLICY } from '../system-components/system-component-policy.js';
import { isMap, mapAt, type PlainMap, same, valueAt, withoutValueAt } from '../base/plain-data.js';
import { PlannedSearch, type RecognizedSet } from './planned-search.js';
import { Expression, printed } from './program-printer.js';
import { isPolicy } from './recognized-admission.js';
import { attempted, type ImportedObject, type MayDiffer } from './recognized-object.js';
import { itemsOf } from '../kubernetes/field-values.js';

/** A workload that is kept off, and how. */
interface KeptOff {
  readonly kind: SystemComponentProps['kind'];
  readonly namespace: string;
  readonly name: string;
  readonly isInPolicy: boolean;
  /** Its part, for server-side apply. */
  readonly part?: PlainMap;
}

/** A component, what is written of it, and its settings. */
interface Component {
  readonly value: SystemComponent;
  readonly text: Expression;
  readonly settings: PlainMap;
  readonly workloads: readonly KeptOff[];
}

/**
 * System components that are kept off host-network nodes, by a policy, by parts of them for server-side apply, or by both. The parts of one file are those of
 * one declaration; a policy belongs to the one that keeps off the same workloads.
 */
export function recognizeComponents(
  objects: readonly ImportedObject[],
  cluster: EdgeCluster,
  pools: () => Declarations,
): RecognizedSet[] {
  const search = new PlannedSearch(objects, pools, isOfFlux);
  const policies = objects.filter((each) => isPolicy(each) && listedIn(each.object).length > 0);
  const files = [...new Set(objects.flatMap(({ patchFile }) => patchFile ?? []))].sort();
  const taken = new Set<ImportedObject>();
  const sets: RecognizedSet[] = [];
  const candidates = [
    ...files.flatMap((file) => [...policies, undefined].map((policy) => ({ file, policy }))),
    ...policies.map((policy) => ({ file: undefined, policy })),
  ];
  for (const { file, policy } of candidates) {
    const parts = file === undefined ? [] : objects.filter(({ patchFile }) => patchFile === file);
    const own = policy === undefined ? parts : [...parts, policy];
    const isOther = parts.some(({ object }) => !KINDS.includes(String(object.kind)));
    if (isOther || own.some((each) => taken.has(each))) {
      continue;
    }
    const found = declarationOf(parts, policy?.object, cluster, search);
    if (found !== undefined && own.every((each) => found.objects.includes(each))) {
      found.objects.forEach((each) => taken.add(each));
      sets.push(found);
    }
  }
  return sets;
}

/** What the delivery with Flux adds to a part, so that the API server accepts it: the selector, and the labels that it selects. */
const isOfFlux: MayDiffer = ([first, field, below], made) =>
  first === 'spec' && made === undefined && (field === 'selector' || (field === 'template' && below === 'metadata'));

/** Kinds of the workloads of system components. */
const KINDS: readonly string[] = ['DaemonSet', 'Deployment', 'StatefulSet'];

/** Workloads that a policy names. */
function listedIn(policy: PlainMap): Pick<KeptOff, 'kind' | 'namespace' | 'name'>[] {
  const conditions = mapAt(policy, 'spec').matchConditions;
  const listed = itemsOf(conditions).find((each) => isMap(each) && each.name === 'system-component') as
    PlainMap | undefined;
  const expression = listed?.expression;
  return [...(typeof expression === 'string' ? expression : '').matchAll(/'(\w+) ([^'/]+)\/([^']+)'/g)].map(
    ([, kind = '', namespace = '', name = '']) => ({ kind: kind as KeptOff['kind'], namespace, name }),
  );
}

function keptOff(parts: readonly ImportedObject[], policy: PlainMap | undefined): KeptOff[] {
  const listed = policy === undefined ? [] : listedIn(policy);
  const ofParts = parts.map(({ object }) => {
    const { name, namespace } = mapAt(object, 'metadata');
    return { kind: object.kind as KeptOff['kind'], namespace: String(namespace), name: String(name), part: object };
  });
  const keyOf = ({ kind, namespace, name }: Pick<KeptOff, 'kind' | 'namespace' | 'name'>): string =>
    `${kind} ${namespace}/${name}`;
  const names = new Set(listed.map(keyOf));
  return [
    ...listed.map((each) => {
      const of = ofParts.find((part) => keyOf(part) === keyOf(each));
      return { ...each, isInPolicy: true, ...(of === undefined ? {} : { part: of.part }) };
    }),
    ...ofParts.filter((part) => !names.has(keyOf(part))).map((part) => ({ ...part, isInPolicy: false })),
  ];
}

function declarationOf(
  parts: readonly ImportedObject[],
  policy: PlainMap | undefined,
  cluster: EdgeCluster,
  search: PlannedSearch,
): RecognizedSet | undefined {
  const read = attempted(() => componentsOf(keptOff(parts, policy), cluster));
  if ('refused' in read) {
    return undefined;
  }
  const components = read.made;
  const exclude = components.map(({ value }) => value);
  const name = policy === undefined ? undefined : String(mapAt(policy, 'metadata').name);
  const common: PlainMap = {
    ...(String(policy?.apiVersion).endsWith('/v1beta1') ? { mutatingAdmissionPolicy: 'v1beta1' } : {}),
    ...(name === undefined || name === SYSTEM_COMPONENT_POLICY ? {} : { policyName: name }),
  };
  const settings = components.flatMap(({ value, settings: own }): [string, PlainMap][] =>
    Object.keys(own).length === 0 ? [] : [[value.name, own]],
  );
  const strategies = components.map(strategiesOf);
  const [first = []] = strategies;
  const isOne = strategies.every((each) => each.join() === first.join());
  // by default, for all of them, or for each of them
  const ways = [
    {},
    ...(isOne ? [{ strategy: oneOf(first) }] : []),
    { each: components.map(({ value }, index) => [value.name, oneOf(strategies[index])] as const) },
  ];
  for (const { strategy, each = [] } of ways as Way[]) {
    const restOf = (some: Way['each'] = []): PlainMap => {
      const merged = new Map<string, PlainMap>(settings);
      some.forEach(([key, value]) => merged.set(key, { ...merged.get(key), strategy: value }));
      return {
        ...(strategy === undefined ? {} : { strategy }),
        ...(merged.size === 0 ? {} : { components: Object.fromEntries(merged) }),
        ...common,
      };
    };
    const planned =
      (rest: PlainMap) =>
      (scope: Scope): Plan<unknown> =>
        planEdgeSystemComponents({ cluster, exclude, ...rest }, scope);
    const made = (rest: PlainMap): readonly ImportedObject[] | undefined => search.made(planned(rest));
    const objects = made(restOf(each));
    if (objects !== undefined) {
      // only of components whose default is another one
      const needed = each.reduce((kept, one) => {
        const others = kept.filter((other) => other !== one);
        return same(made(restOf(others)), objects) ? others : kept;
      }, each);
      const rest = withStrategyNames(restOf(needed)) as PlainMap;
      const props = { exclude: components.map(({ text }) => text), ...rest };
      return search.set({ className: 'EdgeSystemComponents', props }, objects, planned(restOf(needed)));
    }
  }
  return undefined;
}

/** Strategies for all components, or for each of them. */
interface Way {
  readonly strategy?: unknown;
  readonly each?: readonly (readonly [component: string, strategies: unknown])[];
}

function oneOf(strategies: readonly ExclusionStrategy[] = []): unknown {
  return strategies.length === 1 ? strategies[0] : strategies;
}

function strategiesOf({ workloads }: Component): ExclusionStrategy[] {
  return [
    ...(workloads.some(({ isInPolicy }) => isInPolicy) ? [ExclusionStrategy.ADMISSION_POLICY] : []),
    ...(workloads.some(({ part }) => part !== undefined) ? [ExclusionStrategy.SERVER_SIDE_APPLY] : []),
  ];
}

/** The members of the enumeration by their names. */
function withStrategyNames(value: unknown): unknown {
  if (typeof value === 'string' && Object.hasOwn(ExclusionStrategy, value)) {
    return new Expression(`ExclusionStrategy.${value}`);
  }
  return Array.isArray(value)
    ? value.map(withStrategyNames)
    : isMap(value)
      ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withStrategyNames(item)]))
      : value;
}

/** The components of the catalog, in their namespaces or in others, and all others by reference, in the order of the workloads. */
function componentsOf(workloads: readonly KeptOff[], cluster: EdgeCluster): Component[] {
  const components: Component[] = [];
  let rest = workloads;
  while (rest.length > 0) {
    const [first] = rest as [KeptOff];
    const found = knownOf(first, rest) ?? referenceTo(first, cluster);
    components.push(found);
    rest = rest.filter((each) => !found.workloads.includes(each));
  }
  return components;
}

function knownOf(first: KeptOff, rest: readonly KeptOff[]): Component | undefined {
  const isIt = ({ kind, name }: Pick<KeptOff, 'kind' | 'name'>, workload: Pick<KeptOff, 'kind' | 'name'>): boolean =>
    kind === workload.kind && name === workload.name;
  const named = SystemComponent.known().filter(({ data }) => data.workloads.some((each) => isIt(each, first)));
  const value =
    named.find(({ data }) => data.workloads.some((each) => isIt(each, first) && each.namespace === first.namespace)) ??
    named[0];
  const constant = value === undefined ? undefined : SystemComponent.constantOf(value);
  if (value === undefined || constant === undefined) {
    return undefined;
  }
  const all = value.data.workloads;
  const own = rest.filter((each) => each.namespace === first.namespace && all.some((workload) => isIt(workload, each)));
  const absent = all.filter((workload) => !own.some((each) => isIt(each, workload))).map(({ name }) => name);
  const isElsewhere = all.some((workload) => isIt(workload, first) && workload.namespace !== first.namespace);
  return {
    value,
    text: new Expression(`SystemComponent.${constant}`),
    settings: {
      ...(isElsewhere ? { namespace: first.namespace } : {}),
      ...(absent.length === 0 ? {} : { absent }),
    },
    workloads: own,
  };
}

function referenceTo(workload: KeptOff, cluster: EdgeCluster): Component {
  const { kind, namespace, name, part } = workload;
  const terms = part === undefined ? [] : shippedTerms(part, cluster);
  const props = { kind, namespace, name, ...(terms.length === 0 ? {} : { requiredTerms: terms }) };
  return {
    value: SystemComponent.of(props),
    text: new Expression(`SystemComponent.of(${printed(props, 8, 26)})`),
    settings: {},
    workloads: [workload],
  };
}

/** The required terms of a part, without those that exclude host-network nodes. */
function shippedTerms(part: PlainMap, { hostNetworkLabel }: EdgeCluster): PlainMap[] {
  const spec = valueAt(part, ['spec', 'template', 'spec']);
  return (isMap(spec) ? (requiredTerms(spec) ?? []) : []).flatMap((term) => {
    const others = withoutValueAt(term, ['matchExpressions']) as PlainMap;
    const kept = expressionsOf(term).filter(({ key }) => key !== hostNetworkLabel.key);
    const shipped = { ...others, ...(kept.length === 0 ? {} : { matchExpressions: kept }) };
    return Object.keys(shipped).length === 0 ? [] : [shipped];
  });
}

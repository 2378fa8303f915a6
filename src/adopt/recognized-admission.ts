import { GUARANTEES, type PoolGuarantee } from '../admission/guarantee.js';
import { planPoolAdmission } from '../admission/pool-admission.js';
import { NAME_PREFIX, NAMESPACE_GATE_LABEL } from '../admission/pool-admission-props.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import type { Plan } from '../cluster/plan.js';
import type { Declarations, Scope } from '../cluster/scope.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import { isOlderMinor } from '../cluster/kubernetes-minors.js';
import { declaredPools } from '../pools/declared-pools.js';
import { isMap, mapAt, type PlainMap, same, withoutValueAt } from '../base/plain-data.js';
import { firstMinorOf } from './found-releases.js';
import { PlannedSearch, type RecognizedSet } from './planned-search.js';
import { comparingScope, type ImportedObject, isOwn, type MayDiffer } from './recognized-object.js';
import { itemsOf } from '../kubernetes/field-values.js';

/** Whether an object is a policy of this library, or the binding of one. Charts replace the label managed-by by their own. */
export function isPolicy({ object }: Pick<ImportedObject, 'object'>): boolean {
  return /AdmissionPolicy(Binding)?$/.test(String(object.kind)) && isOwn(object);
}

/** Ends of the names of policies, one of which each installation has. */
const NAME =
  /^(.+?)-(?:immutable-pools|frozen-node-labels|node-label|pods(?:-strict)?|templates|preset-node-name|namespace-gate)$/;

/**
 * Policies of this library, as the declarations that make them, one for each prefix of names: with the settings that the policies show, and as few of them
 * as possible.
 */
export function recognizeAdmission(
  objects: readonly ImportedObject[],
  cluster: EdgeCluster,
  pools: () => Declarations,
  reasons: Map<ImportedObject, string>,
): readonly RecognizedSet[] {
  const policies = objects.filter(isPolicy);
  const prefixes = new Set(policies.flatMap(({ object }) => NAME.exec(nameIn(object))?.[1] ?? []));
  const search = new PlannedSearch(objects, pools, isListOfPools);
  return [...prefixes].sort().flatMap((prefix) => {
    const own = policies.flatMap(({ object }) => (nameIn(object).startsWith(`${prefix}-`) ? [object] : []));
    const first = firstMinorOf(own);
    if (first !== undefined && isOlderMinor(cluster.kubernetes, first.minor)) {
      const reason = `PoolAdmission makes it for Kubernetes ${first.minor} or later (${first.shownBy}): is ${cluster.kubernetes} right?`;
      policies.filter(({ object }) => own.includes(object)).forEach((each) => reasons.set(each, reason));
      return [];
    }
    return declarationOf(own, prefix, cluster, search, pools, reasons);
  });
}

/** The list of host-network pools in an expression. It is another one where pools were added without the program of the policies. */
export const LIST_OF_POOLS = /(?<!\bgroup) in \['[^\]]*'\]/g;

const isListOfPools: MayDiffer = (_, made, there) =>
  typeof made === 'string' &&
  typeof there === 'string' &&
  made.replace(LIST_OF_POOLS, '') === there.replace(LIST_OF_POOLS, '');

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const nameIn = (object: PlainMap): string => String(mapAt(object, 'metadata').name);

function declarationOf(
  policies: readonly PlainMap[],
  prefix: string,
  cluster: EdgeCluster,
  search: PlannedSearch,
  pools: () => Declarations,
  reasons: Map<ImportedObject, string>,
): RecognizedSet[] {
  const planned =
    (props: PlainMap) =>
    (scope: Scope): Plan<unknown> =>
      planPoolAdmission({ cluster, ...props }, scope);
  const score = (props: PlainMap): number => search.score(planned(props));
  const shown = shownSettings(policies, prefix);
  const tried = toggles(policies)
    .map((toggle) => ({ ...shown, ...toggle }))
    .map((base) => withCommonActions(base, policies))
    .map((base) => withOtherPools(base, policies, cluster, pools))
    .map((base) => withBestGuarantees(base, policies, score));
  const found = tried
    .flatMap((props) => {
      const made = search.made(planned(props));
      return made === undefined ? [] : [{ props, made }];
    })
    .sort((one, other) => other.made.length - one.made.length || score(other.props) - score(one.props))[0];
  if (found === undefined) {
    const [best = {}] = [...tried].sort((one, other) => score(other) - score(one));
    search.reasons('PoolAdmission', planned(best)).forEach((reason, each) => reasons.set(each, reason));
    return [];
  }
  const { made } = found;
  const isSame = (props: PlainMap): boolean =>
    same(search.made(planned(props)), made) && score(props) === score(found.props);
  const props = fewest(found.props, isSame);
  return [search.set({ className: 'PoolAdmission', props }, made, planned(props))];
}

/** Settings of which one or the other is right. */
function toggles(policies: readonly PlainMap[]): PlainMap[] {
  const isBeta = policies.some(({ apiVersion }) => String(apiVersion).endsWith('/v1beta1'));
  const readsPools = policies.some(({ spec }) => mapAt(mapAt({ spec }, 'spec'), 'paramKind').kind === 'NodePool');
  return [{}, { checkPods: false }].map((one) => ({
    ...one,
    ...(isBeta ? { mutatingAdmissionPolicy: 'v1beta1' } : {}),
    ...(readsPools ? { pools: 'live' } : {}),
  }));
}

/** What the policies themselves say. */
function shownSettings(policies: readonly PlainMap[], prefix: string): PlainMap {
  const text = JSON.stringify(policies);
  const metadata = ownMetadata(policies);
  const breakGlassGroups = groupsIn(policies);
  const excludedNamespaces = namespacesIn(policies);
  const [, gate] = /namespaceObject\.metadata\.\?labels\[\?'([^']+)'\]/.exec(text) ?? [];
  const templates = resourcesOf(policies, /-templates$/);
  return {
    ...(prefix === NAME_PREFIX ? {} : { namePrefix: prefix }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(breakGlassGroups.length === 0 ? {} : { breakGlassGroups }),
    ...(excludedNamespaces.length === 0 ? {} : { excludedNamespaces }),
    ...(gate === undefined || gate === NAMESPACE_GATE_LABEL ? {} : { namespaceGateLabel: gate }),
    ...(templates.length === 0 || same(templates, ['daemonsets']) ? {} : { templates }),
  };
}

/** The groups that a condition or a variable of a policy exempts. */
function groupsIn(policies: readonly PlainMap[]): string[] {
  const exempt = policies
    .map((policy) => mapAt(policy, 'spec'))
    .flatMap(({ matchConditions, variables }) => [matchConditions, variables])
    .flatMap(itemsOf)
    .find((each) => isMap(each) && ['no-break-glass', 'breaksGlass'].includes(String(each.name))) as
    PlainMap | undefined;
  return textsIn(/group in \[(.*?)\]\)/.exec(textOf(exempt?.expression))?.[1]);
}

/** The texts of a list in CEL. */
export function textsIn(list = ''): string[] {
  return [...list.matchAll(/'((?:[^'\\]|\\.)*)'/g)].map(([, text = '']) => text.replace(/\\(.)/g, '$1'));
}

/** Labels and annotations that every policy has with the same value, besides those of this library. */
function ownMetadata(policies: readonly PlainMap[]): PlainMap | undefined {
  const common = (field: string): PlainMap => {
    const [first = {}, ...others] = policies.map((policy) => mapAt(mapAt(policy, 'metadata'), field));
    return Object.fromEntries(
      Object.entries(first).filter(
        ([key, value]) => !(key in OWN_LABELS) && others.every((each) => each[key] === value),
      ),
    );
  };
  const metadata = ['labels', 'annotations'].map((field) => [field, common(field)] as const);
  const there = metadata.filter(([, map]) => Object.keys(map).length > 0);
  return there.length === 0 ? undefined : Object.fromEntries(there);
}

/** Namespaces that the selectors of bindings leave out; kube-system is left out by one policy anyway. */
function namespacesIn(policies: readonly PlainMap[]): string[] {
  const lists = policies.flatMap((policy) => {
    const selector = mapAt(mapAt(mapAt(policy, 'spec'), 'matchResources'), 'namespaceSelector').matchExpressions;
    return itemsOf(selector).flatMap((each: unknown) =>
      isMap(each) && each.key === 'kubernetes.io/metadata.name' && Array.isArray(each.values)
        ? [each.values.map(String)]
        : [],
    );
  });
  // the shortest one has nothing of its own
  return lists.sort((a, b) => a.length - b.length)[0] ?? [];
}

/** Resources of the first policy with such a name. */
function resourcesOf(policies: readonly PlainMap[], name: RegExp): string[] {
  const policy = policies.find((each) => name.test(nameIn(each)) && !String(each.kind).endsWith('Binding'));
  const rules = policy === undefined ? [] : mapAt(mapAt(policy, 'spec'), 'matchConstraints').resourceRules;
  const [rule] = itemsOf(rules).filter(isMap);
  return Array.isArray(rule?.resources) ? rule.resources.map(String) : [];
}

/** Pools that the policy lists and the program does not declare. */
function withOtherPools(
  base: PlainMap,
  policies: readonly PlainMap[],
  cluster: EdgeCluster,
  pools: () => Declarations,
): PlainMap {
  const label = policies.find((policy) => /-node-label$/.test(nameIn(policy)) && mapAt(policy, 'spec').mutations);
  const { variables } = mapAt(label ?? {}, 'spec');
  const text = itemsOf(variables)
    .map((each) => (isMap(each) ? each.expression : ''))
    .join('\n');
  const [, list] = / in \[('[^\]]*')\]/.exec(text) ?? [];
  const declared = declaredPools(comparingScope('it', pools()), cluster).hostNetwork;
  const others = textsIn(list).filter((name) => !declared.includes(name));
  return base.pools === 'live' || others.length === 0 ? base : { ...base, otherPools: others };
}

/** What is tried for a guarantee: on, off, and each setting that one of the policies has. */
function choicesFor(name: PoolGuarantee, policies: readonly PlainMap[], base: PlainMap): unknown[] {
  const distinct = (values: readonly unknown[]): unknown[] => [
    ...new Map(values.filter((value) => value !== undefined).map((value) => [JSON.stringify(value), value])).values(),
  ];
  const specs = policies.map((policy) => mapAt(policy, 'spec'));
  const failures = distinct(specs.map(({ failurePolicy }) => failurePolicy)).filter((each) => each !== 'Fail');
  const actions = distinct(specs.map(({ validationActions }) => validationActions)).filter(
    (each) => !same(each, base.validationActions ?? DEFAULT_ACTIONS),
  );
  const settings = [undefined, ...failures].flatMap((failurePolicy) =>
    [undefined, ...actions].map((validationActions) => ({
      ...(failurePolicy === undefined ? {} : { failurePolicy }),
      ...(validationActions === undefined ? {} : { validationActions }),
    })),
  );
  return [undefined, !GUARANTEES[name].byDefault, ...settings.filter((each) => Object.keys(each).length > 0)];
}

const DEFAULT_ACTIONS = ['Deny', 'Audit'];

/** The actions that most bindings have. */
function withCommonActions(base: PlainMap, policies: readonly PlainMap[]): PlainMap {
  const counts = new Map<string, number>();
  for (const policy of policies) {
    const { validationActions } = mapAt(policy, 'spec');
    if (validationActions !== undefined) {
      const key = JSON.stringify(validationActions);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  const actions: unknown = most === undefined ? DEFAULT_ACTIONS : JSON.parse(most[0]);
  return same(actions, DEFAULT_ACTIONS) ? base : { ...base, validationActions: actions };
}

/** Tries the choices of each guarantee, as long as that finds more of the policies: one may change what another one writes. */
function withBestGuarantees(
  base: PlainMap,
  policies: readonly PlainMap[],
  score: (props: PlainMap) => number,
): PlainMap {
  const names = Object.keys(GUARANTEES) as PoolGuarantee[];
  let guarantees: PlainMap = {};
  const propsOf = (some: PlainMap): PlainMap => (Object.keys(some).length === 0 ? base : { ...base, guarantees: some });
  let best = score(base);
  for (let isBetter = true; isBetter;) {
    isBetter = false;
    for (const name of names) {
      for (const choice of choicesFor(name, policies, base)) {
        const others = withoutValueAt(guarantees, [name]) as PlainMap;
        const changed = choice === undefined ? others : { ...others, [name]: choice };
        const found = score(propsOf(changed));
        if (found > best) {
          [best, guarantees, isBetter] = [found, changed, true];
        }
      }
    }
  }
  return propsOf(Object.fromEntries(Object.entries(guarantees).sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** Without each property that changes nothing. */
function fewest(props: PlainMap, isSame: (props: PlainMap) => boolean): PlainMap {
  return Object.keys(props).reduce((kept, key) => {
    const others = withoutValueAt(kept, [key]) as PlainMap;
    return isSame(others) ? others : kept;
  }, props);
}

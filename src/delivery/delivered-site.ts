import type { ProblemList } from '../base/errors.js';
import { type KubernetesObject, identityOf, nameOf } from '../kubernetes/object.js';
import { itemsOf } from '../fleet/placement-input.js';
import { checkClearSecrets } from './clear-secrets.js';
import { type DeliveryEngine, engineName } from './delivery-engine.js';
import {
  type DeliveryLayer,
  FIRST_WORKLOAD_WAVE,
  LAYERS,
  LAYER_FOLDERS,
  layerOf,
  ownSyncWave,
  syncWaveOf,
} from './delivery-layer.js';
import type { DeliverySite } from './delivery-site.js';
import type { FleetDeliveryBaseProps } from './fleet-delivery-props.js';
import { INSTEAD, heldPartial, missingParts, withAnnotations } from './partial-objects.js';
import { groupKindOf, isNamespaced } from '../kubernetes/group-kind.js';
import { type PlainMap, isMap, mapAt } from '../base/plain-data.js';
import { selectsLabels } from '../kubernetes/label-selector.js';
import { SYNC_WAVE_ANNOTATION } from '../kubernetes/labels.js';
import { showValue } from '../base/properties.js';

/** Objects that become one file in each of their layers, in their order. */
export interface SitePart {
  /** Name of the files, without an extension. */
  readonly file: string;
  readonly objects: readonly KubernetesObject[];
  /** Whether they are parts of objects of others. */
  readonly isPartial: boolean;
}

/** What a site gets. */
export interface SiteContent {
  readonly site: DeliverySite;
  readonly parts: readonly SitePart[];
}

/** A file of a delivery: objects, or a text that is no manifest. */
export interface DeliveryFile {
  /** Path in the output folder, by slashes. */
  readonly path: string;
  /** The objects of a manifest.
   * @default - it is no manifest */
  readonly objects?: readonly KubernetesObject[];
  /** The text of a file that is no manifest.
   * @default - it is a manifest */
  readonly text?: string;
  /** The files of an archive.
   * @default - it is no archive */
  readonly files?: readonly DeliveryFile[];
}

/** A site whose objects are in their layers. */
export interface DeliveredSite {
  readonly site: DeliverySite;
  /** The files of each layer that has objects. */
  readonly layers: ReadonlyMap<DeliveryLayer, readonly DeliveryFile[]>;
}

/** Folder of a site in the output folder. */
export function siteFolder({ name }: DeliverySite): string {
  return `sites/${name}`;
}

/** What engines read as manifests, and only this: `*.json` beside it would be one, too. */
export const MANIFEST_EXTENSION = '.k8s.yaml';

/** Sorts the objects of a site into its layers, as its engine needs them, and refuses what cannot be delivered. */
export function deliveredSite(
  { site, parts }: SiteContent,
  props: FleetDeliveryBaseProps,
  problems: ProblemList,
): DeliveredSite {
  const files = new Map<DeliveryLayer, Map<string, KubernetesObject[]>>(LAYERS.map((layer) => [layer, new Map()]));
  const seen = new Set<string>();
  const twice: KubernetesObject[] = [];
  const withoutNamespace: KubernetesObject[] = [];
  const laterHooks: KubernetesObject[] = [];
  const listed = parts.map((part) => ({
    ...part,
    objects: part.objects.flatMap((each) => itemsOf(each) as KubernetesObject[]),
  }));
  const all = listed.flatMap(({ objects }) => objects);
  const moved = movedObjects(all);
  for (const { file, objects, isPartial } of listed) {
    for (const object of objects) {
      const at = problems.at(nameOf(object));
      if (isPartial && props.partials === 'apart') {
        continue;
      }
      const layer = layerOf(object, isPartial || missingParts(object).length > 0, moved);
      const delivered = deliveredObject(object, layer, props, at);
      if (delivered === undefined) {
        continue;
      }
      const identity = identityOf(object);
      if (identity === undefined) {
        at.add(
          'EDGE_MISSING',
          `${nameOf(object)} has no name, and an engine knows an object by its name`,
          'write metadata.name',
        );
      } else if (seen.has(identity)) {
        twice.push(object);
      } else {
        seen.add(identity);
      }
      if (lacksNamespace(object)) {
        withoutNamespace.push(object);
      }
      if (isLaterHook(object)) {
        laterHooks.push(object);
      }
      const ofLayer = files.get(layer) as Map<string, KubernetesObject[]>;
      ofLayer.set(file, [...(ofLayer.get(file) ?? []), delivered]);
    }
  }
  reportMissingNamespaces(withoutNamespace, props.engine.engine, problems);
  checkStoredVersions(all, props.engine.engine, problems);
  reportLaterHooks(laterHooks, props.engine.engine, problems);
  if (twice.length > 0) {
    problems.add(
      'EDGE_DUPLICATE',
      `the site has ${namesOf(twice)} twice`,
      `declare ${twice.length === 1 ? 'it' : 'them'} once, or take one of the charts out of the site`,
    );
  }
  const layers = LAYERS.map((layer) => [layer, filesOf(site, layer, files.get(layer) ?? new Map())] as const);
  return { site, layers: new Map(layers.filter(([, made]) => made.length > 0)) };
}

function filesOf(
  site: DeliverySite,
  layer: DeliveryLayer,
  objects: ReadonlyMap<string, readonly KubernetesObject[]>,
): DeliveryFile[] {
  return [...objects].map(([file, list]) => ({
    path: `${siteFolder(site)}/${LAYER_FOLDERS[layer]}/${file}${MANIFEST_EXTENSION}`,
    objects: list,
  }));
}

/** An object as the engine needs it; undefined if it is refused. */
function deliveredObject(
  object: KubernetesObject,
  layer: DeliveryLayer,
  { engine, partials = 'refuse', components = {}, deletion }: FleetDeliveryBaseProps,
  problems: ProblemList,
): KubernetesObject | undefined {
  checkClearSecrets(object, engine.engine === 'flux' && engine.sopsSecretName !== undefined, problems);
  if (layer === 'patches') {
    const missing = missingParts(object);
    // with `apart` only one that someone has written by hand is left
    if (partials !== 'engine') {
      problems.add(
        'EDGE_STRATEGY',
        `${nameOf(object)} ${missing.length === 0 ? 'is' : `has no ${missing.join(' and no ')}, so it is`} a part of an object of others, which most settings of ${engineName(engine.engine)} do not keep`,
        [
          ...(missing.length === 0 ? [] : [`if it is an object of yours, write its ${missing.join(' and ')}`]),
          INSTEAD,
          "or let the engine apply those that hold: partials: 'engine'",
        ].join('; '),
      );
      return undefined;
    }
    return heldPartial(object, engine.engine, components, problems);
  }
  switch (engine.engine) {
    case 'argo-cd':
      return forArgoCd(object, layer, deletion, problems);
    case 'flux':
      return forFlux(object, layer);
  }
}

/** Annotations of an object that say to Flux how it is to deliver it. */
const FLUX = 'kustomize.toolkit.fluxcd.io';

/** An object as Flux needs it. */
function forFlux(object: KubernetesObject, layer: DeliveryLayer): KubernetesObject {
  switch (groupKindOf(object)) {
    // Nobody can change the template of a Job, so with its next image Flux would apply nothing of the layer. Helm deletes the former hook (before-hook-creation).
    case 'Job.batch':
      return object.metadata?.annotations?.['helm.sh/hook'] === undefined
        ? object
        : withAnnotations(object, { [`${FLUX}/force`]: 'enabled' });
    // when no policy needs it any more, it is in another layer, and the layer that it leaves would delete it before, with all that is in it
    case 'Namespace':
      return layer === 'policies' ? withAnnotations(object, { [`${FLUX}/prune`]: 'disabled' }) : object;
    default:
      return object;
  }
}

/** Hooks of Helm that it runs neither at an installation nor at an upgrade (https://helm.sh/docs/topics/charts_hooks/). */
const LATER = /^((pre|post)-(delete|rollback)|test(-success|-failure)?)$/;

/** Whether an object is a hook of Helm that is not meant for an installation or an upgrade, such as a Job that uninstalls. */
function isLaterHook({ metadata }: KubernetesObject): boolean {
  const hooks = String(metadata?.annotations?.['helm.sh/hook'] ?? '').split(',');
  return hooks.every((hook) => LATER.test(hook.trim()));
}

/**
 * Refuses the hooks of a site that would run at once, in one problem. kustomize-controller applies them as all other objects; Argo CD
 * passes over those that it does not know (gitops-engine pkg/sync/hook/helm/type.go).
 */
function reportLaterHooks(
  hooks: readonly KubernetesObject[],
  engine: DeliveryEngine['engine'],
  problems: ProblemList,
): void {
  if (hooks.length > 0 && engine !== 'argo-cd') {
    const [verb, them] = hooks.length === 1 ? ['is a hook', 'it'] : ['are hooks', 'them'];
    problems.add(
      'EDGE_CONTRADICTION',
      `${namesOf(hooks)} ${verb} of Helm for a deletion, a rollback or a test, and ${engineName(engine)} would create ${them} at once`,
      `leave ${them} out of the charts of the site (helm template --skip-tests leaves out those for tests, --no-hooks all hooks); or remove the annotation helm.sh/hook, if ${them === 'it' ? 'it is' : 'they are'} to run`,
    );
  }
}

/**
 * Refuses custom resources that the API server can store only when a webhook of the same site has converted them, which comes after them: it is asked already
 * for the dry run of their layer. Argo CD makes no dry run of a kind that is not there yet, and applies kinds that it does not know last, so there only a
 * NodePool is refused, whose layer is before that of the webhook.
 */
function checkStoredVersions(
  objects: readonly KubernetesObject[],
  engine: DeliveryEngine['engine'],
  problems: ProblemList,
): void {
  const stored = storedVersions(objects);
  for (const object of stored.size === 0 ? [] : objects) {
    const kind = groupKindOf(object);
    const apiVersion = stored.get(kind);
    if (
      apiVersion !== undefined &&
      apiVersion !== object.apiVersion &&
      (engine !== 'argo-cd' || kind === 'NodePool.apps.openyurt.io')
    ) {
      problems
        .at(nameOf(object))
        .add(
          'EDGE_CONTRADICTION',
          `${nameOf(object)} is in the version ${object.apiVersion}, and the webhook that converts it into the stored one is of this site and comes later, so ${engineName(engine)} would apply neither`,
          `write apiVersion: ${apiVersion}; or install what converts it apart from the site, before it`,
        );
    }
  }
}

/** The API versions that are stored of kinds whose conversion webhook the site has, by kind and group. */
function storedVersions(objects: readonly KubernetesObject[]): Map<string, string> {
  const definitions = objects.filter(
    (object) => groupKindOf(object) === 'CustomResourceDefinition.apiextensions.k8s.io',
  );
  const callsSite = callsSiteOf(definitions.length === 0 ? [] : objects);
  return new Map(
    definitions.flatMap((definition) => {
      const spec = mapAt(definition, 'spec');
      const { group, versions } = spec;
      const version = (Array.isArray(versions) ? versions : []).filter(isMap).find(({ storage }) => storage === true);
      return version !== undefined && callsSite(mapAt(mapAt(mapAt(spec, 'conversion'), 'webhook'), 'clientConfig'))
        ? [
            [
              `${String(mapAt(spec, 'names').kind)}.${String(group)}`,
              `${String(group)}/${String(version.name)}`,
            ] as const,
          ]
        : [];
    }),
  );
}

/** The objects of a site that come in another layer than others of their kind, because of what else the site has. */
function movedObjects(objects: readonly KubernetesObject[]): Map<KubernetesObject, DeliveryLayer> {
  return new Map([
    ...lateWebhooks(objects).map((object) => [object, 'workloads'] as const),
    ...params(objects).map((object) => [object, 'policies'] as const),
  ]);
}

/** Params of admission policies, and their namespaces: a binding refuses what it checks while it has none (`parameterNotFoundAction: Deny`). */
function params(objects: readonly KubernetesObject[]): KubernetesObject[] {
  const bindings = objects.filter((object) =>
    /^\w+AdmissionPolicyBinding\.admissionregistration/.test(groupKindOf(object)),
  );
  const found = bindings.flatMap((binding) => {
    const { policyName, paramRef } = mapAt(binding, 'spec');
    const policy = objects.find(
      (object) => `${object.kind}Binding` === binding.kind && object.metadata?.name === policyName,
    );
    const paramKind = mapAt(mapAt(policy ?? {}, 'spec'), 'paramKind');
    return isMap(paramRef) && paramKind.kind !== undefined
      ? objects.filter((object) => groupKindOf(object) === groupKindOf(paramKind) && isReferred(paramRef, object))
      : [];
  });
  const namespaces = new Set(found.map(({ metadata }) => metadata?.namespace));
  return [
    ...found,
    ...objects.filter((object) => groupKindOf(object) === 'Namespace' && namespaces.has(object.metadata?.name)),
  ];
}

/** Whether a reference may mean an object: by its name or by labels, in one namespace or in that of each request. */
function isReferred({ name, namespace, selector }: PlainMap, { metadata }: KubernetesObject): boolean {
  return (
    (name === undefined || name === metadata?.name) &&
    (namespace === undefined || namespace === metadata?.namespace) &&
    (selector === undefined || selectsLabels(selector, metadata?.labels ?? {}))
  );
}

/**
 * Webhooks that must not be there before the workloads: their Service is one of the site, so nothing answers them. A sync first asks the API server for all
 * objects of a layer (dry run), so they would refuse their own backend, too, or a resource beside it. Webhooks for some Pods alone come first, as policies do:
 * controllers make Pods, and try again, and a Pod from before the webhook would stay as it is.
 */
function lateWebhooks(objects: readonly KubernetesObject[]): KubernetesObject[] {
  const configurations = objects.filter((object) => webhooksOf(object).length > 0);
  if (configurations.length === 0) {
    return [];
  }
  const callsSite = callsSiteOf(objects);
  const hasPods = objects.some((object) => groupKindOf(object) === 'Pod');
  return configurations.filter((object) =>
    webhooksOf(object).some(
      (webhook) =>
        callsSite(mapAt(webhook, 'clientConfig')) && (hasPods || !selects(webhook) || !checksPodsAlone(webhook)),
    ),
  );
}

function webhooksOf(object: KubernetesObject): PlainMap[] {
  const { webhooks } = object;
  return groupKindOf(object).endsWith('WebhookConfiguration.admissionregistration.k8s.io') && Array.isArray(webhooks)
    ? webhooks.filter(isMap)
    : [];
}

/** Whether a webhook is for some objects of its kinds only. Otherwise it is for the Pods that answer it, too. */
function selects(webhook: PlainMap): boolean {
  const { matchConditions } = webhook;
  return (
    ['namespaceSelector', 'objectSelector'].some((field) => Object.keys(mapAt(webhook, field)).length > 0) ||
    (Array.isArray(matchConditions) && matchConditions.length > 0)
  );
}

/** Whether all rules of a webhook are for Pods or parts of them. */
function checksPodsAlone({ rules }: PlainMap): boolean {
  return (Array.isArray(rules) ? rules : []).filter(isMap).every(({ apiGroups, resources }) => {
    const [groups, names] = [apiGroups, resources].map((each) => (Array.isArray(each) ? each.map(String) : []));
    return groups?.every((group) => group === '') && names?.every((name) => /^pods(\/|$)/.test(name));
  });
}

const HOOK = 'argocd.argoproj.io/hook';

/** What Argo CD makes of the hooks of Helm that it knows (gitops-engine pkg/sync/hook/helm/type.go). */
const HELM_HOOKS: Readonly<Record<string, string>> = {
  'pre-install': 'PreSync',
  'pre-upgrade': 'PreSync',
  'post-install': 'PostSync',
  'post-upgrade': 'PostSync',
};

/** An object as Argo CD needs it, or what is in the way of it. */
function forArgoCd(
  object: KubernetesObject,
  layer: DeliveryLayer,
  deletion: 'keep' | 'prune' | undefined,
  problems: ProblemList,
): KubernetesObject {
  checkHooks(object, layer, problems);
  return withSyncWave(deletion === 'prune' ? prunedLast(object) : object, layer, problems);
}

/** The hooks of an object, as Argo CD reads them: those of Helm only if there are none of its own (gitops-engine pkg/sync/hook/hook.go). */
function hooksOf({ metadata: { annotations = {} } = {} }: KubernetesObject): string[] {
  const listed = (key: string): string[] =>
    String(annotations[key] ?? '')
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '');
  const own = listed(HOOK);
  return own.length > 0 ? own : listed('helm.sh/hook').flatMap((each) => HELM_HOOKS[each] ?? []);
}

/** A hook has a phase of its own: before all layers, after a layer has failed, or not in the application at all. */
function checkHooks(object: KubernetesObject, layer: DeliveryLayer, problems: ProblemList): void {
  const hooks = hooksOf(object);
  const early = hooks.find((hook) => hook === 'PreSync' || hook === 'SyncFail');
  if (layer !== 'workloads' && hooks.length > 0) {
    problems.add(
      'EDGE_CONTRADICTION',
      `${nameOf(object)} is a hook (${hooks.join(', ')}), which Argo CD deletes and creates again at each sync`,
      `remove the annotation: its layer says when it is applied`,
    );
  } else if (early !== undefined) {
    problems.add(
      'EDGE_CONTRADICTION',
      early === 'PreSync'
        ? `${nameOf(object)} is a hook of the phase PreSync, so Argo CD would create it before pools and policies`
        : `${nameOf(object)} is a hook of the phase SyncFail, so Argo CD would create it without pools and policies when they have failed`,
      `write the annotation ${HOOK}: Sync, which also takes the place of helm.sh/hook, and a sync wave of at least ${FIRST_WORKLOAD_WAVE}`,
    );
  }
}

/** OpenYurt refuses to delete a pool that has nodes, and a sync that fails at it first would apply nothing else. */
function prunedLast(object: KubernetesObject): KubernetesObject {
  return groupKindOf(object) === 'NodePool.apps.openyurt.io'
    ? withAnnotations(object, { 'argocd.argoproj.io/sync-options': 'PruneLast=true' })
    : object;
}

function withSyncWave(object: KubernetesObject, layer: DeliveryLayer, problems: ProblemList): KubernetesObject {
  const written = object.metadata?.annotations?.[SYNC_WAVE_ANNOTATION];
  const own = ownSyncWave(object);
  const wave = syncWaveOf(object, layer);
  if (written !== undefined && !/^[+-]?\d+$/.test(written)) {
    problems.add(
      'EDGE_VALUE',
      `${nameOf(object)} has the sync wave ${showValue(written)}, which is no whole number, and which Argo CD passes over`,
      `write the annotation ${SYNC_WAVE_ANNOTATION}: '1'`,
    );
  }
  if (wave === undefined) {
    if (own !== undefined && own < FIRST_WORKLOAD_WAVE) {
      problems.add(
        'EDGE_CONTRADICTION',
        `${nameOf(object)} has the sync wave ${own}, so Argo CD would create it before pools and policies`,
        `write a wave of at least ${FIRST_WORKLOAD_WAVE}`,
      );
    }
    return object;
  }
  if (written !== undefined && own !== undefined && own !== wave) {
    problems.add(
      'EDGE_CONTRADICTION',
      `${nameOf(object)} has the sync wave ${own}, and its layer has ${wave}`,
      'remove the annotation',
    );
  }
  return withAnnotations(object, { [SYNC_WAVE_ANNOTATION]: String(wave) });
}

/** Whether the `clientConfig` of a webhook calls a Service that the site itself has. */
export type CallsSite = (clientConfig: PlainMap) => boolean;

function callsSiteOf(objects: readonly KubernetesObject[]): CallsSite {
  const services = new Set(
    objects.filter((object) => groupKindOf(object) === 'Service').map((object) => placeOf(mapAt(object, 'metadata'))),
  );
  return (clientConfig) => services.has(placeOf(mapAt(clientConfig, 'service')));
}

function placeOf({ namespace, name }: PlainMap): string {
  return `${String(namespace)}/${String(name)}`;
}

/** What becomes of such an object. kubectl and Pulumi put it into the namespace `default`; engines have none by default. */
const OTHERWISE: Readonly<Record<DeliveryEngine['engine'], string>> = {
  // controller/state.go: "Namespace for collector apps/v1, Kind=DaemonSet is missing."
  'argo-cd': 'Argo CD syncs nothing of the site then (Namespace for … is missing)',
  // the path of the request has none: kustomize-controller fails the whole Kustomization
  flux: 'Flux applies nothing of the layer then (namespace not specified)',
};

/** Whether an object needs a namespace, and has none. */
function lacksNamespace(object: KubernetesObject): boolean {
  return isNamespaced(object) && (object.metadata?.namespace ?? '') === '';
}

/** Reports the objects of a site that lack a namespace, in one problem. */
function reportMissingNamespaces(
  objects: readonly KubernetesObject[],
  engine: DeliveryEngine['engine'],
  problems: ProblemList,
): void {
  if (objects.length > 0) {
    problems.add(
      'EDGE_MISSING',
      `${namesOf(objects)} ${objects.length === 1 ? 'has' : 'have'} no namespace: ${OTHERWISE[engine]}`,
      "write metadata.namespace; or with cdk8s give all objects of the chart one: new Chart(app, 'lab', { namespace: 'tills' })",
    );
  }
}

/** The first of some objects by name, and how many there are besides. */
function namesOf(objects: readonly KubernetesObject[]): string {
  const names = objects.slice(0, 4).map(nameOf);
  const more = objects.length - names.length;
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(' and ').replace(/ and (?=.* and )/g, ', ');
}

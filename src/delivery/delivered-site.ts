import type { ProblemList } from '../base/errors.js';
import { identityOf, type KubernetesObject, nameOf } from '../kubernetes/object.js';
import { itemsOf } from '../fleet/placement-input.js';
import { forArgoCd } from './argo-cd-objects.js';
import { checkClearSecrets } from './clear-secrets.js';
import { engineName } from './delivery-engine.js';
import { type DeliveryLayer, LAYER_FOLDERS, LAYERS, layerOf } from './delivery-layer.js';
import type { DeliverySite } from './delivery-site.js';
import type { FleetDeliveryBaseProps } from './fleet-delivery-props.js';
import { forFlux } from './flux-objects.js';
import { isLaterHook, reportLaterHooks } from './helm-hooks.js';
import { lacksNamespace, namesOf, reportMissingNamespaces } from './missing-namespaces.js';
import { movedObjects } from './moved-objects.js';
import { checkStoredVersions } from './stored-versions.js';
import { heldPartial, INSTEAD, missingParts } from './partial-objects.js';

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

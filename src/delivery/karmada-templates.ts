import type { ProblemList } from '../errors.js';
import { identityOf, type KubernetesObject, nameOf } from '../kubernetes/object.js';
import type { DeliveredSite } from './delivered-site.js';
import { type DeliveryLayer, LAYERS } from './delivery-layer.js';
import { clusterNameOf } from './delivery-site.js';
import { type Overriders, overridersBetween } from './karmada-overriders.js';

/** An object in the control plane of Karmada, which has one of a name for all clusters. */
export interface KarmadaTemplate {
  readonly identity: string;
  readonly layer: DeliveryLayer;
  readonly object: KubernetesObject;
  /** Clusters that get it. */
  readonly clusters: readonly string[];
  /** What differs in some of them. */
  readonly overrides: readonly { readonly clusters: readonly string[]; readonly overriders: Overriders }[];
}

interface Variant {
  readonly object: KubernetesObject;
  readonly clusters: string[];
}

interface Found {
  readonly layer: DeliveryLayer;
  readonly apiVersion: string;
  readonly site: string;
  readonly variants: Map<string, Variant>;
  readonly clusters: string[];
}

/** The templates of all sites, by layer: the object is the one that most sites have, and the others differ from it. */
export function templatesOf(sites: readonly DeliveredSite[], problems: ProblemList): KarmadaTemplate[] {
  const found = new Map<string, Found>();
  sites.forEach(({ site, layers }, index) => {
    const cluster = clusterNameOf(site);
    for (const layer of LAYERS) {
      for (const object of (layers.get(layer) ?? []).flatMap(({ objects = [] }) => objects)) {
        const identity = identityOf(object) as string;
        const first = found.get(identity);
        if (first !== undefined && first.apiVersion !== object.apiVersion) {
          problems
            .at('sites', index)
            .at(nameOf(object))
            .add(
              'EDGE_CONTRADICTION',
              `it is ${object.apiVersion} here and ${first.apiVersion} in the site ${first.site}, and the control plane of Karmada has one object of the name`,
              'give one of them another name, or deliver sites of different releases by control planes of their own',
            );
          continue;
        }
        const one: Found = first ?? {
          layer,
          apiVersion: object.apiVersion,
          site: site.name,
          variants: new Map(),
          clusters: [],
        };
        found.set(identity, one);
        one.clusters.push(cluster);
        const text = JSON.stringify(object);
        const variant = one.variants.get(text) ?? { object, clusters: [] };
        one.variants.set(text, variant);
        variant.clusters.push(cluster);
      }
    }
  });
  const templates = [...found].map(([identity, one]) => templateOf(identity, one));
  return LAYERS.flatMap((layer) => templates.filter((template) => template.layer === layer));
}

function templateOf(identity: string, { layer, variants, clusters }: Found): KarmadaTemplate {
  const all = [...variants.values()];
  const [{ object }] = [...all].sort((a, b) => b.clusters.length - a.clusters.length) as [Variant];
  const overrides = all.flatMap((variant) => {
    const overriders = overridersBetween(object, variant.object);
    return overriders === undefined ? [] : [{ clusters: variant.clusters, overriders }];
  });
  return { identity, layer, object, clusters, overrides };
}

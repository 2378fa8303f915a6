import { ProblemList } from '../errors.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import { type KubernetesObject, nameOf } from '../kubernetes/object.js';
import { sha256Of } from '../text/content-hash.js';
import type { Delivered } from './delivered.js';
import { type DeliveryFile, MANIFEST_EXTENSION } from './delivered-site.js';
import type { KarmadaEngine } from './delivery-engine.js';
import { type DeliveryLayer, LAYER_FOLDERS, LAYERS } from './delivery-layer.js';
import { LAYER_LABEL } from './delivery-site.js';
import { LARGEST_OBJECT } from './engine-size.js';
import { interpretersFor } from './karmada-interpreter.js';
import { type KarmadaTemplate, templatesOf } from './karmada-templates.js';

const POLICY = 'policy.karmada.io/v1alpha1';
const FOLDER = 'karmada';

/** Name of the files with the objects that sites get; the others are Karmada's own. */
const TEMPLATES = `templates${MANIFEST_EXTENSION}`;

/** Whether a file has objects of sites, and not of Karmada. */
export function isOfTemplates(path: string): boolean {
  return path.startsWith(`${FOLDER}/`) && path.endsWith(`/${TEMPLATES}`);
}

/**
 * The objects for the control plane of Karmada, in folders that are applied one after another: interpreters, and for each layer the templates with the
 * policies that say which clusters get them, and how they differ there.
 *
 * Each template has policies of its own. Karmada binds it to the first policy that selects it, so a template that went from the policy of one set of sites to
 * that of another, because a site has come, would stay where it was as long as the former is there.
 *
 * @throws {@link EdgeError} with EDGE_CONTRADICTION and EDGE_SIZE
 */
export function karmadaFiles(delivered: Delivered, subject: string): DeliveryFile[] {
  const problems = new ProblemList();
  const templates = templatesOf(delivered.sites, problems);
  const files = [
    fileOf(
      `00-interpreters/${delivered.name}${MANIFEST_EXTENSION}`,
      interpretersFor(templates.map(({ object }) => object)),
    ),
    ...LAYERS.flatMap((layer) =>
      layerFiles(
        layer,
        templates.filter((template) => template.layer === layer),
        delivered,
        problems,
      ),
    ),
  ].filter(({ objects = [] }) => objects.length > 0);
  problems.throwIfAny(subject);
  return files;
}

function fileOf(path: string, objects: readonly KubernetesObject[]): DeliveryFile {
  return { path: `${FOLDER}/${path}`, objects };
}

/** In the order of their names, in which kubectl applies them: a template that comes before its override would reach the sites without it. */
function layerFiles(
  layer: DeliveryLayer,
  templates: readonly KarmadaTemplate[],
  delivered: Delivered,
  problems: ProblemList,
): DeliveryFile[] {
  const folder = LAYER_FOLDERS[layer];
  const overrides = templates.flatMap((template) => {
    const policy = overridePolicy(template, delivered);
    const bytes = Buffer.byteLength(JSON.stringify(policy ?? {}));
    if (bytes > LARGEST_OBJECT) {
      problems
        .at(nameOf(template.object))
        .add(
          'EDGE_SIZE',
          `what differs between the sites makes an override policy of ${Math.round(bytes / 1e6)} MB, and an API server stores at most 1.5 MiB`,
          'give the objects that differ so much names of their own in each site',
        );
    }
    return policy ?? [];
  });
  return [
    fileOf(`${folder}/overrides${MANIFEST_EXTENSION}`, overrides),
    fileOf(
      `${folder}/propagation${MANIFEST_EXTENSION}`,
      templates.map((template) => propagationPolicy(template, delivered)),
    ),
    fileOf(`${folder}/${TEMPLATES}`, [
      // what is in a namespace needs it
      ...templates.filter(({ object }) => object.kind === 'Namespace').map(({ object }) => object),
      ...templates.filter(({ object }) => object.kind !== 'Namespace').map(({ object }) => object),
    ]),
  ];
}

/** The name of the policies of a template. Earlier releases of Karmada make a label of it, so it has at most 63 characters. */
function policyName({ identity, object }: KarmadaTemplate, delivery: string): string {
  const readable = `${delivery}-${object.kind.toLowerCase()}-${String(object.metadata?.name)}`.replace(
    /[^a-z0-9]+/g,
    '-',
  );
  return `${readable.slice(0, 52).replace(/-$/, '')}-${sha256Of(identity).slice(0, 10)}`;
}

function metadataOf(
  template: KarmadaTemplate,
  { name }: Delivered,
): { readonly name: string; readonly labels: Record<string, string> } {
  return { name: policyName(template, name), labels: { ...OWN_LABELS, [LAYER_LABEL]: template.layer } };
}

function selectorOf({ apiVersion, kind, metadata }: KubernetesObject): object {
  const { name, namespace } = metadata ?? {};
  return { apiVersion, kind, ...(namespace === undefined ? {} : { namespace }), name };
}

function propagationPolicy(template: KarmadaTemplate, delivered: Delivered): KubernetesObject {
  const { conflictResolution = 'Abort' } = delivered.engine as KarmadaEngine;
  return {
    apiVersion: POLICY,
    kind: 'ClusterPropagationPolicy',
    metadata: metadataOf(template, delivered),
    spec: {
      resourceSelectors: [selectorOf(template.object)],
      conflictResolution,
      preserveResourcesOnDeletion: delivered.deletion === 'keep',
      placement: {
        clusterAffinity: { clusterNames: [...template.clusters] },
        // a site that is offline for a while keeps what it has; by default Karmada may evict it after five minutes
        clusterTolerations: ['not-ready', 'unreachable'].map((taint) => ({
          key: `cluster.karmada.io/${taint}`,
          operator: 'Exists',
        })),
        replicaScheduling: { replicaSchedulingType: 'Duplicated' },
      },
    },
  };
}

function overridePolicy(template: KarmadaTemplate, delivered: Delivered): KubernetesObject | undefined {
  return template.overrides.length === 0
    ? undefined
    : {
        apiVersion: POLICY,
        kind: 'ClusterOverridePolicy',
        metadata: metadataOf(template, delivered),
        spec: {
          resourceSelectors: [selectorOf(template.object)],
          overrideRules: template.overrides.map(({ clusters, overriders }) => ({
            targetCluster: { clusterNames: [...clusters] },
            overriders,
          })),
        },
      };
}

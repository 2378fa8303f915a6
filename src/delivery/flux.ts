import { secondsOf } from '../kubernetes/duration.js';
import { OWN_LABELS, WAVE_LABEL } from '../kubernetes/labels.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { sha256Of } from '../base/content-hash.js';
import { type DeliveredSite, type DeliveryFile, MANIFEST_EXTENSION, siteFolder } from './delivered-site.js';
import { type FluxEngine, namespaceOf } from './delivery-engine.js';
import { type DeliveryLayer, LAYER_FOLDERS, LAYERS } from './delivery-layer.js';
import { type FluxCluster, LAYER_LABEL, SITE_LABEL } from './delivery-site.js';
import { inRepository } from './delivery-source.js';
import type { Delivered } from './delivered.js';

const KUSTOMIZE = 'kustomize.toolkit.fluxcd.io/v1';
const SOURCE = 'source.toolkit.fluxcd.io/v1';

/** Folder of the objects of Flux. It takes all folders below one that it reads, so the folders of sites and of gates are beside it. */
const FOLDER = 'flux';
export const GATES = 'flux-gates';

/** The object by which nothing of a site is deleted with what delivers it. */
const NEVER_PRUNED = { 'kustomize.toolkit.fluxcd.io/prune': 'disabled' };

/**
 * The objects of Flux 2: a source, and for each layer of a site a Kustomization that waits for the layer before.
 *
 * A rollout is a chain of gates: a gate waits for all sites of its wave, and those of the next wave wait for the gate. So there are as many references as
 * sites; each site that waits for each site of the wave before would be the product.
 */
export function fluxFiles(delivered: Delivered): DeliveryFile[] {
  const engine = delivered.engine as FluxEngine;
  if (engine.runsOn === 'sites') {
    return delivered.sites.map((site) => {
      const folder = `${FOLDER}/${site.site.name}`;
      return {
        path: `${folder}/${delivered.name}${MANIFEST_EXTENSION}`,
        objects: [
          ...source(delivered, engine, site),
          ...root(delivered, engine, folder),
          ...kustomizationsOf(delivered, engine, site),
        ],
      };
    });
  }
  const ofGit = delivered.source.source === 'git';
  return [
    {
      path: `${FOLDER}/${delivered.name}${MANIFEST_EXTENSION}`,
      objects: [
        ...(ofGit ? source(delivered, engine) : []),
        ...root(delivered, engine, FOLDER),
        ...gatesOf(delivered, engine),
      ],
    },
    ...delivered.sites.map((site) => ({
      path: `${FOLDER}/sites/${site.site.name}${MANIFEST_EXTENSION}`,
      objects: [...(ofGit ? [] : source(delivered, engine, site)), ...kustomizationsOf(delivered, engine, site)],
    })),
    ...gateFolders(delivered),
  ].filter(({ objects = [] }) => objects.length > 0);
}

/** The source: one repository for all, or, where it is a registry or the engine of a site reads it, one for each site. */
function source({ source: from, name }: Delivered, engine: FluxEngine, site?: DeliveredSite): KubernetesObject[] {
  const common = {
    // that of a site has a time of its own, as its Kustomizations have: a registry or a repository would get the questions of all sites at once
    interval:
      site === undefined
        ? timeOf(engine.sourceInterval, '5m')
        : spread(secondsOf(engine.sourceInterval ?? '5m') as number, sourceName(name, site)),
    // a CRD that is newer or older than the controller may have no default for it
    timeout: '60s',
    ...(from.secretName === undefined ? {} : { secretRef: { name: from.secretName } }),
  };
  if (from.source === 'git') {
    return [
      {
        apiVersion: SOURCE,
        kind: 'GitRepository',
        metadata: {
          name,
          namespace: namespaceOf(engine),
          labels: { ...OWN_LABELS },
          annotations: { ...NEVER_PRUNED },
        },
        spec: {
          url: from.url,
          ref: from.tag === undefined ? { branch: from.branch ?? 'main' } : { tag: from.tag },
          ...common,
          // an artifact with what a site needs; without it each site would get all sites
          ...(site === undefined || engine.runsOn !== 'sites'
            ? {}
            : {
                sparseCheckout: [siteFolder(site.site), `${FOLDER}/${site.site.name}`].map((folder) =>
                  inRepository(from, folder),
                ),
              }),
        },
      },
    ];
  }
  return [
    {
      apiVersion: SOURCE,
      kind: 'OCIRepository',
      metadata: { name: sourceName(name, site), namespace: namespaceOf(engine), labels: { ...OWN_LABELS } },
      spec: {
        url: `${from.url}/${site?.site.name}`,
        ref: { tag: from.tag ?? 'latest' },
        ...common,
        ...(from.insecure === true ? { insecure: true } : {}),
      },
    },
  ];
}

/** Name of the source of a site. */
function sourceName(name: string, site: DeliveredSite | undefined): string {
  return site === undefined ? name : `${name}-${site.site.name}`;
}

function sourceRefOf({ source: from, name }: Delivered, site?: DeliveredSite): object {
  return from.source === 'git'
    ? { kind: 'GitRepository', name }
    : { kind: 'OCIRepository', name: sourceName(name, site) };
}

function kustomizationsOf(delivered: Delivered, engine: FluxEngine, site: DeliveredSite): KubernetesObject[] {
  const layers = LAYERS.filter((layer) => site.layers.has(layer));
  return layers.map((layer, index) => {
    const before = layers[index - 1];
    const gate = before === undefined ? gateBefore(delivered, site) : undefined;
    const dependsOn = [
      ...(before === undefined ? [] : [{ name: nameOf(delivered, site, before) }]),
      ...(gate === undefined ? [] : [{ name: gate }]),
    ];
    return kustomization(delivered, engine, site, layer, dependsOn);
  });
}

function nameOf({ name }: Delivered, { site }: DeliveredSite, layer: DeliveryLayer): string {
  return `${name}-${site.name}-${layer}`;
}

function kustomization(
  delivered: Delivered,
  engine: FluxEngine,
  site: DeliveredSite,
  layer: DeliveryLayer,
  dependsOn: readonly object[],
): KubernetesObject {
  const {
    site: { name, labels = {}, wave = 0, cluster },
  } = site;
  const isPruned = delivered.deletion === 'prune' && layer !== 'patches';
  // workloads may wait for nodes that join later, and patches for a rollout on nodes that are offline
  const waits = layer === 'pools' || layer === 'policies';
  return {
    apiVersion: KUSTOMIZE,
    kind: 'Kustomization',
    metadata: {
      name: nameOf(delivered, site, layer),
      namespace: namespaceOf(engine),
      labels: { ...labels, ...OWN_LABELS, [SITE_LABEL]: name, [LAYER_LABEL]: layer, [WAVE_LABEL]: String(wave) },
    },
    spec: {
      ...timesOf(engine, nameOf(delivered, site, layer), layer === 'patches' ? HEALED_AFTER : Infinity),
      path: pathOf(delivered, `${siteFolder(site.site)}/${LAYER_FOLDERS[layer]}`, LAYER_FOLDERS[layer]),
      sourceRef: sourceRefOf(delivered, site),
      prune: isPruned,
      deletionPolicy: isPruned ? 'Delete' : 'Orphan',
      wait: waits,
      ...(layer === 'policies' ? { healthCheckExprs: [POLICY_HEALTH] } : {}),
      ...(dependsOn.length === 0 ? {} : { dependsOn }),
      ...(cluster === undefined ? {} : { kubeConfig: { secretRef: kubeConfigOf(cluster as FluxCluster) } }),
      ...(engine.serviceAccountName === undefined ? {} : { serviceAccountName: engine.serviceAccountName }),
      ...(engine.sopsSecretName === undefined || waits
        ? {}
        : { decryption: { provider: 'sops', secretRef: { name: engine.sopsSecretName } } }),
    },
  };
}

/** A policy is healthy when its API server has compiled its expressions, and found nothing wrong in them. */
const POLICY_HEALTH = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  current: 'status.observedGeneration == metadata.generation && !has(status.typeChecking.expressionWarnings)',
};

function kubeConfigOf({ kubeConfigSecret, key }: FluxCluster): object {
  return { name: kubeConfigSecret, ...(key === undefined ? {} : { key }) };
}

/** Path in the source: in Git below the path of the output folder, in an artifact of a site at its root. */
function pathOf({ source: from }: Delivered, inOutput: string, inArtifact: string): string {
  return `./${from.source === 'git' ? inRepository(from, inOutput) : inArtifact}`;
}

/** A kubeadm upgrade takes a patch away, and only the next comparison gives it back: seconds. */
const HEALED_AFTER = 600;

function timesOf(engine: FluxEngine, name: string, most = Infinity): object {
  return {
    interval: spread(Math.min(most, secondsOf(engine.interval ?? '1h') as number), name),
    retryInterval: timeOf(engine.retryInterval, '2m'),
    timeout: timeOf(engine.timeout, '5m'),
  };
}

/** A time within a tenth, by the hash of a name, so that it is the same in each synth and for each site another one. */
function spread(seconds: number, name: string): string {
  const share = Number.parseInt(sha256Of(name).slice(0, 8), 16) / 0xffffffff;
  return durationText(Math.round(seconds * (0.9 + share / 5)));
}

function timeOf(time: string | number | undefined, byDefault: string): string {
  return durationText(secondsOf(time ?? byDefault) as number);
}

/** A duration of Go; Flux does not read milliseconds everywhere. */
function durationText(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  return `${hours > 0 ? `${hours}h` : ''}${minutes > 0 ? `${minutes}m` : ''}${rest > 0 ? `${rest}s` : ''}`;
}

/** The Kustomization that delivers the objects of Flux. What the program no longer has it deletes: the Kustomizations, whose own policy says what of their objects. */
function root(delivered: Delivered, engine: FluxEngine, folder: string): KubernetesObject[] {
  if (engine.selfManaged === false || delivered.source.source !== 'git') {
    return [];
  }
  return [
    {
      apiVersion: KUSTOMIZE,
      kind: 'Kustomization',
      metadata: {
        name: delivered.name,
        namespace: namespaceOf(engine),
        labels: { ...OWN_LABELS },
        annotations: { ...NEVER_PRUNED },
      },
      spec: {
        ...timesOf(engine, delivered.name),
        path: `./${inRepository(delivered.source, folder)}`,
        sourceRef: sourceRefOf(delivered),
        prune: true,
        deletionPolicy: 'Orphan',
        wait: false,
      },
    },
  ];
}

/** The name of the gate for which a site waits; undefined in the first wave, or without a rollout. */
function gateBefore({ name, steps = [] }: Delivered, { site }: DeliveredSite): string | undefined {
  const index = steps.findIndex(({ wave }) => wave === (site.wave ?? 0));
  const before = steps[index - 1];
  return before === undefined ? undefined : gateName(name, before.wave);
}

function gateName(name: string, wave: number): string {
  return `${name}-wave-${wave}`;
}

function gateFolder(wave: number): string {
  return `${GATES}/wave-${wave}`;
}

/** A gate after each wave but the last. It applies an object of its own, because a Kustomization needs one. */
function gatesOf(delivered: Delivered, engine: FluxEngine): KubernetesObject[] {
  const { steps = [], sites, name, source: from } = delivered;
  return steps.slice(0, -1).map(({ wave }) => ({
    apiVersion: KUSTOMIZE,
    kind: 'Kustomization',
    metadata: {
      name: gateName(name, wave),
      namespace: namespaceOf(engine),
      labels: { ...OWN_LABELS, [WAVE_LABEL]: String(wave) },
    },
    spec: {
      ...timesOf(engine, gateName(name, wave)),
      path: from.source === 'git' ? `./${inRepository(from, gateFolder(wave))}` : './',
      sourceRef: sourceRefOf(delivered),
      prune: true,
      wait: false,
      dependsOn: sites
        .filter(({ site }) => (site.wave ?? 0) === wave)
        .map((site) => ({
          name: nameOf(delivered, site, LAYERS.filter((layer) => site.layers.has(layer)).at(-1) as DeliveryLayer),
        })),
    },
  }));
}

function gateFolders({ steps = [], name, engine }: Delivered): DeliveryFile[] {
  return steps.slice(0, -1).map(({ wave }) => ({
    path: `${gateFolder(wave)}/gate${MANIFEST_EXTENSION}`,
    objects: [
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: gateName(name, wave),
          namespace: namespaceOf(engine as FluxEngine),
          labels: { ...OWN_LABELS },
        },
        data: { wave: String(wave) },
      },
    ],
  }));
}

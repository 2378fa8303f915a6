import type { ProblemList } from '../base/errors.js';
import { checkObjectName, isDnsLabel } from '../kubernetes/names.js';
import { checkLabels } from '../kubernetes/label-syntax.js';
import { OWN_LABELS, WAVE_LABEL } from '../kubernetes/labels.js';
import { isMap } from '../base/plain-data.js';
import { quoted, showValue, whatIs } from '../base/properties.js';
import { type Check, checkProperties, optional, type PropertyTable, wholeNumber } from '../base/property-table.js';
import { type DeliveryEngine, engineName, namespaceOf, runsInSites } from './delivery-engine.js';

/**
 * A cluster as Argo CD knows it: by the name or the address in its cluster Secret.
 *
 * @category Deliver many clusters
 */
export interface ArgoCdCluster {
  /** Name of the cluster in Argo CD.
   * @default - known by its address */
  readonly name?: string;
  /** Address of its API server in Argo CD, `https://10.0.0.1:6443`.
   * @default - known by its name */
  readonly server?: string;
}

/**
 * A cluster as Flux knows it: by a Secret with a kubeconfig in the namespace of the engine.
 *
 * @category Deliver many clusters
 */
export interface FluxCluster {
  /** Name of the Secret. */
  readonly kubeConfigSecret: string;
  /** Key in the Secret.
   * @default value */
  readonly key?: string;
}

/**
 * A site of a {@link FleetDelivery}: one cluster, and what it gets.
 *
 * @category Deliver many clusters
 */
export interface DeliverySite {
  /** Name of the site: of its folder, and a part of the names of the engine's objects. An RFC 1123 label. */
  readonly name: string;
  /** How the engine reaches the cluster.
   * @default - the cluster in which the engine runs */
  readonly cluster?: ArgoCdCluster | FluxCluster;
  /** Labels of the engine's objects for the site, for example its region.
   * @default - none */
  readonly labels?: Record<string, string>;
  /** Wave of the site in `rollout`: those with the lowest number are first.
   * @default 0 */
  readonly wave?: number;
}

/** Labels of the engine's objects. */
export const SITE_LABEL = 'edge-nodepools/site';
export const LAYER_LABEL = 'edge-nodepools/layer';

/** Name of the engine's cluster in Argo CD. */
export const OWN_SERVER = 'https://kubernetes.default.svc';

const siteName: Check = (value, problems) => {
  if (value === undefined || value === null || value === '') {
    problems.add('EDGE_MISSING', 'a site needs a name', "write name: 'beijing'");
  } else if (typeof value !== 'string' || !isDnsLabel(value)) {
    problems.add(
      'EDGE_NAME',
      `${quoted(value)} is not a name of a site: lower-case letters, digits and "-", at most 63`,
      "write name: 'beijing'",
    );
  }
};

/** Labels by which engines find what they have made. */
const OF_ENGINES = [
  'argocd.argoproj.io/application-set-name',
  'argocd.argoproj.io/instance',
  'kustomize.toolkit.fluxcd.io/name',
  'kustomize.toolkit.fluxcd.io/namespace',
];

const siteLabels: Check = (value, problems) => {
  checkLabels(value, problems);
  const own = [...Object.keys(OWN_LABELS), SITE_LABEL, LAYER_LABEL, WAVE_LABEL];
  for (const key of Object.keys(isMap(value) ? value : {})) {
    if (own.includes(key) || OF_ENGINES.includes(key)) {
      const whose = own.includes(key) ? 'the delivery' : 'the engine';
      problems.at(key).add('EDGE_RESERVED_KEY', `${key} is reserved: ${whose} writes it`, 'remove it');
    }
  }
};

const server: Check = optional((value, problems) => {
  if (typeof value !== 'string' || !/^https:\/\/[^\s/'"{}@]+(\/[^\s'"{}@]*)?$/.test(value)) {
    problems.add(
      'EDGE_VALUE',
      `${showValue(value)} is not the address of an API server`,
      "write server: 'https://10.0.0.1:6443'",
    );
  }
});

/** A name in Argo CD, which is free text there, and a value in the ApplicationSet here. */
const clusterName: Check = optional((value, problems) => {
  if (typeof value !== 'string' || !/^[\w][\w./:@-]*$/.test(value)) {
    problems.add('EDGE_NAME', `${quoted(value)} is not the name of a cluster`, "write name: 'beijing'");
  }
});

const ARGO_CD_CLUSTER: PropertyTable<ArgoCdCluster> = { name: clusterName, server };

const FLUX_CLUSTER: PropertyTable<FluxCluster> = {
  kubeConfigSecret: checkObjectName,
  key: optional((value, problems) => {
    if (typeof value !== 'string' || !/^[\w.-]+$/.test(value)) {
      problems.add('EDGE_VALUE', `${showValue(value)} is not a key of a Secret`, "write key: 'value'");
    }
  }),
};

function checkCluster(value: unknown, engine: DeliveryEngine, problems: ProblemList): void {
  if (value === undefined) {
    return;
  }
  if (runsInSites(engine)) {
    problems.add(
      'EDGE_UNUSED',
      'the engine of each site delivers to its own cluster',
      "leave cluster out, or write runsOn: 'hub'",
    );
    return;
  }
  const [field, byExample] =
    engine.engine === 'flux' ? ['kubeConfigSecret', 'beijing-kubeconfig'] : ['name', 'beijing'];
  const example = `{ ${field}: '${typeof value === 'string' && isDnsLabel(value) ? value : byExample}' }`;
  if (!isMap(value)) {
    problems.add('EDGE_TYPE', `the cluster is ${whatIs(value)}`, `write cluster: ${example}`);
    return;
  }
  const isOfOther =
    engine.engine === 'flux' ? value.kubeConfigSecret === undefined : value.kubeConfigSecret !== undefined;
  if (isOfOther) {
    problems.add(
      'EDGE_CONTRADICTION',
      `${engineName(engine.engine)} does not find a cluster so`,
      `write cluster: ${example}`,
    );
    return;
  }
  const tables = { 'argo-cd': ARGO_CD_CLUSTER, flux: FLUX_CLUSTER };
  checkProperties(value, tables[engine.engine] as PropertyTable<object>, problems);
  if (engine.engine === 'argo-cd' && (value.name === undefined) === (value.server === undefined)) {
    problems.add(
      'EDGE_CONTRADICTION',
      'Argo CD finds a cluster by its name or by its address',
      `write cluster: ${example}`,
    );
  }
}

/** What identifies the cluster of a site, for the engine of a hub. */
export function clusterOf({ cluster }: DeliverySite): string {
  if (cluster === undefined) {
    return 'that of the engine';
  }
  if ('kubeConfigSecret' in cluster) {
    return `Secret ${cluster.kubeConfigSecret}, key ${cluster.key ?? 'value'}`;
  }
  const { name, server: address } = cluster;
  const host = address === undefined ? undefined : sameAddress(address);
  return host === OWN_SERVER || name === 'in-cluster' ? 'that of the engine' : String(name ?? host);
}

/** One spelling of an address: without the port of https, a slash at its end, and capitals in its host (WHATWG URL). */
function sameAddress(address: string): string {
  return URL.canParse(address) ? new URL(address).href.replace(/\/$/, '') : address;
}

/**
 * Checks the sites of a delivery: each, and that no two have one name or one cluster.
 *
 * @param engine the engine, if it is one
 * @param content check of what a site gets, which differs between the bindings
 * @param longest most characters of a name
 */
export function checkSites(
  value: unknown,
  engine: DeliveryEngine | undefined,
  content: Readonly<Record<string, Check>>,
  longest: { readonly characters: number; readonly because: string } | undefined,
  problems: ProblemList,
): value is DeliverySite[] {
  if (!Array.isArray(value) || value.length === 0) {
    problems.add(
      value === undefined ? 'EDGE_MISSING' : Array.isArray(value) ? 'EDGE_MISSING' : 'EDGE_TYPE',
      Array.isArray(value) ? 'there is no site' : `the sites are ${whatIs(value)}`,
      "write sites: [{ name: 'beijing', … }]",
    );
    return false;
  }
  const before = problems.problems.length;
  const names = new Map<unknown, number>();
  const clusters = new Map<string, number>();
  value.forEach((site: unknown, index) => {
    const at = problems.at(index);
    if (!isMap(site)) {
      at.add('EDGE_TYPE', `the site is ${whatIs(site)}`, "write { name: 'beijing', … }");
      return;
    }
    const table = {
      name: siteName,
      cluster:
        engine === undefined
          ? optional(() => undefined)
          : (given: unknown, list: ProblemList) => checkCluster(given, engine, list),
      labels: siteLabels,
      wave: optional(wholeNumber(0)),
      ...content,
    };
    const count = at.problems.length;
    checkProperties(site, table, at);
    if (at.problems.length > count) {
      return;
    }
    const { name } = site as unknown as DeliverySite;
    if (longest !== undefined && name.length > longest.characters) {
      at.at('name').add(
        'EDGE_NAME',
        `${quoted(name)} has ${name.length} characters: ${longest.because}`,
        `write a name of at most ${longest.characters} characters`,
      );
    }
    reportTwin(
      names,
      name,
      index,
      `sites[${names.get(name)}] has the name ${name}, too`,
      'give each site a name of its own',
      at.at('name'),
    );
    const base = name.replace(/-patches$/, '');
    if (engine?.engine === 'argo-cd' && base !== name && value.some((other) => isMap(other) && other.name === base)) {
      at.at('name').add(
        'EDGE_DUPLICATE',
        `the application of the patches of ${base} has the name of the application of ${name}`,
        'give one of the sites another name',
      );
    }
    if (engine !== undefined && !runsInSites(engine)) {
      const cluster = clusterOf(site as unknown as DeliverySite);
      reportTwin(
        clusters,
        cluster,
        index,
        `sites[${clusters.get(cluster)}] is delivered to the same cluster, ${cluster}`,
        `give each site the cluster of its own, or put the charts of both into one site (the engine is in ${namespaceOf(engine)})`,
        at.at('cluster'),
      );
    }
  });
  return problems.problems.length === before;
}

function reportTwin<Key>(
  seen: Map<Key, number>,
  key: Key,
  index: number,
  message: string,
  hint: string,
  problems: ProblemList,
): void {
  if (seen.has(key)) {
    problems.add('EDGE_DUPLICATE', message, hint);
  } else {
    seen.set(key, index);
  }
}

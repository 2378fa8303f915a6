import { clustersAt, withDeclaredObjects } from '../cluster/declared-objects.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { type PlannedObject, shownWarning } from '../cluster/plan.js';
import { Declarations, type Scope } from '../cluster/scope.js';
import type { SiteContent, SitePart } from '../delivery/delivered-site.js';
import type { DeliverySite } from '../delivery/delivery-site.js';
import { type SiteClusters, siteClusterWarnings } from '../delivery/site-clusters.js';
import { EdgeError, type EdgeWarning, OUTPUT_REFUSED, ProblemList } from '../base/errors.js';
import { type KubernetesObject, nameOf } from '../kubernetes/object.js';
import { isMap } from '../base/plain-data.js';
import { whatIs } from '../base/properties.js';
import type { Check } from '../base/property-table.js';
import { holdsUnknown, holdsUnknownText, Unknown } from '../base/unknown.js';
import { argumentsOf, evaluate, isOutput, type Leaf, leavesIn } from './outputs.js';
import { DeclaredManifests } from './declared.js';

/**
 * A site of a {@link FleetDelivery}, with its manifests.
 *
 * @category Deliver many clusters
 */
export interface DeliveredManifests extends DeliverySite {
  /** What the site gets: components by {@link declared}, and plain Kubernetes objects. */
  readonly manifests: readonly (DeclaredManifests | KubernetesObject)[];
}

/** What is said of an Output that would be written into a file. */
const NOT_IN_FILES = {
  message: `${OUTPUT_REFUSED.message}: it would be in a file, in plain text for everyone who reads the repository`,
  hint: 'write a plain value; for a secret deliver an ExternalSecret, a SealedSecret or a Secret encrypted by SOPS (docs/delivery.md#secrets)',
} as const;

/** Checks the manifests of a site, as far as they are not planned. */
export const checkManifests: Check = (value, problems) => {
  if (!Array.isArray(value) || value.length === 0) {
    problems.add(
      value === undefined ? 'EDGE_MISSING' : isOutput(value) ? 'EDGE_KNOWN_LATER' : 'EDGE_TYPE',
      Array.isArray(value)
        ? 'there are no manifests'
        : `the manifests of the site are ${isOutput(value) ? 'an Output' : whatIs(value)}`,
      'write manifests: [declared(HostNetworkNodePool, {…})]',
    );
    return;
  }
  value.forEach((one: unknown, index) => {
    const at = problems.at(index);
    if (isOutput(one)) {
      at.add('EDGE_KNOWN_LATER', NOT_IN_FILES.message, NOT_IN_FILES.hint);
    } else if (!(one instanceof DeclaredManifests) && !(isMap(one) && typeof one.kind === 'string')) {
      at.add(
        'EDGE_TYPE',
        `this is ${whatIs(one)}, not a Kubernetes object`,
        'write declared(HostNetworkNodePool, {…}), or an object with apiVersion and kind; an object of YAML is parsed first',
      );
    }
  });
};

/** What each site gets. */
export interface PlannedSites {
  readonly contents: readonly SiteContent[];
  readonly warnings: readonly EdgeWarning[];
}

/**
 * Plans what the sites get. Each has declarations of its own: a pool of one site is none of another.
 *
 * @throws {@link EdgeError} with all problems of all sites
 */
export function plannedSites(sites: readonly DeliveredManifests[], subject: string): PlannedSites {
  const problems = new ProblemList();
  const warnings: EdgeWarning[] = [];
  const clusters: SiteClusters[] = [];
  const contents = sites.map((site, index) => {
    const made = new SiteManifests(site, problems.at('sites', index), warnings);
    const content = made.content();
    clusters.push({ site, clusters: made.clusters });
    return content;
  });
  problems.throwIfAny(subject);
  return { contents, warnings: [...warnings, ...siteClusterWarnings(clusters, 'manifest')] };
}

/** The manifests of one site. */
class SiteManifests {
  private readonly declared = new Declarations();
  /** What is known when all manifests of the site are declared. */
  private readonly atEnd = new Map<Unknown, () => unknown>();
  private readonly place = {};

  constructor(
    private readonly site: DeliveredManifests,
    private readonly problems: ProblemList,
    private readonly warnings: EdgeWarning[],
  ) {}

  /** The clusters for which the manifests are, when they are planned. */
  public get clusters(): readonly EdgeCluster[] {
    return clustersAt(this.place, { declared: this.declared });
  }

  public content(): SiteContent {
    const planned = this.site.manifests.map((one, index) => this.planned(one, index));
    const known = new Map([...this.atEnd].map(([unknown, produce]) => [unknown, evaluate(produce(), new Map())]));
    const parts = planned.flatMap(({ objects, check }, index) => {
      const at = this.problems.at('manifests', index);
      check(at);
      return objects.map(({ object, apply }): SitePart => {
        const written = this.plain(object, known, at);
        return { file: this.site.name, objects: [written], isPartial: apply === 'patch' };
      });
    });
    return { site: this.site, parts };
  }

  private planned(
    one: DeliveredManifests['manifests'][number],
    index: number,
  ): { readonly objects: readonly PlannedObject[]; readonly check: (problems: ProblemList) => void } {
    const none = { objects: [], check: (): void => undefined };
    if (!(one instanceof DeclaredManifests)) {
      return { ...none, objects: [{ object: argumentsOf(one) as KubernetesObject, apply: 'create' }] };
    }
    const path = `sites[${index}]`;
    const leaves: Leaf[] = [];
    const args = argumentsOf(one.args, leaves);
    const scope: Scope = {
      path: `${this.site.name}, manifests[${index}]`,
      owner: one,
      place: this.place,
      declared: this.declared,
      unknown: leaves.map((leaf) => leaf.path),
      atEnd: (produce) => {
        const late = new Unknown(path);
        this.atEnd.set(late, produce);
        return late;
      },
    };
    try {
      const plan = withDeclaredObjects(one.plan(args as never, scope), scope);
      // that of two clusters is of a chart, and a site has its own
      const isOfChart = ({ code, path: at }: EdgeWarning): boolean => code === 'EDGE_WRONG_CLUSTER' && at === 'cluster';
      this.warn(
        plan.warnings.filter((warning) => !isOfChart(warning)),
        index,
      );
      return {
        // a stage that is not of patches has commands before it
        objects: plan.objects.filter(({ stage, apply }) => stage === undefined || apply === 'patch'),
        check: (problems) => this.warn(plan.atEnd?.(problems) ?? [], index),
      };
    } catch (error) {
      if (!(error instanceof EdgeError)) {
        throw error;
      }
      const at = this.problems.at('manifests', index);
      error.problems.forEach(({ code, path: inner, message, hint }) =>
        (inner === '' ? at : at.at(inner)).add(code, message, hint),
      );
      return none;
    }
  }

  private warn(found: readonly EdgeWarning[], index: number): void {
    const where = `sites[${this.site.name}].manifests[${index}]`;
    this.warnings.push(
      ...found
        .map(shownWarning)
        .map((each) => ({ ...each, path: `${where}${each.path === '' ? '' : '.'}${each.path}` })),
    );
  }

  /** An object as it is written: plain data. */
  private plain(object: unknown, known: ReadonlyMap<Unknown, unknown>, problems: ProblemList): KubernetesObject {
    const late = [...leavesIn(object)].filter((unknown) => !known.has(unknown));
    const written = late.length > 0 ? object : evaluate(object, known);
    if (holdsUnknown(written) || holdsUnknownText(written)) {
      problems.at(nameOf(object as KubernetesObject)).add('EDGE_KNOWN_LATER', NOT_IN_FILES.message, NOT_IN_FILES.hint);
      return { apiVersion: 'v1', kind: 'Unknown', metadata: { name: String(problems.path) } };
    }
    // as a file would have it: without what is undefined
    return JSON.parse(JSON.stringify(written)) as KubernetesObject;
  }
}

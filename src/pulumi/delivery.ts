// The entry point `edge-nodepools/pulumi/delivery`.
import './peers.js';
import * as pulumi from '@pulumi/pulumi';
import { type Plan, type PlannedObject, shownWarning } from '../cluster/plan.js';
import { type AppliedDelivery, checkAppliedDelivery, planAppliedDelivery } from '../delivery/applied-delivery.js';
import type { Delivered } from '../delivery/delivered.js';
import { type DeliveryReport, deliveryReport } from '../delivery/delivery-report.js';
import type { FleetDeliveryBaseProps } from '../delivery/fleet-delivery-props.js';
import { type DeliveryPlace, checkPlaces, placeOf } from '../delivery/delivery-places.js';
import { FORMER, checkFormer, withDeparted } from '../delivery/former-delivery.js';
import { EdgeError, type EdgeWarning, OUTPUT_REFUSED, ProblemList } from '../base/errors.js';
import { type KubernetesObject, nameOf } from '../kubernetes/object.js';
import { deliveredFolders } from '../delivery/fleet-delivery.js';
import { checkDeliveredFiles, formerText, recordFiles, staleFiles, writeDelivered } from '../base/output.js';
import type { PrintableReport } from '../base/table.js';
import { printManifests } from '../base/yaml-print.js';
import { isMisread, joinedDocuments, jsonDocument } from '../base/misread-text.js';
import { writeYaml } from '../base/yaml-writer.js';
import { isMap, requireTree } from '../base/plain-data.js';
import { type Check, refuseUnknown } from '../base/property-table.js';
import { EdgeComponent } from './component.js';
import { type Leaf, argumentsOf, evaluate, isOutput, leavesIn } from './outputs.js';
import { Program } from './program.js';
import { clustersAt, withDeclaredObjects } from '../cluster/declared-objects.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { Declarations, type Scope } from '../cluster/scope.js';
import type { SiteContent, SitePart } from '../delivery/delivered-site.js';
import type { DeliverySite } from '../delivery/delivery-site.js';
import { type SiteClusters, siteClusterWarnings } from '../delivery/site-clusters.js';
import { whatIs } from '../base/properties.js';
import { Unknown, holdsUnknown, holdsUnknownText } from '../base/unknown.js';
import { withInputErrors } from './input-errors.js';

export * from '../delivery/index.js';

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
const checkManifests: Check = (value, problems) => {
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
interface PlannedSites {
  readonly contents: readonly SiteContent[];
  readonly warnings: readonly EdgeWarning[];
}

/**
 * Plans what the sites get. Each has declarations of its own: a pool of one site is none of another.
 *
 * @throws {@link EdgeError} with all problems of all sites
 */
function plannedSites(sites: readonly DeliveredManifests[], subject: string): PlannedSites {
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

/**
 * The objects that a component would apply, as manifests of a site: made by {@link declared}.
 *
 * @category Deliver many clusters
 */
export class DeclaredManifests {
  /** @internal */
  public constructor(
    /** Name of the component. */
    public readonly kind: string,
    /** @internal */
    public readonly args: unknown,
    /** @internal */
    public readonly plan: (args: never, scope: Scope) => Plan<unknown>,
  ) {}
}

/**
 * What a component would apply, as manifests of a site: `declared(HostNetworkNodePool, { cluster, poolName: 'tills' })`. It makes no resource. Values that
 * get into a manifest are plain: a file is the same in each run, and everyone who reads the repository reads it.
 *
 * @param component a component of `edge-nodepools/pulumi`; not `EdgePreconditions`, which has commands between its steps, nor `BootstrapToken`, a secret
 * @param args its arguments
 * @throws InputPropertiesError with EDGE_TYPE
 * @category Deliver many clusters
 */
export function declared<Args>(
  component: new (name: string, args: Args, options?: pulumi.ComponentResourceOptions) => EdgeComponent,
  args: Args,
): DeclaredManifests {
  return withInputErrors(() => {
    const kind = typeof component === 'function' ? component.name : whatIs(component);
    const plan = planOf(component);
    if (plan === undefined) {
      throw new EdgeError('declared', [
        {
          code: 'EDGE_TYPE',
          path: 'component',
          message: `${kind} has no manifests that an engine delivers`,
          hint:
            kind === 'EdgePreconditions'
              ? 'prepare each cluster by its scripts, in their order (docs/preconditions.md)'
              : kind === 'BootstrapToken'
                ? 'a token in a repository is in plain text forever: create it in the cluster (docs/join-tokens.md)'
                : 'write declared(HostNetworkNodePool, {…}), or plain objects',
        },
      ]);
    }
    return new DeclaredManifests(kind, args, plan);
  });
}

/** The plan of a component of this library. A class that extends one may do more than its plan. */
function planOf(component: unknown): typeof EdgeComponent.plan {
  return typeof component === 'function' &&
    component.prototype instanceof EdgeComponent &&
    Object.hasOwn(component, 'plan')
    ? (component as unknown as typeof EdgeComponent).plan
    : undefined;
}

/**
 * Arguments of {@link FleetDelivery}. All of them are plain values.
 *
 * @category Deliver many clusters
 */
export interface FleetDeliveryArgs extends FleetDeliveryBaseProps {
  /** The sites. */
  readonly sites: readonly DeliveredManifests[];
  /** Folder of the files that are committed, or pushed to a registry. They are written by `pulumi up`, not by a preview.
   * @default dist */
  readonly folder?: string;
  /** Whether to remove the files that an earlier run wrote into the folder, and that are no longer written, such as those of a former site.
   * @default - they are reported */
  readonly prune?: boolean;
}

/**
 * Many clusters, delivered by Argo CD or Flux. The component applies the objects of the engine into the cluster of the provider, the hub, and `pulumi up`
 * writes the manifests of each site into `dist/sites/<name>`, in folders by layer; commit them, or push them to a registry. With engines in the sites
 * (`runsOn: 'sites'`) it applies nothing, and writes their objects, too.
 *
 * @category Deliver many clusters
 */
export class FleetDelivery extends EdgeComponent {
  /** The objects of the engine. */
  declare public readonly engineObjects: readonly KubernetesObject[];
  /** The resources of the objects of the engine; none if it runs in the sites. */
  declare public readonly resources: readonly pulumi.CustomResource[];
  private readonly delivered?: Delivered;

  /**
   * @param name name of the resource
   * @param args sites, source and engine
   * @param options options of the component; `provider` is that of the hub
   * @throws InputPropertiesError with all problems at once: the codes of the construct, and EDGE_KNOWN_LATER
   */
  constructor(name: string, args: FleetDeliveryArgs, options?: pulumi.ComponentResourceOptions) {
    const { sites, ...others } = args ?? {};
    // the state need not repeat what is in the repository
    super('FleetDelivery', name, { ...others, sites: namesOf(sites) }, options);
    if (options?.urn !== undefined) {
      return;
    }
    const folder = args?.folder ?? 'dist';
    const { attributes, resources } = this.render({}, () =>
      planned(args, `FleetDelivery ${name}`, folder, hubOf(options)),
    );
    this.engineObjects = attributes.plan.engineObjects;
    this.delivered = attributes.plan.delivered;
    this.resources = resources;
    if (!pulumi.runtime.isDryRun()) {
      this.write(name, attributes, folder, args.prune);
    }
    this.registerOutputs({});
  }

  /** What each site gets, in which wave, and what is wrong in it; `String(report)` is a table, `report.picture` the waves as SVG. */
  public get report(): PrintableReport<DeliveryReport> {
    // checked when it is read: a fleet has many sites
    return deliveryReport(this.delivered as Delivered);
  }

  /** Writes the files into the folder, and warns of those of an earlier run. */
  private write(name: string, { files }: AppliedDelivery, folder: string, prune: boolean | undefined): void {
    files.forEach((file) => writeDelivered(folder, file, documents));
    const stale = recordFiles(this, folder, new Set(files.map(({ path }) => path)), prune === true);
    if (stale.length > 0 && prune === undefined) {
      Program.current()
        .warnings.listFor(this, name)
        .add([staleFiles(folder, stale, 'prune: true')]);
    }
  }
}

function namesOf(sites: unknown): unknown[] {
  return Array.isArray(sites) ? sites.map((site: Partial<DeliveredManifests>) => site?.name) : [];
}

/** Where the deliveries of a program are. */
const deliveries = new WeakMap<Program, readonly DeliveryPlace[]>();

/** What identifies the cluster of the engine: the default provider, or what names another one. */
function hubOf({ provider, providers, parent }: pulumi.ComponentResourceOptions = {}): unknown {
  return provider ?? providers ?? parent;
}

/** The plan, when nothing is in the way of its files. */
function planned(args: FleetDeliveryArgs, subject: string, folder: string, hub: unknown): Plan<AppliedDelivery> {
  requireTree(args, subject);
  requirePlain(args, subject);
  checkAppliedDelivery(args ?? {}, subject, { manifests: checkManifests });
  const { contents, warnings } = plannedSites(args.sites, subject);
  const plan = planAppliedDelivery(args, contents, subject);
  const place = placeOf(plan.attributes.plan, { title: subject, folder, hub });
  const others = deliveries.get(Program.current()) ?? [];
  checkPlaces(place, others);
  const former = formerText(folder, FORMER);
  checkFormer(former, plan.attributes.plan.delivered, subject);
  const files = withDeparted(plan.attributes.files, former);
  checkDeliveredFiles(folder, files, deliveredFolders(args));
  deliveries.set(Program.current(), [...others, place]);
  return { ...plan, attributes: { ...plan.attributes, files }, warnings: [...plan.warnings, ...warnings] };
}

/** Refuses Outputs besides the manifests of sites: they decide which files and resources exist. */
function requirePlain(args: FleetDeliveryArgs, subject: string): void {
  const sites = Array.isArray(args?.sites)
    ? args.sites.map((site: unknown) => (isMap(site) ? { ...site, manifests: [] } : site))
    : args?.sites;
  const leaves: Leaf[] = [];
  argumentsOf({ ...args, sites }, leaves);
  const problems = new ProblemList();
  leaves.forEach(({ path }) => refuseUnknown(problems.at(path)));
  problems.throwIfAny(subject);
}

function documents(objects: readonly unknown[]): Generator<string> {
  const texts = objects.map((object) =>
    isMisread(object) ? jsonDocument(object) : (writeYaml(object) ?? printManifests([object])),
  );
  return joinedDocuments(texts, objects.length);
}

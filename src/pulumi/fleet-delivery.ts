import * as pulumi from '@pulumi/pulumi';
import type { Plan } from '../cluster/plan.js';
import { type AppliedDelivery, checkAppliedDelivery, planAppliedDelivery } from '../delivery/applied-delivery.js';
import type { Delivered } from '../delivery/delivered.js';
import { type DeliveryReport, deliveryReport } from '../delivery/delivery-report.js';
import type { FleetDeliveryBaseProps } from '../delivery/fleet-delivery-props.js';
import { checkPlaces, type DeliveryPlace, placeOf } from '../delivery/delivery-places.js';
import { checkFormer, FORMER } from '../delivery/former-delivery.js';
import { ProblemList } from '../base/errors.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { deliveredFolders } from '../delivery/fleet-delivery.js';
import { checkDeliveredFiles, formerText, staleFiles, writeDelivered } from '../base/delivered-files.js';
import { recordFiles } from '../base/synth-record.js';
import type { PrintableReport } from '../base/table.js';
import { printManifests } from '../base/yaml-print.js';
import { isMisread, jsonDocument } from '../base/misread-text.js';
import { writeYaml } from '../base/yaml-writer.js';
import { isMap, requireTree } from '../base/plain-data.js';
import { refuseUnknown } from '../base/property-table.js';
import { EdgeComponent } from './component.js';
import { argumentsOf, type Leaf } from './outputs.js';
import { Program } from './program.js';
import { checkManifests, type DeliveredManifests, plannedSites } from './site-manifests.js';

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
  checkFormer(formerText(folder, FORMER), plan.attributes.plan.delivered, subject);
  checkDeliveredFiles(folder, plan.attributes.files, deliveredFolders(args));
  deliveries.set(Program.current(), [...others, place]);
  return { ...plan, warnings: [...plan.warnings, ...warnings] };
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

function* documents(objects: readonly unknown[]): Generator<string> {
  for (const [index, object] of objects.entries()) {
    const text = isMisread(object) ? jsonDocument(object) : (writeYaml(object) ?? printManifests([object]));
    yield `${index === 0 ? '' : '---\n'}${text}`;
  }
}

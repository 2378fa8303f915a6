import { ApiObject, Chart, Names } from 'cdk8s';
import { Construct, type IConstruct } from 'constructs';
import type { Delivered } from '../delivery/delivered.js';
import type { SiteContent, SitePart } from '../delivery/delivered-site.js';
import type { DeliverySite } from '../delivery/delivery-site.js';
import {
  deliveredFolders,
  type DeliveryPlan,
  deliveryWarnings,
  planFleetDelivery,
  undeliveredWarnings,
} from '../delivery/fleet-delivery.js';
import { type DeliveryReport, deliveryReport } from '../delivery/delivery-report.js';
import { checkFolder } from '../delivery/delivery-places.js';
import { checkFormer, FORMER, withDeparted } from '../delivery/former-delivery.js';
import { checkFleetDelivery, type FleetDeliveryBaseProps } from '../delivery/fleet-delivery-props.js';
import { ProblemList } from '../base/errors.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { formerText } from '../base/output.js';
import type { PrintableReport } from '../base/table.js';
import { whatIs } from '../base/properties.js';
import type { EdgeSystemComponents } from './edge-system-components.js';
import { clustersAt } from '../cluster/declared-objects.js';
import { type SiteClusters, siteClusterWarnings } from '../delivery/site-clusters.js';
import { scopeOf } from './render.js';
import { parentOf } from './parent.js';
import { deliveredCharts } from './delivered-files.js';
import { isApp } from './tree.js';
import type { EdgePreconditions } from './edge-preconditions.js';
import { writeInsteadOfCharts } from './patches-folder.js';
import { asOneSynth, constructsIn } from './synth-run.js';
import { addLateWarnings, EdgeWarnings } from './warnings.js';

/**
 * A site of a {@link FleetDelivery}, with its charts.
 *
 * @category Deliver many clusters
 */
export interface DeliveredCharts extends DeliverySite {
  /** The charts of the site, with the charts in them. A chart can be a part of several sites. */
  readonly charts: readonly Chart[];
}

/**
 * Properties of {@link FleetDelivery}.
 *
 * @category Deliver many clusters
 */
export interface FleetDeliveryProps extends FleetDeliveryBaseProps {
  /** The sites. */
  readonly sites: readonly DeliveredCharts[];
}

/**
 * Many clusters, delivered by Argo CD or Flux. The synth writes the charts of each site into `sites/<name>`, in folders by layer, instead of files
 * of their own, and the objects of the engine beside them, into `argo-cd` or `flux`. What has not changed is not written again.
 *
 * @category Deliver many clusters
 */
export class FleetDelivery extends Construct {
  private readonly planned: (objectsOf: (chart: Chart) => readonly unknown[]) => DeliveryPlan;

  /**
   * @param scope the app, or a construct in it
   * @param id construct id
   * @param props sites, source and engine
   * @throws {@link EdgeError} with all problems at once: EDGE_NAME, EDGE_DUPLICATE, EDGE_MATCHES_NOTHING, EDGE_CONTRADICTION, EDGE_LABEL, EDGE_VALUE,
   * EDGE_UNUSED, EDGE_MISSING, EDGE_TYPE or EDGE_UNKNOWN_PROPERTY; the synth also with EDGE_STRATEGY, EDGE_SECRET, EDGE_SIZE and EDGE_ARTIFACT
   */
  constructor(scope: Construct, id: string, props: FleetDeliveryProps) {
    super(parentOf(scope, id, 'FleetDelivery', props), id);
    const subject = `FleetDelivery ${this.node.path}`;
    checkOnly(this, subject);
    checkFleetDelivery(props ?? {}, subject, { charts: checkCharts });
    this.planned = (objectsOf) =>
      planFleetDelivery(
        props,
        props.sites.map((site) => contentOf(site, objectsOf)),
        subject,
      );
    EdgeWarnings.add(this, deliveryWarnings(props, props.sites));
    addLateWarnings(this, () => [
      ...undeliveredWarnings(leftOf(this)),
      ...siteClusterWarnings(clustersIn(props.sites)),
    ]);
    writeInsteadOfCharts(this.node, {
      charts: () => props.sites.flatMap(({ charts }) => deliveredOf(charts, props.partials === 'engine')),
      files: (objectsOf) => {
        const { siteFiles, engineFiles, archives, delivered } = this.planned(objectsOf);
        const former = checkOutdir(this, delivered, subject);
        return [...siteFiles, ...withDeparted(engineFiles, former), ...archives];
      },
      sites: () => props.sites.map(({ name, charts }) => ({ name, charts: chartsIn(charts).whole })),
      folders: deliveredFolders(props),
    });
    deliveries.set(this.node.root, this);
  }

  /** The objects of the engine, as they are written. */
  public get engineObjects(): readonly KubernetesObject[] {
    return this.plan().engineObjects;
  }

  /** What each site gets, in which wave, and what is wrong in it; `String(report)` is a table, `report.picture` the waves as SVG. */
  public get report(): PrintableReport<DeliveryReport> {
    return deliveryReport(this.plan().delivered);
  }

  private plan(): DeliveryPlan {
    return asOneSynth(this, () => this.planned((chart) => chart.toJson() as unknown[]));
  }
}

/** The delivery of a tree. */
const deliveries = new WeakMap<IConstruct, FleetDelivery>();

/** Refuses a second delivery in one app: an engine reads the whole folder, and would deliver the sites of both. */
function checkOnly({ node: { root } }: FleetDelivery, subject: string): void {
  const other = deliveries.get(root);
  if (other !== undefined && constructsIn(root).includes(other)) {
    const problems = new ProblemList();
    problems
      .at('scope')
      .add(
        'EDGE_DUPLICATE',
        `the app has the FleetDelivery ${other.node.path} already, and an engine would deliver the sites of both`,
        "write another app with its own outdir, and another path in the repository: new EdgeApp({ outdir: 'dist-shops' }), and source: fromGit({ …, path: 'dist-shops' })",
      );
    problems.throwIfAny(subject);
  }
}

/** The record of the synth before, if there is one. */
function checkOutdir({ node: { root } }: FleetDelivery, delivered: Delivered, subject: string): string | undefined {
  if (!isApp(root)) {
    return undefined;
  }
  checkFolder(root, root.outdir, delivered, subject);
  const former = formerText(root.outdir, FORMER);
  checkFormer(former, delivered, subject);
  return former;
}

function checkCharts(value: unknown, problems: ProblemList): void {
  if (!Array.isArray(value) || value.length === 0) {
    problems.add(
      value === undefined ? 'EDGE_MISSING' : 'EDGE_TYPE',
      Array.isArray(value) ? 'there are no charts' : `the charts of the site are ${whatIs(value)}`,
      'write charts: [chart]',
    );
    return;
  }
  value.forEach((chart: unknown, index) => {
    if (!Chart.isChart(chart)) {
      problems.at(index).add('EDGE_TYPE', `this is ${whatIs(chart)}, not a chart`, 'write charts: [chart]');
    } else if (value.indexOf(chart) !== index) {
      problems.at(index).add('EDGE_DUPLICATE', `the chart ${chart.node.path} is listed twice`, 'name it once');
    }
  });
}

/** The charts of a list and those in them, and the charts of patches that their constructs make, which are elsewhere in the tree. */
function chartsIn(charts: readonly Chart[]): { readonly whole: readonly Chart[]; readonly partial: readonly Chart[] } {
  const constructs = charts.flatMap((chart) => chart.node.findAll());
  const partial = constructs.flatMap((construct) => (construct as Partial<EdgeSystemComponents>).patchChart ?? []);
  const whole = constructs.filter((construct) => Chart.isChart(construct) && !partial.includes(construct)) as Chart[];
  return { whole: [...new Set(whole)], partial: [...new Set(partial)] };
}

/** The sites with the clusters for which their charts are. */
function clustersIn(sites: readonly DeliveredCharts[]): SiteClusters[] {
  return sites.map((site) => ({
    site,
    clusters: chartsIn(site.charts).whole.flatMap((chart) => clustersAt(chart, scopeOf(chart))),
  }));
}

/** Paths of the charts with objects that no delivery of the app has; for the first of its deliveries. */
function leftOf(delivery: FleetDelivery): string[] {
  const { root } = delivery.node;
  const all = constructsIn(root);
  if (!isApp(root) || all.find((construct) => construct instanceof FleetDelivery) !== delivery) {
    return [];
  }
  // patches and steps of preconditions are applied by hand
  const apart = all.flatMap((construct): readonly unknown[] => {
    const { patchChart, stepCharts = [] } = construct as Partial<EdgeSystemComponents & EdgePreconditions>;
    return [patchChart, ...stepCharts];
  });
  const delivered = deliveredCharts(root);
  const charts = new Set(all.flatMap((one) => (ApiObject.isApiObject(one) ? [Chart.of(one)] : [])));
  return [...charts].filter((chart) => !delivered.has(chart) && !apart.includes(chart)).map(({ node }) => node.path);
}

function deliveredOf(charts: readonly Chart[], withPartial: boolean): readonly Chart[] {
  const { whole, partial } = chartsIn(charts);
  return withPartial ? [...whole, ...partial] : whole;
}

function contentOf(site: DeliveredCharts, objectsOf: (chart: Chart) => readonly unknown[]): SiteContent {
  const { whole, partial } = chartsIn(site.charts);
  const partOf = (chart: Chart, isPartial: boolean): SitePart => ({
    file: Names.toDnsLabel(chart),
    objects: objectsOf(chart).filter((object) => object !== undefined) as KubernetesObject[],
    isPartial,
  });
  return {
    site,
    parts: [...whole.map((chart) => partOf(chart, false)), ...partial.map((chart) => partOf(chart, true))],
  };
}

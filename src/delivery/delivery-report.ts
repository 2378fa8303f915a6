import { checkManifests } from '../fleet/check-manifests.js';
import type { Finding } from '../fleet/finding.js';
import { nameOf } from '../kubernetes/object.js';
import { type PrintableReport, printable, textTable, wrappedText } from '../base/table.js';
import type { Delivered } from './delivered.js';
import { type DeliveryLayer, LAYERS } from './delivery-layer.js';
import { LARGEST_OBJECT, countOf, engineBytesOf } from './engine-size.js';
import { engineName } from './delivery-engine.js';
import { svgPicture, svgText, textWidth } from '../base/svg.js';

/**
 * What a site gets.
 *
 * @category Deliver many clusters
 */
export interface DeliveredSiteReport {
  /** Name of the site. */
  readonly site: string;
  /** Its wave. */
  readonly wave: number;
  /** Number of objects in each layer. */
  readonly layers: Readonly<Record<DeliveryLayer, number>>;
  /** Names of the objects in each layer, `NodePool tills`. */
  readonly delivered: Readonly<Record<DeliveryLayer, readonly string[]>>;
  /** Number of objects. */
  readonly objects: number;
  /** Size of the objects as JSON, in bytes. */
  readonly bytes: number;
  /** Size that the object of the engine for the largest part of the site has, in bytes, about: it lists all objects in its status. */
  readonly engineBytes: number;
  /** What is wrong in the manifests of the site, as `edge-nodepools check` finds it. */
  readonly findings: readonly Finding[];
}

/**
 * What a delivery does.
 *
 * @category Deliver many clusters
 */
export interface DeliveryReport {
  /** The sites, in the order of the program. */
  readonly sites: readonly DeliveredSiteReport[];
  /** The waves in their order, with the names of their sites: one, if there is no rollout. */
  readonly waves: readonly { readonly wave: number; readonly sites: readonly string[] }[];
  /** The waves as SVG, for a page. */
  readonly picture: string;
}

/** Reports what a delivery does, and checks the manifests of each site. */
export function deliveryReport(all: Delivered): PrintableReport<DeliveryReport> {
  const sites = all.sites.map((site): DeliveredSiteReport => {
    const objects = [...site.layers.values()].flat().flatMap(({ objects: list = [] }) => list);
    const layers = Object.fromEntries(LAYERS.map((layer) => [layer, countOf(site.layers.get(layer))]));
    const delivered = Object.fromEntries(
      LAYERS.map((layer) => [
        layer,
        (site.layers.get(layer) ?? []).flatMap(({ objects: list = [] }) => list.map(nameOf)),
      ]),
    );
    // a part of an object of others is no manifest to check
    const checked = LAYERS.filter((layer) => layer !== 'patches').flatMap((layer) =>
      (site.layers.get(layer) ?? []).flatMap(({ objects: list = [] }) => list),
    );
    return {
      site: site.site.name,
      wave: site.site.wave ?? 0,
      layers: layers as Record<DeliveryLayer, number>,
      delivered: delivered as Record<DeliveryLayer, string[]>,
      objects: objects.length,
      bytes: objects.reduce((sum, object) => sum + Buffer.byteLength(JSON.stringify(object)), 0),
      engineBytes: engineBytesOf(all, site),
      findings: checked.length === 0 ? [] : checkManifests(checked).findings,
    };
  });
  const { steps } = all;
  const waves =
    steps === undefined
      ? [{ wave: 0, sites: sites.map(({ site }) => site) }]
      : steps.map(({ wave }) => ({ wave, sites: sites.filter((each) => each.wave === wave).map(({ site }) => site) }));
  const report = { sites, waves, picture: wavesPicture(waves) };
  return printable(report, (each) => tableOf(each, all));
}

function tableOf({ sites, waves }: DeliveryReport, { engine, steps }: Delivered): string {
  const rows = waves.flatMap(({ wave, sites: names }) =>
    names.map((name) => {
      const row = sites.find(({ site }) => site === name) as DeliveredSiteReport;
      const errors = row.findings.filter(({ level }) => level === 'error').length;
      return [
        steps === undefined ? '-' : String(wave),
        name,
        ...LAYERS.map((layer) => String(row.layers[layer])),
        sizeText(row.bytes),
        `${Math.ceil((row.engineBytes / LARGEST_OBJECT) * 100)} %`,
        row.findings.length === 0
          ? '-'
          : `${counted(errors, 'error')}, ${counted(row.findings.length - errors, 'warning')}`,
      ];
    }),
  );
  return [
    textTable(['WAVE', 'SITE', ...LAYERS.map((layer) => layer.toUpperCase()), 'SIZE', 'OF LIMIT', 'FINDINGS'], rows),
    '',
    wrappedText(
      `OF LIMIT: status of the largest object of ${engineName(engine.engine)} for the site, about, of 1.5 MiB`,
    ),
  ].join('\n');
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function sizeText(bytes: number): string {
  return bytes < 10_000 ? `${bytes} B` : `${Math.round(bytes / 1000)} kB`;
}

/** A wave with its sites. */
interface Wave {
  readonly wave: number;
  readonly sites: readonly string[];
}

const [ROW, HEAD, MARGIN, GAP] = [22, 40, 12, 36];
const MOST_SITES = 12;

/** Waves beside each other, each with its sites; an arrow leads to the next. */
function wavesPicture(waves: readonly Wave[]): string {
  const lines = waves.map(({ sites }) => [
    ...sites.slice(0, MOST_SITES),
    ...(sites.length > MOST_SITES ? [`and ${sites.length - MOST_SITES} more`] : []),
  ]);
  const width = Math.ceil(Math.max(80, ...lines.flat().map((line) => textWidth(line)))) + 2 * MARGIN;
  const height = HEAD + Math.max(1, ...lines.map((list) => list.length)) * ROW;
  const places = waves.map(({ wave, sites }, index) => {
    const x = MARGIN + index * (width + GAP);
    const middle = MARGIN + height / 2;
    return [
      `<rect class="place" x="${x}" y="${MARGIN}" width="${width}" height="${height}" rx="8"/>`,
      svgText(x + MARGIN, MARGIN + 18, waves.length === 1 ? 'all at once' : `wave ${wave}`),
      svgText(x + MARGIN, MARGIN + 33, `${sites.length} ${sites.length === 1 ? 'site' : 'sites'}`, 'small'),
      ...(lines[index] ?? []).map((line, row) => svgText(x + MARGIN, MARGIN + HEAD + row * ROW + 14, line)),
      ...(index + 1 < waves.length
        ? [`<path class="then" d="M ${x + width + 6} ${middle} h ${GAP - 14} m -6 -5 l 6 5 l -6 5"/>`]
        : []),
    ].join('');
  });
  return svgPicture({
    title: 'In which order a change reaches the sites',
    width: MARGIN + waves.length * (width + GAP) - GAP + MARGIN,
    height: height + 2 * MARGIN,
    light: ['.then { stroke: #59636e; stroke-width: 1.5; fill: none; }'],
    dark: ['.then { stroke: #656c76; }'],
    parts: places,
  });
}

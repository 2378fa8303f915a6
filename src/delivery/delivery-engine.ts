import { type EdgeWarning, ProblemList } from '../base/errors.js';
import { checkDuration, secondsOf, timeText } from '../kubernetes/duration.js';
import { checkNamespace, checkObjectName } from '../kubernetes/names.js';
import { isMap, requireTree } from '../base/plain-data.js';
import { checkBoolean, showValue } from '../base/properties.js';
import { type Check, checkProperties, oneOf, optional, type PropertyTable } from '../base/property-table.js';

/**
 * Properties of Argo CD and Flux.
 *
 * @category Deliver many clusters
 */
export interface DeliveryEngineProps {
  /** Namespace of the engine, and of its objects.
   * @default - argocd or flux-system */
  readonly namespace?: string;
  /** Whether one engine in a cluster of its own, the hub, delivers to all sites, or each site has an engine that delivers to itself. An engine in the site
   * goes on while the site is offline, and needs no way from outside into the site; a hub shows and orders all sites.
   * @default hub */
  readonly runsOn?: 'hub' | 'sites';
  /** Whether the engine also delivers its own objects, from the same source: a new site is then delivered by a commit alone. They are applied by hand once.
   * @default true */
  readonly selfManaged?: boolean;
}

/**
 * Properties of {@link argoCd}.
 *
 * @category Deliver many clusters
 */
export interface ArgoCdProps extends DeliveryEngineProps {
  /** Project of the applications, if it exists already.
   * @default - a project of the name of the delivery, with its repository and its clusters only */
  readonly project?: string;
}

/**
 * Properties of {@link flux}.
 *
 * @category Deliver many clusters
 */
export interface FluxProps extends DeliveryEngineProps {
  /** How often a site is compared with its manifests without a change of them. Each site gets a time of its own, up to a tenth shorter or longer, so that
   * not all begin at once. Text such as `1h`, or a number of seconds; so are the other times.
   * @default 1h */
  readonly interval?: string | number;
  /** How often the source is asked for a change; one that only a site reads at a time of its own, too.
   * @default 5m */
  readonly sourceInterval?: string | number;
  /** After which time a failed site is tried again, for example one that was offline.
   * @default 2m */
  readonly retryInterval?: string | number;
  /** How long an apply of a layer, with the health of pools and policies, may take.
   * @default 5m */
  readonly timeout?: string | number;
  /** Service account of the cluster that is delivered to, with whose permissions everything is applied. The layers of a site need permissions for all
   * their kinds.
   * @default - that of the controller, or of the kubeconfig */
  readonly serviceAccountName?: string;
  /** Secret with the keys by which Flux decrypts Secrets of SOPS.
   * @default - nothing is decrypted */
  readonly sopsSecretName?: string;
}

/**
 * Argo CD as the engine, made by {@link argoCd}.
 *
 * @category Deliver many clusters
 */
export interface ArgoCdEngine extends ArgoCdProps {
  /** What it is. */
  readonly engine: 'argo-cd';
}

/**
 * Flux as the engine, made by {@link flux}.
 *
 * @category Deliver many clusters
 */
export interface FluxEngine extends FluxProps {
  /** What it is. */
  readonly engine: 'flux';
}

/** An engine. */
export type DeliveryEngine = ArgoCdEngine | FluxEngine;

const COMMON: PropertyTable<DeliveryEngineProps> = {
  namespace: optional(checkNamespace),
  runsOn: oneOf('hub', 'sites'),
  selfManaged: checkBoolean,
};

const ARGO_CD: PropertyTable<ArgoCdProps> = { ...COMMON, project: optional(checkObjectName) };

/** A time of Flux, which asks again without a pause for less than a second. */
const time: Check = (value, problems) => {
  checkDuration(value, problems);
  const seconds = secondsOf(value);
  if (seconds !== undefined && seconds < 1) {
    problems.add(
      'EDGE_VALUE',
      `${showValue(value)} is less than a second`,
      "write '1m' or more; a number is one of seconds",
    );
  }
};

const FLUX: PropertyTable<FluxProps> = {
  ...COMMON,
  interval: time,
  sourceInterval: time,
  retryInterval: time,
  timeout: time,
  serviceAccountName: optional(checkObjectName),
  sopsSecretName: optional(checkObjectName),
};

/**
 * Argo CD delivers, from 3.2 on.
 *
 * @param props where it runs
 * @throws {@link EdgeError} with EDGE_NAME, EDGE_VALUE, EDGE_TYPE or EDGE_UNKNOWN_PROPERTY
 * @category Deliver many clusters
 */
export function argoCd(props: ArgoCdProps = {}): ArgoCdEngine {
  return { engine: 'argo-cd', ...checked('argoCd', props, ARGO_CD) };
}

/**
 * Flux delivers, from 2.5 on; from a registry and in each site from 2.6 on.
 *
 * @param props where it runs, and how often it compares
 * @throws {@link EdgeError} with EDGE_NAME, EDGE_VALUE, EDGE_TYPE or EDGE_UNKNOWN_PROPERTY
 * @category Deliver many clusters
 */
export function flux(props: FluxProps = {}): FluxEngine {
  return { engine: 'flux', ...checked('flux', props, FLUX) };
}

function checked<Props extends object>(subject: string, props: Props, table: PropertyTable<Props>): Props {
  requireTree(props, subject);
  const problems = new ProblemList();
  checkProperties(props ?? {}, table, problems);
  problems.throwIfAny(subject);
  return props;
}

/** Checks the engine of a delivery. */
export function checkEngine(value: unknown, problems: ProblemList): void {
  if (!isMap(value) || !['argo-cd', 'flux'].includes(value.engine as string)) {
    problems.add(
      value === undefined ? 'EDGE_MISSING' : 'EDGE_TYPE',
      'the engine that delivers is required',
      'write engine: argoCd() or flux()',
    );
    return;
  }
  // one that argoCd() and the others have made is checked already; a plain object has the type, too
  const { engine, ...props } = value;
  const tables = { 'argo-cd': ARGO_CD, flux: FLUX };
  checkProperties(props, tables[engine as DeliveryEngine['engine']] as PropertyTable<object>, problems);
}

/** The namespace of an engine. */
export function namespaceOf({ engine, namespace }: ArgoCdEngine | FluxEngine): string {
  return namespace ?? (engine === 'flux' ? 'flux-system' : 'argocd');
}

/** Whether each site has an engine of its own. */
export function runsInSites(engine: DeliveryEngine): boolean {
  return engine.runsOn === 'sites';
}

/** The name of an engine in messages. */
export function engineName(engine: DeliveryEngine['engine']): string {
  return { 'argo-cd': 'Argo CD', flux: 'Flux' }[engine];
}

/** Longer times are not meant, but milliseconds. */
const DAY = 86_400;

/** Warns of a number that was meant as milliseconds, as a time of JavaScript is. */
export function engineWarnings(engine: DeliveryEngine): EdgeWarning[] {
  const times = engine.engine === 'flux' ? engine : {};
  return [...oftenCompared(times), ...milliseconds(times)];
}

/** Below this all sites are compared so often that the controller does nothing else. */
const SHORTEST = 60;

function oftenCompared({ interval }: FluxProps): EdgeWarning[] {
  const seconds = interval === undefined ? undefined : secondsOf(interval);
  return seconds === undefined || seconds >= SHORTEST
    ? []
    : [
        {
          code: 'EDGE_VALUE',
          path: 'engine.interval',
          message: `each layer of each site is compared every ${timeText(seconds)}; a change in the source does not wait for it`,
          hint: "write '1m' or more, or leave it out",
        },
      ];
}

function milliseconds(times: FluxProps): EdgeWarning[] {
  return (['interval', 'sourceInterval', 'retryInterval', 'timeout'] as const).flatMap((field): EdgeWarning[] => {
    const value = times[field];
    return typeof value === 'number' && value % 1000 === 0 && (value > DAY || (value >= DAY / 2 && value % 3600 !== 0))
      ? [
          {
            code: 'EDGE_VALUE',
            path: `engine.${field}`,
            message: `a number is one of seconds: ${value} are ${timeText(value)}`,
            hint: `write ${value / 1000} for ${timeText(value / 1000)}, or text with a unit, '${Math.round(value / 3600)}h'`,
          },
        ]
      : [];
  });
}

import { ProblemList } from '../base/errors.js';
import { isMap } from '../base/plain-data.js';
import { quoted } from '../base/properties.js';
import {
  type Check,
  checkedElsewhere,
  checkProperties,
  oneOf,
  optional,
  type PropertyTable,
} from '../base/property-table.js';
import { isDnsLabel } from '../kubernetes/names.js';
import { type ArgoCdEngine, checkEngine, type DeliveryEngine, type FluxEngine } from './delivery-engine.js';
import { checkSites, type DeliverySite } from './delivery-site.js';
import { checkSource, type GitSource, type OciSource } from './delivery-source.js';
import { checkRollout, type DeliveryRollout } from './delivery-rollout.js';
import { checkComponents, type DeliveredComponent } from './partial-objects.js';

/**
 * Properties of a {@link FleetDelivery}, in both bindings; only what a site gets differs between them.
 *
 * @category Deliver many clusters
 */
export interface FleetDeliveryBaseProps {
  /** Name of the delivery: of the engine's objects, whose names begin with it. An RFC 1123 label.
   * @default fleet */
  readonly name?: string;
  /** Where the engine reads the manifests. */
  readonly source: GitSource | OciSource;
  /** What delivers. */
  readonly engine: ArgoCdEngine | FluxEngine;
  /** In which order a change reaches the sites: by `wave` of the sites.
   * @default - all at once */
  readonly rollout?: DeliveryRollout;
  /** What becomes of objects that the program no longer has, and of the objects of a site that it no longer has: `keep` leaves them in the cluster, `prune`
   * deletes them. Patches of objects of others are never deleted: that would delete the object.
   * @default keep */
  readonly deletion?: 'keep' | 'prune';
  /** What becomes of partial objects, the patches of `EdgeSystemComponents`. `refuse`: they are an error, which names what does the same. `engine`: the
   * engine applies those that hold, and the others are errors. `apart`: they are written beside the delivery, into `patches`, and no engine applies them.
   * @default refuse */
  readonly partials?: 'refuse' | 'engine' | 'apart';
  /** How the components are installed that the partial objects patch, by kind, namespace and name: `DaemonSet kube-flannel/kube-flannel-ds`, as in the report
   * of EdgeSystemComponents.
   * @default - as their projects install them */
  readonly components?: Record<string, DeliveredComponent>;
}

/** The properties with their sites. */
export interface FleetDeliveryInput extends FleetDeliveryBaseProps {
  readonly sites: readonly DeliverySite[];
}

const TABLE: PropertyTable<FleetDeliveryInput> = {
  name: optional((value, problems) => {
    if (typeof value !== 'string' || !isDnsLabel(value)) {
      problems.add(
        'EDGE_NAME',
        `${quoted(value)} is not a name: lower-case letters, digits and "-"`,
        "write name: 'fleet'",
      );
    }
  }),
  sites: checkedElsewhere,
  source: checkedElsewhere,
  engine: checkEngine,
  rollout: checkedElsewhere,
  deletion: oneOf('keep', 'prune'),
  partials: oneOf('refuse', 'engine', 'apart'),
  components: checkComponents,
};

/** What the engines call it. */
const ADVICE: Readonly<Record<string, string>> = {
  prune: "write deletion: 'prune' or deletion: 'keep'",
  clusters: 'did you mean sites?',
  charts: 'write them in a site: sites: [{ name, … }]',
  waves: 'write rollout: {}, and wave in each site',
  interval: "write engine: flux({ interval: '1h' })",
  namespace: 'it is that of the engine: argoCd({ namespace }) or flux({ namespace })',
};

export const DELIVERY_NAME = 'fleet';

/** Names of sites can be as long as this, whatever the name of the delivery. */
const SHORTEST_NAME = 10;

/** The longest value of a label, which the engines make of the names of their objects. */
const LABEL_LENGTH = 63;

/**
 * Checks the properties of a delivery, as far as they do not depend on the objects.
 *
 * @param content checks of what a site gets
 * @param own checks of the properties that only this binding has
 * @throws {@link EdgeError} with all problems at once
 */
export function checkFleetDelivery(
  given: object,
  subject: string,
  content: Readonly<Record<string, Check>>,
  own: Readonly<Record<string, Check>> = {},
): void {
  const props = given as Partial<FleetDeliveryInput>;
  const problems = new ProblemList();
  checkProperties(props, { ...TABLE, ...own } as PropertyTable<object>, problems, ADVICE);
  const engine =
    isMap(props.engine) && problems.problems.every(({ path }) => path !== 'engine')
      ? (props.engine as DeliveryEngine)
      : undefined;
  checkSource(props.source, problems.at('source'));
  const longest = engine && longestName(props.name, engine);
  const isTooLong = longest !== undefined && longest.characters < SHORTEST_NAME;
  if (isTooLong) {
    problems
      .at('name')
      .add(
        'EDGE_NAME',
        `${quoted(props.name)} leaves no characters for the names of sites: ${longest.because}`,
        `write a name of at most ${String(props.name).length + longest.characters - SHORTEST_NAME} characters`,
      );
  }
  const areSites = checkSites(props.sites, engine, content, isTooLong ? undefined : longest, problems.at('sites'));
  if (engine !== undefined && areSites) {
    checkRollout(props.rollout, props.sites, engine, props.source, problems.at('rollout'));
  }
  problems.throwIfAny(subject);
}

/** Flux labels every object with the name of its Kustomization, Argo CD with that of its Application if it tracks by label. */
function longestName(name: unknown, engine: DeliveryEngine): { readonly characters: number; readonly because: string } {
  const prefix = `${typeof name === 'string' ? name : DELIVERY_NAME}-`;
  const suffix = engine.engine === 'flux' ? '-workloads' : '-patches';
  const example = `${prefix}…${suffix}`;
  return {
    characters: LABEL_LENGTH - prefix.length - suffix.length,
    because:
      engine.engine === 'flux'
        ? `Flux labels all objects with the name of their Kustomization, ${example}, and a label has at most ${LABEL_LENGTH}`
        : `Argo CD may label all objects with the name of their Application, ${example}, and a label has at most ${LABEL_LENGTH}`,
  };
}

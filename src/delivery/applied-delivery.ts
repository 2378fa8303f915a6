import type { Plan, PlannedObject } from '../cluster/plan.js';
import { nameOf } from '../kubernetes/object.js';
import { isMap } from '../base/plain-data.js';
import { checkBoolean, quoted } from '../base/properties.js';
import { type Check, optional } from '../base/property-table.js';
import type { DeliveryFile, SiteContent } from './delivered-site.js';
import { checkEngine, runsInSites } from './delivery-engine.js';
import { type DeliveryPlan, deliveryWarnings, planFleetDelivery } from './fleet-delivery.js';
import { checkFleetDelivery, type FleetDeliveryBaseProps } from './fleet-delivery-props.js';
import { GATES } from './flux.js';

/** What a delivery writes whose program applies the objects of the engine itself. */
export interface AppliedDelivery {
  readonly plan: DeliveryPlan;
  /** What is committed or pushed. */
  readonly files: readonly DeliveryFile[];
}

const folder: Check = optional((value, problems) => {
  if (typeof value !== 'string' || value.trim() === '') {
    problems.add('EDGE_VALUE', `${quoted(value)} is not a folder`, "write folder: 'dist'");
  }
});

/** The program applies the objects of the engine: with another who does, each would take what the other has written. */
const engine: Check = (value, problems) => {
  checkEngine(value, problems);
  if (isMap(value) && value.selfManaged === true && value.runsOn !== 'sites') {
    problems
      .at('selfManaged')
      .add(
        'EDGE_CONTRADICTION',
        'this program applies the objects of the engine, so the engine must not deliver them, too',
        'leave selfManaged out',
      );
  }
};

/**
 * Checks the properties, as far as they do not depend on the objects.
 *
 * @param content check of what a site gets
 * @throws {@link EdgeError} with all problems at once
 */
export function checkAppliedDelivery(given: object, subject: string, content: Readonly<Record<string, Check>>): void {
  checkFleetDelivery(given, subject, content, { engine, folder, prune: checkBoolean });
}

/**
 * Plans a delivery whose program applies the objects of the engine into the cluster of the engine, and writes the rest. The objects of engines that run in
 * the sites are written, too: they belong into other clusters.
 *
 * @throws {@link EdgeError} with all problems at once
 */
export function planAppliedDelivery(
  props: FleetDeliveryBaseProps,
  contents: readonly SiteContent[],
  subject: string,
): Plan<AppliedDelivery> {
  const isHub = !runsInSites(props.engine);
  const given = isHub ? { ...props, engine: { ...props.engine, selfManaged: false } } : props;
  const plan = planFleetDelivery(given, contents, subject);
  const written = isHub ? plan.engineFiles.filter(({ objects, path }) => !objects || isOfGate(path)) : plan.engineFiles;
  return {
    subject,
    objects: isHub ? planned(plan) : [],
    attributes: { plan, files: [...plan.siteFiles, ...written, ...plan.archives] },
    warnings: deliveryWarnings(
      props,
      contents.map(({ site }) => site),
    ),
    artifacts: [],
  };
}

/** A gate applies an object of its own, which it reads where it reads those of sites. */
function isOfGate(path: string): boolean {
  return path.startsWith(`${GATES}/`);
}

/** The project or the source first, and all others at once after it: of a thousand sites none waits for another. */
function planned({ engineObjects }: DeliveryPlan): PlannedObject[] {
  const [first, ...others] = engineObjects;
  if (first === undefined) {
    return [];
  }
  const begin: PlannedObject = { object: first, apply: 'create', id: nameOf(first) };
  return [
    begin,
    ...others.map((object): PlannedObject => ({ object, apply: 'create', id: nameOf(object), after: [begin] })),
  ];
}

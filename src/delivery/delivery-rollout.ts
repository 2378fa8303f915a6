import type { EdgeWarning, ProblemList } from '../base/errors.js';
import { isMap } from '../base/plain-data.js';
import { showValue, whatIs } from '../base/properties.js';
import {
  type Check,
  checkProperties,
  listOf,
  oneOf,
  optional,
  type PropertyTable,
  wholeNumber,
} from '../base/property-table.js';
import { type DeliveryEngine, runsInSites } from './delivery-engine.js';
import type { DeliverySite } from './delivery-site.js';
import type { GitSource, OciSource } from './delivery-source.js';

/**
 * A step of a {@link DeliveryRollout}.
 *
 * @category Deliver many clusters
 */
export interface DeliveryStep {
  /** The sites of this wave. */
  readonly wave: number;
  /** How many of them change at once: a number, or a share such as `25%` (Argo CD only).
   * @default - all */
  readonly atOnce?: number | string;
}

/**
 * The order in which a change reaches the sites.
 *
 * @category Deliver many clusters
 */
export interface DeliveryRollout {
  /** The steps in their order. Each begins when all sites of the one before are healthy; so sites that are often offline belong into the last.
   * @default - a step for each wave of the sites, in the order of their numbers */
  readonly steps?: readonly DeliveryStep[];
  /** What starts the steps after the first: `automatic`, that all sites of the step before are healthy; `manual` (Argo CD only), a person who syncs them.
   * @default automatic */
  readonly gate?: 'automatic' | 'manual';
}

const STEP: PropertyTable<DeliveryStep> = {
  wave: (value, problems) => {
    if (value === undefined) {
      problems.add('EDGE_MISSING', 'a step needs a wave', 'write { wave: 0 }');
    } else {
      wholeNumber(0)(value, problems);
    }
  },
  atOnce: optional((value, problems) => {
    const isShare = typeof value === 'string' && /^([1-9]\d?|100)%$/.test(value);
    if (!isShare && !(typeof value === 'number' && Number.isInteger(value) && value > 0)) {
      problems.add(
        'EDGE_VALUE',
        `${showValue(value)} is not a number of sites, nor a share of them`,
        "write 10 or '25%'",
      );
    }
  }),
};

const step: Check = (value, problems) => {
  if (!isMap(value)) {
    problems.add('EDGE_TYPE', `the step is ${whatIs(value)}`, 'write { wave: 0 }');
    return;
  }
  checkProperties(value, STEP, problems);
};

const ROLLOUT: PropertyTable<DeliveryRollout> = {
  steps: listOf(step, 'write steps: [{ wave: 0 }, { wave: 1 }]'),
  gate: oneOf('automatic', 'manual'),
};

/** Checks a rollout against the waves of the sites. */
export function checkRollout(
  value: unknown,
  sites: readonly DeliverySite[],
  engine: DeliveryEngine,
  source: GitSource | OciSource | undefined,
  problems: ProblemList,
): void {
  if (value === undefined) {
    return;
  }
  if (!isMap(value)) {
    problems.add(
      'EDGE_TYPE',
      `the rollout is ${whatIs(value)}`,
      'write rollout: { steps: [{ wave: 0 }, { wave: 1 }] }',
    );
    return;
  }
  const count = problems.problems.length;
  checkProperties(value, ROLLOUT, problems);
  if (problems.problems.length > count) {
    return;
  }
  if (runsInSites(engine)) {
    problems.add(
      'EDGE_CONTRADICTION',
      'the engines of the sites do not know of each other, so none waits for another',
      "write runsOn: 'hub', or leave rollout out and give the sites a tag each, which you move",
    );
    return;
  }
  if (engine.engine === 'flux' && source?.source === 'oci') {
    // kustomize-controller compares revisions only of one source (checkDependencies)
    problems.add(
      'EDGE_CONTRADICTION',
      'each site has an artifact of its own, so Flux does not know whether a site has the change for which another one waits',
      'leave rollout out and push the artifacts of the waves one after another; or write fromGit({…})',
    );
    return;
  }
  const rollout = value as DeliveryRollout;
  const steps = stepsOf(rollout, sites);
  const waves = new Set(sites.map(({ wave = 0 }) => wave));
  const seen = new Set<number>();
  steps.forEach(({ wave, atOnce }, index) => {
    const at = problems.at('steps', index);
    if (!waves.has(wave)) {
      at.at('wave').add(
        'EDGE_MATCHES_NOTHING',
        `no site is in wave ${wave}`,
        `write one of the waves of the sites: ${[...waves].sort((a, b) => a - b).join(', ')}`,
      );
    }
    if (seen.has(wave)) {
      at.at('wave').add('EDGE_DUPLICATE', `wave ${wave} is in an earlier step`, 'name each wave once');
    }
    seen.add(wave);
    if (atOnce !== undefined && engine.engine === 'flux') {
      at.at('atOnce').add(
        'EDGE_CONTRADICTION',
        'Flux changes all sites of a wave at once',
        'make more waves of fewer sites, and leave atOnce out',
      );
    }
    if (atOnce !== undefined && engine.engine === 'argo-cd' && rollout.gate === 'manual' && index > 0) {
      at.at('atOnce').add(
        'EDGE_CONTRADICTION',
        'a person syncs the sites of this step, so none changes by itself',
        "leave atOnce out, or write gate: 'automatic'",
      );
    }
  });
  const missing = [...waves].filter((wave) => !seen.has(wave)).sort((a, b) => a - b);
  if (missing.length > 0) {
    problems
      .at('steps')
      .add(
        'EDGE_MISSING',
        `no step has the sites of wave ${missing.join(', ')}, so they would never change: ${firstOf(
          sites.filter(({ wave = 0 }) => missing.includes(wave)),
        )}`,
        `give them another wave, or add ${missing.map((wave) => `{ wave: ${wave} }`).join(', ')}`,
      );
  }
  if (rollout.gate === 'manual' && engine.engine === 'flux') {
    problems
      .at('gate')
      .add('EDGE_CONTRADICTION', 'Flux has no step that a person starts', "write gate: 'automatic', or leave it out");
  }
}

function firstOf([first, ...others]: readonly DeliverySite[]): string {
  return `${first?.name}${others.length === 0 ? '' : ` and ${others.length} more`}`;
}

/** Warns of a gate before no step. */
export function gateWarnings(rollout: DeliveryRollout | undefined, sites: readonly DeliverySite[]): EdgeWarning[] {
  return rollout?.gate === undefined || stepsOf(rollout, sites).length > 1
    ? []
    : [
        {
          code: 'EDGE_UNUSED',
          path: 'rollout.gate',
          message: 'the gate has no effect: it is before the steps after the first, and there is one step',
          hint: 'give the sites waves, or leave gate out',
        },
      ];
}

/** Warns of sites without a wave beside others that have one: they are in the first step, with the canaries. */
export function waveWarnings(rollout: unknown, sites: readonly DeliverySite[]): EdgeWarning[] {
  const without = sites.filter(({ wave }) => wave === undefined);
  const isFirst = sites.some(({ wave }) => wave === 0);
  return rollout === undefined || !isFirst
    ? []
    : without.map(({ name }) => ({
        code: 'EDGE_MISSING',
        path: `sites[${sites.findIndex((site) => site.name === name)}].wave`,
        message: `${name} has no wave, so it is in wave 0, which other sites name`,
        hint: 'write wave: 1, or wave: 0 if it is meant',
      }));
}

/** The steps of a rollout. */
export function stepsOf({ steps }: DeliveryRollout, sites: readonly DeliverySite[]): readonly DeliveryStep[] {
  return (
    steps ??
    [...new Set(sites.map(({ wave = 0 }) => wave))].sort((a, b) => a - b).map((wave): DeliveryStep => ({ wave }))
  );
}

import { type EdgeWarning, ProblemList } from '../base/errors.js';
import { checkCluster, EdgeCluster } from '../cluster/edge-cluster.js';
import type { Plan, PlannedObject } from '../cluster/plan.js';
import { problemsOf, type Scope } from '../cluster/scope.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { checkArtifactFolder, type EdgeArtifact } from '../base/artifact.js';
import { isMap, mapAt, type PlainMap } from '../base/plain-data.js';
import {
  type Check,
  checkedElsewhere,
  checkProperties,
  oneOf,
  plain,
  type PropertyTable,
  refuseUnknown,
  setOf,
} from '../base/property-table.js';
import { compute, isUnknown } from '../base/unknown.js';
import type { CorefileSettings } from './coredns-corefile.js';
import type { EdgePreconditionsProps } from './edge-preconditions-props.js';
import {
  adviseOne,
  checkGuide,
  planOne,
  PRECONDITION_NAMES,
  type PreconditionName,
  type PreconditionSettings,
} from './kinds.js';
import type { PlannedPrecondition, Precondition, PreconditionGuide } from './precondition.js';
import { proxyNamesOf } from './proxy-names.js';
import { preconditionFiles } from './step-files.js';

/** Attributes of preconditions. */
export interface PreconditionAttributes {
  /** The preconditions: whether the release needs them, why, their steps, and the rollback. */
  readonly report: readonly Precondition[];
  /** Scripts, patches and the rollback, as files. */
  readonly artifacts: readonly EdgeArtifact[];
  /** The commands of the steps, in order. */
  readonly commands: readonly string[];
}

const isCluster: Check = (cluster, problems) =>
  isUnknown(cluster) ? refuseUnknown(problems) : void checkCluster(cluster, problems);

const checkOnly: Check = (only, problems) => {
  setOf(oneOf(...PRECONDITION_NAMES), "write only: ['corefile']", 'only must be a list')(only, problems);
  if (Array.isArray(only) && only.length === 0) {
    problems.add('EDGE_MISSING', 'the list of preconditions is empty', `name one of ${PRECONDITION_NAMES.join(', ')}`);
  }
};

const ADVICE: Readonly<Record<string, string>> = {
  coreDnsCorefile: 'did you mean corefile?',
  coredns: 'write corefile, coreDnsService or coreDnsDaemonSet',
  coreDns: 'write corefile, coreDnsService or coreDnsDaemonSet',
  controllers: 'did you mean kubeControllerManager?',
  ...Object.fromEntries(['needs', 'preconditions', 'include', 'for'].map((name) => [name, 'did you mean only?'])),
  openYurt: 'it is a property of the cluster',
  kubernetes: 'it is a property of the cluster',
};

/** The settings of each precondition are checked by its kind. */
const PROPERTIES: PropertyTable<EdgePreconditionsProps> = {
  cluster: isCluster,
  guide: plain(checkGuide),
  only: plain(checkOnly),
  artifactFolder: (folder, problems) => checkArtifactFolder(folder, 'preconditions', problems),
  kubeControllerManager: checkedElsewhere,
  corefile: checkedElsewhere,
  coreDnsService: checkedElsewhere,
  coreDnsDaemonSet: checkedElsewhere,
  kubeProxy: checkedElsewhere,
};

/**
 * Plans the preconditions of a cluster.
 *
 * @param id name of the folder for a single precondition
 * @throws {@link EdgeError} with all problems at once
 */
export function planEdgePreconditions(
  props: EdgePreconditionsProps,
  scope: Scope,
  id = scope.path,
  own: Readonly<Record<string, Check>> = {},
): Plan<PreconditionAttributes> {
  const problems = problemsOf(scope);
  const subject = `EdgePreconditions ${scope.path}`;
  const given = props ?? {};
  checkProperties(given, { ...PROPERTIES, ...own }, problems, ADVICE);
  const { cluster, guide, only, artifactFolder, ...settings } = given;
  const isUsable = cluster instanceof EdgeCluster && (only === undefined || Array.isArray(only));
  const made = isUsable ? planPreconditions(cluster, guide, settings, problems, only, () => problemsOf(scope)) : NONE;
  problems.throwIfAny(subject);
  const preconditions = made.planned.map(({ precondition }) => precondition);
  const folder = artifactFolder ?? (only?.length === 1 ? `preconditions/${id}` : 'preconditions');
  const artifacts = compute({ preconditions, folder }, (known) => preconditionFiles(known.preconditions, known.folder));
  const commands = compute(preconditions, (all) => all.flatMap(({ steps }) => steps.flatMap((step) => step.commands)));
  return {
    subject,
    cluster,
    objects: objectsOf(made.planned),
    attributes: { report: preconditions, artifacts, commands },
    warnings: made.warnings,
    artifacts,
  };
}

/** Preconditions and their warnings. */
export interface PlannedPreconditions {
  readonly planned: readonly PlannedPrecondition[];
  readonly warnings: readonly EdgeWarning[];
}

const NONE: PlannedPreconditions = { planned: [], warnings: [] };

/**
 * Plans preconditions of a cluster, in the order in which they are applied.
 *
 * @param newList creates a list for the problems of one precondition, so that the problems of one do not hide those of another
 */
export function planPreconditions(
  cluster: EdgeCluster,
  guide: PreconditionGuide | undefined,
  settings: PreconditionSettings,
  problems: ProblemList,
  only?: readonly PreconditionName[],
  newList: () => ProblemList = () => new ProblemList(),
): PlannedPreconditions {
  const names = proxyNamesOf(
    guide,
    isMap(settings.corefile) ? (settings.corefile as CorefileSettings).proxyNames : undefined,
  );
  const wanted = PRECONDITION_NAMES.filter((name) => only === undefined || only.includes(name));
  const plans = wanted.flatMap((name) => {
    const own = settings[name];
    const isUsable = own === undefined || isMap(own);
    const given = isUsable ? { ...defaultsOf(name, settings, names, only !== undefined), ...own } : own;
    const asked = only !== undefined && isUsable && adviseOne(name, cluster, guide, own ?? {}).need === 'optional';
    const found = newList();
    const plan = planOne(name, cluster, guide, asked ? { apply: true, ...given } : given, found.at(name));
    problems.problems.push(...found.problems);
    return plan === undefined ? [] : [{ name, plan }];
  });
  const isMade = (component: string): boolean => plans.some(({ plan }) => plan.component === component && plan.applied);
  const unmounted = names !== undefined && only === undefined && isMade('corefile') && !isMade('coredns-daemon-set');
  return {
    planned: plans.map(({ plan }) => plan),
    warnings: [
      ...plans.flatMap(({ name, plan }) =>
        plan.warnings.map((warning) => ({ ...warning, path: `${name}.${warning.path}` })),
      ),
      ...(unmounted ? [UNMOUNTED] : []),
      ...unusedSettings(settings, only),
    ],
  };
}

/** Settings of a precondition that follow from settings of others. */
function defaultsOf(
  name: PreconditionName,
  { coreDnsDaemonSet }: PreconditionSettings,
  proxyNames: ReturnType<typeof proxyNamesOf>,
  isNamed: boolean,
): object {
  if (name === 'coreDnsDaemonSet') {
    return proxyNames === undefined ? {} : { proxyNames };
  }
  // without the DaemonSet the annotation is not written unless requested: pools without CoreDNS would have no DNS
  const noDaemonSet = !isNamed && isMap(coreDnsDaemonSet) && coreDnsDaemonSet.apply === false;
  return name === 'coreDnsService' && noDaemonSet ? { apply: false } : {};
}

const UNMOUNTED: EdgeWarning = {
  code: 'EDGE_MISSING',
  path: 'corefile.proxyNames',
  message: 'CoreDNS is configured to read a hosts file that is not mounted into its Pods',
  hint: 'write coreDnsDaemonSet: { apply: true }, or mount the ConfigMap at /etc/edge yourself',
};

function unusedSettings(settings: PreconditionSettings, only: readonly PreconditionName[] | undefined): EdgeWarning[] {
  const unused = PRECONDITION_NAMES.filter(
    (name) => only !== undefined && !only.includes(name) && settings[name] !== undefined,
  );
  return unused.map((name) => ({
    code: 'EDGE_UNUSED',
    path: name,
    message: `${name} is not in only, and is not applied`,
    hint: `add it to only, or remove ${name}`,
  }));
}

/** The objects of the steps. A step must wait for the previous one, so each step has its own stage. */
function objectsOf(preconditions: readonly PlannedPrecondition[]): PlannedObject[] {
  const makesDaemonSet = preconditions.some((each) => each.component === 'coredns-daemon-set' && each.applied);
  return preconditions.flatMap(({ component, steps }) =>
    steps
      .filter(({ manifests }) => manifests.length > 0)
      .flatMap(({ manifests }, index) => {
        // the Service only after the DaemonSet of the previous step answers
        const place = index + (component === 'coredns-service' && makesDaemonSet ? 2 : 1);
        return manifests.map((manifest) => plannedObject(manifest as unknown as KubernetesObject, `step-${place}`));
      }),
  );
}

function plannedObject(object: KubernetesObject, stage: string): PlannedObject {
  return {
    object,
    id: String(object.metadata?.name),
    stage,
    apply: isWhole(object) ? 'create' : 'patch',
    // deletion does not undo it: the rollback has its own order; so a whole object can be there already
    force: true,
    retain: true,
    skipExclusion: 'is a precondition that already determines where it runs (EdgePreconditions)',
  };
}

/** Whether this is a whole object, not a partial one: a workload with a Pod template. */
function isWhole(object: PlainMap): boolean {
  const spec = mapAt(object, 'spec');
  return isUnknown(object.spec) || ('template' in spec && 'selector' in spec);
}

import type { OpenYurtRelease } from '../cluster/openyurt-releases.js';
import { nameOf } from '../kubernetes/object.js';
import { shellCommand } from '../base/shell.js';
import { mapAt, type PlainMap } from '../base/plain-data.js';
import { printManifests } from '../base/yaml-print.js';
import { type UpgradeStep, upgradeStep } from './upgrade-step.js';

/** Versions of YurtAppSet are not those of an OpenYurt release (`pkg/apis/apps/v1beta1/yurtappset_types.go`, 1.5 and later). */
const YURT_APP_SET = 'apps.openyurt.io/v1beta1';

const OVERRIDER = 'YurtAppOverrider';

/** A YurtAppSet that runs what a YurtAppDaemon runs: one workload for each selected pool, from the same template. */
export function yurtAppSetOf(daemon: PlainMap): PlainMap {
  const { name, namespace, labels } = mapAt(daemon, 'metadata');
  const { workloadTemplate, nodepoolSelector, revisionHistoryLimit } = mapAt(daemon, 'spec');
  return {
    apiVersion: YURT_APP_SET,
    kind: 'YurtAppSet',
    metadata: { name, namespace, ...(labels === undefined ? {} : { labels }) },
    spec: {
      nodepoolSelector,
      ...(revisionHistoryLimit === undefined ? {} : { revisionHistoryLimit }),
      workload: { workloadTemplate },
    },
  };
}

/** Replaces workloads whose controller the new release does not have; undefined if there are none. */
export function retiredStep({
  from,
  to,
  objects,
}: {
  readonly from: OpenYurtRelease;
  readonly to: OpenYurtRelease;
  readonly objects: readonly PlainMap[];
}): UpgradeStep | undefined {
  const retired = to.retiredKinds.filter((kind) => !from.retiredKinds.includes(kind));
  const found = objects.filter(({ kind }) => retired.includes(String(kind)));
  if (found.length === 0) {
    return undefined;
  }
  const daemons = found.filter(({ kind }) => kind !== OVERRIDER);
  const file = 'files/yurtappsets.yaml';
  const kinds = [...new Set(found.map(({ kind }) => `${String(kind).toLowerCase()}s.apps.openyurt.io`))].join(',');
  return upgradeStep({
    id: 'retired-workloads',
    what: `Replace ${found.map(nameOf).join(', ')}.`,
    why: `OpenYurt ${to.release} has no controller for them: their Deployments would keep running, and nothing would change them any more.`,
    pods: 'are replaced; Pods with host ports can start only after the old ones have ended',
    place: 'program',
    parts: ['retired-workloads'],
    variables: { kinds },
    commands: [
      ...(daemons.length === 0
        ? []
        : [
            `Declare a YurtAppSet in place of each YurtAppDaemon; ${file} has one for each. A DaemonSet on the pool (HostNetworkWorkload) is simpler for hostNetwork Pods.`,
            ...daemons.map((daemon) => {
              const { namespace, name } = mapAt(daemon, 'metadata');
              const at = typeof namespace === 'string' ? namespace : 'default';
              return shellCommand(
                'kubectl',
                '--namespace',
                at,
                'delete',
                'yurtappdaemons.apps.openyurt.io',
                String(name),
              );
            }),
            `kubectl apply --server-side --filename=${file}`,
          ]),
      ...(daemons.length === found.length
        ? []
        : [`Write the overrides of each ${OVERRIDER} as workloadTweaks of its YurtAppSet, and delete it.`]),
    ],
    wayBack: 'apply the objects in the folder backup again, while the earlier release runs',
    files: daemons.length === 0 ? [] : [{ path: file, content: printManifests(daemons.map(yurtAppSetOf)) }],
  });
}

import { type EdgeWarning, ProblemList } from '../base/errors.js';
import type { Scope } from '../cluster/scope.js';
import { holdsUnknown } from '../base/unknown.js';
import { claimPorts, type OwnedClaim } from '../workloads/host-ports.js';
import { noteStaticPods, staticPodOf } from '../workloads/static-pod.js';
import { kubeadmRefusesStaticPods } from '../cluster/kubeadm-capabilities.js';
import { ignoresAll } from './node-options-checks.js';
import { isAbsolutePath } from './machine-path.js';
import type { NodeFile } from './node-file.js';
import type { NodeJoinProps } from './node-join-props.js';
import { MANIFEST_FOLDER } from './node-paths.js';

type Input = Pick<NodeJoinProps, 'pool' | 'staticPods' | 'kubeletConfiguration'>;

/** Where kubelet looks for static Pods: where kubeadm says, if the join says nothing else. */
function folderOf({ kubeletConfiguration }: Pick<Input, 'kubeletConfiguration'>): string {
  const path: unknown = kubeletConfiguration?.staticPodPath;
  return isAbsolutePath(path) ? path : MANIFEST_FOLDER;
}

/** The folder of static Pods, and their files. */
export interface StaticPodFiles {
  readonly folder: string;
  readonly files: readonly NodeFile[];
}

/** The files of the static Pods of a join. */
export function staticPodFiles(input: Input): StaticPodFiles {
  const folder = folderOf(input);
  const files = (input.staticPods ?? []).map((workload): NodeFile => {
    const problems = new ProblemList();
    const made = staticPodOf(input.pool, workload, problems);
    problems.throwIfAny('the static Pod');
    return { path: `${folder}/${made?.fileName}.yaml`, content: made?.text ?? '', permissions: '0600' };
  });
  return { folder, files };
}

/** The preflight checks to ignore: the kubeadm of an old minor refuses a machine with static Pods. */
export function ignoredWithStaticPods({
  pool,
  staticPods = [],
  ignorePreflightErrors = [],
}: Pick<NodeJoinProps, 'pool' | 'staticPods' | 'ignorePreflightErrors'>): string[] {
  const isRefused = staticPods.length > 0 && kubeadmRefusesStaticPods(pool.cluster);
  return isRefused && !ignoresAll(ignorePreflightErrors)
    ? [...ignorePreflightErrors, NOT_EMPTY]
    : ignorePreflightErrors;
}

const NOT_EMPTY = `DirAvailable-${MANIFEST_FOLDER.replaceAll('/', '-')}`;

/** Checks the static Pods of a join, and notes their ports on the nodes of the pool. @returns warnings */
export function checkStaticPods(
  { pool, staticPods = [], files = [] }: Input & Pick<NodeJoinProps, 'files'>,
  scope: Scope,
  problems: ProblemList,
): readonly EdgeWarning[] {
  const names = new Set<string>();
  const warnings: EdgeWarning[] = [];
  const claims: { claim: OwnedClaim; at: ProblemList }[] = [];
  staticPods.forEach((workload, index) => {
    const at = problems.at('staticPods', index);
    const made = staticPodOf(pool, workload, at);
    if (made === undefined) {
      return;
    }
    if (names.has(made.fileName)) {
      at.add('EDGE_DUPLICATE', `${made.fileName}.yaml is written twice`, 'name each static Pod once');
    }
    names.add(made.fileName);
    warnings.push(...made.warnings);
    claims.push({ claim: { ...made.claim, owner: scope.owner, isOfJoin: true }, at });
  });
  claimPorts(claims, { pools: [pool] }, scope, warnings);
  noteStaticPods(scope, pool, holdsUnknown(files) ? undefined : new Set([...names, ...files.map(manifestName)]));
  return warnings;
}

/** The name of a manifest that is a file of the join: `agent` of `/etc/kubernetes/manifests/agent.yaml`. */
function manifestName({ path }: NodeFile): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.ya?ml$/, '');
}

/** Checks that this is a list: which files there are is not computed. */
export function checkStaticPodList(staticPods: unknown, problems: ProblemList): void {
  if (staticPods === undefined) {
    return;
  }
  if (!Array.isArray(staticPods)) {
    problems.add('EDGE_TYPE', 'staticPods must be a list of workloads', 'write staticPods: [agent]');
  }
}

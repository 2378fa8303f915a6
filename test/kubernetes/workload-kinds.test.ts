/** Every known kind is excluded wherever its controller reads a node affinity, and nowhere else. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EdgeCluster, placeFleet } from 'edge-nodepools';
import { ProblemList } from '../../src/base/errors.js';
import { groupKindOf, workloadKindOf } from '../../src/kubernetes/group-kind.js';
import { WORKLOADS } from '../../src/kubernetes/workload-kinds.js';
import { excludeWorkload } from '../../src/workloads/exclusion.js';
import { demandOf } from '../../src/workloads/workload-size.js';
import { postRender } from '../../src/workloads/post-render.js';
import { APP_OPERATORS } from '../corpus/app-operators.js';
import { DATA_OPERATORS } from '../corpus/data-operators.js';
import { isFullDepth } from '../depth.js';
import { objectOf, type OperatorWorkload } from '../corpus/operator-workload.js';

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
const WORKLOAD_SAMPLES: readonly OperatorWorkload[] = [...APP_OPERATORS, ...DATA_OPERATORS];
const LABEL = 'nodepool.openyurt.io/hostnetwork';

/** A copy without the exclusion, and the paths of the node affinities that had it. */
function withoutExclusion(value: any, path = '', found: string[] = []): { value: any; found: string[] } {
  if (Array.isArray(value)) {
    return { value: value.map((item, index) => withoutExclusion(item, `${path}[${index}]`, found).value), found };
  }
  if (typeof value !== 'object' || value === null) {
    return { value, found };
  }
  const fields: [string, any][] = [];
  for (const [key, item] of Object.entries(value)) {
    const at = path === '' ? key : `${path}.${key}`;
    const inner = withoutExclusion(item, at, found).value;
    if (key === 'nodeSelectorTerms') {
      const excluded = inner.map(({ matchExpressions }: any) =>
        matchExpressions.some((each: any) => each.key === LABEL),
      );
      expect(new Set(excluded).size).toBe(1);
      if (excluded[0]) {
        found.push(path.replace(/\.requiredDuringSchedulingIgnoredDuringExecution$/, ''));
      }
      const terms = inner
        .map((term: any) => ({
          ...term,
          matchExpressions: term.matchExpressions.filter((each: any) => each.key !== LABEL),
        }))
        .filter(({ matchExpressions }: any) => matchExpressions.length > 0);
      fields.push([key, terms]);
    } else if (key !== 'apps.openyurt.io/exclude-host-network-pool') {
      fields.push([key, inner]);
    }
  }
  return { value: Object.fromEntries(fields), found };
}

/** Without maps and lists that are empty: the exclusion may have made them. */
function withoutEmpty(value: any): any {
  if (Array.isArray(value)) {
    return value.map(withoutEmpty);
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const fields = Object.entries(value)
    .map(([key, item]) => [key, withoutEmpty(item)] as const)
    .filter(([, item]) => typeof item !== 'object' || Object.keys(item ?? {}).length > 0);
  return Object.fromEntries(fields);
}

const exclude = (object: any, problems = new ProblemList()): ReturnType<typeof excludeWorkload> => {
  const excluded = excludeWorkload(cluster, object, {}, problems);
  problems.throwIfAny('the workload');
  return excluded;
};

it('has a sample for every kind and version', () => {
  const sampled = new Set(WORKLOAD_SAMPLES.map((sample) => workloadKindOf(objectOf(sample))));
  expect(WORKLOADS.filter((row) => !sampled.has(row)).map(({ kind }) => kind)).toEqual([]);
  expect(sampled.has(undefined)).toBe(false);
});

const named = (sample: OperatorWorkload): string => `${sample.apiVersion} ${sample.kind}`;

it('excludes each in every term of each node affinity that counts, and changes nothing else', () => {
  for (const sample of WORKLOAD_SAMPLES) {
    const object = objectOf(sample);
    const excluded = exclude(object);
    const { value, found } = withoutExclusion(excluded?.manifest);
    expect([named(sample), ...found.sort()]).toEqual([named(sample), ...[...sample.excluded].sort()]);
    expect(withoutEmpty(value)).toEqual(withoutEmpty(object));
    expect(exclude(excluded?.manifest)?.manifest).toEqual(excluded?.manifest);
    expect(excluded?.warnings.map(({ code }) => code)).not.toContain('EDGE_NOT_EXCLUDED');
  }
});

it('is the same in post-render, without a warning that something is not excluded, but for named pools', () => {
  for (const sample of WORKLOAD_SAMPLES.filter((_, index) => isFullDepth || index % 8 === 5)) {
    const problems = new ProblemList();
    const { text, warnings } = postRender(JSON.stringify(objectOf(sample)), { cluster }, problems);
    problems.throwIfAny(named(sample));
    expect(JSON.parse(text)).toEqual(exclude(objectOf(sample))?.manifest);
    const left = warnings.filter(({ code }) => code === 'EDGE_NOT_EXCLUDED').map(({ message }) => message);
    // post-render does not know whether the pools that it names are host-network pools
    const isToldOf = sample.kind === 'PlatformAdmin';
    expect(left).toEqual(isToldOf ? [expect.stringContaining('has Pods in the pools that it names')] : []);
  }
});

it('places each by its node affinity', () => {
  const labels: Record<string, string> = { disk: 'ssd', zone: 'a' };
  const nodes = [
    { name: 'edge', labels: { ...labels, [LABEL]: 'true' } },
    { name: 'cloud', labels },
  ];
  // whether they start there is not in most of these objects
  const placed = (object: any): boolean[] =>
    placeFleet([object], nodes).map(({ runs, others }) => runs.length + others.length === 1);
  // those of OpenYurt are for pools: test/fleet; of a PodTemplate nothing makes Pods
  for (const sample of WORKLOAD_SAMPLES.filter(
    (each) => !/openyurt\.io|^v1 PodTemplate/.test(`${(objectOf(each) as any).apiVersion} ${each.kind}`),
  )) {
    const isWorkload = sample.excluded.length > 0;
    expect([named(sample), placed(objectOf(sample))]).toEqual([named(sample), [isWorkload, isWorkload]]);
    expect([named(sample), placed(exclude(objectOf(sample))?.manifest)]).toEqual([named(sample), [false, isWorkload]]);
  }
});

describe('real manifests of the projects, shortened, with repository, commit and path', () => {
  const manifests = readFileSync(join(__dirname, '../corpus/real-manifests.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { from: string; object: any });
  /** Maps with a list of containers that have no exclusion, neither in themselves nor around them. */
  const free = (value: any, isExcluded = false): any[] => {
    if (typeof value !== 'object' || value === null) {
      return [];
    }
    const own = JSON.stringify([value.affinity ?? null, value.placement ?? null]).includes(LABEL);
    const isFree = !isExcluded && !own && Array.isArray(value.containers);
    return [...(isFree ? [value] : []), ...Object.values(value).flatMap((item) => free(item, isExcluded || own))];
  };
  // the controller has a template of its own for what the object leaves out
  const INCOMPLETE = ['RayJob', 'Pooler', 'SparkApplication', 'SparkCluster', 'RayCronJob'];

  // samples without any Pod template: nothing can be excluded in them, which is reported
  const WITHOUT_TEMPLATE = ['word-count-celeborn', 'pooler-example-rw', 'scaledjob-sample'];

  it('are of every project and kind', () => {
    const sampled = new Set(manifests.map(({ object }) => groupKindOf(object)));
    const operators = WORKLOADS.filter(({ kind }) => /\..*\./.test(kind) || kind.endsWith('.io'));
    const missing = operators.filter(({ kind }) => !sampled.has(kind)).map(({ kind }) => kind);
    expect(missing).toEqual([]);
    expect(manifests.every(({ from }) => /^[\w-]+\/[\w.-]+@[0-9a-f]{12} \S+\.(ya?ml|md)$/.test(from))).toBe(true);
  });

  it.each(manifests.map(({ from, object }) => [`${object.apiVersion} ${object.kind}: ${from}`, object] as const))(
    '%s',
    (_, object) => {
      if (WITHOUT_TEMPLATE.includes(object.metadata.name)) {
        expect(() => exclude(object)).toThrow(/EDGE_NO_POD_TEMPLATE/);
        return;
      }
      const excluded = exclude(object);
      const { value, found } = withoutExclusion(excluded?.manifest);
      const row = workloadKindOf(object);
      expect(found.length > 0 || row?.withoutPods !== undefined).toBe(true);
      expect(withoutEmpty(value)).toEqual(withoutEmpty(object));
      expect(row?.withoutPods === undefined ? free(excluded?.manifest) : []).toEqual([]);
      const codes = (excluded?.warnings ?? []).map(({ code }) => code);
      expect(codes).not.toContain('EDGE_UNKNOWN_PROPERTY');
      expect(codes.includes('EDGE_NOT_EXCLUDED') && !INCOMPLETE.includes(object.kind)).toBe(false);
    },
  );
});

it.each<[string, number | 'every node']>([
  ['Deployment.apps', 2],
  ['DaemonSet.apps', 'every node'],
  ['DaemonSet.apps.kruise.io', 'every node'],
  ['BroadcastJob.apps.kruise.io', 'every node'],
  ['CloneSet.apps.kruise.io', 2],
  ['Rollout.argoproj.io', 2],
  ['Job.batch', 1],
  ['Job.batch.volcano.sh', 4],
  ['JobSet.jobset.x-k8s.io', 7],
  ['RayCluster.ray.io', 4],
  ['PyTorchJob.kubeflow.org', 3],
])('%s has as many Pods as its controller makes: %s', (kind, demand) => {
  const sample = WORKLOAD_SAMPLES.find((one) => groupKindOf(objectOf(one)) === kind) as OperatorWorkload;
  expect(demandOf(objectOf(sample))).toBe(demand);
});

import fc from 'fast-check';
import type { EdgeCode } from '../../../../src/base/error-codes.js';
import type { EdgeProblem } from '../../../../src/base/errors.js';
import { EdgeCluster } from '../../../../src/cluster/edge-cluster.js';
import { ProblemList } from '../../../../src/base/errors.js';
import { excludeWorkload } from '../../../../src/workloads/exclusion.js';
import { hostNetworkPods } from '../../../../src/workloads/host-network-pods.js';
import { oddPodSpec } from '../../../properties/pod-specs.js';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';

/** Codes by which the library says that the API server would refuse a value. Others are about what is valid, but cannot work. */
const VALIDITY: readonly EdgeCode[] = [
  'EDGE_AFFINITY',
  'EDGE_ANNOTATION',
  'EDGE_DNS',
  'EDGE_DUPLICATE',
  'EDGE_LABEL',
  'EDGE_MISSING',
  'EDGE_NAME',
  'EDGE_PORT',
  'EDGE_TAINT',
  'EDGE_TYPE',
  'EDGE_VALUE',
];

/** Rules that only later minors have; the library applies them for every minor. */
const LATER_RULES: readonly { readonly until: string; readonly about: (problem: EdgeProblem) => boolean }[] = [
  { until: '1.30', about: ({ message }) => message.endsWith('is not a label value') },
  { until: '1.30', about: ({ path }) => /[mM]atchLabelKeys/.test(path) },
];

/** One Pod spec, and what the library makes of it. */
interface Sample {
  readonly given: any;
  readonly made?: any;
  readonly problems: readonly EdgeProblem[];
}

type Rule = (cluster: EdgeCluster, workload: any, problems: ProblemList) => { readonly manifest: any } | undefined;

const RULES: Readonly<Record<string, Rule>> = {
  excluded: (cluster, workload, problems) => excludeWorkload(cluster, workload, {}, problems),
  'on a host-network pool': (cluster, workload, problems) => {
    const pool = {
      cluster,
      poolName: 'hz',
      hostNetwork: true,
      type: 'Edge' as const,
      joinLabels: {},
      nodeLabels: {},
      registrationTaints: [],
      taints: [],
      nodeSelector: {},
      tolerations: [],
    };
    return hostNetworkPods(cluster, [pool], workload, {}, problems);
  },
};

const METADATA = { name: 'odd', labels: { app: 'odd' } };

/** A Pod, or a Deployment of it. */
function workloadOf(spec: any, isPod: boolean): any {
  return isPod
    ? { apiVersion: 'v1', kind: 'Pod', metadata: METADATA, spec }
    : {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: METADATA,
        spec: { selector: { matchLabels: METADATA.labels }, template: { metadata: { labels: METADATA.labels }, spec } },
      };
}

/** Without the fields that an exclusion does not read: they are the user's alone. */
function judged({
  containers: _containers,
  initContainers: _init,
  dnsPolicy: _policy,
  dnsConfig: _config,
  ...spec
}: any): any {
  return { ...spec, containers: [{ name: 'a', image: 'a' }] };
}

function sampleOf(rule: Rule, cluster: EdgeCluster, given: any): Sample {
  const problems = new ProblemList();
  const made = rule(cluster, given, problems)?.manifest;
  return { given, made, problems: problems.problems };
}

const isLater = (minor: string, problem: EdgeProblem): boolean =>
  LATER_RULES.some(({ until, about }) => minor <= until && about(problem));

/** Random Pod specs: what the library refuses as invalid, an API server refuses, and what it makes of the others, an API server accepts. */
export async function judgePodSpecs(plane: ControlPlane, proof: Proof, count: number): Promise<void> {
  const minor = plane.kubernetes;
  const cluster = EdgeCluster.of({ openYurt: 'none', kubernetes: minor });
  const specs = fc.sample(oddPodSpec, { numRuns: count, seed: 14 });
  const refusal = async (object: any): Promise<string | undefined> => {
    const path = (await plane.api.pathOf(object)).replace(/\/[^/]*$/, '');
    const { status, body } = await plane.api.send('POST', path, object, { query: { dryRun: 'All' } });
    return status < 300 ? undefined : `${status} ${body.message}`;
  };
  for (const [name, rule] of Object.entries(RULES)) {
    const onHostNetwork = name !== 'excluded';
    const samples = specs.map((spec, index) =>
      sampleOf(
        rule,
        cluster,
        workloadOf(onHostNetwork ? { ...spec, hostNetwork: true } : judged(spec), index % 2 === 0),
      ),
    );
    const accepted = samples.filter(({ made }) => made !== undefined);
    const refused = samples.filter(({ problems }) =>
      problems.some((problem) => VALIDITY.includes(problem.code) && !isLater(minor, problem)),
    );
    const wrong: string[] = [];
    await Promise.all([
      ...accepted.map(async ({ given, made }) => {
        const why = await refusal(made);
        if (why !== undefined) {
          wrong.push(`accepted, and refused by the API server: ${why}\n${JSON.stringify(given.spec)}`);
        }
      }),
      ...refused.map(async ({ given, problems }) => {
        if ((await refusal(given)) === undefined) {
          const list = problems.map(({ code, path, message }) => `${code} ${path}: ${message}`).join('\n');
          wrong.push(`refused, and accepted by the API server: ${list}\n${JSON.stringify(given.spec)}`);
        }
      }),
    ]);
    const claim = `Kubernetes ${minor}: ${count} random Pod specs, ${name}`;
    proof.note(`${claim}: ${accepted.length} accepted, ${refused.length} refused as invalid`);
    proof.that(
      `${claim}: the library refuses as invalid what the API server refuses`,
      wrong.length === 0,
      `${wrong.length} differ\n${wrong.slice(0, 20).join('\n')}`,
    );
    proof.that(`${claim}: many of both`, accepted.length > count / 20 && refused.length > count / 20, [
      accepted.length,
      refused.length,
    ]);
  }
}

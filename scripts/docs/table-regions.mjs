// Tables from the library's data, so that pages agree with the code.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Chart } from 'cdk8s';
import { root } from '../install.mjs';
import { source } from '../source.mjs';
import { table } from './text.mjs';

export function releasesRegion() {
  const { OPENYURT_RELEASES } = source('cluster/openyurt-releases.ts');
  return table(
    [
      'OpenYurt release',
      'first tag',
      'NodePool version written',
      'leader fields',
      'Pod webhook reads the annotation',
      'Kubernetes claimed / tested',
    ],
    OPENYURT_RELEASES.map((row) => [
      row.release,
      row.released,
      `\`${row.nodePoolVersion}\``,
      yesNo(row.nodePoolFields.includes('enableLeaderElection')),
      yesNo(row.podWebhook),
      `${row.claimedKubernetes} / ${row.testedKubernetes}`,
    ]),
  );
}

export function kubernetesRegion() {
  const { KUBERNETES_MINORS } = source('cluster/kubernetes-minors.ts');
  const rows = [];
  for (const { minor, ...row } of KUBERNETES_MINORS) {
    const facts = [
      policy(row.validatingAdmissionPolicy),
      policy(row.mutatingAdmissionPolicy),
      row.kubeadmPatchTargets.map((target) => `\`${target}\``).join(', ') || 'none',
    ];
    const last = rows.at(-1);
    if (last !== undefined && last.facts.join('|') === facts.join('|')) {
      last.newest = minor;
    } else {
      rows.push({ oldest: minor, newest: minor, facts });
    }
  }
  return table(
    ['Kubernetes', 'ValidatingAdmissionPolicy', 'MutatingAdmissionPolicy', 'kubeadm patch targets'],
    rows.map(({ oldest, newest, facts }) => [oldest === newest ? oldest : `${oldest} to ${newest}`, ...facts]),
  );
}

export function strategiesRegion() {
  const { ExclusionStrategy, SURVIVAL } = source('system-components/exclusion-strategy.ts');
  const { DELIVERY_SURVIVAL } = source('system-components/delivery-method.ts');
  const strategies = Object.values(ExclusionStrategy);
  const events = Object.keys(SURVIVAL[strategies[0]]);
  const cells = (row) =>
    events.map((event) =>
      row[event] === 'own affinity' ? 'kept, unless the component ships its own node affinity' : row[event],
    );
  return table(
    ['strategy', ...events],
    [
      ...strategies.map((strategy) => [`\`${strategy}\``, ...cells(SURVIVAL[strategy])]),
      ...Object.entries(DELIVERY_SURVIVAL).map(([delivery, row]) => [delivery, ...cells(row)]),
    ],
  );
}

export function preconditionsRegion() {
  const { EdgeCluster } = source('index.ts');
  const { OPENYURT_RELEASES } = source('cluster/openyurt-releases.ts');
  const { adviseOne, PRECONDITION_NAMES } = source('preconditions/kinds.ts');
  const row = (name, openYurt, guide) => {
    const cluster = EdgeCluster.of({ openYurt, kubernetes: '1.31' });
    return [name, ...PRECONDITION_NAMES.map((of) => adviseOne(of, cluster, guide, {}).need)];
  };
  return table(
    ['', ...PRECONDITION_NAMES.map((name) => `\`${name}\``)],
    [
      row("by OpenYurt's page of 2022 (`guide: 'tunnel'`)", OPENYURT_RELEASES[0].release, 'tunnel'),
      ...OPENYURT_RELEASES.map(({ release }) => row(`OpenYurt ${release}`, release)),
      row("without OpenYurt (`'none'`)", 'none'),
    ],
  );
}

/** Results of the last end-to-end run, written by `npm run test:e2e -- --record`. */
export function proofRegion() {
  const results = JSON.parse(readFileSync(join(root, 'docs', 'proof.json'), 'utf8'));
  return table(
    ['group', 'claim', 'judged by', 'last result'],
    results.map(({ group, claim, programs, result }) => [`\`${group}\``, claim, programs, result]),
  );
}

export function componentsRegion() {
  const { SystemComponent } = source('index.ts');
  const constants = new Map(Object.entries(SystemComponent).map(([name, component]) => [component, name]));
  return table(
    ['constant', 'workloads', 'terms they ship with', 'owner'],
    SystemComponent.known().map((component) => {
      const { workloads, owner, notExcluded } = component.data;
      return [
        `\`SystemComponent.${constants.get(component)}\``,
        workloads.map(({ kind, namespace, name }) => `${kind} \`${namespace}/${name}\``).join(', '),
        workloads.flatMap(termsOf).join(', ') || 'none',
        notExcluded === undefined ? owner : `${owner}; cannot be excluded by a patch`,
      ];
    }),
  );
}

/** What a host-network node spares, what a wrong placement costs, and what holds without yurt-manager. */
export function figuresRegion() {
  const { MEASURED } = source('fleet/footprint.ts');
  const saved = ['kube-proxy', 'kube-flannel-ds'].map((name) => MEASURED[name].memory.map(parseFloat));
  const [least, most] = [0, 1].map((index) => saved[0][index] + saved[1][index]);
  const [claimed, withFlags, newer] = admissionPairs();
  return [
    `- Each node saves **${least} to ${most} MiB of memory** by not running kube-proxy and flannel (\`kubectl top\`, OpenYurt's proposal).`,
    '- A Pod that needs a Pod network **never starts** on such a node: `ContainerCreating`, retried forever (containerd, [edge-node](docs/proof.md), a real kubelet).',
    `- With yurt-manager down, **${claimed.held} of ${claimed.all}** default guarantees hold on Kubernetes ${claimed.kubernetes}, the newest that OpenYurt ${claimed.openYurt} claims, **${withFlags.held} of ${withFlags.all}** with two flags of its API server, and ${newer.held} of ${newer.all} on ${newer.kubernetes} without flags ([which pair](docs/admission.md#which-pair)); with OpenYurt's webhooks alone, none ([webhooks-down](docs/proof.md)).`,
  ].join('\n');
}

/** What holds by default without yurt-manager: with the pair that OpenYurt claims, the same with flags of the API server, and the first minor without flags. */
function admissionPairs() {
  const { EdgeCluster, EdgeWarnings, PoolAdmission } = source('index.ts');
  const openYurt = source('cluster/openyurt-releases.ts').OPENYURT_RELEASES.at(-1);
  const newer = source('cluster/kubernetes-minors.ts').KUBERNETES_MINORS.find(
    ({ mutatingAdmissionPolicy }) => mutatingAdmissionPolicy?.byDefault,
  );
  return [[openYurt.claimedKubernetes], [openYurt.claimedKubernetes, 'v1beta1'], [newer.minor]].map(
    ([kubernetes, mutatingAdmissionPolicy]) => {
      const app = new App();
      EdgeWarnings.setMode(app, 'silent');
      const cluster = EdgeCluster.of({ openYurt: openYurt.release, kubernetes });
      const { report } = new PoolAdmission(new Chart(app, 'figures'), 'admission', {
        cluster,
        mutatingAdmissionPolicy,
      });
      const flags = report.flatMap(({ note }) => /the API server needs ([^;]*)/.exec(note)?.[1] ?? [])[0];
      return {
        openYurt: openYurt.release,
        kubernetes,
        claimed: cluster.warnings.every(({ code }) => code !== 'EDGE_UNCLAIMED_PAIR'),
        held: report.filter(({ withYurtManagerDown }) => withYurtManagerDown === 'held').length,
        all: report.length,
        needs:
          flags === undefined
            ? 'nothing'
            : `\`mutatingAdmissionPolicy: '${mutatingAdmissionPolicy}'\`, and of the API server \`${flags}\``,
      };
    },
  );
}

/** The pairs of releases, what they hold and what they need. */
export function pairsRegion() {
  return table(
    ['OpenYurt', 'Kubernetes', 'OpenYurt claims it', 'guarantees that hold', 'needs'],
    admissionPairs().map(({ openYurt, kubernetes, claimed, held, all, needs }) => [
      openYurt,
      kubernetes,
      claimed ? 'yes' : 'no',
      `${held} of ${all}`,
      needs,
    ]),
  );
}

/** The kinds whose Pods the library finds. */
export function workloadKindsRegion() {
  const { WORKLOADS } = source('kubernetes/workload-kinds.ts');
  return table(
    ['kind', 'versions', 'Pod templates and node affinities'],
    WORKLOADS.map(({ kind, versions, templates = {}, nodeAffinities = [], withoutPods }) => {
      const paths = [
        ...Object.keys(templates).map((path) => (path === '' ? 'the Pod itself' : `\`${path}\``)),
        ...nodeAffinities.map((each) => (typeof each === 'string' ? `\`${each}\`` : pathWithCondition(each))),
      ];
      if (withoutPods !== undefined) {
        paths.push(paths.length > 0 ? `else ${withoutPods}` : withoutPods);
      }
      return [`\`${kind}\``, (versions ?? ['all']).join(', '), paths.join(', ')];
    }),
  );
}

function pathWithCondition({ path, when, unless }) {
  return `\`${path}\` ${when === undefined ? `unless \`${unless}\`` : `if \`${when}\``}`;
}

function termsOf({ name, requiredTerms = [] }, _, workloads) {
  const owner = workloads.length === 1 ? '' : `\`${name}\`: `;
  return requiredTerms.map(({ matchExpressions = [], matchFields = [] }) => {
    const requirements = [...matchExpressions, ...matchFields];
    return `${owner}${requirements.map((requirement) => `\`${requirementText(requirement)}\``).join(' and ')}`;
  });
}

function requirementText({ key, operator, values = [] }) {
  return [key, operator, ...(values.length === 0 ? [] : [values.join(', ')])].join(' ');
}

function policy(support) {
  if (support === undefined) {
    return 'no';
  }
  return support.byDefault ? `\`${support.version}\`` : `\`${support.version}\`, only with flags`;
}

function yesNo(value) {
  return value ? 'yes' : 'no';
}

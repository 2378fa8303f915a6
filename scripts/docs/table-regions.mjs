// Tables from the library's data, so that pages agree with the code.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Chart } from 'cdk8s';
import { require as requireSource } from 'tsx/cjs/api';
import { root } from '../install.mjs';
import { table } from './text.mjs';

/** A module of the library. */
function source(path) {
  return requireSource(join(root, 'src', path), import.meta.url);
}

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
  const { DELIVERY_SURVIVAL } = source('system-components/delivery.ts');
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
  const { adviceFor, PRECONDITION_NAMES } = source('preconditions/kinds.ts');
  const row = (name, openYurt, guide) => {
    const cluster = EdgeCluster.of({ openYurt, kubernetes: '1.31' });
    return [name, ...adviceFor(cluster, guide).map(({ need }) => need)];
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
  const { MEASURED } = source('placement/footprint.ts');
  const { EdgeCluster, PoolAdmission } = source('index.ts');
  const saved = ['kube-proxy', 'kube-flannel-ds'].map((name) => MEASURED[name].memory.map(parseFloat));
  const [least, most] = [0, 1].map((index) => saved[0][index] + saved[1][index]);
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });
  const { report } = new PoolAdmission(new Chart(new App(), 'figures'), 'admission', { cluster });
  const held = report.filter(({ withYurtManagerDown }) => withYurtManagerDown === 'held');
  return [
    `- Each node saves **${least} to ${most} MiB of memory** by not running kube-proxy and flannel (\`kubectl top\`, OpenYurt's proposal).`,
    '- A Pod that needs a Pod network **never starts** on such a node: `ContainerCreating`, retried forever ([edge-node](docs/proof.md), a real kubelet).',
    `- With yurt-manager down, **${held.length} of ${report.length}** default guarantees hold on Kubernetes 1.36; with OpenYurt's webhooks alone, none ([webhooks-down](docs/proof.md)).`,
  ].join('\n');
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

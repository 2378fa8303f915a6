import { EdgeCluster } from '../cluster/edge-cluster.js';
import { hasOtherValues } from '../kubernetes/labels.js';
import { SystemComponent } from '../system-components/system-component.js';
import { settingsName } from './finding-fixes.js';
import type { PreconditionFinding } from './findings.js';
import type { ExclusionFinding } from './exclusion-findings.js';
import type { PreconditionGuide } from './precondition.js';
import type { PreconditionSettings } from './kinds.js';

/** A cdk8s program that applies missing preconditions. */
export function programText(
  cluster: EdgeCluster,
  guide: PreconditionGuide | undefined,
  findings: readonly PreconditionFinding[],
  settings: Required<PreconditionSettings>,
  components: readonly ExclusionFinding[],
): string {
  const missing = findings.filter(isWritten);
  const excluded = componentTexts(components);
  const constructs = [
    'EdgeCluster',
    ...(missing.length > 0 ? ['EdgePreconditions'] : []),
    ...(excluded.length > 0 ? ['EdgeSystemComponents', 'SystemComponent'] : []),
    'writeArtifacts',
  ];
  const distribution = cluster.distribution === 'kubeadm' ? '' : `, distribution: '${cluster.distribution}'`;
  const newer = isNewer(cluster) ? ', allowNewer: true' : '';
  const { key, value } = cluster.hostNetworkLabel;
  const label = hasOtherValues(cluster.hostNetworkLabel)
    ? `, hostNetworkLabel: { key: '${key}', value: '${value}' }`
    : '';
  const releases = `openYurt: '${cluster.openYurtVersion}', kubernetes: '${cluster.kubernetesVersion}'${distribution}${newer}${label}`;
  return [
    `import { App, Chart } from 'cdk8s';`,
    `import { ${constructs.join(', ')} } from 'edge-nodepools';`,
    '',
    'const app = new App();',
    `const chart = new Chart(app, 'system');`,
    `const cluster = EdgeCluster.of({ ${releases} });`,
    ...(missing.length > 0 ? ['', ...preconditionLines(guide, findings, settings)] : []),
    ...(excluded.length > 0
      ? [
          '',
          `new EdgeSystemComponents(chart, 'keep-off', {`,
          '  cluster,',
          '  exclude: [',
          ...excluded.map((text) => `    ${text},`),
          '  ],',
          '});',
        ]
      : []),
    '',
    'app.synth();',
    'writeArtifacts(app);',
    '',
  ].join('\n');
}

const isWritten = ({ state, unwritten }: PreconditionFinding): boolean =>
  state === 'missing' && unwritten === undefined;

/** Required preconditions that exist already, or were not read, are turned off, because they are applied by default. */
function preconditionLines(
  guide: PreconditionGuide | undefined,
  findings: readonly PreconditionFinding[],
  settings: Required<PreconditionSettings>,
): string[] {
  return [
    `new EdgePreconditions(chart, 'preconditions', {`,
    '  cluster,',
    ...(guide === undefined ? [] : [`  guide: '${guide}',`]),
    ...findings.flatMap((finding) => {
      const { component, need, state } = finding;
      const name = settingsName(component);
      if (isWritten(finding)) {
        return [`  ${name}: ${literal(settings[name], '  ')},`];
      }
      const why =
        state === 'fine' ? 'is there already' : state === 'unknown' ? 'nothing of it was read' : 'not written';
      return need === 'required' ? [`  ${name}: { apply: false }, // ${why}`] : [];
    }),
    '});',
  ];
}

/** Plain data as a TypeScript literal: JSON, without unnecessary quotes around property names. */
function literal(value: unknown, indent: string): string {
  return JSON.stringify(value, null, 2)
    .replace(/^( *)"([A-Za-z_$][\w$]*)":/gm, '$1$2:')
    .replace(/\n/g, `\n${indent}`);
}

/** The components to exclude: constants for those of the catalog, references for those with other terms. */
function componentTexts(findings: readonly ExclusionFinding[]): string[] {
  const missing = findings.filter(({ state }) => state === 'missing');
  const named = missing.filter(({ component }) => component === undefined).map(({ workload }) => workload);
  const constants = Object.entries(SystemComponent).flatMap(([name, component]) =>
    component instanceof SystemComponent &&
    component.data.workloads.some(({ kind, namespace, name: own }) => named.includes(`${kind} ${namespace}/${own}`))
      ? [`SystemComponent.${name}`]
      : [],
  );
  const references = missing.flatMap(({ component }) =>
    component === undefined ? [] : [`SystemComponent.of(${literal(component, '    ')})`],
  );
  return [...constants, ...references];
}

/** Whether a release of the cluster is newer than the release table (`allowNewer`). */
function isNewer({ openYurtVersion: openYurt, kubernetesVersion: kubernetes }: EdgeCluster): boolean {
  try {
    EdgeCluster.of({ openYurt, kubernetes });
    return false;
  } catch {
    return true;
  }
}

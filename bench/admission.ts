/**
 * npm run bench:admission: the cost of admission for a write of a Pod and of a Node: without admission, with our policies, with OpenYurt's webhooks.
 * With `-- --costs` only the first table: the three requests that a cluster has most, stored and as a dry run, without and with 200 policies of others.
 *
 * All variants are measured in one run against one API server, in turn, over one connection. The namespace (Pods) or a label (Nodes) of a request
 * determines its variant, so all variants have the same conditions. Figures are medians in milliseconds; only the ratios matter.
 */
import { App, Chart, Testing } from 'cdk8s';
import { EdgeCluster, EdgeWarnings, PoolAdmission, type PoolAdmissionProps } from 'edge-nodepools';
import { ControlPlane, toolsOf } from '../test/e2e/harness/control-plane.js';
import { openYurtCrds } from '../test/e2e/harness/openyurt.js';
import { stopProgramsAtExit } from '../test/e2e/harness/program.js';
import { goVersion } from '../test/e2e/harness/tool.js';
import { buildTools } from '../test/e2e/harness/tool-builds.js';
import { YurtManager, yurtManagerTools } from '../test/e2e/harness/yurt-manager.js';
import { allCosts, POD_ROUNDS } from './admission-costs.js';
import {
  ANNOTATED,
  createNode,
  createPod,
  LABEL,
  MEETS,
  MEMBERSHIP,
  ms,
  target,
  timed,
  updateNode,
  type Variant,
  verdicts,
} from './admission-requests.js';

const PROPS = { kubernetes: '1.36' };
const POOLS = [10, 100, 1000];
const NODES = [1, 100, 1000];
const NODE_ROUNDS = 60;

const CONFIGURATIONS =
  '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/yurt-manager-mutating-webhook-configuration';

/** Our policies; they match Pods in the namespace `policies` (or `labelled`, `unchecked`), and Nodes by their label. */
function policies(way: 'listed' | 'live' | 'labelled' | 'unchecked', pools: number): any[] {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'bench');
  const isLabelled = way === 'labelled';
  const ofPods = isLabelled || way === 'unchecked';
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: PROPS.kubernetes, labelsExcludedPods: isLabelled });
  const names = Array.from({ length: pools }, (_, index) => `pool-${index}`);
  const props: PoolAdmissionProps = {
    cluster,
    namePrefix: way,
    pools: way === 'live' ? 'live' : 'listed',
    ...(way === 'live' ? {} : { otherPools: names }),
    guarantees:
      way === 'live'
        ? { annotatedPods: false, presetNodeName: false, annotatedTemplates: false }
        : ofPods
          ? { nodeLabel: false, frozenNodeLabels: false }
          : {},
    checkPods: way !== 'unchecked',
    excludedNamespaces: ['nothing', 'webhooks', 'false', 'policies', 'labelled', 'unchecked'].filter(
      (namespace) => namespace !== (ofPods ? way : 'policies'),
    ),
  };
  new PoolAdmission(chart, 'admission', props);
  return Testing.synth(chart).map((object: any) =>
    object.kind.endsWith('Binding') && /-(node-label(-check)?|frozen-node-labels)$/.test(object.metadata.name as string)
      ? { ...object, spec: { ...object.spec, matchResources: { objectSelector: { matchLabels: { [MEETS]: way } } } } }
      : object,
  );
}

/** OpenYurt's webhooks, for Pods of one namespace and for Nodes with the label. */
async function scopeWebhooks(plane: ControlPlane, manager: YurtManager): Promise<void> {
  const { metadata, webhooks, ...rest } = await plane.api.must('GET', CONFIGURATIONS);
  await manager.stop();
  await plane.api.must('DELETE', CONFIGURATIONS);
  const scoped = webhooks.map((webhook: any) => ({
    ...webhook,
    ...(webhook.name.includes('.pod.')
      ? { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'webhooks' } } }
      : {}),
    ...(webhook.name.includes('.node.') ? { objectSelector: { matchLabels: { [MEETS]: 'webhooks' } } } : {}),
  }));
  const path = CONFIGURATIONS.slice(0, CONFIGURATIONS.lastIndexOf('/'));
  await plane.api.must('POST', path, { ...rest, metadata: { name: metadata.name }, webhooks: scoped });
  await manager.restart();
}

/** A Node for each variant. */
async function variantNodes(plane: ControlPlane, variants: readonly Variant[]): Promise<void> {
  for (const variant of variants) {
    const labels = { [MEETS]: variant, [MEMBERSHIP]: 'pool-1', [LABEL]: 'true' };
    const metadata = { name: `of-${variant}`, labels };
    await plane.api.must('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata });
  }
}

async function inForce(
  plane: ControlPlane,
  ofNodes: readonly Variant[] = ['listed', 'live', 'webhooks'],
  ofPods: readonly Variant[] = ['policies', 'webhooks'],
): Promise<void> {
  const isLabelled = async (variant: Variant): Promise<boolean> =>
    (await createNode(plane, variant, 'pool-1')()).metadata.labels[LABEL] === 'true';
  const isExcluded = async (variant: Variant): Promise<boolean> =>
    (await createPod(plane, variant, ANNOTATED)()).spec.affinity !== undefined;
  for (let attempt = 0; ; attempt++) {
    const nodes = await Promise.all(ofNodes.map(isLabelled));
    // the policy that checks Pods can be in effect before the one that changes them
    const pods = await Promise.all(ofPods.map((variant) => isExcluded(variant).catch(() => false)));
    if ([...nodes, ...pods].every(Boolean)) {
      break;
    }
    if (attempt === 150) {
      throw new Error('the policies and webhooks do not take effect');
    }
    await new Promise((done) => setTimeout(done, 200));
  }
  if ((await isLabelled('nothing')) || (await isExcluded('nothing'))) {
    throw new Error('a request without admission is changed or refused');
  }
}

/** Brings the number of objects of one kind to a count. */
async function fill(
  plane: ControlPlane,
  path: string,
  from: number,
  to: number,
  make: (index: number) => any,
): Promise<void> {
  for (let index = from; index < to; index++) {
    await plane.api.must('POST', path, make(index));
  }
  for (let index = to; index < from; index++) {
    await plane.api.must('DELETE', `${path}/${make(index).metadata.name}`);
  }
}

const pool = (index: number): any => ({
  apiVersion: 'apps.openyurt.io/v1beta2',
  kind: 'NodePool',
  metadata: { name: `pool-${index}` },
  spec: { type: 'Edge', hostNetwork: true },
});

const node = (index: number): any => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: `edge-${index}`, labels: { [LABEL]: 'true' } },
});

async function pods(plane: ControlPlane, size: string): Promise<object> {
  const t = await timed(POD_ROUNDS, {
    nothing: createPod(plane, 'nothing', {}),
    policies: createPod(plane, 'policies', {}),
    webhooks: createPod(plane, 'webhooks', {}),
    nothingAnnotated: createPod(plane, 'nothing', ANNOTATED),
    policiesAnnotated: createPod(plane, 'policies', ANNOTATED),
    webhooksAnnotated: createPod(plane, 'webhooks', ANNOTATED),
  });
  const plain = t.policies / t.nothing;
  const annotated = t.policiesAnnotated / t.webhooksAnnotated;
  target(`${size}: Pod, policies <= 1.1x nothing`, `${plain.toFixed(2)}x`, plain <= 1.1);
  target(`${size}: annotated Pod, policies <= 0.9x webhooks`, `${annotated.toFixed(2)}x`, annotated <= 0.9);
  return {
    nothing: ms(t.nothing),
    policies: ms(t.policies),
    webhooks: ms(t.webhooks),
    'policies/nothing': plain.toFixed(2),
    'annotated: nothing': ms(t.nothingAnnotated),
    'annotated: policies': ms(t.policiesAnnotated),
    'annotated: webhooks': ms(t.webhooksAnnotated),
    'policies/webhooks': annotated.toFixed(2),
  };
}

async function nodes(plane: ControlPlane, count: number): Promise<object[]> {
  const variants: readonly Variant[] = ['nothing', 'listed', 'live', 'webhooks'];
  const kinds: readonly [string, (variant: Variant) => () => Promise<unknown>][] = [
    ['create, member', (variant) => createNode(plane, variant, 'pool-1')],
    ['create, no member', (variant) => createNode(plane, variant, undefined)],
    ['update, member', (variant) => updateNode(plane, variant)],
  ];
  const rows: object[] = [];
  for (const [kind, request] of kinds) {
    const requests = Object.fromEntries(variants.map((variant) => [variant, request(variant)]));
    const t = (await timed(NODE_ROUNDS, requests)) as Record<Variant, number>;
    const added = t.listed - t.nothing;
    target(`${count} pools: Node ${kind}, listed <= +2 ms`, `+${ms(added)} ms`, added <= 2);
    rows.push({
      pools: count,
      write: kind,
      ...Object.fromEntries(variants.map((variant) => [variant, ms(t[variant])])),
    });
  }
  return rows;
}

/** The three requests only. */
async function onlyCosts(): Promise<void> {
  await buildTools(toolsOf(PROPS), console.log);
  const plane = await ControlPlane.start(PROPS);
  try {
    for (const namespace of ['nothing', 'policies', 'labelled', 'unchecked']) {
      await plane.ensureNamespace(namespace);
    }
    await plane.applyCrds(openYurtCrds('1.7', true));
    await plane.apply((['listed', 'labelled', 'unchecked'] as const).flatMap((way) => policies(way, POOLS[0] ?? 0)));
    await inForce(plane, ['listed'], ['policies']);
    await variantNodes(plane, ['nothing', 'listed']);
    await allCosts(plane, policies('listed', POOLS[0] ?? 0), false);
  } finally {
    await plane.stop();
  }
}

async function everything(): Promise<void> {
  await buildTools([...toolsOf(PROPS), ...yurtManagerTools('1.7')], console.log);
  const plane = await ControlPlane.start(PROPS);
  const manager = await YurtManager.start(plane, '1.7');
  try {
    for (const namespace of ['nothing', 'policies', 'labelled', 'unchecked', 'webhooks']) {
      await plane.ensureNamespace(namespace);
    }
    await scopeWebhooks(plane, manager);
    const podRows: Record<string, object> = {};
    const nodeRows: object[] = [];
    const growth: number[] = [];
    let [poolCount, nodeCount] = [0, 0];
    for (const wantedPools of POOLS) {
      await fill(plane, '/apis/apps.openyurt.io/v1beta2/nodepools', poolCount, wantedPools, pool);
      poolCount = wantedPools;
      await plane.apply([...policies('listed', wantedPools), ...policies('live', wantedPools)]);
      await inForce(plane);
      for (const wantedNodes of NODES) {
        await fill(plane, '/api/v1/nodes', nodeCount, wantedNodes, node);
        nodeCount = wantedNodes;
        const size = `${wantedPools} pools, ${wantedNodes} nodes`;
        const row: any = await pods(plane, size);
        podRows[size] = row;
        growth.push(Number(row['policies/nothing']));
      }
      if (wantedPools === POOLS[0]) {
        await variantNodes(plane, ['nothing', 'listed', 'live', 'webhooks']);
        await plane.apply([...policies('labelled', wantedPools), ...policies('unchecked', wantedPools)]);
        await allCosts(plane, policies('listed', wantedPools), true);
      }
      nodeRows.push(...(await nodes(plane, wantedPools)));
    }
    console.log(`\nA Pod is created (dry run), median of ${POD_ROUNDS}, ms`);
    console.table(podRows);
    console.log(`\nA Node is written (dry run), median of ${NODE_ROUNDS}, ms; listed and live are our policies`);
    console.table(nodeRows);
    const spread = Math.max(...growth) / Math.min(...growth);
    target(
      'a Pod costs the same at every size',
      `${spread.toFixed(2)}x between the best and the worst ratio`,
      spread <= 1.15,
    );
  } finally {
    await manager.stop();
    await plane.stop();
  }
}

async function main(): Promise<number> {
  if (goVersion() === undefined) {
    console.log('skipped, because Go is not installed');
    return 0;
  }
  stopProgramsAtExit();
  await (process.argv.includes('--costs') ? onlyCosts() : everything());
  console.log('\nTargets');
  verdicts.forEach(({ claim, seen, met }) => console.log(`${met ? 'met   ' : 'MISSED'} ${claim}: ${seen}`));
  return verdicts.every(({ met }) => met) ? 0 : 1;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);

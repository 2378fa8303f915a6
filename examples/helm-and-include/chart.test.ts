import { ApiObject, JsonPatch, Testing } from 'cdk8s';
import { ExcludedWorkload, placeFleet } from 'edge-nodepools';
import { AddOnsChart, cluster, hasHelm } from './chart.js';

type Manifest = Record<string, any>;

const WHY_NOT = 'skipped, because helm is not on PATH';

function synthesized(helm: boolean): { chart: AddOnsChart; objects: Manifest[] } {
  const chart = new AddOnsChart(Testing.app(), 'add-ons', { helm });
  const documents: Manifest[] = Testing.synth(chart);
  return { chart, objects: documents.flatMap((document) => (document.kind === 'List' ? document.items : [document])) };
}

function find(objects: Manifest[], kind: string, name: string): Manifest {
  return objects.find((object) => object.kind === kind && object.metadata.name === name) as Manifest;
}

const EXCLUDED = [
  { matchExpressions: [{ key: 'nodepool.openyurt.io/hostnetwork', operator: 'NotIn', values: ['true'] }] },
];

function termsOf(object: Manifest): unknown {
  return object.spec.template.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
    .nodeSelectorTerms;
}

describe('manifests loaded with Include', () => {
  const { chart, objects } = synthesized(false);

  it('excludes the Deployment and the Job, and preserves their affinity', () => {
    const controller = find(objects, 'Deployment', 'ingress-controller');
    expect(termsOf(controller)).toEqual(EXCLUDED);
    expect(controller.spec.template.spec.affinity.podAntiAffinity).toBeDefined();
    expect(controller.spec.template.metadata.annotations).toEqual({
      'apps.openyurt.io/exclude-host-network-pool': 'true',
    });
    expect(termsOf(find(objects, 'Job', 'ingress-admission-certs'))).toEqual(EXCLUDED);
  });

  it('processes the items of a List', () => {
    expect(termsOf(find(objects, 'DaemonSet', 'log-shipper'))).toEqual(EXCLUDED);
    expect(find(objects, 'ConfigMap', 'log-shipper').data['shipper.conf']).toBe('to: logs.logging.svc:24224\n');
  });

  it('skips workloads that are not selected or opt out', () => {
    const exporter = find(objects, 'DaemonSet', 'node-exporter').spec.template;
    expect(termsOf({ spec: { template: exporter } })).toEqual([
      { matchExpressions: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }] },
    ]);
    expect(exporter.metadata.annotations).toEqual({ 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'true' });
    expect(termsOf(find(objects, 'DaemonSet', 'journal-rotate'))).toBeUndefined();
  });

  it('reports every workload once, and why it was skipped', () => {
    expect(chart.report.touched.map(({ workload }) => workload)).toEqual([
      'Deployment ingress/ingress-controller',
      'Job ingress/ingress-admission-certs',
      'DaemonSet logging/log-shipper',
    ]);
    expect(chart.report.skipped.map(({ workload, reason }) => `${workload}: ${reason}`)).toEqual([
      'DaemonSet monitoring/node-exporter: not selected: namespace',
      'DaemonSet logging/journal-rotate: opts out: apps.openyurt.io/exclude-host-network-pool is "false", and only the text "true" (in quotes) requests exclusion',
    ]);
  });

  it('leaves only the permitted workloads on a host-network node', () => {
    const beijing = placeFleet(objects).find(({ pool }) => pool === 'beijing');
    expect(beijing?.runs).toEqual(['DaemonSet monitoring/node-exporter', 'DaemonSet logging/journal-rotate']);
  });

  it('changes nothing when it is applied a second time', () => {
    const again = ExcludedWorkload.mixin({ cluster, namespaces: ['ingress'] });
    const before = Testing.synth(chart);
    chart.with(again);
    expect(again.report.touched).toEqual([]);
    expect(Testing.synth(chart)).toEqual(before);
  });

  it('still excludes if the object is changed later', () => {
    const app = Testing.app();
    const changed = new AddOnsChart(app, 'add-ons', { helm: false });
    const controller = changed.node
      .findAll()
      .find((construct) => ApiObject.isApiObject(construct) && construct.kind === 'Deployment') as ApiObject;
    controller.addJsonPatch(JsonPatch.add('/spec/template/spec/priorityClassName', 'high'));
    const after = Testing.synth(changed).find(({ kind }) => kind === 'Deployment');
    expect(after.spec.template.spec.priorityClassName).toBe('high');
    expect(JSON.stringify(after.spec.template.spec.affinity)).toContain('nodepool.openyurt.io/hostnetwork');
  });
});

describe('a chart loaded with Helm', () => {
  const helm = hasHelm();
  if (!helm) {
    console.log(`charts/agent: ${WHY_NOT}`);
  }

  (helm ? it : it.skip)(`excludes what Helm renders${helm ? '' : ` (${WHY_NOT})`}`, () => {
    const { chart, objects } = synthesized(true);
    expect(termsOf(find(objects, 'DaemonSet', 'agent-node'))).toEqual(EXCLUDED);
    expect(termsOf(find(objects, 'Deployment', 'agent-server'))).toEqual(EXCLUDED);
    expect(find(objects, 'Deployment', 'agent-server').spec.replicas).toBe(2);
    expect(chart.report.touched.map(({ workload }) => workload)).toEqual(
      expect.arrayContaining(['DaemonSet agent-system/agent-node', 'Deployment agent-system/agent-server']),
    );
  });
});

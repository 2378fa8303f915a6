import { Testing } from 'cdk8s';
import { EdgeCluster, EdgeWarnings, PoolAdmission } from 'edge-nodepools';
import { HarbourChart, PlatformChart } from './chart.js';

type Manifest = Record<string, any>;

describe('admission', () => {
  const app = Testing.app();
  EdgeWarnings.setMode(app, 'silent');
  const platform = new PlatformChart(app, 'platform');
  const harbour = new HarbourChart(app, 'harbour', platform.quays);
  const objects: Manifest[] = Testing.synth(platform);
  const specOf = (kind: string, name: string): Manifest =>
    objects.find((object) => object.kind === kind && object.metadata.name === `edge-nodepools-${name}`)
      ?.spec as Manifest;

  it('reports a policy for every guarantee, held without yurt-manager', () => {
    expect(
      platform.admission.report.map(({ guarantee, mechanism, withYurtManagerDown }) => [
        guarantee,
        mechanism,
        withYurtManagerDown,
      ]),
    ).toEqual([
      ['immutablePools', 'ValidatingAdmissionPolicy', 'held'],
      ['frozenNodeLabels', 'ValidatingAdmissionPolicy', 'reported only'],
      ['nodeLabel', 'MutatingAdmissionPolicy', 'held'],
      ['annotatedPods', 'MutatingAdmissionPolicy', 'held'],
      ['annotatedTemplates', 'MutatingAdmissionPolicy', 'held'],
      ['presetNodeName', 'MutatingAdmissionPolicy', 'held'],
      ['strict', 'MutatingAdmissionPolicy', 'held'],
    ]);
  });

  it('reports the webhooks that are used on Kubernetes 1.34, and no strict, for which there is none', () => {
    const older = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
    const { report } = new PoolAdmission(Testing.chart(), 'admission', { cluster: older });
    expect(report.map(({ guarantee, withYurtManagerDown }) => [guarantee, withYurtManagerDown])).toEqual([
      ['immutablePools', 'held'],
      ['frozenNodeLabels', 'held'],
      ['nodeLabel', 'not held'],
      ['annotatedPods', 'not held'],
      ['annotatedTemplates', 'not held'],
      ['presetNodeName', 'not held'],
    ]);
  });

  it('lists the quays, which are declared after the policies, and the one created with kubectl', () => {
    const { variables } = specOf('MutatingAdmissionPolicy', 'node-label');
    const member = variables.find(({ name }: Manifest) => name === 'member');
    expect(member.expression).toMatch(/ in \['quay-north', 'quay-south', 'quay-west'\]$/);
  });

  it('writes policies, each before its binding or, if another one checks its work, behind it, and none in a namespace', () => {
    const admission = objects.filter(({ kind }) => kind !== 'NodePool');
    const written = admission.map(
      ({ kind, metadata }) => `${kind.replace(/^.*Admission/, '')} ${metadata.name.replace('edge-nodepools-', '')}`,
    );
    const pair = (name: string): string[] => [`Policy ${name}`, `PolicyBinding ${name}`];
    // the binding of what is checked is deleted first, too: the check holds only while it exists
    const checked = (name: string): string[] => [...pair(name).reverse(), ...pair(`${name}-check`)];
    expect(written).toEqual([
      ...pair('immutable-pools'),
      ...pair('frozen-node-labels'),
      ...checked('node-label'),
      ...checked('pods-strict'),
      ...pair('templates'),
      ...pair('pods-applied-again'),
      ...pair('system-components'),
    ]);
    expect(admission.filter(({ metadata }) => metadata.namespace !== undefined)).toEqual([]);
  });

  it('warns about changed node labels, and refuses changed pools', () => {
    const actions = (name: string): unknown => specOf('ValidatingAdmissionPolicyBinding', name).validationActions;
    expect(actions('frozen-node-labels')).toEqual(['Warn', 'Audit']);
    expect(actions('immutable-pools')).toEqual(['Deny', 'Audit']);
  });

  it('does not match kube-system, whose components have their own policy', () => {
    for (const name of ['pods-strict', 'templates']) {
      const { matchResources } = specOf('MutatingAdmissionPolicyBinding', name);
      expect(matchResources.namespaceSelector.matchExpressions).toEqual([
        { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-flannel', 'kube-system'] },
      ]);
    }
    expect(specOf('MutatingAdmissionPolicyBinding', 'system-components').matchResources).toBeUndefined();
    const [condition] = specOf('MutatingAdmissionPolicy', 'system-components').matchConditions;
    for (const { workload } of platform.systemComponents.report) {
      expect(condition.expression).toContain(`'${workload}'`);
    }
  });

  it('applies no policy of the pools to the break-glass group, but that of templates, which become Pods of a controller', () => {
    const policies = objects.filter(
      ({ kind, metadata }) =>
        // a Pod that is applied again keeps what it has, whoever applies it
        kind.endsWith('Policy') && !/-(system-components|templates|applied-again)$/.test(metadata.name),
    );
    expect(policies).toHaveLength(6);
    for (const { spec, metadata } of policies) {
      // the way back of a node label is in the audit log, so it is no condition
      const [first] = metadata.name.endsWith('frozen-node-labels') ? spec.variables.slice(-1) : spec.matchConditions;
      expect(first.expression).toContain(`group in ['harbour:break-glass']`);
    }
  });

  it('does not change the Deployment of the team', () => {
    const berths = Testing.synth(harbour).find(({ metadata }: Manifest) => metadata.name === 'berths') as Manifest;
    expect(berths.spec.template.spec).toEqual({
      containers: [{ name: 'berths', image: 'registry.example/berths:1.12.0' }],
    });
  });

  it('warns only that OpenYurt 1.7 does not claim Kubernetes 1.36', () => {
    expect(EdgeWarnings.of(app).map(({ code }) => code)).toEqual(['EDGE_UNCLAIMED_PAIR']);
  });
});

/** The CEL of the policies of Pods and workloads, as text for review. Real API servers test its effect (test/e2e/groups/admission). */
import { OPENYURT_HOST_NETWORK } from '../../src/kubernetes/labels.js';
import { EdgeCluster, type PoolAdmissionProps } from 'edge-nodepools';
import { planPoolAdmission } from '../../src/admission/pool-admission.js';
import { MUTATION_IS_NEW } from '../../src/admission/while-served.js';
import { systemComponentPolicy } from '../../src/system-components/system-component-policy.js';
import { planScope } from '../plan-scope.js';
import { expressions, specOf, text } from './policy-specs.js';

const LABEL = 'nodepool.openyurt.io/hostnetwork';
// only a kubelet creates mirror Pods
const noMirror = `!(object.metadata.?annotations[?'kubernetes.io/config.mirror'].orValue('') != '' && request.userInfo.?groups.orValue([]).exists(group, group in ['system:nodes']))`;

describe('the policies of Pods and templates', () => {
  const annotated = (metadata: string): string =>
    `${metadata}.?annotations[?'apps.openyurt.io/exclude-host-network-pool'].orValue('') == 'true'`;
  const podNetwork = `object.spec.?hostNetwork.orValue(false) != true`;
  const annotatedPod = `(${annotated('object.metadata')} && ${noMirror})`;
  const preset = `(object.spec.?nodeName.orValue('') != '' && ${podNetwork} && ${noMirror})`;

  it('match the requested Pods, with one condition', () => {
    const conditionOf = (name: string, guarantees: PoolAdmissionProps['guarantees']): string =>
      /^\((.*)\) && \(\(object\.spec\.\?affinity\./.exec(
        text(specOf(name, { guarantees }).matchConditions)['kept-off'] as string,
      )?.[1] as string;
    // inside of the mutation, because match conditions never judge what a later mutation adds
    const templateConditionOf = (guarantees: PoolAdmissionProps['guarantees']): string => {
      const { matchConditions, mutations } = specOf('templates', { guarantees });
      expect(matchConditions).toBeUndefined();
      return /^!\((.*)\) \? \[\] :\n/.exec(mutations[0].jsonPatch.expression as string)?.[1] as string;
    };
    expect(conditionOf('pods', {})).toBe(`${annotatedPod} || ${preset}`);
    expect(conditionOf('pods', { presetNodeName: false })).toBe(annotatedPod);
    expect(conditionOf('pods', { annotatedPods: false })).toBe(preset);
    // strict includes Pods with a preset node
    expect(conditionOf('pods-strict', { strict: true })).toBe(`${annotatedPod} || (${podNetwork} && ${noMirror})`);
    expect(templateConditionOf({})).toBe(annotated('object.spec.template.?metadata'));
    expect(templateConditionOf({ strict: true })).toBe(
      `${annotated('object.spec.template.?metadata')} || (object.spec.template.spec.?hostNetwork.orValue(false) != true)`,
    );
  });

  it.each(['templates', 'pods'])(
    'append the requirement to every non-empty term of %s, and never replace a list',
    (name) => {
      // refusePresetNodeName must see nodeName
      const { variables, mutations, reinvocationPolicy } = specOf(name, { guarantees: { refusePresetNodeName: true } });
      const [cel, pointer, already] =
        name === 'pods'
          ? ['object.spec', '/spec', `e.operator == 'NotIn' && e.?values.orValue([]) == ['true']`]
          : [
              'object.spec.template.spec',
              '/spec/template/spec',
              `(e.operator == 'DoesNotExist' || e.operator == 'NotIn' && size(e.?values.orValue([])) <= 10 && 'true' in e.?values.orValue([]))`,
            ];
      const required = 'requiredDuringSchedulingIgnoredDuringExecution';
      const size = 'size(t.?matchExpressions.orValue([]))';
      const count = `variables.terms.map(t, ${size}).sum()`;
      expect(reinvocationPolicy).toBe('IfNeeded');
      expect(text(variables)).toEqual({
        terms: `${cel}.?affinity.?nodeAffinity.?${required}.?nodeSelectorTerms.orValue([])`,
        requirement: `{'key': dyn('${LABEL}'), 'operator': dyn('NotIn'), 'values': dyn(['true'])}`,
        base: `'${pointer}/affinity/nodeAffinity/${required}'`,
        tooMany: `variables.terms != null && (size(variables.terms) > 100 || ${count} > 1000 && !(${count} <= 1100 && variables.terms.all(t, ${size} + size(t.?matchFields.orValue([])) == 0 || t.?matchExpressions.orValue([]).exists(e, e.key == '${LABEL}' && e.operator == 'NotIn' && e.?values.orValue([]) == ['true']))))`,
      });
      const fresh = '{"nodeSelectorTerms": [{"matchExpressions": [variables.requirement]}]}';
      const tooMany = `[JSONPatch{op: "remove", path: '/at most 100 node selector terms, with at most 1000 matchExpressions together'}]`;
      expect(mutations).toHaveLength(1);
      const lines = (mutations[0].jsonPatch.expression as string).split('\n');
      expect(lines.slice(name === 'pods' ? 0 : 1)).toEqual([
        `variables.terms == null ? [] :`,
        `variables.tooMany ? ${name === 'pods' ? tooMany : `(oldObject != null && object.spec.template == oldObject.spec.template ? [] : ${tooMany})`} :`,
        `(size(variables.terms) > 0`,
        `? variables.terms.transformList(i, t, !(size(t.?matchExpressions.orValue([])) + size(t.?matchFields.orValue([])) == 0) && !t.?matchExpressions.orValue([]).exists(e, e.key == '${LABEL}' && ${already}), JSONPatch{`,
        `  op: "add",`,
        `  path: variables.base + "/nodeSelectorTerms/" + string(i) + "/matchExpressions" + (size(t.?matchExpressions.orValue([])) > 0 ? "/-" : ""),`,
        `  value: size(t.?matchExpressions.orValue([])) > 0 ? dyn(variables.requirement) : dyn([variables.requirement])`,
        `})`,
        `: !has(${cel}.affinity)`,
        `? [JSONPatch{op: "add", path: '${pointer}/affinity', value: {"nodeAffinity": {"${required}": ${fresh}}}}]`,
        `: !has(${cel}.affinity.nodeAffinity)`,
        `? [JSONPatch{op: "add", path: '${pointer}/affinity/nodeAffinity', value: {"${required}": ${fresh}}}]`,
        `: has(${cel}.affinity.nodeAffinity.${required}) ? []`,
        `: [JSONPatch{op: "add", path: variables.base, value: ${fresh}}])`,
      ]);
    },
  );

  it('hand Pods with nodeName to the scheduler, unless refusePresetNodeName judges them', () => {
    const expression = (guarantees: PoolAdmissionProps['guarantees']): string =>
      specOf(guarantees && 'strict' in guarantees ? 'pods-strict' : 'pods', { guarantees }).mutations[0].jsonPatch
        .expression as string;
    for (const guarantees of [{}, { strict: true }, { presetNodeName: false }]) {
      expect(expression(guarantees)).toContain('JSONPatch{op: "remove", path: "/spec/nodeName"}');
    }
    expect(expression({ refusePresetNodeName: true })).not.toContain('nodeName');
    expect(text(specOf('pods').variables).pinned).toBe(
      `object.spec.?nodeName.orValue('') != '' && ${noMirror} && size(object.spec.?schedulingGates.orValue([])) == 0`,
    );
  });

  it('refuse what got past a policy with a match condition, on every tier of mutating policies', () => {
    const check = specOf('pods-check');
    const { escaped } = text(check.matchConditions);
    // the same Pods, whether they have the affinity as the mutation adds it, or in another form that excludes, too
    const requested = (condition = ''): string =>
      condition.slice(0, condition.search(/ && \(\((size\()?object\.spec\.\?affinity/));
    expect(requested(escaped)).toContain('exclude-host-network-pool');
    expect(requested(escaped)).toBe(requested(text(specOf('pods').matchConditions)['kept-off']));
    expect(expressions(check.validations)).toEqual([MUTATION_IS_NEW]);
    const actionsOf = (props: Partial<PoolAdmissionProps>): unknown =>
      planPoolAdmission({ cluster: EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' }), ...props }, planScope())
        .objects.map(({ object }) => object as any)
        .find(({ kind, metadata }) => /Binding$/.test(kind as string) && metadata.name === 'edge-nodepools-pods-check')
        .spec.validationActions;
    expect(actionsOf({})).toEqual(['Deny', 'Audit']);
    expect(actionsOf({ validationActions: ['Warn'] })).toEqual(['Warn']);
  });

  it('check only while the mutation is served, so that nothing is refused without it', () => {
    const guarantees = { namespaceGate: true };
    for (const [check, mutation] of [
      ['pods-check', 'pods'],
      ['node-label-check', 'node-label'],
      ['namespace-gate-check', 'namespace-gate-pods'],
    ] as const) {
      for (const [kubernetes, mutatingAdmissionPolicy, version] of [
        ['1.34', 'v1beta1', 'v1beta1'],
        ['1.36', undefined, 'v1'],
      ] as const) {
        const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes });
        const objects = planPoolAdmission({ cluster, mutatingAdmissionPolicy, guarantees }, planScope()).objects.map(
          ({ object }) => object as any,
        );
        const of = (kind: string): any =>
          objects.find((object) => object.kind === kind && object.metadata.name === `edge-nodepools-${check}`).spec;
        const apiVersion = `admissionregistration.k8s.io/${version}`;
        expect(of('ValidatingAdmissionPolicy')).toMatchObject({
          paramKind: { apiVersion, kind: 'MutatingAdmissionPolicyBinding' },
          failurePolicy: 'Ignore',
        });
        const ref = { name: `edge-nodepools-${mutation}`, parameterNotFoundAction: 'Allow' };
        expect(of('ValidatingAdmissionPolicyBinding').paramRef).toEqual(ref);
        const named = { kind: 'MutatingAdmissionPolicyBinding', apiVersion, metadata: { name: ref.name } };
        expect(objects).toContainEqual(
          expect.objectContaining({ ...named, metadata: expect.objectContaining(named.metadata) }),
        );
      }
    }
  });

  it('have other names with strict, so that it is switched by new objects, and no Pod is refused meanwhile', () => {
    expect(specOf('pods', { guarantees: { strict: true } })).toBeUndefined();
    expect(specOf('pods-strict')).toBeUndefined();
    for (const name of ['pods-strict', 'pods-strict-check']) {
      expect(specOf(name, { guarantees: { strict: true } })).toBeDefined();
    }
  });

  it('are not checked if checkPods is false', () => {
    expect(specOf('pods-check', { checkPods: false })).toBeUndefined();
    expect(specOf('pods', { checkPods: false })).toEqual(specOf('pods'));
    expect(specOf('node-label-check', { checkPods: false })).toBeDefined();
  });

  it('judge only labelled Pods, before any expression, if the cluster labels them', () => {
    const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36', labelsExcludedPods: true });
    const selectorOf = (name: string): unknown => specOf(name, { cluster }).matchConstraints.objectSelector;
    for (const name of ['pods', 'pods-check']) {
      expect(selectorOf(name)).toEqual({ matchLabels: { 'edge-nodepools/excluded': 'true' } });
      expect(specOf(name).matchConstraints.objectSelector).toBeUndefined();
    }
    expect(['templates', 'node-label', 'pods-applied-again'].map(selectorOf)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('never pass a list of Object{} literals to JSONPatch, with which API servers before 1.37 panic', () => {
    for (const name of [
      'pods-strict',
      'templates',
      'pod-toleration',
      'template-toleration',
      'pods-applied-again',
      'node-label',
    ]) {
      const { mutations } = specOf(name, { guarantees: { hostNetworkToleration: true, strict: true } });
      expect(mutations[0].jsonPatch.expression).not.toMatch(/\bObject\b/);
    }
  });
});

describe('the policies of tolerations', () => {
  it('append the toleration to hostNetwork Pods without one for the taint', () => {
    const guarantees = { hostNetworkToleration: true };
    for (const [name, object, pointer, isJudged, isNew] of [
      ['pod-toleration', 'object.spec', '/spec/tolerations', ` && ${noMirror}`, 'true'],
      [
        'template-toleration',
        'object.spec.template.spec',
        '/spec/template/spec/tolerations',
        '',
        '!(oldObject != null && object.spec.template == oldObject.spec.template)',
      ],
    ] as const) {
      const { matchConditions, mutations } = specOf(name, { guarantees });
      const key = `(t.?key.orValue('') == '${LABEL}' || t.?key.orValue('') == '')`;
      const effect = `(t.?effect.orValue('') == '' || t.effect == 'NoSchedule')`;
      const tooMany = `size(${object}.?tolerations.orValue([])) > 104`;
      expect(text(matchConditions)).toEqual({
        'host-network': `${object}.?hostNetwork.orValue(false) == true${isJudged}`,
        'not-yet': `${tooMany} ? ${isNew} : !${object}.?tolerations.orValue([]).exists(t, ${key} && t.?operator.orValue('') == 'Exists' && ${effect})`,
      });
      expect(mutations[0].jsonPatch.expression.split('\n')).toEqual([
        `${tooMany} ? [JSONPatch{op: "remove", path: '/at most 100 tolerations'}] :`,
        `(has(${object}.tolerations) ? [] : [JSONPatch{op: "add", path: '${pointer}', value: []}]) +`,
        `[JSONPatch{op: "add", path: '${pointer}/-', value: {"key": '${LABEL}', "operator": "Exists", "effect": 'NoSchedule'}}]`,
      ]);
    }
  });
});

describe('the policies with nodes as parameters', () => {
  const NO_MIRROR = `!(object.metadata.?annotations[?'kubernetes.io/config.mirror'].orValue('') != '' && request.userInfo.?groups.orValue([]).exists(group, group in ['system:nodes']))`;
  const guarantees = { refusePresetNodeName: true, namespaceGate: true };

  it('keep every Pod of closed namespaces off, but the agents of kube-system', () => {
    const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });
    const objects = planPoolAdmission({ cluster, guarantees, excludedNamespaces: ['ops'] }, planScope()).objects.map(
      ({ object }) => object as any,
    );
    const closed = { key: 'nodepool.openyurt.io/hostnetwork-pods', operator: 'NotIn', values: ['true'] };
    const excluded = (values: string[]): object => ({ key: 'kubernetes.io/metadata.name', operator: 'NotIn', values });
    const selectorOf = (name: string): unknown =>
      objects.find(
        ({ kind, metadata }) => /Binding$/.test(kind as string) && metadata.name === `edge-nodepools-${name}`,
      )?.spec.matchResources.namespaceSelector.matchExpressions;
    for (const name of ['namespace-gate-pods', 'namespace-gate-templates', 'namespace-gate-check']) {
      expect(selectorOf(name)).toEqual([excluded(['ops']), closed]);
      // no node is read
      expect(specOf(name, { guarantees }).paramKind?.kind).not.toBe('Node');
    }
    // a binding does not show whether its Pod is an agent
    expect(selectorOf('namespace-gate')).toEqual([excluded(['kube-system', 'ops'])]);
    const agent = `request.namespace == 'kube-system' && object.spec.?hostNetwork.orValue(false) == true`;
    const { mutations } = specOf('namespace-gate-pods', { guarantees });
    expect(mutations[0].jsonPatch.expression.split('\n')[0]).toBe(`!(${NO_MIRROR} && !(${agent})) ? [] :`);
  });

  it('read only host-network nodes, and refuse nothing while there is none', () => {
    const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.30' });
    const { objects } = planPoolAdmission({ cluster, guarantees }, planScope());
    const references = objects
      .map(({ object: { spec } }) => (spec as any).paramRef)
      .filter((reference) => reference !== undefined);
    expect(references).toEqual(
      Array(3).fill({ selector: { matchLabels: { [LABEL]: 'true' } }, parameterNotFoundAction: 'Allow' }),
    );
  });

  it('refuse a Pod with nodeName and without hostNetwork', () => {
    const { matchConditions, validations } = specOf('preset-node-name', { guarantees });
    // mirror Pods are skipped
    expect(text(matchConditions)).toEqual({
      'names-its-node': `object.spec.?nodeName.orValue('') != '' && ${NO_MIRROR}`,
    });
    expect(expressions(validations)).toEqual([
      `params == null || params.metadata.name != object.spec.nodeName || object.spec.?hostNetwork.orValue(false) == true`,
    ]);
  });

  it('refuse Pods of namespaces without the label: bindings by both paths, and Pods with nodeName', () => {
    const gate = specOf('namespace-gate', { guarantees });
    expect(gate.matchConstraints.resourceRules[0].resources).toEqual(['pods/binding', 'bindings']);
    expect(text(gate.matchConditions)).toEqual({
      'binds-to-this-node': `params != null && params.metadata.name == object.target.name`,
    });
    // no binding is created for a Pod with nodeName; without mutating policies it is compared with every node
    const preset = specOf('namespace-gate-pods', { guarantees }, '1.7', '1.30');
    expect(preset.matchConstraints.resourceRules[0]).toMatchObject({ resources: ['pods'], operations: ['CREATE'] });
    expect(text(preset.matchConditions)).toEqual({
      'names-this-node': `params != null && params.metadata.name == object.spec.?nodeName.orValue('') && ${NO_MIRROR}`,
    });
    expect(expressions(preset.validations)).toEqual(expressions(gate.validations));
    expect(preset.validations[0].messageExpression).toBe(
      gate.validations[0].messageExpression.replace('object.target.name', 'object.spec.nodeName'),
    );
    const ruleOf = (label?: string): string[] =>
      expressions(specOf('namespace-gate', { guarantees, namespaceGateLabel: label }).validations);
    expect(ruleOf()).toEqual([
      `namespaceObject.metadata.?labels[?'nodepool.openyurt.io/hostnetwork-pods'].orValue('') == 'true'`,
    ]);
    expect(ruleOf('example.com/may')).toEqual([
      `namespaceObject.metadata.?labels[?'example.com/may'].orValue('') == 'true'`,
    ]);
  });
});

describe('the policy of system components', () => {
  it('matches the workloads by kind, namespace and name', () => {
    const [{ object: policy }] = systemComponentPolicy({
      apiVersion: 'admissionregistration.k8s.io/v1',
      name: 'system',
      label: OPENYURT_HOST_NETWORK,
      workloads: [
        { kind: 'DaemonSet', namespace: 'kube-system', name: 'kube-proxy' },
        { kind: 'Deployment', namespace: 'kube-system', name: 'coredns' },
      ],
    }) as any[];
    expect(text(policy.spec.matchConditions)).toEqual({
      'system-component': `(request.kind.kind + ' ' + request.namespace + '/' + request.name) in ['DaemonSet kube-system/kube-proxy', 'Deployment kube-system/coredns']`,
    });
    const ofTemplates = specOf('templates').mutations[0].jsonPatch.expression as string;
    expect(policy.spec.mutations[0].jsonPatch.expression).toBe(ofTemplates.slice(ofTemplates.indexOf('\n') + 1));
  });
});

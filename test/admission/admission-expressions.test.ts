/** The CEL of the policies, as text for review. Real API servers test its effect (test/e2e/groups/admission/admission.ts). */
import { EdgeCluster, type PoolAdmissionProps } from 'edge-nodepools';
import { planPoolAdmission } from '../../src/admission/pool-admission.js';
import { systemComponentPolicy } from '../../src/system-components/system-component-policy.js';
import { planScope } from '../plan-scope.js';

function specOf(name: string, props: Partial<PoolAdmissionProps> = {}, openYurt = '1.7'): any {
  const cluster = EdgeCluster.of({ openYurt, kubernetes: '1.36' });
  const objects = planPoolAdmission({ cluster, ...props }, planScope()).objects.map(({ object }) => object);
  return objects.find(({ kind, metadata }) => kind.endsWith('Policy') && metadata?.name === `edge-nodepools-${name}`)
    ?.spec;
}

const text = (named: { name: string; expression: string }[]): Record<string, string> =>
  Object.fromEntries(named.map(({ name, expression }) => [name, expression]));

const expressions = (validations: { expression: string }[]): string[] =>
  validations.map(({ expression }) => expression);

const LABEL = 'nodepool.openyurt.io/hostnetwork';
const LABEL_OF = (object: string, key = LABEL): string => `${object}.metadata.?labels[?'${key}'].orValue('')`;

describe('the policy of NodePools', () => {
  it('compares with zero values, so that an absent field is the same as false', () => {
    const { variables, validations } = specOf('immutable-pools');
    expect(text(variables)).toEqual({
      type: `object.?spec.?type.orValue('')`,
      oldType: `oldObject == null ? '' : oldObject.?spec.?type.orValue('')`,
      hostNetwork: `object.?spec.?hostNetwork.orValue(false) == true`,
      oldHostNetwork: `(oldObject == null ? false : oldObject.?spec.?hostNetwork.orValue(false)) == true`,
      interConnectivity: `object.?spec.?interConnectivity.orValue(false) == true`,
      oldInterConnectivity: `(oldObject == null ? false : oldObject.?spec.?interConnectivity.orValue(false)) == true`,
    });
    expect(expressions(validations)).toEqual([
      `oldObject == null || variables.type == variables.oldType`,
      `oldObject == null || variables.hostNetwork == variables.oldHostNetwork`,
      `oldObject == null || variables.interConnectivity == variables.oldInterConnectivity`,
      `!(variables.type == 'Cloud' && variables.hostNetwork)`,
    ]);
  });

  it('has only the fields and the version of the release', () => {
    for (const [openYurt, version, fields] of [
      ['1.4', 'v1beta1', ['type', 'hostNetwork']],
      ['1.6', 'v1beta1', ['type', 'hostNetwork']],
      ['1.7', 'v1beta2', ['type', 'hostNetwork', 'interConnectivity']],
    ] as const) {
      const { matchConstraints, variables } = specOf('immutable-pools', {}, openYurt);
      // Equivalent: writes in another served version match, too
      expect(matchConstraints).toEqual({
        matchPolicy: 'Equivalent',
        resourceRules: [
          {
            apiGroups: ['apps.openyurt.io'],
            apiVersions: [version],
            resources: ['nodepools'],
            operations: ['CREATE', 'UPDATE'],
          },
        ],
      });
      expect(Object.keys(text(variables)).filter((name) => !name.startsWith('old'))).toEqual(fields);
    }
  });
});

describe('the policy of frozen node labels', () => {
  it('matches nodes with one of the two labels, and writes of the status', () => {
    const { matchConditions, matchConstraints, validations } = specOf('frozen-node-labels');
    expect(text(matchConditions)).toEqual({
      concerned: `${LABEL_OF('oldObject')} != '' || ${LABEL_OF('oldObject', 'apps.openyurt.io/nodepool')} != '' || ${LABEL_OF('oldObject', 'apps.openyurt.io/desired-nodepool')} != '' || request.?subResource.orValue('') == 'status'`,
    });
    expect(matchConstraints.resourceRules[0]).toMatchObject({
      resources: ['nodes', 'nodes/status'],
      operations: ['UPDATE'],
    });
    // a label with another value can become "true"
    expect(validations[0].expression).toBe(
      `variables.oldLabel == '' || variables.label == variables.oldLabel || variables.label == 'true'`,
    );
  });

  it.each([
    ['1.7', ['apps.openyurt.io/nodepool', 'apps.openyurt.io/desired-nodepool']],
    // without OpenYurt nothing reads the older label
    ['none', ['apps.openyurt.io/nodepool']],
  ])('refuses a change of the membership by a write of the status: %s', (openYurt, labels) => {
    const { validations } = specOf('frozen-node-labels', {}, openYurt);
    const same = labels.map((label) => `${LABEL_OF('object', label)} == ${LABEL_OF('oldObject', label)}`).join(' && ');
    expect(validations[2].expression).toBe(`!(request.?subResource.orValue('') == 'status') || ${same}`);
  });

  it.each([
    ['1.4', false],
    ['1.5', false],
    ['1.6', false],
    ['1.7', true],
    ['none', true],
  ])('allows a node to leave its pool like OpenYurt %s: %s', (openYurt, leaves) => {
    const { validations } = specOf('frozen-node-labels', {}, openYurt);
    expect(validations[1].expression).toBe(
      `variables.oldPool == '' || variables.pool == variables.oldPool${leaves ? ` || variables.pool == ''` : ''}`,
    );
    expect(validations[1].message).toMatch(leaves ? /remove it first/ : /join it again/);
  });

  it.each(['1.4', '1.5', '1.6', '1.7'])('reads the older label of the pool like OpenYurt %s', (openYurt) => {
    const { variables } = specOf('frozen-node-labels', {}, openYurt);
    const [now, before] = ['object', 'oldObject'].map((object) => {
      const newer = LABEL_OF(object, 'apps.openyurt.io/nodepool');
      return `(${newer} != '' ? ${newer} : ${LABEL_OF(object, 'apps.openyurt.io/desired-nodepool')})`;
    });
    expect(text(variables)).toMatchObject({ pool: now, oldPool: before });
  });

  it('uses the membership label of the cluster', () => {
    const cluster = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36', nodePoolLabel: 'example.com/site' });
    const { variables } = specOf('frozen-node-labels', { cluster });
    expect(text(variables).oldPool).toBe(LABEL_OF('oldObject', 'example.com/site'));
  });
});

describe('the policy of the node label', () => {
  const member = `(${LABEL_OF('object', 'apps.openyurt.io/nodepool')} != '' ? ${LABEL_OF('object', 'apps.openyurt.io/nodepool')} : ${LABEL_OF('object', 'apps.openyurt.io/desired-nodepool')})`;

  it('contains the names of the pools, or reads every NodePool', () => {
    const live = specOf('node-label', { pools: 'live' });
    expect(live.paramKind).toEqual({ apiVersion: 'apps.openyurt.io/v1beta2', kind: 'NodePool' });
    expect(text(live.matchConditions)).toEqual({
      'not-yet': `${LABEL_OF('object')} != 'true'`,
      member: `params != null && params.metadata.name == ${member}`,
      'host-network-pool': `params.?spec.?hostNetwork.orValue(false) == true`,
    });
    // nothing is read: no parameter whose kind an API server would have to discover first
    const listed = specOf('node-label', { otherPools: ['hz', 'b.c'] });
    expect(listed.paramKind).toBeUndefined();
    expect(text(listed.matchConditions)).toEqual({
      'not-yet': `${LABEL_OF('object')} != 'true'`,
      member: `${member} in ['b.c', 'hz']`,
    });
    // without OpenYurt nothing reads the older label
    expect(text(specOf('node-label', {}, 'none').matchConditions).member).not.toContain('desired-nodepool');
  });

  it('splits many names into conditions, of which each judges one range of the alphabet', () => {
    const names = Array.from({ length: 5000 }, (_, index) => `${index}-`.padEnd(40, 'x'));
    const { matchConditions } = specOf('node-label', { otherPools: names });
    const [, ...ranges] = matchConditions as { name: string; expression: string }[];
    expect(ranges.map(({ name }) => name)).toEqual(['member', 'member-2', 'member-3']);
    const listed = ranges.map(({ expression }) => [...expression.matchAll(/'([^']+-x+)'/g)].map(([, name]) => name));
    const holds = (pool: string): boolean =>
      ranges.every(({ expression }, index) => {
        const lower = / < '([^']+)'/.exec(expression)?.[1];
        const upper = / >= '([^']+)'/.exec(expression)?.[1];
        const own = listed[index]?.slice(Number(lower !== undefined) + Number(upper !== undefined));
        return (lower !== undefined && pool < lower) || (upper !== undefined && pool >= upper) || own?.includes(pool);
      });
    expect(names.filter((name) => !holds(name))).toEqual([]);
    expect(['', 'a', '0', `${names[0]}y`, names[0]?.slice(1) as string, 'zz'].filter(holds)).toEqual([]);
    ranges.forEach(({ expression }) => expect(expression.length).toBeLessThan(100_000));
  });

  it('changes only one label', () => {
    expect(specOf('node-label').mutations).toEqual([
      {
        patchType: 'ApplyConfiguration',
        applyConfiguration: {
          expression: `Object{metadata: Object.metadata{labels: {'nodepool.openyurt.io/hostnetwork': 'true'}}}`,
        },
      },
    ]);
  });

  it('fails open with live pools, because a missing kind would refuse every write of a node, and closed with a list', () => {
    expect(specOf('node-label', { pools: 'live' }).failurePolicy).toBe('Ignore');
    expect(specOf('node-label').failurePolicy).toBe('Fail');
    for (const failurePolicy of ['Fail', 'Ignore'] as const) {
      const guarantees = { nodeLabel: { failurePolicy } };
      expect(specOf('node-label', { guarantees }).failurePolicy).toBe(failurePolicy);
      expect(specOf('node-label', { guarantees, pools: 'live' }).failurePolicy).toBe(failurePolicy);
    }
    for (const name of ['immutable-pools', 'frozen-node-labels', 'pods', 'templates']) {
      expect(specOf(name).failurePolicy).toBe('Fail');
    }
  });
});

describe('the policies of Pods and templates', () => {
  const annotated = (metadata: string): string =>
    `${metadata}.?annotations[?'apps.openyurt.io/exclude-host-network-pool'].orValue('') == 'true'`;
  const podNetwork = `object.spec.?hostNetwork.orValue(false) != true`;
  const noMirror = `object.metadata.?annotations[?'kubernetes.io/config.mirror'].orValue('') == ''`;
  const preset = `(object.spec.?nodeName.orValue('') != '' && ${podNetwork} && ${noMirror})`;

  it('match the requested Pods, with one condition', () => {
    const conditionOf = (name: string, guarantees: PoolAdmissionProps['guarantees']): string =>
      text(specOf(name, { guarantees }).matchConditions)['kept-off'] as string;
    expect(conditionOf('pods', {})).toBe(`${annotated('object.metadata')} || ${preset}`);
    expect(conditionOf('pods', { presetNodeName: false })).toBe(annotated('object.metadata'));
    expect(conditionOf('pods', { annotatedPods: false })).toBe(preset);
    // strict includes Pods with a preset node
    expect(conditionOf('pods', { strict: true })).toBe(
      `${annotated('object.metadata')} || (${podNetwork} && ${noMirror})`,
    );
    expect(conditionOf('templates', {})).toBe(annotated('object.spec.template.?metadata'));
    expect(conditionOf('templates', { strict: true })).toBe(
      `${annotated('object.spec.template.?metadata')} || (object.spec.template.spec.?hostNetwork.orValue(false) != true)`,
    );
  });

  it('append the requirement to every non-empty term, and never replace a list', () => {
    const { variables, mutations, reinvocationPolicy } = specOf('pods');
    expect(reinvocationPolicy).toBe('IfNeeded');
    expect(text(variables)).toEqual({
      terms:
        'object.spec.?affinity.?nodeAffinity.?requiredDuringSchedulingIgnoredDuringExecution.?nodeSelectorTerms.orValue([])',
      requirement: `{'key': dyn('${LABEL}'), 'operator': dyn('NotIn'), 'values': dyn(['true'])}`,
      base: `'/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution'`,
    });
    const fresh = '{"nodeSelectorTerms": [{"matchExpressions": [variables.requirement]}]}';
    expect(mutations).toHaveLength(1);
    expect(mutations[0].jsonPatch.expression.split('\n')).toEqual([
      `size(variables.terms) > 0`,
      `? variables.terms.transformList(i, t,`,
      `    size(t.?matchExpressions.orValue([])) + size(t.?matchFields.orValue([])) > 0 &&`,
      `    !t.?matchExpressions.orValue([]).exists(e, e.key == '${LABEL}' && e.operator == 'NotIn' && e.?values.orValue([]) == ['true']),`,
      `    JSONPatch{`,
      `      op: "add",`,
      `      path: variables.base + "/nodeSelectorTerms/" + string(i) + "/matchExpressions" + (size(t.?matchExpressions.orValue([])) > 0 ? "/-" : ""),`,
      `      value: size(t.?matchExpressions.orValue([])) > 0 ? dyn(variables.requirement) : dyn([variables.requirement])`,
      `    })`,
      `: !has(object.spec.affinity)`,
      `? [JSONPatch{op: "add", path: '/spec/affinity', value: {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": ${fresh}}}}]`,
      `: !has(object.spec.affinity.nodeAffinity)`,
      `? [JSONPatch{op: "add", path: '/spec/affinity/nodeAffinity', value: {"requiredDuringSchedulingIgnoredDuringExecution": ${fresh}}}]`,
      `: [JSONPatch{op: "add", path: variables.base, value: ${fresh}}]`,
    ]);
  });

  it('of templates do the same below the template, and do not change an exclusion of this library', () => {
    const pods = specOf('pods').mutations[0].jsonPatch.expression as string;
    const templates = specOf('templates').mutations[0].jsonPatch.expression as string;
    expect(templates).toBe(
      pods
        .replaceAll('object.spec.', 'object.spec.template.spec.')
        .replaceAll(`'/spec/`, `'/spec/template/spec/`)
        .replace(
          `e.operator == 'NotIn' && e.?values.orValue([]) == ['true']`,
          `(e.operator == 'DoesNotExist' || e.operator == 'NotIn' && 'true' in e.?values.orValue([]))`,
        ),
    );
  });

  it('never pass a list of Object{} literals to JSONPatch, with which API servers before 1.37 panic', () => {
    for (const name of ['pods', 'templates', 'pod-toleration', 'template-toleration']) {
      const { mutations } = specOf(name, { guarantees: { hostNetworkToleration: true, strict: true } });
      expect(mutations[0].jsonPatch.expression).not.toMatch(/\bObject\b/);
    }
  });
});

describe('the policies of tolerations', () => {
  it('append the toleration to hostNetwork Pods without one for the taint', () => {
    const guarantees = { hostNetworkToleration: true };
    for (const [name, object, pointer] of [
      ['pod-toleration', 'object.spec', '/spec/tolerations'],
      ['template-toleration', 'object.spec.template.spec', '/spec/template/spec/tolerations'],
    ] as const) {
      const { matchConditions, mutations } = specOf(name, { guarantees });
      const key = `(t.?key.orValue('') == '${LABEL}' || t.?key.orValue('') == '')`;
      const effect = `(t.?effect.orValue('') == '' || t.effect == 'NoSchedule')`;
      expect(text(matchConditions)).toEqual({
        'host-network': `${object}.?hostNetwork.orValue(false) == true`,
        'not-yet': `!${object}.?tolerations.orValue([]).exists(t, ${key} && t.?operator.orValue('') == 'Exists' && ${effect})`,
      });
      expect(mutations[0].jsonPatch.expression.split('\n')).toEqual([
        `(has(${object}.tolerations) ? [] : [JSONPatch{op: "add", path: '${pointer}', value: []}]) +`,
        `[JSONPatch{op: "add", path: '${pointer}/-', value: {"key": '${LABEL}', "operator": "Exists", "effect": 'NoSchedule'}}]`,
      ]);
    }
  });
});

describe('the policies with nodes as parameters', () => {
  const NO_MIRROR = `object.metadata.?annotations[?'kubernetes.io/config.mirror'].orValue('') == ''`;
  const guarantees = { refusePresetNodeName: true, namespaceGate: true };

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
    // no binding is created for a Pod with nodeName
    const preset = specOf('namespace-gate-pods', { guarantees });
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
      workloads: [
        { kind: 'DaemonSet', namespace: 'kube-system', name: 'kube-proxy' },
        { kind: 'Deployment', namespace: 'kube-system', name: 'coredns' },
      ],
      withPatches: false,
    }) as any[];
    expect(text(policy.spec.matchConditions)).toEqual({
      'system-component': `(request.kind.kind + ' ' + request.namespace + '/' + request.name) in ['DaemonSet kube-system/kube-proxy', 'Deployment kube-system/coredns']`,
    });
    expect(policy.spec.mutations).toEqual(specOf('templates').mutations);
  });
});

/** The CEL of the policies of Nodes and NodePools, as text for review. Real API servers test its effect (test/e2e/groups/admission/admission.ts). */
import { EdgeCluster } from 'edge-nodepools';
import { MUTATION_IS_NEW } from '../../src/admission/while-served.js';
import { expressions, specOf, text } from './policy-specs.js';

const LABEL = 'nodepool.openyurt.io/hostnetwork';
const LABEL_OF = (object: string, key = LABEL): string => `${object}.metadata.?labels[?'${key}'].orValue('')`;

describe('the policy of NodePools', () => {
  it('compares with zero values, so that an absent field is the same as false', () => {
    const { variables } = specOf('immutable-pools');
    expect(text(variables)).toMatchObject({
      type: `dyn(object).?spec.?type.orValue('')`,
      oldType: `oldObject == null ? '' : dyn(oldObject).?spec.?type.orValue('')`,
      hostNetwork: `dyn(object).?spec.?hostNetwork.orValue(false) == true`,
      oldHostNetwork: `(oldObject == null ? false : dyn(oldObject).?spec.?hostNetwork.orValue(false)) == true`,
      interConnectivity: `dyn(object).?spec.?interConnectivity.orValue(false) == true`,
      oldInterConnectivity: `(oldObject == null ? false : dyn(oldObject).?spec.?interConnectivity.orValue(false)) == true`,
    });
  });

  it('refuses what no version may change, and lets a pool that was invalid be repaired', () => {
    expect(expressions(specOf('immutable-pools').validations)).toEqual([
      `oldObject == null || !variables.isOlder || variables.isDeleted`,
      `oldObject == null || variables.type == variables.oldType || variables.wasInvalid`,
      `oldObject == null || variables.hostNetwork == variables.oldHostNetwork || variables.wasInvalid`,
      `oldObject == null || variables.interConnectivity == variables.oldInterConnectivity`,
      `!(variables.type == 'Cloud' && (variables.isOlder ? variables.annotation == 'true' : variables.hostNetwork)) || variables.wasInvalid`,
      `variables.isOlder ? (oldObject == null ? !variables.hostNetwork || variables.annotation == 'true' : variables.annotation == variables.oldAnnotation) : variables.annotation == '' || (variables.annotation == 'true') == variables.hostNetwork || (variables.annotation == variables.oldAnnotation && variables.hostNetwork == variables.oldHostNetwork)`,
    ]);
  });

  it.each([
    ['1.4', `['v1alpha1']`, ['type', 'hostNetwork']],
    ['1.6', `['v1alpha1']`, ['type', 'hostNetwork']],
    ['1.7', `['v1alpha1', 'v1beta1']`, ['type', 'hostNetwork', 'interConnectivity']],
  ])('has the fields of OpenYurt %s, and judges each version as it comes', (openYurt, older, fields) => {
    const { matchConstraints, matchConditions, variables } = specOf('immutable-pools', {}, openYurt);
    expect(matchConstraints).toEqual({
      // a version that no release has yet is converted
      matchPolicy: 'Equivalent',
      resourceRules: [
        {
          apiGroups: ['apps.openyurt.io'],
          apiVersions: ['v1alpha1', 'v1beta1', 'v1beta2'],
          resources: ['nodepools', 'nodepools/status'],
          operations: ['CREATE', 'UPDATE'],
        },
      ],
    });
    const isOlder = `request.requestKind.version in ${older}`;
    expect(text(matchConditions)).toEqual({
      'no-status': `request.?subResource.orValue('') == '' || ${isOlder}`,
    });
    const names = Object.keys(text(variables));
    expect(text(variables).isOlder).toBe(isOlder);
    expect(names.filter((name) => /^(type|host|inter)/.test(name))).toEqual(fields);
  });
});

describe('the policy of frozen node labels', () => {
  it.each([
    ['1.7', [LABEL, 'apps.openyurt.io/nodepool', 'apps.openyurt.io/desired-nodepool']],
    // without OpenYurt nothing reads the older label
    ['none', [LABEL, 'apps.openyurt.io/nodepool']],
  ])(
    'is evaluated only for a change of a label, and then refuses every write of the status: %s',
    (openYurt, labels) => {
      const { matchConditions, matchConstraints, validations } = specOf('frozen-node-labels', {}, openYurt);
      expect(text(matchConditions)).toEqual({
        'changes-a-label': labels
          .map((key) => `${LABEL_OF('object', key)} != ${LABEL_OF('oldObject', key)}`)
          .join(' || '),
      });
      expect(matchConstraints.resourceRules[0]).toMatchObject({
        resources: ['nodes', 'nodes/status'],
        operations: ['UPDATE'],
      });
      // a label with another value can become "true"
      expect(validations[0].expression).toBe(
        `variables.oldLabel == '' || variables.label == variables.oldLabel || variables.label == 'true'`,
      );
      expect(validations[2].expression).toBe(`!(request.?subResource.orValue('') == 'status')`);
    },
  );

  it('lets break-glass groups take a label away, and writes it into the audit log', () => {
    const plain = specOf('frozen-node-labels');
    const { matchConditions, variables, validations, auditAnnotations } = specOf('frozen-node-labels', {
      breakGlassGroups: ['ops'],
    });
    // not a condition: what does not match leaves no entry
    expect(matchConditions).toEqual(plain.matchConditions);
    expect(text(variables).breaksGlass).toBe(`request.userInfo.?groups.orValue([]).exists(group, group in ['ops'])`);
    expect(expressions(validations)).toEqual(
      expressions(plain.validations).map((expression) => `variables.breaksGlass || ${expression}`),
    );
    expect(auditAnnotations).toHaveLength(1);
    expect(auditAnnotations[0].valueExpression).toMatch(/^variables\.breaksGlass \? .* : ''$/);
    expect(plain.auditAnnotations).toBeUndefined();
  });

  it('judges a template like its Pods, which a controller creates: no group is exempt', () => {
    const guarantees = { strict: true, hostNetworkToleration: true, namespaceGate: true };
    const exempts = (name: string): boolean =>
      JSON.stringify(specOf(name, { breakGlassGroups: ['ops'], guarantees })).includes("'ops'");
    expect(['templates', 'namespace-gate-templates', 'template-toleration'].filter(exempts)).toEqual([]);
    expect(['pods-strict', 'namespace-gate-pods', 'pod-toleration'].filter(exempts)).toHaveLength(3);
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
      'host-network-pool': `params != null && params.?spec.?hostNetwork.orValue(false) == true`,
    });
    const lacksLabel = `(${LABEL_OF('object')} != 'true') && variables.member`;
    expect(text(live.variables)).toEqual({
      member: `params != null && params.metadata.name == ${member}`,
      lacksLabel,
    });
    // nothing is read: no parameter whose kind an API server would have to discover first
    const listed = specOf('node-label', { otherPools: ['hz', 'b.c'] });
    expect(listed.paramKind).toBeUndefined();
    // inside of the mutation, because match conditions never judge what a later mutation adds
    expect(listed.matchConditions).toBeUndefined();
    expect(text(listed.variables)).toEqual({ member: `${member} in ['b.c', 'hz']`, lacksLabel });
    // without OpenYurt nothing reads the older label
    expect(text(specOf('node-label', {}, 'none').variables).member).not.toContain('desired-nodepool');
  });

  it('splits many names into conditions, of which each judges one range of the alphabet', () => {
    const names = Array.from({ length: 5000 }, (_, index) => `${index}-`.padEnd(40, 'x'));
    const variables = specOf('node-label', { otherPools: names }).variables as { name: string; expression: string }[];
    const ranges = variables.slice(0, -1);
    expect(ranges.map(({ name }) => name)).toEqual(['member', 'member2', 'member3']);
    expect(variables.at(-1)?.expression).toMatch(/&& variables\.member && variables\.member2 && variables\.member3$/);
    const conditions = specOf('node-label-check', { otherPools: names }).matchConditions as { expression: string }[];
    expect(conditions.slice(-3).map(({ expression }) => expression)).toEqual(
      ranges.map(({ expression }) => expression),
    );
    const parsed = ranges.map(({ expression }) => {
      const lower = / < '([^']+)'/.exec(expression)?.[1];
      const upper = / >= '([^']+)'/.exec(expression)?.[1];
      const listed = [...expression.matchAll(/'([^']+-x+)'/g)].map(([, name]) => name);
      return { lower, upper, own: new Set(listed.slice(Number(lower !== undefined) + Number(upper !== undefined))) };
    });
    const holds = (pool: string): boolean =>
      parsed.every(
        ({ lower, upper, own }) =>
          (lower !== undefined && pool < lower) || (upper !== undefined && pool >= upper) || own.has(pool),
      );
    expect(names.filter((name) => !holds(name))).toEqual([]);
    expect(['', 'a', '0', `${names[0]}y`, names[0]?.slice(1) as string, 'zz'].filter(holds)).toEqual([]);
    ranges.forEach(({ expression }) => expect(expression.length).toBeLessThan(100_000));
  });

  it('changes only one label', () => {
    expect(specOf('node-label').mutations).toEqual([
      {
        patchType: 'JSONPatch',
        jsonPatch: {
          expression: `variables.lacksLabel ? [JSONPatch{op: "add", path: '/metadata/labels/nodepool.openyurt.io~1hostnetwork', value: 'true'}] : [JSONPatch{op: "test", path: "/kind", value: ""}]`,
        },
      },
    ]);
  });

  it('refuses a node that becomes a member without the label, and no other write of a node', () => {
    const { matchConditions, validations } = specOf('node-label-check', { otherPools: ['hz'] });
    const was = `(${LABEL_OF('oldObject', 'apps.openyurt.io/nodepool')} != '' ? ${LABEL_OF('oldObject', 'apps.openyurt.io/nodepool')} : ${LABEL_OF('oldObject', 'apps.openyurt.io/desired-nodepool')})`;
    expect(text(matchConditions)).toEqual({
      'becomes-a-member': `oldObject == null || ${member} != ${was}`,
      'not-labelled': `${LABEL_OF('object')} != 'true'`,
      member: `${member} in ['hz']`,
    });
    expect(expressions(validations)).toEqual([`oldObject == null && ${MUTATION_IS_NEW}`]);
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

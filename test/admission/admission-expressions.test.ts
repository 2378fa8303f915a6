/** The CEL of the policies, as text for review. Real API servers test its effect (test/e2e/groups/admission/admission.ts). */
import { EdgeCluster } from 'edge-nodepools';
import { expressions, specOf, text } from './policy-specs.js';

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

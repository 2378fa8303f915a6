import { EdgeCluster } from 'edge-nodepools';
import { ProblemList } from '../../src/errors.js';
import { planUpgrade, type UpgradePlan } from '../../src/upgrades/upgrade-plan.js';
import { configMap, dumpOf, pool } from './dump.js';

describe('what earlier and later versions of this library wrote', () => {
  const own = { 'app.kubernetes.io/managed-by': 'edge-nodepools', 'edge-nodepools/manifest-format': '1' };
  const list = {
    ...configMap('kube-system', 'edge-nodepools-pools', { 'host-network': 'beijing\n' }),
    metadata: { namespace: 'kube-system', name: 'edge-nodepools-pools', labels: own, uid: 'x', resourceVersion: '7' },
  };
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });
  const planned = (others: readonly any[]): UpgradePlan => {
    const problems = new ProblemList();
    const objects = [...dumpOf('1.7', '1.36'), ...others];
    const plan = planUpgrade({ from: cluster, to: cluster, objects }, problems);
    problems.throwIfAny('upgrade');
    return plan;
  };

  it('is deleted if nothing reads it any more, also without an upgrade', () => {
    const { steps } = planned([list]);
    expect(steps.map(({ id }) => id)).toEqual(['backup', 'pool-list']);
    const { variables, files } = steps[1] as any;
    expect(variables).toEqual({ list_namespace: 'kube-system', list: 'edge-nodepools-pools', file: files[0].path });
    expect(files[0].content).toContain('beijing');
    expect(files[0].content).not.toMatch(/uid|resourceVersion/);
  });

  it('stays if it is of somebody else', () => {
    const { metadata, ...rest } = list;
    const others = [
      { ...list, data: { pools: 'beijing' } },
      { ...rest, metadata: { ...metadata, labels: {} } },
    ];
    others.forEach((each) => expect(planned([each]).steps).toEqual([]));
  });

  it('is refused in a later format', () => {
    const labels = { ...own, 'edge-nodepools/manifest-format': '2' };
    const later = { ...pool('beijing'), metadata: { name: 'beijing', labels } };
    expect(() => planned([later])).toThrow(/NodePool beijing has the manifest format 2, .*later version/);
  });

  it('a dump of two clusters is refused', () => {
    const other = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system', uid: 'another' } };
    expect(() => planned([other])).toThrow(/EDGE_WRONG_CLUSTER {2}dump: it has objects of two clusters/);
  });
});

/**
 * @jest-environment ./test/pulumi/rejections-environment.cjs
 */
import * as pulumi from '@pulumi/pulumi';
import {
  EdgeCluster,
  excludeFromHostNetworkPools,
  ExcludedWorkload,
  HostNetworkNodePool,
  HostNetworkWorkload,
} from 'edge-nodepools/pulumi';
import { untyped } from '../bad-inputs/case.js';
import { yurtAppSet } from '../corpus/yurt-app-tweaks.js';
import { objectsIn, record, recordRefusal } from './recorded.js';

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
const set = (value: unknown): any =>
  yurtAppSet('web', { pools: ['shanghai'] }, [
    {
      pools: ['shanghai'],
      tweaks: { patches: [{ operation: 'replace', path: '/spec/template/spec/affinity', value }] },
    },
  ]);
const AT = 'workload.spec.workload.workloadTweaks[0].tweaks.patches[0]';

it.each<[string, () => unknown]>([
  ['plain', () => set(null)],
  ['an Output', () => set(pulumi.output(null))],
])('refuses a patch that undoes the exclusion, %s', async (_, workload) => {
  const shown = await recordRefusal(() => new ExcludedWorkload('web', untyped({ cluster, workload: workload() })));
  expect(shown).toContain(`EDGE_CONTRADICTION  ${AT}`);
});

it.each<[string, () => unknown]>([
  ['plain', () => false],
  ['an Output', () => pulumi.output(false)],
])('refuses a patch that undoes the placement on a host-network pool, %s', async (_, value) => {
  const shown = await recordRefusal(() => {
    const pool = new HostNetworkNodePool('hz', { cluster, poolName: 'hz' });
    const patches = [{ operation: 'replace', path: '/spec/template/spec/hostNetwork', value: value() }];
    const workload = yurtAppSet('web', { pools: ['hz'] }, [{ pools: ['hz'], tweaks: { patches } }]);
    new HostNetworkWorkload('web', untyped({ pool, workload }));
  });
  expect(shown).toContain(`EDGE_CONTRADICTION  ${AT}`);
});

it('refuses a pool that is a host-network pool, plain or an Output', async () => {
  for (const name of ['hz', pulumi.output('hz')]) {
    const shown = await recordRefusal(() => {
      new HostNetworkNodePool('hz', { cluster, poolName: 'hz' });
      new ExcludedWorkload('web', untyped({ cluster, workload: yurtAppSet('web', untyped({ pools: [name] })) }));
    });
    expect(shown).toContain('EDGE_CONTRADICTION');
    expect(shown).toContain('workload.spec.pools[0]');
  }
});

it('keeps a patch with Outputs that does not', async () => {
  const patches = [{ operation: 'replace', path: '/spec/replicas', value: pulumi.output(3) }];
  const workload = yurtAppSet('web', { pools: ['shanghai'] }, [{ pools: ['shanghai'], tweaks: { patches } }]);
  const recorded = await record(() => new ExcludedWorkload('web', untyped({ cluster, workload })));
  expect(recorded.errors).toEqual([]);
  expect(JSON.stringify(objectsIn(recorded))).toContain('"value":3');
});

it('refuses both in the transform', () => {
  const { apiVersion, kind, ...props } = set(null);
  const run = (): unknown =>
    excludeFromHostNetworkPools(cluster)(
      untyped({ custom: true, type: `kubernetes:${apiVersion}:${kind}`, name: 'web', props, opts: {} }),
    );
  expect(run).toThrow(/spec\.workload\.workloadTweaks\[0\]|EDGE_CONTRADICTION|invalid/);
});

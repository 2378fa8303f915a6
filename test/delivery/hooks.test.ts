/** Hooks and sync waves: what Argo CD would create before the layers that it needs. */
import { ApiObject, Chart } from 'cdk8s';
import type { EdgeError } from 'edge-nodepools';
import { delivery, type EngineName, synth } from './shops.js';

function told(engine: EngineName, annotations: Record<string, string>, more: object = {}): string[] {
  try {
    synth((app) => {
      const chart = new Chart(app, 'lab');
      new ApiObject(chart, 'object', {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'migration', namespace: 'tills', annotations },
        ...more,
      });
      delivery(app, engine, ['lab'], { chart: () => chart });
    });
    return [];
  } catch (error) {
    return (error as EdgeError).problems.map(({ code, message, hint }) => `${code} ${message} -> ${hint}`);
  }
}

const HOOK = 'argocd.argoproj.io/hook';
const WAVE = 'argocd.argoproj.io/sync-wave';
const CRD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
const POLICY = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicy' };

it.each<[Record<string, string>, RegExp]>([
  [{ [HOOK]: 'PreSync' }, /phase PreSync, so Argo CD would create it before pools and policies -> .*hook: Sync/],
  [{ [HOOK]: 'PostSync, PreSync' }, /phase PreSync/],
  [{ [HOOK]: 'SyncFail' }, /phase SyncFail/],
  [{ 'helm.sh/hook': 'pre-install,pre-upgrade' }, /phase PreSync/],
  [{ 'helm.sh/hook': 'post-install,pre-upgrade' }, /phase PreSync/],
  [{ [HOOK]: 'Sync', [WAVE]: '-20' }, /the sync wave -20/],
  [{ 'helm.sh/hook': 'post-install', 'helm.sh/hook-weight': '-20' }, /the sync wave -20/],
])('a workload with %p is refused with Argo CD, and is none of Flux', (annotations, expected) => {
  expect(told('argo-cd', annotations)).toEqual([expect.stringMatching(/^EDGE_CONTRADICTION Job tills\/migration /)]);
  expect(told('argo-cd', annotations)).toEqual([expect.stringMatching(expected)]);
  expect(told('flux', annotations)).toEqual([]);
});

it.each<Record<string, string>>([
  { [HOOK]: 'Sync' },
  { [HOOK]: 'PostSync' },
  { [HOOK]: 'PostDelete' },
  { [HOOK]: 'Skip' },
  { 'helm.sh/hook': 'post-install,post-upgrade' },
  { 'helm.sh/hook': 'test' },
  // Argo CD does not read the hooks of Helm beside its own
  { [HOOK]: 'Sync', 'helm.sh/hook': 'pre-install' },
  { [WAVE]: '+3' },
  { [WAVE]: '-8', 'helm.sh/hook-weight': '-20' },
])('a workload with %p is delivered', (annotations) => {
  expect(told('argo-cd', annotations)).toEqual([]);
});

it.each(['first', '1.5', ''])('the sync wave %p is no number', (wave) => {
  expect(told('argo-cd', { [WAVE]: wave })).toEqual([expect.stringMatching(/^EDGE_VALUE .* no whole number/)]);
  expect(told('argo-cd', { [WAVE]: wave }, POLICY)).toEqual([expect.stringMatching(/^EDGE_VALUE /)]);
});

it.each([
  ['a CRD', CRD],
  ['a policy', POLICY],
])('%s is no hook: it would be deleted and created again at each sync', (_, kind) => {
  for (const hook of ['PreSync', 'Sync', 'PostSync', 'Skip']) {
    expect(told('argo-cd', { [HOOK]: hook }, kind)).toEqual([
      expect.stringMatching(/^EDGE_CONTRADICTION .* is a hook .* -> remove the annotation/),
    ]);
  }
  expect(told('argo-cd', { 'helm.sh/hook': 'crd-install' }, kind)).toEqual([]);
});

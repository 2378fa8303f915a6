/** What is imported is not changed: the comparison of a live object with the one of the program. */
import { changesByImport } from '../../src/pulumi/imported.js';

const type = 'kubernetes:apps.openyurt.io/v1beta2:NodePool';

const live = (spec: object, metadata: object = {}): any => ({
  metadata: { name: 'default-pool', uid: '1', ...metadata },
  spec: { type: 'Edge', hostNetwork: false, interConnectivity: false, ...spec },
  status: { readyNodeNum: 3 },
});

const declared = (spec: object, metadata: object = {}): any => ({
  metadata: { name: 'default-pool', ...metadata },
  spec: { type: 'Edge', ...spec },
});

/** An object that kubectl has written, with labels and annotations of its own. */
const byKubectl = (labels: Record<string, string>, manager = 'kubectl-client-side-apply'): object => ({
  labels,
  managedFields: [
    {
      manager,
      fieldsV1: {
        'f:metadata': { 'f:labels': Object.fromEntries(Object.keys(labels).map((key) => [`f:${key}`, {}])) },
      },
    },
  ],
});

const TAINTS = [{ key: 'site', value: 'a', effect: 'NoSchedule' }];

describe('an imported object', () => {
  it.each<[string, object, object]>([
    ['declared as it is', live({}), declared({})],
    [
      'with the same labels and taints',
      live({ labels: { a: '1' }, taints: TAINTS }),
      declared({ labels: { a: '1' }, taints: TAINTS }),
    ],
    ['with nothing in other words', live({ labels: {}, taints: [] }), declared({ annotations: {} })],
    ['with a value that is not known yet', live({ labels: { a: '1' } }), declared({ labels: { a: undefined } })],
    ['with labels that are not known yet', live({ labels: { a: '1' } }), declared({ labels: undefined })],
    ['with a label of another controller', live({}, byKubectl({ a: '1' }, 'yurt-manager')), declared({})],
    ['with one more annotation', live({}), declared({}, { annotations: { 'pulumi.com/x': 'y' } })],
  ])('%s is accepted', (_, present, wanted) => {
    expect(changesByImport({ type, live: present, declared: wanted } as any)).toBeUndefined();
  });

  it.each<[string, object, object, string]>([
    [
      'a label that would be removed',
      live({ labels: { a: '1' } }),
      declared({}),
      'the object has spec.labels.a: "1", and the program does not',
    ],
    [
      'one label of two',
      live({ labels: { a: '1', b: '2' } }),
      declared({ labels: { a: '1' } }),
      'the object has spec.labels.b: "2", and the program does not',
    ],
    [
      'taints that would be removed',
      live({ taints: TAINTS }),
      declared({}),
      'the object has spec.taints: [{"key":"site","value":"a","effect":"NoSchedule"}], and the program does not',
    ],
    [
      'other taints',
      live({ taints: TAINTS }),
      declared({ taints: [{ ...TAINTS[0], value: 'b' }] }),
      'spec.taints is [{"key":"site","value":"a","effect":"NoSchedule"}], and the program has another value',
    ],
    [
      'one more taint',
      live({ taints: TAINTS }),
      declared({ taints: [...TAINTS, ...TAINTS] }),
      'and the program has another value',
    ],
    ['another type', live({ type: 'Cloud' }), declared({}), 'spec.type is "Cloud", and the program has another value'],
    [
      'one more label',
      live({}),
      declared({ labels: { a: 'secret' } }),
      'the program has spec.labels, and the object does not',
    ],
    ['hostNetwork', live({}), declared({ hostNetwork: true }), 'the program has spec.hostNetwork'],
    [
      'a label of kubectl',
      live({}, byKubectl({ team: 'a' })),
      declared({}),
      'the object has metadata.labels.team: "a", and the program does not',
    ],
    [
      'another label of its own',
      live({}, { labels: { team: 'a' } }),
      declared({}, { labels: { team: 'b' } }),
      'metadata.labels.team is "a", and the program has another value',
    ],
  ])('%s is refused', (_, present, wanted, text) => {
    const refusal = changesByImport({ type, live: present, declared: wanted } as any);
    expect(refusal).toContain('NodePool default-pool is imported');
    expect(refusal).toContain(text);
    expect(refusal).not.toContain('secret');
  });
});

import { KUBELET_FIELD_TYPES } from '../../src/cluster/kubelet-fields.js';
import { ProblemList } from '../../src/errors.js';
import { checkKubeletConfiguration } from '../../src/join/kubelet-configuration.js';
import { RESERVED_KUBELET_FIELDS } from '../../src/join/reserved-kubelet-flags.js';

/** A value of each type, which kubelet reads. */
const GOOD = {
  switch: [true, false],
  integer: [0, 110, -999],
  number: [0.9, 1],
  duration: ['30s', '1m30s', '0', '0s', '1.5h', '-1s', '.5s', '1.s', '5µs', '100ms'],
  text: ['', 'static'],
  texts: [[], ['169.254.20.10']],
  integers: [[], [29]],
  maps: [[], [{ numaNode: 0, limits: { memory: '1Gi' } }]],
  textMap: [{}, { a: 'b' }],
  switchMap: [{}, { A: true }],
  textsMap: [{}, { a: ['b'] }],
  map: [{}, { swapBehavior: 'LimitedSwap', anonymous: { enabled: false } }],
};

const problemsOf = (fields: object): object[] => {
  const problems = new ProblemList();
  checkKubeletConfiguration(fields, true, problems);
  return problems.problems;
};

const free = [...KUBELET_FIELD_TYPES].filter(([field]) => !Object.hasOwn(RESERVED_KUBELET_FIELDS, field));

describe('a field of the KubeletConfiguration', () => {
  it('takes every value of its type, and null', () => {
    expect(free.length).toBeGreaterThan(90);
    for (const [field, type] of free) {
      for (const value of [...GOOD[type], null, undefined]) {
        expect([field, value, problemsOf({ [field]: value })]).toEqual([field, value, []]);
      }
    }
  });

  it('refuses those of the types that are no part of it', () => {
    const own: Partial<Record<string, readonly string[]>> = {
      text: ['duration'],
      number: ['integer'],
      map: ['textMap', 'switchMap', 'textsMap'],
    };
    for (const [field, type] of free) {
      const others = Object.entries(GOOD).filter(([other]) => other !== type && !own[type]?.includes(other));
      for (const [other, values] of others) {
        const value = values.at(-1);
        // 1 is a whole number, too
        if (!(type === 'integer' && Number.isInteger(value))) {
          expect([field, other, problemsOf({ [field]: value }).length]).not.toEqual([field, other, 0]);
        }
      }
    }
  });
});

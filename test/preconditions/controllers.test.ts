import fc from 'fast-check';
import { ProblemList } from '../../src/errors.js';
import {
  checkControllers,
  CONTROLLER_NAMES,
  runsNodeLifecycle,
  withNodeLifecycle,
  withoutNodeLifecycle,
} from '../../src/preconditions/controllers.js';

/** Whether kube-controller-manager runs a controller (cloud-provider controller/helpers IsControllerEnabled), with aliases resolved to long names. */
function enabled(name: string, value: string, byDefault = true): boolean {
  const alias: Record<string, string> = { nodelifecycle: 'node-lifecycle-controller' };
  const long = (each: string): string => alias[each] ?? each;
  let star = false;
  for (const entry of value.split(',')) {
    const isOff = entry.startsWith('-');
    const entryName = long(isOff ? entry.slice(1) : entry);
    if (entryName === long(name)) return !isOff;
    star ||= entry === '*';
  }
  return star && byDefault;
}

const entry = fc.oneof(
  fc.constant('*'),
  fc.constantFrom('nodelifecycle', '-nodelifecycle', 'node-lifecycle-controller', '-node-lifecycle-controller'),
  fc.constantFrom('bootstrapsigner', 'tokencleaner', '-ttl', 'token-cleaner-controller', 'taint-eviction-controller'),
);
const value = fc.array(entry, { minLength: 1, maxLength: 6 }).map((entries) => entries.join(','));

describe('--controllers', () => {
  it.each<[string, string[], number]>([
    ['the same wrong entry', Array.from({ length: 50_000 }, () => ''), 1],
    ['different wrong entries', Array.from({ length: 5000 }, (_, index) => `weather-${index}`), 11],
    ['the same name that this minor does not know', Array.from({ length: 5000 }, () => 'ttl-controller'), 1],
  ])('many times %s: a few problems', (_, entries, expected) => {
    const problems = new ProblemList();
    checkControllers(['*', ...entries, 'ttl'].join(','), false, problems);
    expect(problems.problems).toHaveLength(expected);
    const most = Math.min(new Set(entries).size, 10);
    expect(problems.problems.filter(({ message }) => message.includes(JSON.stringify(entries[0])))).toHaveLength(
      entries[0] === 'ttl-controller' ? 0 : 1,
    );
    expect(problems.problems.some(({ message }) => message.startsWith('4990 other entries'))).toBe(expected > most);
  });

  it.each([
    ['*,bootstrapsigner,tokencleaner', '-nodelifecycle,*,bootstrapsigner,tokencleaner'],
    ['*', '-nodelifecycle,*'],
    ['', '-nodelifecycle,*'],
    [
      '*,bootstrap-signer-controller,token-cleaner-controller',
      '-node-lifecycle-controller,*,bootstrap-signer-controller,token-cleaner-controller',
    ],
    ['*,nodelifecycle', '-nodelifecycle,*'],
    ['nodelifecycle,-nodelifecycle,*', '-nodelifecycle,*'],
    ['-nodelifecycle,*,tokencleaner', '-nodelifecycle,*,tokencleaner'],
    ['*,-node-lifecycle-controller', '*,-node-lifecycle-controller'],
    ['daemonset,deployment', 'daemonset,deployment'],
  ])('%j becomes %j', (before, after) => expect(withoutNodeLifecycle(before)).toBe(after));

  it('is edited so that this controller is off, and all others do not change', () => {
    fc.assert(
      fc.property(value, (before) => {
        const after = withoutNodeLifecycle(before);
        expect(runsNodeLifecycle(before)).toBe(enabled('nodelifecycle', before));
        expect(enabled('nodelifecycle', after)).toBe(false);
        expect(withoutNodeLifecycle(after)).toBe(after);
        for (const name of [
          'ttl',
          'daemonset',
          'bootstrapsigner',
          'token-cleaner-controller',
          'taint-eviction-controller',
        ]) {
          expect(enabled(name, after, name !== 'bootstrapsigner')).toBe(
            enabled(name, before, name !== 'bootstrapsigner'),
          );
        }
      }),
    );
  });

  it('is turned on again, and all others do not change', () => {
    fc.assert(
      fc.property(value, (before) => {
        const after = withNodeLifecycle(before);
        expect(enabled('nodelifecycle', after)).toBe(true);
        expect(withNodeLifecycle(after)).toBe(after);
        expect(enabled('ttl', after)).toBe(enabled('ttl', before));
      }),
    );
  });

  it('has every name once', () => {
    expect(new Set(CONTROLLER_NAMES).size).toBe(CONTROLLER_NAMES.length);
    const problems = new ProblemList();
    checkControllers(CONTROLLER_NAMES.map((name) => `-${name}`).join(','), true, problems);
    expect(problems.problems).toEqual([]);
    checkControllers('*,node-lifecycle-controller,nodelifecylce', false, problems);
    expect(problems.problems.map(({ hint }) => hint)).toEqual(['write nodelifecycle', 'did you mean nodelifecycle?']);
  });
});

import type { EdgePreconditionsProps, Precondition } from 'edge-nodepools';
import { ProblemList } from '../../src/errors.js';
import { planPreconditions } from '../../src/preconditions/edge-preconditions.js';
import { PRECONDITION_COMPONENTS } from '../../src/preconditions/precondition.js';
import { KUBERNETES_MINORS } from '../../src/cluster/kubernetes-minors.js';
import { on } from '../corpus/kube-system.js';

function needs(openYurt: string, guide?: EdgePreconditionsProps['guide'], kubernetes = '1.34'): Precondition['need'][] {
  const off = { apply: false };
  const settings = {
    kubeControllerManager: off,
    corefile: off,
    coreDnsService: off,
    coreDnsDaemonSet: off,
    kubeProxy: off,
  };
  const { planned } = planPreconditions(on(openYurt, kubernetes), guide, settings, new ProblemList());
  return planned.map(({ precondition: { need } }) => need);
}

describe('what a release needs', () => {
  it.each<[string, EdgePreconditionsProps['guide'], Precondition['need'][]]>([
    // controller-manager, Corefile, DaemonSet, Service, kube-proxy
    ['1.4', 'tunnel', ['required', 'required', 'required', 'required', 'required']],
    ['1.4', undefined, ['required', 'none', 'optional', 'optional', 'none']],
    ['1.5', undefined, ['required', 'none', 'optional', 'optional', 'none']],
    ['1.6', undefined, ['harmful', 'none', 'optional', 'optional', 'none']],
    ['1.7', undefined, ['harmful', 'none', 'optional', 'optional', 'none']],
    ['none', undefined, ['harmful', 'none', 'optional', 'optional', 'harmful']],
  ])('OpenYurt %s, guide %s', (openYurt, guide, expected) => expect(needs(openYurt, guide)).toEqual(expected));

  it('has nothing for the Service if no topology is supported', () => {
    for (const { minor } of KUBERNETES_MINORS) {
      expect(needs('none', undefined, minor)[3]).toBe(Number(minor.slice(2)) >= 31 ? 'optional' : 'none');
      expect(needs('1.7', undefined, minor)[3]).toBe('optional');
    }
  });

  it('explains each, and applies only what is required or requested', () => {
    for (const openYurt of ['1.4', '1.5', '1.6', '1.7', 'none']) {
      const { planned, warnings } = planPreconditions(on(openYurt), undefined, {}, new ProblemList());
      const preconditions = planned.map(({ precondition }) => precondition);
      expect(preconditions.map(({ component }) => component)).toEqual(PRECONDITION_COMPONENTS);
      expect(warnings).toEqual([]);
      for (const { need, applied, reason, steps, rollback } of preconditions) {
        expect(applied).toBe(need === 'required');
        expect(steps.length > 0).toBe(applied);
        expect(rollback.length).toBe(steps.length);
        expect(reason.length).toBeGreaterThan(30);
      }
    }
  });

  it('considers the controllers of the installed yurt-manager', () => {
    const plan = (openYurt: string, yurtManagerRunsNodeLifecycle: boolean) =>
      planPreconditions(
        on(openYurt),
        undefined,
        { kubeControllerManager: { yurtManagerRunsNodeLifecycle } },
        new ProblemList(),
      ).planned[0]?.precondition.need;
    expect(plan('1.7', true)).toBe('required');
    expect(plan('1.5', false)).toBe('harmful');
    expect(plan('none', true)).toBe('harmful');
  });

  it('warns about useless and harmful preconditions, and applies them on request', () => {
    const settings = { kubeControllerManager: { apply: true } };
    const { planned, warnings } = planPreconditions(on('1.7'), undefined, settings, new ProblemList());
    expect(planned[0]?.applied).toBe(true);
    expect(warnings.map(({ code, path }) => `${code} ${path}`)).toEqual(['EDGE_HARMFUL kubeControllerManager.apply']);
  });
});

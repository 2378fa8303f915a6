import type { EdgePreconditionsProps, Precondition } from 'edge-nodepools';
import { ProblemList } from '../../src/errors.js';
import { planPreconditions } from '../../src/preconditions/edge-preconditions.js';
import { type PreconditionComponent, step } from '../../src/preconditions/precondition.js';
import { KUBERNETES_MINORS } from '../../src/cluster/kubernetes-minors.js';
import { on } from '../corpus/kube-system.js';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { preconditionFiles } from '../../src/preconditions/step-files.js';

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
      expect(preconditions.map(({ component }) => component)).toEqual([
        'kube-controller-manager',
        'corefile',
        'coredns-daemon-set',
        'coredns-service',
        'kube-proxy',
      ]);
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

const made = (component: PreconditionComponent): Precondition => ({
  component,
  need: 'required',
  reason: 'a test',
  applied: true,
  steps: [step('apply it', { manifests: [{ kind: component }], commands: [`kubectl after ${component}`] })],
  files: [],
  rollback: [step('take it back', { commands: [`kubectl back ${component}`] })],
  rollbackFiles: [],
  lostAfter: [],
});

const describeInShell = process.platform === 'win32' ? describe.skip : describe;

describeInShell('the scripts of preconditions', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-steps-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Runs a script with a kubectl that prints a text for `get`; returns its other calls. */
  function run(name: string, answer: string): { readonly status: number | null; readonly calls: string[] } {
    for (const { path, content } of preconditionFiles([made('corefile'), made('kube-proxy')], 'out')) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    const kubectl = join(folder, 'kubectl');
    const log = join(folder, 'calls');
    writeFileSync(kubectl, `#!/bin/sh\nif [ "$1" = get ]; then echo '${answer}'; else echo "$*" >> ${log}; fi\n`);
    chmodSync(kubectl, 0o755);
    const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
    const { status } = spawnSync('sh', [join(folder, 'out', name)], { env });
    return { status, calls: existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [] };
  }

  it('apply the steps in order, and revert them in reverse order', () => {
    const applies = (file: string): string =>
      `apply --server-side --field-manager=edge-nodepools-preconditions --force-conflicts --filename=apply/${file}`;
    expect(run('apply.sh', '')).toEqual({
      status: 0,
      calls: [applies('01-corefile.yaml'), 'after corefile', applies('02-kube-proxy.yaml'), 'after kube-proxy'],
    });
    rmSync(join(folder, 'calls'));
    expect(run('revert.sh', '')).toEqual({ status: 0, calls: ['back kube-proxy', 'back corefile'] });
  });

  it('stop before an object of client-side kubectl apply', () => {
    expect(run('apply.sh', '    kubectl.kubernetes.io/last-applied-configuration: "{}"')).toEqual({
      status: 1,
      calls: [],
    });
  });
});

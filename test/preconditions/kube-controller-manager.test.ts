import { parseAllDocuments } from 'yaml';
import { ProblemList } from '../../src/base/errors.js';
import { KUBE_CONTROLLER_MANAGER } from '../../src/preconditions/kube-controller-manager.js';
import { on, staticPod, V1BETA3, V1BETA4 } from '../corpus/kube-system.js';
import fc from 'fast-check';
import { runs } from '../depth.js';
import {
  checkControllers,
  CONTROLLER_NAMES,
  runsNodeLifecycle,
  withNodeLifecycle,
  withoutNodeLifecycle,
} from '../../src/preconditions/kube-controllers.js';
import type { EdgePreconditionsProps, Precondition } from 'edge-nodepools';
import { planPreconditions } from '../../src/preconditions/edge-preconditions.js';
import { type PreconditionComponent, step } from '../../src/preconditions/precondition.js';
import { KUBERNETES_MINORS } from '../../src/cluster/kubernetes-minors.js';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { preconditionFiles } from '../../src/preconditions/step-files.js';

const OFF = '-nodelifecycle,*,bootstrapsigner,tokencleaner';

function plan(input: object, cluster = on('1.5')) {
  const problems = new ProblemList();
  const { precondition } = KUBE_CONTROLLER_MANAGER.plan({ cluster, ...input }, problems);
  expect(problems.problems).toEqual([]);
  const file = (name: string): string | undefined => precondition.files.find(({ path }) => path === name)?.content;
  return { precondition, file };
}

describe('the static Pod', () => {
  it.each([
    ['as kubeadm writes it', '--controllers=*,bootstrapsigner,tokencleaner', `--controllers=${OFF}`],
    ['in quotes', '"--controllers=*,bootstrapsigner,tokencleaner"', `"--controllers=${OFF}"`],
    ['as two words', "--controllers\n    - '*,ttl'", '--controllers\n    - "-nodelifecycle,*,ttl"'],
  ])('%s: one line changes, and no other byte', (_, before, after) => {
    const { file } = plan({ staticPod: staticPod(before) });
    expect(file('static-pods/kube-controller-manager.yaml')).toBe(staticPod(after));
  });

  it('without the flag gets it at the end of its command, and preserves its comment', () => {
    const text = plan({ staticPod: staticPod('') }).file('static-pods/kube-controller-manager.yaml') as string;
    expect(text).toBe(
      staticPod('').replace('credentials=true\n', 'credentials=true\n    - --controllers=-nodelifecycle,*\n'),
    );
  });

  it('is restored by the rollback', () => {
    const { precondition } = plan({ staticPod: staticPod() });
    expect(precondition.rollbackFiles).toEqual([
      { path: 'static-pods/kube-controller-manager.yaml', content: staticPod() },
    ]);
  });

  it('is not changed if the controller is already off', () => {
    const { precondition } = plan({ staticPod: staticPod(`--controllers=${OFF}`) });
    expect([precondition.applied, precondition.steps, precondition.files]).toEqual([true, [], []]);
  });
});

describe('the kubeadm configuration', () => {
  it('of v1beta3 gets the argument in its map, of v1beta4 in its list; comments and other documents do not change', () => {
    const old = plan({ clusterConfiguration: V1BETA3 }).file('kubeadm/cluster-configuration.yaml');
    expect(old).toBe(V1BETA3.replace('# for the metrics\n', `# for the metrics\n    controllers: ${OFF}\n`));
    const recent = plan({ clusterConfiguration: V1BETA4 }, on('1.5', '1.34')).file(
      'kubeadm/cluster-configuration.yaml',
    );
    expect(recent).toBe(
      V1BETA4.replace('# for the metrics\n', `# for the metrics\n  - name: controllers\n    value: ${OFF}\n`),
    );
  });

  it('with the argument gets only another value', () => {
    const before = V1BETA4.replace('bind-address', 'controllers').replace('0.0.0.0', '"*,ttl"');
    const { file } = plan({ clusterConfiguration: before });
    expect(file('kubeadm/cluster-configuration.yaml')).toBe(before.replace('*,ttl', '-nodelifecycle,*,ttl'));
  });

  it.each([
    ['1.29', { controllers: OFF }],
    ['1.34', [{ name: 'controllers', value: OFF }]],
  ])('that is not given is never passed to kubeadm: a part to merge, for %s', (minor, extraArgs) => {
    const { precondition, file } = plan({}, on('1.5', minor));
    const text = file('kubeadm/controller-manager-arguments.yaml') as string;
    expect(parseAllDocuments(text).map((document) => document.toJS().controllerManager.extraArgs)).toEqual([extraArgs]);
    const commands = [...precondition.steps, ...precondition.rollback].flatMap((each) => each.commands);
    expect(commands.length).toBeGreaterThan(0);
    expect(commands.filter((command) => /--config|upload-config/.test(command))).toEqual([]);
  });
});

describe('the patch file', () => {
  it('adds the flag to the value that kubeadm renders', () => {
    const patch = JSON.parse(plan({}).file('kubeadm-patches/kube-controller-manager+json.json') as string) as unknown;
    expect(patch).toEqual([{ op: 'add', path: '/spec/containers/0/command/-', value: '--controllers=-nodelifecycle' }]);
  });

  it('is not written if an earlier entry would take precedence, or without kubeadm', () => {
    expect(
      plan({ controllers: 'nodelifecycle,*' }).file('kubeadm-patches/kube-controller-manager+json.json'),
    ).toBeUndefined();
    const other = plan({ staticPod: staticPod() }, on('1.5', '1.29', 'other')).precondition;
    expect(other.files.map(({ path }) => path)).toEqual(['static-pods/kube-controller-manager.yaml']);
    expect(other.lostAfter).toEqual(['kubeadm upgrade']);
  });
});

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
      runs(100),
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
      runs(100),
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

describe('needs', () => {
  function needs(
    openYurt: string,
    guide?: EdgePreconditionsProps['guide'],
    kubernetes = '1.34',
  ): Precondition['need'][] {
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
});

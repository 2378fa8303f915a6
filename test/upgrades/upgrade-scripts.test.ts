import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { scriptName } from '../../src/upgrades/upgrade-step.js';
import { dumpOf, node, pool } from './dump.js';
import { planned, same, step } from './planned.js';

describe('the scripts', () => {
  it('are valid for a POSIX shell, and quote what comes from the dump', () => {
    const hostile = pool("a'$(touch /tmp/x);b", { hostNetwork: true });
    const objects = dumpOf('1.5', '1.30', [hostile, node("n'$(x)", 'beijing', '1.20.0')]);
    const { files } = planned(['1.5', '1.7'], ['1.30', '1.37'], objects);
    const scripts = files.filter(({ path }) => path.endsWith('.sh'));
    expect(scripts.length).toBeGreaterThan(20);
    // a function for each, so that one shell parses them all
    const text = scripts.map(({ content }, index) => `f${index}() {\n${content}\n}\n`).join('');
    const { status, stderr } = spawnSync('sh', ['-n'], { input: text, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    const words = spawnSync(
      'sh',
      [
        '-c',
        `unlabelled_nodes() { printf '%s' "$1" >&2; }\nset -f\n${step(planned(['1.5', '1.7'], same('1.30'), objects), 'keep-nodes').commands[1]}`,
      ],
      { encoding: 'utf8' },
    );
    expect(words.stderr).toBe("beijing,office,a'$(touch /tmp/x);b");
  });

  it('take nothing as done that could not be read', () => {
    const folder = mkdtempSync(join(tmpdir(), 'upgrade-'));
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin', 'kubectl'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const { steps, files } = planned(['1.5', '1.7'], ['1.30', '1.31']);
    for (const { path, content } of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    // one shell for all, because starting one for each takes longer
    const names = steps.map(scriptName).join(' ');
    const all = `for name in ${names}; do for word in check run verify; do sh steps/$name.sh $word >/dev/null 2>&1 </dev/null && echo $name $word; done; done; true`;
    const env = { ...process.env, PATH: `${folder}/bin:${process.env.PATH}`, OPENYURT_CHART: folder };
    const { stdout } = spawnSync('sh', ['-c', all], { cwd: folder, encoding: 'utf8', env });
    // what a person does has nothing to verify
    const byHand = steps.flatMap(({ place, verify }, index) =>
      place !== 'kubectl' && verify.length === 0 ? [`${scriptName(steps[index]!, index)} verify`] : [],
    );
    expect(stdout.trim().split('\n')).toEqual(byHand);
    const whole = spawnSync('sh', ['upgrade.sh'], { cwd: folder, encoding: 'utf8', env });
    rmSync(folder, { recursive: true });
    expect([whole.status, whole.stderr.includes('done ')]).toEqual([1, false]);
  });

  it('go back to the revision of before, also if helm upgrade ran twice; nodes are labelled only before 1.7', () => {
    const folder = mkdtempSync(join(tmpdir(), 'upgrade-'));
    mkdirSync(join(folder, 'bin'));
    mkdirSync(join(folder, 'crds'));
    // a Helm with a counter, and a cluster with yurt-manager in the image that Helm was asked for
    const helm =
      'echo "$*" >>"$F/log"\ncase "$1" in history) echo "[{\\"revision\\":$(cat "$F/revision"),\\"updated\\":\\"x\\"}]" ;; upgrade) echo $(($(cat "$F/revision") + 1)) >"$F/revision" ;; esac';
    const kubectl =
      'case "$*" in *kube-system*uid*) echo uid-of-the-cluster ;; *"rollout status"*) test -e "$F/ready" ;; *image*) echo openyurt/yurt-manager:v1.7.1 ;; *"get nodes"*) echo node/e ;; *label*) exit 1 ;; esac';
    for (const [name, text] of Object.entries({ helm, kubectl })) {
      writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    }
    writeFileSync(join(folder, 'revision'), '7\n');
    for (const [name, plan] of Object.entries({
      to15: planned(['1.4', '1.5'], same('1.30')),
      to17: planned(['1.5', '1.7'], same('1.30')),
    })) {
      for (const { path, content } of plan.files) {
        mkdirSync(dirname(join(folder, name, path)), { recursive: true });
        writeFileSync(join(folder, name, path), content);
      }
    }
    const env = { ...process.env, PATH: `${folder}/bin:${process.env.PATH}`, OPENYURT_CHART: folder, F: folder };
    const all =
      's=to15/steps/05-yurt-manager.sh; sh $s run; touch ready; sh $s run && sh $s back && tail -n 1 log && sh to17/steps/03-keep-nodes.sh check && echo kept';
    const { stdout, stderr } = spawnSync('sh', ['-c', all], { cwd: folder, encoding: 'utf8', env });
    rmSync(folder, { recursive: true });
    expect([stdout, stderr]).toEqual(['rollback yurt-manager 7 --namespace kube-system\nkept\n', '']);
  });

  it('are the same each time', () => {
    const twice = [0, 1].map(() => JSON.stringify(planned(['1.5', '1.7'], ['1.30', '1.37'])));
    expect(twice[0]).toBe(twice[1]);
  });

  it('have a way back, or say why there is none', () => {
    for (const openYurt of [
      ['1.4', '1.5'],
      ['1.5', '1.7'],
    ] as const) {
      for (const { id, back, noWayBack, pods, why } of planned(openYurt, ['1.30', '1.37']).steps) {
        expect([id, (back === undefined) === (noWayBack !== undefined), pods !== '', why !== '']).toEqual([
          id,
          true,
          true,
          true,
        ]);
      }
    }
  });
});

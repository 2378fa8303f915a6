import { spawnSync } from 'node:child_process';
import { scriptName } from '../../src/upgrades/upgrade-step.js';
import { SHELL } from '../../src/upgrades/shell-files.js';
import { dumpOf, node, pool } from './dump.js';
import { PlanFolder } from './plan-folder.js';
import { planned, same } from './planned.js';

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
  });

  it('take nothing as done that could not be read', () => {
    const plan = planned(['1.5', '1.7'], ['1.30', '1.31']);
    const { steps } = plan;
    const folder = new PlanFolder(plan, { kubectl: 'exit 1' });
    // one shell for all, because starting one for each takes longer
    const names = steps.map(scriptName).join(' ');
    const all = `for name in ${names}; do for word in check run verify; do sh steps/$name.sh $word >/dev/null 2>&1 </dev/null && echo $name $word; done; done; true`;
    const { said } = folder.sh(all);
    // what a person does, and the cluster does not show, or only in comparison with what a run has seen
    const unseen = steps.flatMap((each, index) =>
      each.place !== 'kubectl' && (each.parts.length === 0 || each.parts.includes('add-ons.sh'))
        ? [`${scriptName(each, index)} verify`]
        : [],
    );
    expect(said.trim().split('\n')).toEqual(unseen);
    const whole = folder.sh('sh upgrade.sh');
    folder.remove();
    expect([whole.status, whole.said.includes('done ')]).toEqual([1, false]);
  });

  it('label nodes only before 1.7, whose webhook refuses the label', () => {
    const kubectl = 'case "$*" in *"get deployment"*) echo openyurt/yurt-manager:v1.7.0 ;; *) exit 1 ;; esac';
    const folder = new PlanFolder(planned(['1.5', '1.7'], same('1.30')), { kubectl });
    const { status, said } = folder.sh('sh steps/03-keep-nodes.sh check');
    folder.remove();
    expect([status, said]).toEqual([0, '']);
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
      for (const { id, place, wayBack, noWayBack, parts, pods, why } of planned(openYurt, ['1.30', '1.37']).steps) {
        const undone =
          place === 'kubectl' ? parts.some((part) => SHELL[part].includes('undo() {')) : wayBack !== undefined;
        expect([id, undone === (noWayBack === undefined), pods !== '', why !== '']).toEqual([id, true, true, true]);
      }
    }
  });
});

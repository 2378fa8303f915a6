import { scriptName } from '../../src/adopt/upgrade-step.js';
import type { UpgradePlan } from '../../src/adopt/upgrade-plan.js';
import { PlanFolder } from './plan-folder.js';
import { planned } from './planned.js';

// what the cluster shows is in files: the UID, the minor of the API server, and the webhooks
const kubectl = `case "$*" in
  *namespace\\ kube-system*) cat uid ;;
  *--raw=/version*) printf '{"gitVersion": "v%s.2"}' "$(cat minor)" ;;
  *go-template=*webhooks*) sed 's/$/\\tCA/' webhooks ;;
  *secret*) printf CA ;;
  *daemonsets,deployments*) cat components ;;
  *deployment\\ yurt-manager*) cat yurt-manager ;;
  *component=kube-controller-manager*) cat kube-controller-manager ;;
esac`;

let plan: UpgradePlan;
let folder: PlanFolder;
const nameOf = (id: string): string => {
  const index = plan.steps.findIndex((step) => step.id === id);
  return scriptName(plan.steps[index]!, index);
};
/** As if all steps before one were done. */
const doneBefore = (id: string): void => {
  for (const step of plan.steps.slice(
    0,
    plan.steps.findIndex((each) => each.id === id),
  )) {
    folder.write(`done/${nameOf(step.id)}`, 'by hand\n');
  }
};
const confirm = (name: string): ReturnType<PlanFolder['sh']> => folder.sh(`sh upgrade.sh --done '${name}'`);

beforeEach(() => {
  plan = planned(['1.5', '1.7'], ['1.34', '1.35']);
  folder = new PlanFolder(plan, { kubectl, sleep: ':' });
  folder.write('uid', 'uid-of-the-cluster');
  folder.write('minor', '1.34');
  folder.write('webhooks', folder.read('files/webhooks.txt') ?? '');
  folder.write('components', 'DaemonSet/kube-proxy \nDeployment/coredns \n');
  folder.write('yurt-manager', '["--v=2","--controllers=-nodelifecycle,*"]');
  folder.write('kube-controller-manager', '["kube-controller-manager","--controllers=*,bootstrapsigner"]');
});
afterEach(() => folder.remove());

describe('--done', () => {
  it('is refused for a step while an earlier one is not done', () => {
    doneBefore('yurt-manager');
    for (const id of ['program', 'preconditions', 'control-plane-1.35']) {
      const { status, said } = confirm(nameOf(id));
      expect([status, said]).toEqual([1, `${nameOf(id)} comes after ${nameOf('yurt-manager')}, which is not done\n`]);
      expect(folder.read(`done/${nameOf(id)}`)).toBeUndefined();
    }
  });

  it('is refused for a control plane that is of the old minor, and then for the steps after it', () => {
    doneBefore('control-plane-1.35');
    const name = nameOf('control-plane-1.35');
    expect(confirm(name)).toMatchObject({ status: 1, said: `${name} is not done: the cluster shows another state\n` });
    expect(confirm(nameOf('add-ons-1.35')).said).toContain(`comes after ${name}, which is not done`);
    folder.write('minor', '1.35');
    expect(confirm(name).status).toBe(0);
    expect(folder.read(`done/${name}`)).toBe('by hand\n');
    expect(confirm(nameOf('add-ons-1.35')).status).toBe(0);
  });

  it('is refused for a program whose webhooks are missing, changed or without their CA', () => {
    doneBefore('program');
    const name = nameOf('program');
    const expected = folder.read('files/webhooks.txt') ?? '';
    const [first = '', ...rest] = expected.trimEnd().split('\n');
    for (const [webhooks, finding] of [
      [rest, /missing: .*Webhook/],
      [[first.replace(/\/[a-z-]+/, '/elsewhere'), ...rest], /not of this release: /],
    ] as const) {
      folder.write('webhooks', `${webhooks.join('\n')}\n`);
      const { status, said } = confirm(name);
      expect([status, said]).toEqual([1, expect.stringMatching(finding)]);
      expect(said).toContain(`${name} is not done: the cluster shows another state`);
    }
    folder.write('webhooks', expected);
    expect(confirm(name).status).toBe(0);
  });

  it('is refused for preconditions while no controller finds dead nodes', () => {
    doneBefore('preconditions');
    const name = nameOf('preconditions');
    for (const off of ['-nodelifecycle,*,bootstrapsigner', '*,-node-lifecycle-controller']) {
      folder.write('kube-controller-manager', `["kube-controller-manager","--controllers=${off}"]`);
      const { status, said } = confirm(name);
      expect([status, said]).toEqual([1, expect.stringContaining('nodelifecycle controller is off in yurt-manager')]);
    }
    // who has kept the one of yurt-manager
    folder.write('yurt-manager', '["--v=2","--controllers=*"]');
    expect(confirm(name).status).toBe(0);
  });

  it('is refused for add-ons that were kept off host-network nodes, and are not since the control plane was upgraded', () => {
    const term = '{"key":"nodepool.openyurt.io/hostnetwork","operator":"NotIn"}';
    folder.write('components', `DaemonSet/kube-proxy ${term}\nDeployment/coredns ${term}\nDeployment/web \n`);
    doneBefore('control-plane-1.35');
    expect(folder.sh('sh upgrade.sh').status).toBe(10);
    folder.write('minor', '1.35');
    folder.write('components', `DaemonSet/kube-proxy \nDeployment/coredns ${term}\nDeployment/web \n`);
    doneBefore('add-ons-1.35');
    const name = nameOf('add-ons-1.35');
    const { status, said } = confirm(name);
    expect([status, said]).toEqual([1, expect.stringMatching(/and are not now: DaemonSet\/kube-proxy \n/)]);
    folder.write('components', `DaemonSet/kube-proxy ${term}\nDeployment/coredns ${term}\nDaemonSet/more ${term}\n`);
    expect(confirm(name).status).toBe(0);
  });

  it.each(['', '99-nothing', '../upgrade', 'a b', '$(x)'])('is refused for %j, which is no step', (name) => {
    const { status, said } = confirm(name);
    expect([status, said]).toEqual([
      1,
      expect.stringMatching(/^(write --done and the name of a step|there is no step 99-nothing)\n$/),
    ]);
  });

  it('is refused in another cluster', () => {
    doneBefore('program');
    folder.write('uid', 'uid-of-another');
    expect(confirm(nameOf('program'))).toMatchObject({
      status: 1,
      said: 'This plan was made for another cluster: select its context in the kubeconfig.\n',
    });
  });
});

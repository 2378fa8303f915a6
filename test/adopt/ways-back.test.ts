import { dumpOf, pool, node } from './dump.js';
import { PlanFolder } from './plan-folder.js';
import { planned, same } from './planned.js';
import { spawnSync } from 'node:child_process';
import { scriptName } from '../../src/adopt/upgrade-step.js';
import { shell } from '../../src/adopt/shell-parts.js';

const KEY = 'nodepool.openyurt.io/hostnetwork';

let folder: PlanFolder;
afterEach(() => folder.remove());

/** What a step does to the cluster; reads are left out. */
const writes = (calls: readonly string[]): string[] =>
  calls.filter((call) =>
    /^(kubectl|helm) (-\S+ |--\S+ )*(annotate|label|create|delete|replace|apply|upgrade|rollback)\b/.test(call),
  );

describe('yurt-manager', () => {
  // the history of a release is a file with its revisions, of which Helm keeps ten if it is not told otherwise; `cut` is when Helm is killed after it has written a revision
  const helm = `case $1 in
    history) awk 'BEGIN { printf "[" } $1 != "-" { printf "%s{\\"revision\\":%s,\\"status\\":\\"%s\\"}", (NR > 1 ? "," : ""), NR, $1 } END { print "]" }' history ;;
    upgrade)
      ! tail -n 1 history | grep -q pending || { echo 'another operation (install/upgrade/rollback) is in progress' >&2; exit 1; }
      if [ -e cut ]; then rm cut; echo pending-upgrade >>history; exit 137; fi
      sed -i s/deployed/superseded/ history; echo deployed >>history; cp new image
      case "$*" in *'--history-max 0'*) ;; *) awk -v last="$(awk 'END { print NR }' history)" 'NR <= last - 10 { $0 = "-" } 1' history >kept; mv kept history ;; esac ;;
    rollback)
      [ "$(sed -n "$3p" history)" != - ] || { echo 'Error: release: not found' >&2; exit 1; }
      ! tail -n 1 history | grep -q -e pending -e failed || { echo 'Error: no ClusterRole with the name "yurt-manager-role" found' >&2; exit 1; }
      sed -i s/deployed/superseded/ history; echo deployed >>history; [ "$3" != 1 ] || cp old image ;;
    get) printf '%s\\n' 'kind: Service' --- 'kind: MutatingWebhookConfiguration' webhooks: '- admissionReviewVersions: [v1]' '  clientConfig:' '    service: {}' --- 'kind: ValidatingWebhookConfiguration' ;;
  esac`;
  const kubectl = `case "$*" in
    *namespace\\ kube-system*) printf uid-of-the-cluster ;;
    *deployment\\ yurt-manager*) cat image ;;
    *go-template=*webhooks*) sed 's/$/\\tCA/' files/webhooks.txt ;;
    *delete\\ secret*) sed -i '$d' history ;;
    *secret*) printf CA ;;
    *webhookconfiguration/*) echo one; echo two ;;
  esac`;
  const step = 'sh steps/*-yurt-manager.sh';
  const back = 'helm rollback yurt-manager 1 --namespace kube-system --history-max 0';
  const forgotten = 'kubectl --namespace=kube-system delete secret sh.helm.release.v1.yurt-manager.v2';

  beforeEach(() => {
    folder = new PlanFolder(planned(['1.4', '1.5.1'], same('1.34')), { helm, kubectl });
    folder.write('history', 'deployed\n');
    folder.write('old', 'yurt-manager:v1.4.0');
    folder.write('new', 'yurt-manager:v1.5.1');
    folder.write('image', 'yurt-manager:v1.4.0');
    folder.write('crds/crds.yaml', '');
  });

  it('goes back to the revision before the first attempt, however often it was run', () => {
    const often = Array.from({ length: 12 }, () => `${step} run`).join(' && ');
    expect(folder.sh(`${often} && ${step} verify`).status).toBe(0);
    const { status, calls } = folder.sh(`${step} back`);
    expect([status, calls.filter((call) => call.startsWith('helm rollback'))]).toEqual([0, [back]]);
    expect(folder.read('image')).toBe('yurt-manager:v1.4.0');
    const again = folder.sh(`${step} back`);
    expect([again.status, again.said]).toEqual([1, 'nothing was changed\n']);
  });

  it.each(['run', 'back'])(
    'says before anything starts that somebody else has had the former revision pruned: %s',
    (act) => {
      folder.sh(`${step} run`);
      folder.write('history', '-\nsuperseded\ndeployed\n');
      const { status, said, calls } = folder.sh(`${step} ${act}`);
      expect([status, writes(calls)]).toEqual([1, []]);
      expect(said).toMatch(/^Helm has not kept revision 1 of yurt-manager.*when it runs next: 3\.$/m);
      expect(folder.sh(`rm backup/helm-revision && ${step} run`).status).toBe(0);
    },
  );

  it('replaces the webhooks by those of the release of Helm, which can be called at once', () => {
    expect(folder.sh(`${step} run`).calls).toContain('kubectl replace --filename=backup/webhooks.yaml');
    expect(folder.read('backup/webhooks.yaml')?.split('\n')).toEqual([
      ...['---', 'kind: MutatingWebhookConfiguration', 'webhooks:', '- admissionReviewVersions: [v1]'],
      ...['  clientConfig:', '    caBundle: CA', '    service: {}'],
      ...['---', 'kind: ValidatingWebhookConfiguration', ''],
    ]);
  });

  it('goes on after Helm was killed, and then back', () => {
    folder.write('cut', '');
    expect(folder.sh(`${step} run`).status).toBe(137);
    expect(folder.read('history')).toBe('deployed\npending-upgrade\n');
    const { status, said, calls } = folder.sh(`${step} run && ${step} verify`);
    expect([status, said]).toEqual([0, expect.stringContaining('Helm was interrupted')]);
    expect(writes(calls).slice(0, 2)).toEqual([
      forgotten,
      expect.stringMatching(/^helm upgrade yurt-manager .* --set image\.tag=v1\.5\.1$/),
    ]);
    expect(writes(folder.sh(`${step} back`).calls)[0]).toBe(back);
  });

  it('goes back at once after Helm was killed', () => {
    folder.write('cut', '');
    folder.sh(`${step} run`);
    const { status, calls } = folder.sh(`${step} back`);
    expect([status, ...writes(calls).slice(0, 2)]).toEqual([0, forgotten, back]);
    expect(folder.read('history')).toBe('superseded\ndeployed\n');
  });

  it('goes back from a revision that has failed', () => {
    folder.sh(`${step} run`);
    folder.write('history', 'deployed\nfailed\n');
    const { status, calls } = folder.sh(`${step} back`);
    expect([status, ...writes(calls).slice(0, 2)]).toEqual([0, forgotten, back]);
  });

  it('says what to do if Helm keeps its revisions elsewhere', () => {
    folder.write('cut', '');
    folder.sh(`${step} run`);
    const { status, said } = folder.sh(`HELM_DRIVER=sql ${step} run`);
    expect([status, said]).toEqual([1, expect.stringContaining('elsewhere than in the cluster')]);
    expect(folder.sh(`HELM_DRIVER=configmap ${step} run`).calls).toContain(forgotten.replace('secret', 'configmap'));
  });

  it('is refused, and Helm not called, for a release of which no revision was ever deployed', () => {
    folder.write('history', 'failed\n');
    const { status, said, calls } = folder.sh(`${step} run`);
    expect([status, said, writes(calls)]).toEqual([1, expect.stringContaining('no revision of yurt-manager'), []]);
  });

  it('keeps, just before 1.7 runs, the nodes that have joined since the label was given', () => {
    folder.remove();
    const nodes = `case "$*" in
      *nodepools.v1beta1*) printf 'pool\\tbeijing\\npool\\tcame-later\\n' ;;
      *nodes\\ --selector*) printf 'node\\tedge-9\\tcame-later\\nnode\\toffice-1\\tof-the-cloud\\n' ;;
    esac`;
    folder = new PlanFolder(planned(['1.5', '1.7'], same('1.34')), { helm, kubectl: `${kubectl}\n${nodes}` });
    folder.write('history', 'deployed\n');
    folder.write('new', 'yurt-manager:v1.7.0');
    folder.write('image', 'yurt-manager:v1.5.1');
    folder.write('crds/crds.yaml', '');
    const label = 'kubectl label --overwrite node edge-9 openyurt.io/is-edge-worker=true';
    const first = writes(folder.sh('sh steps/*-yurt-manager.sh run').calls);
    expect(first.slice(0, 2)).toEqual([label, expect.stringMatching(/^helm upgrade/)]);
    // then its webhook refuses the label
    expect(writes(folder.sh('sh steps/*-yurt-manager.sh run').calls)).not.toContain(label);
  });
});

describe('annotate-pools', () => {
  // what kubectl prints for a go-template: nothing, or = and the value
  const kubectl = `case "$*" in
    *namespace\\ kube-system*) printf uid-of-the-cluster ;;
    *customresourcedefinition*) cat storage ;;
    *jsonpath=*items*) cat pools ;;
    *--output=go-template=*) cat "before-$3" 2>/dev/null || true ;;
    *--ignore-not-found*) [ -e "gone-$3" ] || echo "$3" ;;
  esac`;
  const step = 'sh steps/*-annotate-pools.sh';

  beforeEach(() => {
    folder = new PlanFolder(planned(['1.5', '1.7'], same('1.34')), { kubectl });
    folder.write('storage', 'v1beta1');
  });

  it.each([
    ['', `annotate --overwrite nodepools.v1beta1.apps.openyurt.io beijing ${KEY}=`],
    ['false', `annotate --overwrite nodepools.v1beta1.apps.openyurt.io beijing ${KEY}=false`],
    ['yes', `annotate --overwrite nodepools.v1beta1.apps.openyurt.io beijing ${KEY}=yes`],
    [undefined, `annotate nodepools.v1beta1.apps.openyurt.io beijing ${KEY}-`],
  ])('restores %j', (value, back) => {
    folder.write('pools', `beijing\ttrue\t${value ?? ''}\noffice\t\t\n`);
    folder.write('before-beijing', value === undefined ? '' : `=${value}`);
    expect(writes(folder.sh(`${step} run`).calls)).toEqual([
      `kubectl annotate --overwrite nodepools.v1beta1.apps.openyurt.io beijing ${KEY}=true`,
    ]);
    // a second run finds what the first one wrote, and forgets nothing
    folder.write('before-beijing', '=true');
    folder.sh(`${step} run`);
    const { status, calls } = folder.sh(`${step} back`);
    expect([status, writes(calls)]).toEqual([0, [`kubectl ${back}`]]);
    expect(writes(folder.sh(`${step} back`).calls)).toEqual([]);
  });

  it('leaves True as it is, which every release reads as true', () => {
    folder.write('pools', 'beijing\ttrue\tTrue\n');
    const { status, calls } = folder.sh(`${step} check && ${step} run && ${step} back`);
    expect([status, writes(calls)]).toEqual([0, []]);
  });

  it('restores it on a pool that was a regular one, and skips pools that are gone', () => {
    folder.write('pools', 'beijing\t\tTrue\nlater\ttrue\t\n');
    folder.write('before-beijing', '=True');
    folder.sh(`${step} run`);
    folder.write('gone-later', '');
    const { status, said, calls } = folder.sh(`${step} back`);
    expect([status, said.trim(), writes(calls)]).toEqual([
      0,
      'NodePool later does not exist any more',
      [`kubectl annotate --overwrite nodepools.v1beta1.apps.openyurt.io beijing ${KEY}=True`],
    ]);
  });

  it('is refused once 1.7 stores the pools', () => {
    folder.write('pools', 'beijing\ttrue\t\n');
    folder.sh(`${step} run`);
    folder.write('storage', 'v1beta2');
    const { status, said, calls } = folder.sh(`${step} back`);
    expect([status, said, writes(calls)]).toEqual([1, 'the new release needs the annotations\n', []]);
  });
});

describe('yurthub-rights', () => {
  const kubectl = `case "$*" in
    *namespace\\ kube-system*) printf uid-of-the-cluster ;;
    *apply*) for last; do :; done; cp "\${last#--filename=}" there ;;
    *get*) test -s there && echo role ;;
  esac`;
  const step = 'sh steps/*-yurthub-rights.sh';

  it('gives nodes the rights under a name of its own, and never takes them away', () => {
    folder = new PlanFolder(planned(['1.5', '1.7'], same('1.34'), dumpOf('1.5', '1.34', [pool('more')])), { kubectl });
    expect(folder.sh(`${step} check`).status).not.toBe(0);
    expect(folder.sh(`${step} run && ${step} run && ${step} verify`)).toMatchObject({ status: 0 });
    expect(folder.read('there')).toMatch(/^kind: RoleBinding$/m);
    // the next chart has objects of this name
    expect(folder.read('there')).not.toMatch(/name: yurt-hub/);
    const { status, calls } = folder.sh(`${step} back`);
    expect([status, writes(calls)]).toEqual([0, []]);
    expect(folder.sh(`${step} check`).status).toBe(0);
  });
});

describe('crds', () => {
  const kubectl = `case "$*" in
    *namespace\\ kube-system*) printf uid-of-the-cluster ;;
    *--dry-run=client*) printf 'nodepools.apps.openyurt.io v1alpha1 v1beta1\\nyurtappsets.apps.openyurt.io v1alpha1\\n' ;;
    *storedVersions*) case $3 in nodepools*) printf v1beta1 ;; *) printf 'v1alpha1 v1beta1' ;; esac ;;
    *get\\ yurtappsets*) cat objects ;;
  esac`;
  const back = 'OPENYURT_CHART_BEFORE=$PWD sh steps/*-crds.sh back';

  beforeEach(() => {
    folder = new PlanFolder(planned(['1.4', '1.5.1'], same('1.34')), { kubectl });
    folder.write('crds/crds.yaml', '');
  });

  it('creates anew what was stored in a version that the earlier release has not, if there are no objects', () => {
    folder.write('objects', '');
    const { status, calls } = folder.sh(back);
    expect([status, writes(calls)]).toEqual([
      0,
      [
        expect.stringContaining('create --dry-run=client'),
        'kubectl delete customresourcedefinition yurtappsets.apps.openyurt.io',
        expect.stringMatching(/^kubectl apply --server-side --force-conflicts/),
      ],
    ]);
  });

  it('has no way back while there are such objects, and changes nothing', () => {
    folder.write('objects', 'yurtappset.apps.openyurt.io/shop\n');
    const { status, said, calls } = folder.sh(back);
    expect([status, said]).toEqual([
      1,
      expect.stringMatching(/yurtappsets\.apps\.openyurt\.io exist, .* v1beta1, .*snapshot of etcd/),
    ]);
    expect(writes(calls)).toEqual([expect.stringContaining('--dry-run=client')]);
  });
});

describe('upgrade scripts', () => {
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
        each.place !== 'kubectl' && (each.parts.length === 0 || each.parts.includes('add-ons'))
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
            place === 'kubectl' ? parts.some((part) => shell(part).includes('undo() {')) : wayBack !== undefined;
          expect([id, undone === (noWayBack === undefined), pods !== '', why !== '']).toEqual([id, true, true, true]);
        }
      }
    });
  });
});

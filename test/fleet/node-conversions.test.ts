/** How far OpenYurt is with making edge nodes of the Nodes of a dump, as yurt-manager 1.7.0 and master write it; run on both (see the group `conversion`). */
import { checkManifests } from '../../src/fleet/check-manifests.js';
import { EdgeCluster } from 'edge-nodepools';
import { NEXT_CONVERSION } from '../../src/cluster/openyurt-releases.js';
import { ProblemList } from '../../src/base/errors.js';
import { missingRights, readConversions, yurthubRights } from '../../src/pools/node-conversion.js';
import { nodesScript, reportNodes } from '../../src/fleet/node-report.js';
import { readState } from '../../src/preconditions/cluster-state.js';
import { reportPreconditions } from '../../src/preconditions/report.js';

const BORN = '2026-11-28T10:00:00Z';
const SERVANT = 'openyurt/node-servant:v1.7.0';

const pool = {
  apiVersion: 'apps.openyurt.io/v1beta2',
  kind: 'NodePool',
  metadata: { name: 'hz' },
  spec: { type: 'Edge', hostNetwork: true },
};
const manager = (servant = SERVANT, controllers = '-nodelifecycle,*'): any => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'yurt-manager', namespace: 'kube-system' },
  spec: {
    template: {
      spec: {
        containers: [
          {
            image: 'openyurt/yurt-manager:v1.7.0',
            args: [`--controllers=${controllers}`, `--node-servant-image=${servant}`],
          },
        ],
      },
    },
  },
});

interface Given {
  readonly name?: string;
  readonly reason?: string;
  readonly isWorker?: boolean;
  readonly isMember?: boolean;
  readonly labels?: Record<string, string>;
}

function node({ name = 'edge1', reason, isWorker = false, isMember = true, labels = {} }: Given = {}): any {
  const isFailed = reason?.endsWith('Failed') === true;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      creationTimestamp: BORN,
      labels: {
        ...(isMember ? { 'apps.openyurt.io/nodepool': 'hz' } : {}),
        'nodepool.openyurt.io/hostnetwork': 'true',
        ...(isWorker ? { 'openyurt.io/is-edge-worker': 'true' } : {}),
        ...labels,
      },
    },
    spec: reason === undefined || /^(Converted|Reverted)$/.test(reason) ? {} : { unschedulable: true },
    status: {
      conditions:
        reason === undefined
          ? []
          : [
              {
                type: 'YurtNodeConversionFailed',
                status: isFailed ? 'True' : 'False',
                reason,
                message: isFailed ? 'Job has reached the specified backoff limit' : '',
              },
            ],
    },
  };
}

function job(
  outcome?: 'Complete' | 'Failed',
  { name = 'edge1', at = '2026-11-28T10:00:01Z', metadata = {}, action = 'convert' } = {},
): any {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: `node-servant-conversion-${name}`,
      namespace: 'kube-system',
      labels: { 'openyurt.io/conversion-node': name },
      creationTimestamp: at,
      ...metadata,
    },
    spec: { template: { spec: { containers: [{ args: [`/usr/local/bin/entry.sh ${action} --node-name=${name}`] }] } } },
    status: outcome === undefined ? { active: 1 } : { conditions: [{ type: outcome, status: 'True' }] },
  };
}

const EARLIER = '2026-11-28T09:00:00Z';
const LONG = 'ip-10-0-12-131.eu-central-1.compute.internal';
const SETTLED = [pool, manager(), ...yurthubRights()];
const DELETE =
  'kubectl --namespace kube-system delete --ignore-not-found --wait=false job node-servant-conversion-edge1';

describe('conversions of a dump', () => {
  it.each<
    [what: string, given: readonly object[], state: string | undefined, commands: readonly unknown[] | undefined]
  >([
    ['nothing of it yet', [node()], 'not begun', []],
    ['a running Job', [node({ reason: 'Converting' }), job()], 'running', undefined],
    ['a reversal', [node({ reason: 'Reverting', isWorker: true, isMember: false }), job()], 'running', undefined],
    ['success', [node({ reason: 'Converted', isWorker: true }), job('Complete')], 'converted', undefined],
    ['success, without its Job', [node({ reason: 'Converted', isWorker: true })], 'converted', undefined],
    ['a way back', [node({ reason: 'Reverted', isMember: false })], 'reverted', undefined],
    ['a failure', [node({ reason: 'ConvertFailed' }), job('Failed')], 'failed', [DELETE]],
    ['a failure whose Job was not read', [node({ reason: 'ConvertFailed' })], 'failed', [DELETE]],
    [
      'a failed reversal',
      [node({ reason: 'RevertFailed', isWorker: true, isMember: false }), job('Failed')],
      'failed',
      [DELETE],
    ],
    [
      'a failed one of an earlier machine',
      [node({ reason: 'ConvertFailed' }), job('Failed', { at: EARLIER })],
      'stale Job',
      [DELETE],
    ],
    [
      'a complete one of an earlier machine',
      [node({ reason: 'Converted', isWorker: true }), job('Complete', { at: EARLIER })],
      'stale Job',
      [
        DELETE,
        'kubectl --as=system:serviceaccount:kube-system:yurt-manager-yurt-node-conversion-controller label node edge1 openyurt.io/is-edge-worker-',
      ],
    ],
    ['a long name', [node({ name: LONG, reason: 'Converting' })], 'long name', []],
    ['a node of yurtadm, or of an earlier release', [node({ isWorker: true })], undefined, undefined],
    ['a node outside of the pools', [node({ isMember: false })], undefined, undefined],
    [
      'a deleted Job that its finalizer keeps, as on master',
      [
        node({ reason: 'Converting' }),
        job(undefined, { metadata: { deletionTimestamp: BORN, finalizers: [NEXT_CONVERSION.finalizer] } }),
      ],
      'failed',
      [
        expect.stringContaining('get --ignore-not-found'),
        expect.stringContaining(`'{"metadata":{"finalizers":null}}'`),
        'done',
      ],
    ],
  ])('%s', (_, given, state, commands) => {
    const [found, ...others] = readConversions([...SETTLED, ...given] as any[], { converts: true });
    expect(others).toEqual([]);
    expect(found?.state).toBe(state);
    expect(found?.repair?.commands).toEqual(commands);
    // the three commands say the same
    const dump = [...SETTLED, ...given] as any[];
    const gap = commands === undefined ? [] : [found?.repair?.what];
    const ofNodes = reportNodes(dump).nodes.flatMap(({ findings }) =>
      findings.filter(({ kind }) => kind === 'not-converted'),
    );
    expect(ofNodes.map(({ what }) => what)).toEqual(gap);
    expect(report(dump).map(({ what }) => what)).toEqual(gap);
    const checked = checkManifests(dump).findings.filter(({ path }) => path === 'status.conditions');
    expect(checked.map(({ message }) => message)).toEqual(gap);
  });

  function report(dump: readonly object[]) {
    const problems = new ProblemList();
    const state = readState(
      [{ path: 'dump', text: dump.map((each) => JSON.stringify(each)).join('\n---\n') }],
      problems,
    );
    return reportPreconditions(EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' }), undefined, state, problems)
      .conversion;
  }

  it('has not begun only where a yurt-manager that converts was read', () => {
    const states = (...objects: object[]): string[] =>
      reportNodes([node(), ...objects] as any[]).nodes.flatMap(({ conversion }) => conversion?.state ?? []);
    expect(states(pool)).toEqual([]);
    expect(states(pool, manager())).toEqual(['not begun']);
    expect(states(pool, manager(SERVANT, 'nodepool'))).toEqual([]);
    expect(states({ ...pool, spec: { type: 'Cloud' } }, manager())).toEqual([]);
  });

  it('finds the Job of a Node that is gone', () => {
    const dump = [pool, node({ name: 'other', reason: 'Converted', isWorker: true }), job('Complete')];
    const found = reportNodes(dump);
    expect(found.staleJobs.map(({ repair }) => repair?.commands)).toEqual([[DELETE]]);
    expect(nodesScript(found)).toContain(`\n${DELETE}\n`);
    const messages = checkManifests(dump).findings.map(({ object, message }) => `${object}: ${message}`);
    expect(messages).toContainEqual(
      expect.stringMatching(/^Job kube-system\/node-servant-conversion-edge1: there is no such Node/),
    );
  });

  it('gives the rights, and says which are missing, before it tries again', () => {
    const dump = [pool, manager(), ...yurthubRights().slice(0, 2), node({ reason: 'ConvertFailed' }), job('Failed')];
    const bindings = [{ kind: 'RoleBinding', metadata: { name: 'other', namespace: 'kube-system' } }];
    const [found] = reportNodes([...dump, ...bindings] as any[]).nodes;
    const [repair] = found?.findings ?? [];
    expect(repair?.what).toContain('nodes may not list configmaps of kube-system, watch configmaps of kube-system');
    expect(repair?.commands).toEqual([expect.stringContaining('kubectl apply --server-side'), DELETE]);
    expect(report([...dump, ...bindings]).map(({ of }) => of)).toEqual(['rights of yurthub', 'edge1']);
  });

  it.each([
    ['openyurt/node-servant:latest', true],
    ['registry.example:5000/node-servant', true],
    ['registry.example:5000/node-servant:v1.7.0', false],
    [`openyurt/node-servant@sha256:${'0'.repeat(64)}`, false],
  ])('the image of node-servant is pinned: %s', (image, isGap) => {
    const found = report([...yurthubRights(), pool, manager(image)]).map(({ of }) => of);
    expect(found).toEqual(isGap ? ['image of node-servant'] : []);
  });

  const DROP_IN = '/etc/systemd/system/kubelet.service.d/20-yurthub.conf';
  const join = (text: string): any => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'hz-join-0123456789', namespace: 'kube-system', labels: { 'edge-nodepools/pool': 'hz' } },
    data: { 'join.sh': text },
  });
  it.each<[what: string, labels: Record<string, string>, joins: readonly object[], isDead: boolean]>([
    ['of another tool', {}, [], true],
    ['of a join without the drop-in', { 'edge-nodepools/join': '0123456789' }, [join('kubeadm join')], true],
    ['of a join with it', { 'edge-nodepools/join': '0123456789' }, [join(`write ${DROP_IN}`)], false],
    ['of a join that is not in the dump', { 'edge-nodepools/join': '0123456789' }, [], false],
  ])('a node that does not start yurthub at boot: %s', (_, labels, joins, isDead) => {
    const dump = [pool, ...joins, node({ reason: 'Converted', isWorker: true, labels })] as any[];
    const found = reportNodes(dump);
    expect(found.nodes.flatMap(({ findings }) => findings.map(({ kind }) => kind))).toEqual(
      isDead ? ['dead-after-boot'] : [],
    );
    expect(
      (nodesScript(found) ?? '').includes(
        `# printf '[Unit]\\nWants=yurthub.service\\nAfter=yurthub.service\\n' >${DROP_IN}`,
      ),
    ).toBe(isDead);
  });
});

describe('rights of yurthub', () => {
  const [role, binding, own, ownBinding] = yurthubRights() as [any, any, any, any];
  /** The rights of the chart yurt-manager after 1.7, and of the chart yurthub of 1.7: other names, and configmaps everywhere. */
  const ofChart = [
    {
      ...role,
      metadata: { name: 'yurt-hub' },
      rules: [
        { apiGroups: ['apps.openyurt.io'], resources: ['nodepools'], verbs: ['list', 'watch'] },
        { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] },
        { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
      ],
    },
    { ...binding, metadata: { name: 'any' }, roleRef: { ...binding.roleRef, name: 'yurt-hub' } },
  ];
  const other = { kind: 'RoleBinding', metadata: { name: 'other', namespace: 'kube-system' } };
  const ALL = ['nodepools', 'endpointslices', 'configmaps of kube-system'].flatMap((what) => [
    `list ${what}`,
    `watch ${what}`,
  ]);

  it.each<[what: string, objects: readonly object[], missing: readonly string[] | undefined]>([
    ['ours', [role, binding, own, ownBinding], []],
    ['those of a chart, by their rules', ofChart, []],
    ['nothing was read', [], undefined],
    ['no binding was read', [role, own], undefined],
    ['no binding of the namespace was read', [role, binding], undefined],
    ['a role of that name without its binding', [role, { ...binding, subjects: [] }, own, other], ALL],
    ['bound to others', [role, { ...binding, subjects: [{ kind: 'Group', name: 'system:masters' }] }, other], ALL],
    [
      'one verb too few',
      [{ ...role, rules: role.rules.map((rule: any) => ({ ...rule, verbs: ['list'] })) }, binding, own, ownBinding],
      ['watch nodepools', 'watch endpointslices'],
    ],
    [
      'only objects with names',
      [
        { ...role, rules: role.rules.map((rule: any) => ({ ...rule, resourceNames: ['a'] })) },
        binding,
        own,
        ownBinding,
      ],
      ALL.slice(0, 4),
    ],
    [
      'a role of another namespace',
      [role, binding, { ...own, metadata: { ...own.metadata, namespace: 'default' } }, ownBinding],
      ALL.slice(4),
    ],
    ['everything', [{ ...role, rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] }, binding], []],
  ])('%s', (_, objects, missing) => {
    expect(missingRights(objects as any[])).toEqual(missing);
  });

  it('are never named as those of the next chart', () => {
    expect(yurthubRights().map(({ metadata }) => metadata?.name)).not.toContain('yurt-hub');
  });
});

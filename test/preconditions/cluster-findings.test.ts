import { MANAGED_BY, MANAGED_BY_LABEL, OPENYURT_HOST_NETWORK } from '../../src/kubernetes/labels.js';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Chart, Testing } from 'cdk8s';
import { EdgeCluster, EdgeWarnings, PoolAdmission } from 'edge-nodepools';
import { findDaemonSets, findPolicies } from '../../src/preconditions/report.js';
import { main } from '../../src/cli/main.js';
import { findNodePools, nodePoolsScript } from '../../src/preconditions/node-pool-findings.js';
import { node, pool } from '../adopt/dump.js';
import { planPoolAdmission } from '../../src/admission/pool-admission.js';
import { planScope } from '../plan-scope.js';

const KEY = 'nodepool.openyurt.io/hostnetwork';
const annotations = { [KEY]: 'true' };
const on = (openYurt: string, objects: readonly any[]): unknown[] =>
  findNodePools(EdgeCluster.of({ openYurt, kubernetes: '1.30' }), objects).map(({ state, commands }) => [
    state,
    ...commands,
  ]);
const member = node('n', 'p', '1.30.1', { [KEY]: 'true' });

describe('NodePools that an upgrade changes', () => {
  it.each(['1.4', '1.5', '1.6'])('OpenYurt %s: field and annotation must agree', (release) => {
    const kind = 'nodepools.v1beta1.apps.openyurt.io';
    expect(on(release, [pool('p', { hostNetwork: true, annotations }), pool('q'), member])).toEqual([]);
    expect(on(release, [pool('p', { hostNetwork: true })])).toEqual([
      ['missing', `kubectl annotate --overwrite ${kind} p '${KEY}=true'`.replaceAll("'", '')],
    ]);
    // the command refuses such a name; a script quotes it all the same
    expect(on(release, [pool("p'q", { hostNetwork: true })])).toEqual([
      ['missing', `kubectl annotate --overwrite ${kind} 'p'\\''q' ${KEY}=true`],
    ]);
    expect(on(release, [pool('p', { annotations })])).toEqual([
      ['missing', `kubectl annotate --overwrite ${kind} p ${KEY}-`],
    ]);
  });

  it('1.7: a pool that an upgrade has made a regular one, and one that a write would change', () => {
    const now = (spec: object): any => pool('p', { version: 'v1beta2', ...spec });
    expect(on('1.7', [now({ hostNetwork: true }), member])).toEqual([]);
    expect(on('1.7', [now({ hostNetwork: true, annotations }), member])).toEqual([]);
    expect(on('1.7', [now({}), node('n', 'p', '1.30.1')])).toEqual([]);
    expect(on('1.7', [now({}), member])).toEqual([
      [
        'harmful',
        `kubectl annotate --overwrite nodepools.v1beta2.apps.openyurt.io p ${KEY}=true`,
        'kubectl get nodepools.v1beta1.apps.openyurt.io p --output=json | kubectl replace --filename=-',
      ],
    ]);
    expect(on('1.7', [now({ annotations })])).toEqual([
      ['harmful', `kubectl annotate nodepools.v1beta2.apps.openyurt.io p ${KEY}-`],
    ]);
    // read in an old version, the annotation is the pool's hostNetwork
    expect(on('1.7', [pool('p', { annotations }), member])).toEqual([]);
  });

  it('1.7: what cannot be undone needs a decision', () => {
    const script = (objects: readonly any[]): string => {
      const found = findNodePools(EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.30' }), objects);
      return nodePoolsScript(found)[0]?.content ?? '';
    };
    const now = pool('p', { version: 'v1beta2' });
    const connected = pool('p', { version: 'v1beta2', interConnectivity: true });
    expect(script([now, member])).toMatch(/^kubectl annotate/m);
    expect(script([connected, member])).toMatch(/^# .*interConnectivity[^]*\n# kubectl annotate/m);
    const some = script([now, member, node('regular', 'p', '1.30.1')]);
    expect(some).toMatch(/^# .*only some of its nodes[^]*\n# kubectl annotate[^]*\n# kubectl get/m);
    expect(some).not.toMatch(/^kubectl/m);
  });

  it('without OpenYurt there are none', () => {
    expect(on('none', [pool('p', { hostNetwork: true })])).toEqual([]);
  });

  it('the command prints and counts them, and writes their script', () => {
    const out = mkdtempSync(join(tmpdir(), 'node-pools-'));
    let said = '';
    const print = (text: string): void => void (said += text);
    const line = { stdin: () => JSON.stringify(pool('p', { hostNetwork: true })), stdout: print, stderr: print };
    main(['preconditions', '--dump=-', '--openyurt=1.5', '--kubernetes=1.30', `--out=${out}`], line);
    expect(said).toMatch(/^NodePools that an upgrade changes.*\nmissing {3}p: it lacks the annotation/m);
    expect(said).toContain(`1 gap; see ${out}/node-pools.sh`);
    const script = readFileSync(join(out, 'node-pools.sh'), 'utf8');
    rmSync(out, { recursive: true });
    expect(script).toContain(` p ${KEY}=true\n`);
  });

  it('the command still refuses a dump that shows nothing', () => {
    let said = '';
    const print = (text: string): void => void (said += text);
    const good = pool('p', { hostNetwork: true, annotations });
    const line = { stdin: () => JSON.stringify(good), stdout: print, stderr: print };
    const code = main(['preconditions', '--dump=-', '--openyurt=1.5', '--kubernetes=1.30', '--out=/nowhere/x'], line);
    expect([code, said]).toEqual([2, expect.stringContaining('nothing in stdin shows the state of a cluster')]);
  });
});

describe('DaemonSets whose Pods are judged differently', () => {
  const EXCLUSION = { key: KEY, operator: 'NotIn', values: ['true'] };
  const affinity = (...terms: object[]): any => ({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
  });
  const EXCLUDED = affinity({ matchExpressions: [EXCLUSION] });
  const daemonSet = (spec: object = {}, templateAnnotations: object = {}, namespace = 'default'): any => ({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'web', namespace },
    spec: { template: { metadata: { annotations: templateAnnotations }, spec } },
  });
  const podOf = (kind: string, spec: object): any => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'default', ownerReferences: [{ kind, name: 'web', controller: true }] },
    spec,
  });
  const policies = (guarantees: object): any[] => {
    const app = new App();
    EdgeWarnings.setMode(app, 'silent');
    const chart = new Chart(app, 'c');
    const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });
    new PoolAdmission(chart, 'a', { cluster, guarantees, excludedNamespaces: ['apart'] });
    return Testing.synth(chart);
  };
  const ANNOTATED = { 'apps.openyurt.io/exclude-host-network-pool': 'true' };

  it.each<[string, any[], number]>([
    ['no policy', [daemonSet()], 0],
    ['only the annotation', [daemonSet({}, ANNOTATED)], 1],
    ['annotation and affinity', [daemonSet(EXCLUDED, ANNOTATED)], 0],
    ['a Pod that is excluded', [daemonSet(), podOf('DaemonSet', EXCLUDED)], 1],
    ['a Pod that is not', [daemonSet(), podOf('DaemonSet', {})], 0],
    ['a Pod of another kind', [daemonSet(), podOf('ReplicaSet', EXCLUDED)], 0],
    ['strict', [daemonSet(), ...policies({ strict: true })], 1],
    ['strict with annotations', [daemonSet(), ...policies({ strict: true, annotatedTemplates: false })], 1],
    ['strict, written since', [daemonSet(EXCLUDED), ...policies({ strict: true })], 0],
    ['strict, hostNetwork', [daemonSet({ hostNetwork: true }), ...policies({ strict: true })], 0],
    ['strict, an exempt namespace', [daemonSet({}, {}, 'apart'), ...policies({ strict: true })], 0],
    ['the defaults', [daemonSet(), ...policies({})], 0],
    [
      'a policy without binding',
      [daemonSet(), ...policies({ strict: true }).filter(({ kind }) => !kind.endsWith('Binding'))],
      0,
    ],
  ])('%s', (_, objects, count) => {
    expect(findDaemonSets(objects, [], OPENYURT_HOST_NETWORK)).toHaveLength(count);
    expect(findDaemonSets(objects, ['DaemonSet default/web', 'DaemonSet apart/web'], OPENYURT_HOST_NETWORK)).toEqual(
      [],
    );
  });

  it('the command adds the requirement to each term, and keeps everything else', () => {
    const zone = { key: 'zone', operator: 'In', values: ["it's"] };
    const [found] = findDaemonSets(
      [daemonSet(affinity({ matchExpressions: [zone] }, {}), ANNOTATED)],
      [],
      OPENYURT_HOST_NETWORK,
    );
    const [, patch = ''] = / --type=merge --patch '(.*)'$/.exec(found?.commands[0] ?? '') ?? [];
    expect(JSON.parse(patch.replaceAll("'\\''", "'"))).toEqual({
      spec: { template: { spec: affinity({ matchExpressions: [zone, EXCLUSION] }, {}) } },
    });
    expect(found?.commands[0]).toMatch(/^kubectl --namespace default patch daemonset web /);
  });
});

describe('findings about policies', () => {
  /** The policies of PoolAdmission as they are in a cluster. */
  function policies(kubernetes: string, mutatingAdmissionPolicy?: 'v1beta1'): any[] {
    const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: kubernetes });
    return planPoolAdmission({ cluster, mutatingAdmissionPolicy, otherPools: ['hz'] }, planScope()).objects.map(
      ({ object }: any) => ({
        ...object,
        metadata: { ...object.metadata, labels: { [MANAGED_BY_LABEL]: MANAGED_BY } },
      }),
    );
  }

  const found = (objects: any[]): string[] => findPolicies(objects).map(({ policy }) => policy);
  const isMutating = ({ kind }: any): boolean => /^Mutating/.test(kind as string);

  describe('the mutating policies in a dump', () => {
    it.each([['1.34', 'v1beta1'] as const, ['1.36', undefined] as const])(
      'are found when they are not served, and only then, on %s',
      (kubernetes, version) => {
        const all = policies(kubernetes, version);
        expect(found(all)).toEqual([]);
        expect(found(all.filter((object) => !isMutating(object)))).toEqual([
          'edge-nodepools-node-label',
          'edge-nodepools-pods',
        ]);
        expect(found(all.filter(({ kind }) => kind !== 'MutatingAdmissionPolicyBinding'))).toHaveLength(2);
        // a dump without any policy says nothing about them
        expect(found([])).toEqual([]);
      },
    );

    it('are reported with the flags that the API server needs', () => {
      const [lost] = findPolicies(policies('1.34', 'v1beta1').filter((object) => !isMutating(object)));
      expect(lost?.reason).toContain('--runtime-config=admissionregistration.k8s.io/v1beta1=true');
      const [deleted] = findPolicies(policies('1.36').filter((object) => !isMutating(object)));
      expect(deleted?.reason).not.toContain('--runtime-config');
    });

    it('of others say nothing', () => {
      const foreign = policies('1.36')
        .filter((object) => !isMutating(object))
        .map((object) => ({ ...object, metadata: { name: object.metadata.name } }));
      expect(found(foreign)).toEqual([]);
    });
  });
});

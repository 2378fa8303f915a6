import { App, Chart, Testing } from 'cdk8s';
import fc from 'fast-check';
import { EdgeCluster, EdgeWarnings, ExcludedWorkload, HostNetworkNodePool, PoolAdmission } from 'edge-nodepools';
import { FleetDifferences, fleetDiff } from 'edge-nodepools/checks';
import { runs } from '../depth.js';

const deployment = (image: string): any => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image }] } },
  },
});

function program(openYurt: string, kubernetes: string, image = 'web:1'): any[] {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'fleet');
  const cluster = EdgeCluster.of({ openYurt, kubernetes });
  new HostNetworkNodePool(chart, 'pool', { cluster, poolName: 'beijing' });
  new PoolAdmission(chart, 'admission', { cluster });
  new ExcludedWorkload(chart, 'web', { cluster, workload: deployment(image) });
  return Testing.synth(chart);
}

describe('fleetDiff', () => {
  it('of one program on two releases: versions, fields, and what rolls out', () => {
    const diff = fleetDiff(program('1.5', '1.34'), program('1.7', '1.34'));
    expect(diff).toBeInstanceOf(FleetDifferences);
    expect([diff.created, diff.deleted, diff.isEmpty()]).toEqual([[], [], false]);
    const [pool] = diff.changed;
    expect(pool).toEqual({
      immutable: [],
      object: 'NodePool beijing',
      versions: ['apps.openyurt.io/v1beta1', 'apps.openyurt.io/v1beta2'],
      fields: [
        { path: 'metadata.annotations', before: { 'nodepool.openyurt.io/hostnetwork': 'true' } },
        { path: 'spec.leaderElectionStrategy', after: 'random' },
      ],
      rollsOut: false,
    });
    expect(diff.changed.filter(({ rollsOut }) => rollsOut)).toEqual([]);
    expect(diff.toString()).toContain('~ NodePool beijing (apps.openyurt.io/v1beta1 -> apps.openyurt.io/v1beta2)\n');
  });

  it('of two minors: the policies that appear', () => {
    const { created, deleted } = fleetDiff(program('1.7', '1.34'), program('1.7', '1.36'));
    expect(deleted).toEqual([]);
    expect(created).toContain('MutatingAdmissionPolicy edge-nodepools-node-label');
    const back = fleetDiff(program('1.7', '1.36'), program('1.7', '1.34'));
    expect([back.created, back.deleted]).toEqual([deleted, created]);
  });

  it('a changed template rolls out, and replicas do not', () => {
    const [image] = fleetDiff([deployment('web:1')], [deployment('web:2')]).changed;
    expect(image).toMatchObject({ object: 'Deployment shop/web', rollsOut: true });
    expect(image?.fields).toEqual([
      { path: 'spec.template.spec.containers[name=web].image', before: 'web:1', after: 'web:2' },
    ]);
    const more = deployment('web:1');
    more.spec.replicas = 2;
    const diff = fleetDiff([deployment('web:1')], [more]);
    expect(diff.changed[0]?.rollsOut).toBe(false);
    expect(diff.toString()).toBe('~ Deployment shop/web\n    spec.replicas: 1 -> 2');
  });

  const listOf = (containers: unknown[]): any => {
    const object = deployment('web:1');
    object.spec.template.spec.containers = containers;
    return object;
  };
  const changes = (before: unknown[], after: unknown[]): unknown =>
    fleetDiff([listOf(before)], [listOf(after)]).changed[0]?.fields.map(({ path, ...rest }) => ({
      path: path.replace('spec.template.spec.', ''),
      ...rest,
    }));

  it.each<[string, unknown[], unknown[], unknown]>([
    [
      'an item before the others',
      [{ name: 'web' }],
      [{ name: 'proxy' }, { name: 'web' }],
      [{ path: 'containers[name=proxy]', after: { name: 'proxy' } }],
    ],
    [
      'a field of an item that has moved',
      [{ name: 'a', image: 'a:1' }, { name: 'b' }],
      [{ name: 'b' }, { name: 'a', image: 'a:2' }],
      [{ path: 'containers[name=a].image', before: 'a:1', after: 'a:2' }],
    ],
    [
      'the order alone',
      [{ name: 'a' }, { name: 'b' }],
      [{ name: 'b' }, { name: 'a' }],
      [{ path: 'containers', before: [{ name: 'a' }, { name: 'b' }], after: [{ name: 'b' }, { name: 'a' }] }],
    ],
    [
      'texts',
      ['--a', '--v=2'],
      ['--v=3', '--a'],
      [
        { path: 'containers[]', before: '--v=2' },
        { path: 'containers[]', after: '--v=3' },
      ],
    ],
    [
      'items without a key',
      [{ matchLabels: { a: 'b' } }, { matchLabels: { c: 'd' } }],
      [{ matchLabels: { c: 'd' } }, { matchLabels: { a: 'e' } }],
      [{ path: 'containers[1].matchLabels.a', before: 'b', after: 'e' }],
    ],
    [
      'a key that is there twice',
      [
        { key: 'a', effect: 'x' },
        { key: 'a', effect: 'y' },
      ],
      [{ key: 'a', effect: 'y' }],
      [{ path: 'containers[0]', before: { key: 'a', effect: 'x' } }],
    ],
  ])('lists are compared by key: %s', (_, before, after, expected) => {
    expect(changes(before, after)).toEqual(expected);
  });

  it('of long values the part is shown in which they differ', () => {
    const script = (end: string): any => [{ name: 'web', command: ['sh', '-c', `${'x'.repeat(300)}${end}`] }];
    const text = String(
      fleetDiff(
        [listOf([{ name: 'web', image: `${'registry.example/'.repeat(9)}web:1` }])],
        [listOf([{ name: 'web', image: `${'registry.example/'.repeat(9)}web:2` }])],
      ),
    );
    expect(text).toMatch(/web:1 ->[^]*web:2/);
    expect(text.length).toBeLessThan(300);
    expect(String(fleetDiff([listOf(script('1'))], [listOf(script('2'))]))).toContain('...');
  });

  it('shows nothing of a Secret', () => {
    const secret = (pw: string): object => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's' },
      data: { pw },
    });
    const text = fleetDiff([secret('aGVsbG8=')], [secret('d29ybGQ=')]).toString();
    expect(text).toBe('~ Secret s\n    data.pw: (secret) -> (secret)');
  });

  it('sees tweaks of a YurtAppSet roll out, and a DaemonSet with OnDelete wait', () => {
    const set = (workloadTweaks: object[]): object => ({
      apiVersion: 'apps.openyurt.io/v1beta1',
      kind: 'YurtAppSet',
      metadata: { name: 's' },
      spec: { workload: { workloadTweaks } },
    });
    expect(fleetDiff([set([])], [set([{ pools: ['a'] }])]).changed[0]?.rollsOut).toBe(true);
    const waiting = (image: string): any => {
      const object = { ...deployment(image), kind: 'DaemonSet' };
      return { ...object, spec: { ...object.spec, updateStrategy: { type: 'OnDelete' } } };
    };
    expect(fleetDiff([waiting('a')], [waiting('b')]).changed[0]?.rollsOut).toBe(false);
  });

  it('of a fleet and itself is empty, whatever the order of its keys', () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.dictionary(fc.string(), value))), (specs) => {
        const objects = specs.map(([spec], index) => ({
          apiVersion: 'v1',
          kind: 'Thing',
          metadata: { name: `n${index}` },
          spec,
        }));
        const reversed = (map: object): object => Object.fromEntries(Object.entries(map).reverse());
        const others = objects.map((object) => reversed({ ...object, spec: reversed(object.spec) })).reverse();
        expect(fleetDiff(objects, others).isEmpty()).toBe(true);
        expect(fleetDiff(objects, others).toString()).toBe('no differences');
      }),
      runs(200),
    );
  });

  it('finds every changed leaf, and only those', () => {
    const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean());
    fc.assert(
      fc.property(fc.dictionary(fc.string(), leaf), fc.dictionary(fc.string(), leaf), (before, after) => {
        const thing = (spec: object): object => ({ apiVersion: 'v1', kind: 'Thing', metadata: { name: 'n' }, spec });
        const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
        const expected = keys.filter((key) => !Object.is(before[key], after[key]));
        const fields = fleetDiff([thing(before)], [thing(after)]).changed.flatMap((change) => change.fields);
        expect(fields).toHaveLength(expected.length);
      }),
      runs(200),
    );
  });

  it.each([
    ['a chart', {}, 'EDGE_TYPE', 'before'],
    ['text', ['kind: Pod'], 'EDGE_NOT_AN_OBJECT', 'before[0]'],
    ['an object twice', [deployment('a'), deployment('b')], 'EDGE_DUPLICATE', 'before[1]'],
  ])('%s is refused', (_, before, code, path) => {
    expect(() => fleetDiff(before as object[], [])).toThrow(expect.objectContaining({ code, path }) as Error);
  });

  it.each<[string, string, any, string[]]>([
    ['apps/v1', 'Deployment', { selector: { matchLabels: { app: 'other' } } }, ['spec.selector']],
    ['apps/v1', 'StatefulSet', { serviceName: 'b', replicas: 3 }, ['spec.serviceName']],
    ['batch/v1', 'Job', { template: { spec: { nodeName: 'a' } } }, ['spec.template']],
    ['apps.openyurt.io/v1beta2', 'NodePool', { hostNetwork: true }, ['spec.hostNetwork']],
    ['apps/v1', 'Deployment', { replicas: 3 }, []],
    ['example.com/v1', 'Deployment', { selector: {} }, []],
  ])('of %s %s says which changes the API server refuses', (apiVersion, kind, spec, immutable) => {
    const object = { apiVersion, kind, metadata: { name: 'a' }, spec: {} };
    const diff = fleetDiff([object], [{ ...object, spec }]);
    expect(diff.changed.map((change) => change.immutable)).toEqual([immutable]);
    expect(diff.toString().includes('cannot be changed')).toBe(immutable.length > 0);
  });
});

describe('what a changed template does', () => {
  const workload = (kind: string, image: string, spec: object): any => ({
    ...deployment(image),
    kind,
    spec: { ...deployment(image).spec, ...spec },
  });
  const partition = (first: number): object => ({
    replicas: 3,
    updateStrategy: { rollingUpdate: { partition: first } },
  });
  it.each<[kind: string, spec: object, rollsOut: boolean, held: RegExp | undefined]>([
    ['Deployment', {}, true, undefined],
    ['Deployment', { paused: true }, false, /until the Deployment is resumed/],
    ['StatefulSet', partition(0), true, undefined],
    ['StatefulSet', partition(1), true, /^from Pod 1 on/],
    ['StatefulSet', partition(3), false, /partition 3 of 3 Pods/],
    ['StatefulSet', partition(9), false, /partition 9 of 3 Pods/],
    ['StatefulSet', { updateStrategy: { type: 'OnDelete' } }, false, /when it is deleted/],
    ['DaemonSet', { updateStrategy: { type: 'OnDelete' } }, false, /when it is deleted/],
    ['ReplicaSet', {}, false, undefined],
  ])('%s with %j: %p', (kind, spec, rollsOut, held) => {
    const diff = fleetDiff([workload(kind, 'web:1', spec)], [workload(kind, 'web:2', spec)]);
    expect(diff.changed[0]?.rollsOut).toBe(rollsOut);
    expect(diff.changed[0]?.held ?? '').toMatch(held ?? /^$/);
    expect(diff.toString().includes('its Pods are replaced')).toBe(rollsOut);
    expect(diff.toString().includes('its Pods are not replaced (')).toBe(!rollsOut && held !== undefined);
    // nothing is held that does not differ
    const scaled = workload(kind, 'web:1', { ...spec, minReadySeconds: 5 });
    expect(fleetDiff([workload(kind, 'web:1', spec)], [scaled]).changed[0]?.held).toBeUndefined();
  });

  it('is left to OpenYurt, if its updater replaces the Pods', () => {
    const of = (image: string): any => ({
      ...workload('DaemonSet', image, { updateStrategy: { type: 'OnDelete' } }),
      metadata: { name: 'web', annotations: { 'apps.openyurt.io/update-strategy': 'AdvancedRollingUpdate' } },
    });
    expect(fleetDiff([of('web:1')], [of('web:2')]).changed[0]).toMatchObject({ rollsOut: true });
  });
});

describe('a field with the default of the API server', () => {
  const pod = (spec: object, container: object = {}): any => {
    const object = deployment('web:1');
    object.spec.template.spec = { containers: [{ name: 'web', image: 'web:1', ...container }], ...spec };
    return object;
  };
  it.each<[what: string, before: any, after: any, paths: string[]]>([
    ['of the Pod', pod({}), pod({ restartPolicy: 'Always', schedulerName: 'default-scheduler' }), []],
    ['of the time', pod({}), pod({ terminationGracePeriodSeconds: 30, dnsPolicy: 'ClusterFirst' }), []],
    ['of a container', pod({}), pod({}, { imagePullPolicy: 'IfNotPresent', resources: {} }), []],
    [
      'of a field reference',
      pod({}, { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'status.hostIP' } } }] }),
      pod({}, { env: [{ name: 'A', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'status.hostIP' } } }] }),
      [],
    ],
    [
      'and another value',
      pod({}),
      pod({ restartPolicy: 'Always', terminationGracePeriodSeconds: 31 }),
      ['terminationGracePeriodSeconds'],
    ],
    ['and the other policy', pod({}), pod({}, { imagePullPolicy: 'Always' }), ['containers[name=web].imagePullPolicy']],
  ])('%s', (_, before, after, paths) => {
    for (const [one, other] of [
      [before, after],
      [after, before],
    ]) {
      const { changed } = fleetDiff([one], [other]);
      expect(changed.flatMap(({ fields }) => fields.map(({ path }) => path))).toEqual(
        paths.map((path) => `spec.template.spec.${path}`),
      );
      expect(changed.some(({ rollsOut }) => rollsOut)).toBe(paths.length > 0);
    }
  });
});

describe('a bare Pod', () => {
  const pod = (spec: object, container: object = {}): any => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'bare', namespace: 'shop' },
    spec: { containers: [{ name: 'a', image: 'a:1', ...container }], ...spec },
  });
  const tolerations = (tolerationSeconds: number, ...more: string[]): object => ({
    tolerations: [{ key: 'x', effect: 'NoExecute', tolerationSeconds }, ...more.map((key) => ({ key }))],
  });
  it.each<[what: string, before: any, after: any, immutable: string[]]>([
    ['image', pod({}), pod({}, { image: 'a:2' }), []],
    ['env', pod({}), pod({}, { image: 'a:2', env: [{ name: 'A' }] }), ['spec.containers[name=a].env']],
    ['a toleration more', pod(tolerations(5)), pod(tolerations(5, 'y')), []],
    ['a toleration less', pod(tolerations(5, 'y')), pod(tolerations(5)), ['spec.tolerations[key=y]']],
    ['the time of a toleration', pod(tolerations(5)), pod(tolerations(6)), []],
    ['a deadline', pod({}), pod({ activeDeadlineSeconds: 9 }), []],
    ['a shorter deadline', pod({ activeDeadlineSeconds: 9 }), pod({ activeDeadlineSeconds: 8 }), []],
    [
      'a longer deadline',
      pod({ activeDeadlineSeconds: 8 }),
      pod({ activeDeadlineSeconds: 9 }),
      ['spec.activeDeadlineSeconds'],
    ],
    ['a gate less', pod({ schedulingGates: [{ name: 'a' }] }), pod({}), []],
    ['a gate', pod({}), pod({ schedulingGates: [{ name: 'a' }] }), ['spec.schedulingGates']],
    ['a default', pod({}), pod({ enableServiceLinks: true }), []],
  ])('%s', (_, before, after, immutable) => {
    const { changed } = fleetDiff([before], [after]);
    expect(changed.flatMap((each) => each.immutable)).toEqual(immutable);
  });
});

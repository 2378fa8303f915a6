/** @jest-environment ./test/pulumi/rejections-environment.cjs */
import type * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import {
  EdgeCluster,
  ExcludedWorkload,
  excludeFromHostNetworkPools,
  HostNetworkNodePool,
  HostNetworkWorkload,
  NodeJoin,
  type PoolWebhook,
  type WorkloadArgument,
} from 'edge-nodepools/pulumi';
import { EXCLUDE_ANNOTATION } from '../../src/kubernetes/labels.js';
import { daemonSet, untyped } from '../bad-inputs/case.js';
import { objectsIn, record, recordRefusal } from './recorded.js';
import { yurtAppSet } from '../corpus/yurt-app-tweaks.js';

const SECRET = '4dabf18193072939515e22adb298388d';
const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34', apiServer: '10.0.0.1:6443' });
const pool = (): any => HostNetworkNodePool.fromPoolName({ cluster, poolName: 'hz' });
const withPorts = { image: 'agent:1', name: 'agent', ports: [{ containerPort: 9100 }] };

/** Paths in plain text, with their values. */
function clear(value: any, path = ''): [string, unknown][] {
  if (typeof value !== 'object' || value === null) {
    return [[path, value]];
  }
  return SECRET in value ? [] : Object.entries(value).flatMap(([key, item]) => clear(item, `${path}/${key}`));
}

const DECLARATIONS: [string, (workload: any) => unknown][] = [
  ['HostNetworkWorkload', (workload) => new HostNetworkWorkload('it', { pool: pool(), workload })],
  ['ExcludedWorkload', (workload) => new ExcludedWorkload('it', { cluster, workload })],
];

describe.each(DECLARATIONS)('%s of a whole workload', (_, declare) => {
  const workload = {
    ...daemonSet({ containers: [{ ...withPorts, env: [{ name: 'KEY', value: 'canary' }] }] }),
    metadata: { name: 'agent', annotations: { note: 'canary' } },
  };

  it('that is secret is secret in every field', async () => {
    const { resources, warnings, errors } = await record(() => declare(pulumi.secret(workload)));
    const object = resources.find(({ type }) => type.startsWith('kubernetes:'));
    expect(object?.inputs).toMatchObject({ kind: 'DaemonSet' });
    // the type of a resource is never secret
    expect(clear(object?.wire).map(([path]) => path)).toEqual(['/apiVersion', '/kind']);
    expect(JSON.stringify([resources.map(({ wire }) => clear(wire)), warnings, errors])).not.toContain('canary');
  });

  it('that is an Output has the same object as a plain one', async () => {
    const objects = async (given: unknown): Promise<unknown> =>
      objectsIn(await record(() => declare(given))).map(({ type, name, inputs }) => ({ type, name, inputs }));
    expect(await objects(pulumi.output(workload))).toEqual(await objects(workload));
  });

  it('without a value is refused', async () => {
    const shown = await recordRefusal(() => declare(pulumi.output(undefined)));
    expect(shown).toContain('EDGE_MISSING  workload: this Output has no value (undefined)');
  });
});

describe('warnings of a workload', () => {
  const unported = daemonSet({ containers: [{ name: 'canary', image: 'a' }] });

  it('with an Output are shown when its value is known, and only if they apply', async () => {
    const warned = async (workload: unknown): Promise<readonly string[]> =>
      (await record(() => new HostNetworkWorkload('it', { pool: pool(), workload: workload as never }))).warnings;
    const late = (await warned(pulumi.output(unported))).join('\n');
    expect(late).toContain('EDGE_NO_PORTS');
    expect(late.split('EDGE_NO_PORTS')).toHaveLength(2);
    const ports = pulumi.output(withPorts.ports);
    expect(await warned(daemonSet({ containers: [{ ...withPorts, ports }] as never }))).toEqual([]);
  });

  it('show no secret', async () => {
    const { warnings } = await record(
      () => new HostNetworkWorkload('it', { pool: pool(), workload: pulumi.secret(unported) as never }),
    );
    expect(warnings.join('\n')).not.toContain('canary');
  });

  it('about terms that match nothing are shown when the terms are known', async () => {
    const affinity = {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: pulumi.output([{ matchExpressions: [{ key: 'site', operator: 'Exists' }] }]),
        },
      },
    };
    const { warnings } = await record(() => new ExcludedWorkload('it', { cluster, workload: daemonSet({ affinity }) }));
    expect(warnings.join('\n')).not.toContain('EDGE_MATCHES_NOTHING');
  });
});

describe('an Output without a value', () => {
  it.each<[string, string, () => unknown]>([
    [
      'in the labels of a pool',
      'labels.site',
      () =>
        new HostNetworkNodePool('it', { cluster, poolName: 'hz', labels: { site: pulumi.output(undefined) as any } }),
    ],
    [
      'as all labels of a pool',
      'labels',
      () => new HostNetworkNodePool('it', { cluster, poolName: 'hz', labels: pulumi.output(undefined) as any }),
    ],
  ])('%s is refused', async (_, path, declare) => {
    expect(await recordRefusal(declare)).toContain(`EDGE_MISSING  ${path}: this Output has no value (undefined)`);
  });

  it('as the token of a join is refused at token', async () => {
    const join = (): unknown =>
      new NodeJoin('it', {
        pool: pool(),
        token: pulumi.output(undefined) as any,
        discoveryFile: '/run/discovery.conf',
      });
    expect(await recordRefusal(join)).toContain('EDGE_MISSING  token: this Output has no value (undefined)');
  });

  it('in a workload is an absent field', async () => {
    const workload = daemonSet({ containers: [{ ...withPorts, command: pulumi.output(undefined) }] as never });
    const [object] = objectsIn(await record(() => new ExcludedWorkload('it', { cluster, workload })));
    expect((object?.inputs as any).spec.template.spec.containers).toEqual([withPorts]);
  });
});

describe('values that must be plain', () => {
  const refusal = 'must be a plain value, not an Output: it determines what is made';

  it.each<[string, string, () => unknown]>([
    ['all arguments', '', () => new HostNetworkNodePool('it', pulumi.output({ cluster, poolName: 'hz' }) as never)],
    [
      'the pool of a workload',
      'pool: ',
      () => new HostNetworkWorkload('it', { pool: pulumi.output({}) as never, workload: daemonSet() }),
    ],
    [
      'the pools of a workload',
      'pools: ',
      () => new HostNetworkWorkload('it', { pools: pulumi.output([]) as never, workload: daemonSet() }),
    ],
    [
      'one of the pools of a workload',
      'pools[1]: ',
      () => new HostNetworkWorkload('it', { pools: [pool(), pulumi.output({}) as never], workload: daemonSet() }),
    ],
  ])('is refused as an Output: %s', async (_, path, declare) => {
    let message = '';
    await record(() => {
      try {
        declare();
      } catch (error) {
        message = (error as Error).message;
      }
    });
    expect(message.match(/EDGE_\w+/g)).toEqual(['EDGE_KNOWN_LATER']);
    expect(message).toContain(`EDGE_KNOWN_LATER  ${path}${refusal}`);
  });
});

describe('excludeFromHostNetworkPools', () => {
  it.each<[string, (spec: any) => any]>([
    ['spec', (spec) => pulumi.output(spec)],
    ['spec.template', (spec) => ({ ...spec, template: pulumi.output(spec.template) })],
  ])('excludes a workload whose %s is an Output', async (_, late) => {
    const workload: any = daemonSet();
    const transform = excludeFromHostNetworkPools(cluster);
    let props: any;
    await record(async () => {
      const result: any = await transform({
        type: 'kubernetes:apps/v1:DaemonSet',
        name: 'agent',
        custom: true,
        props: { ...workload, spec: late(workload.spec) },
        opts: {},
      });
      props = await new Promise((resolve) => pulumi.output(result?.props).apply(resolve));
    });
    const terms =
      props?.spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms;
    expect(JSON.stringify(terms)).toContain('NotIn');
  });

  it('accepts null in maps of text, as the API server does', async () => {
    const template = {
      metadata: { labels: { app: 'web' }, annotations: { checksum: null, [EXCLUDE_ANNOTATION]: null } },
    };
    const workload = { ...daemonSet(), metadata: { name: 'web', annotations: { checksum: null } } };
    workload.spec.template = { ...workload.spec.template, ...template };
    let props: any;
    const recorded = await record(async () => {
      const transform = excludeFromHostNetworkPools(cluster);
      const type = 'kubernetes:apps/v1:DaemonSet';
      props = (await transform({ type, name: 'web', custom: true, props: workload, opts: {} }))?.props;
      new ExcludedWorkload('other', {
        cluster,
        workload: { ...workload, metadata: { ...workload.metadata, name: 'b' } },
      });
    });
    expect(recorded.warnings).toEqual([]);
    expect(props.spec.template.metadata.annotations).toEqual({ checksum: null, [EXCLUDE_ANNOTATION]: 'true' });
    expect(objectsIn(recorded).map(({ inputs }) => inputs)).toMatchObject([
      {
        metadata: { annotations: { checksum: '' } },
        spec: { template: { metadata: { annotations: { checksum: '' } } } },
      },
    ]);
  });

  it('skips a workload whose Output opts out', async () => {
    const workload: any = daemonSet();
    const template = { ...workload.spec.template, metadata: { annotations: { [EXCLUDE_ANNOTATION]: 'false' } } };
    const transform = excludeFromHostNetworkPools(cluster);
    let made: any;
    const shown = await recordRefusal(async () => {
      const result: any = await transform({
        type: 'kubernetes:apps/v1:DaemonSet',
        name: 'agent',
        custom: true,
        props: { ...workload, spec: { ...workload.spec, template: pulumi.output(template) } },
        opts: {},
      });
      pulumi.output(result?.props).apply((props) => (made = props));
    });
    expect(shown).toBe('');
    expect(made.spec.template).toEqual(template);
  });
});

it('is of the types of @pulumi/kubernetes: a misspelt field does not compile', () => {
  const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'a', image: 'a:1' }] } };
  const selector = { matchLabels: { app: 'a' } };
  const typed: k8s.types.input.apps.v1.Deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    spec: { selector, template },
  };
  const args: k8s.apps.v1.DaemonSetArgs = { apiVersion: 'apps/v1', kind: 'DaemonSet', spec: { selector, template } };
  const accepted: WorkloadArgument[] = [
    typed,
    args,
    pulumi.output(typed),
    'kind: Deployment',
    { apiVersion: 'apps/v1', kind: 'DaemonSet', spec: { selector: pulumi.output(selector), template } },
    { apiVersion: 'apps.kruise.io/v1beta1', kind: 'DaemonSet', spec: { anything: template } },
  ];
  // @ts-expect-error -- selctor
  accepted.push({ apiVersion: 'apps/v1', kind: 'DaemonSet', spec: { selctor: selector, template } });
  // @ts-expect-error -- a number as a name
  accepted.push({ apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 7 }, spec: { selector, template } });
  // @ts-expect-error -- a field of no kind
  accepted.push({ apiVersion: 'v1', kind: 'Pod', spce: {} });
  expect(accepted).toHaveLength(9);
});

it('outputs have the types of their resources', () => {
  // only compiled
  const read = (
    workload: HostNetworkWorkload | ExcludedWorkload,
    webhook: PoolWebhook,
    { published }: NodeJoin,
    { nodePool }: HostNetworkNodePool,
  ): unknown => {
    const names: pulumi.Output<string>[] = [
      workload.resource.apply((one) => one.metadata.name),
      workload.resource.apply((one) => one.metadata.namespace),
      webhook.resource.metadata.name,
      (published as NonNullable<typeof published>).metadata.name,
      (nodePool as NonNullable<typeof nodePool>).metadata.name,
    ];
    // @ts-expect-error -- spce
    names.push(workload.resource.apply((one) => one.spce));
    // @ts-expect-error -- a ConfigMap or a Secret has no spec
    names.push(published?.spec);
    // @ts-expect-error -- webhook
    names.push(webhook.resource.webhook);
    return names;
  };
  expect(read).toBeInstanceOf(Function);
});

describe('a YurtAppSet', () => {
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });
  const set = (value: unknown): any =>
    yurtAppSet('web', { pools: ['shanghai'] }, [
      {
        pools: ['shanghai'],
        tweaks: { patches: [{ operation: 'replace', path: '/spec/template/spec/affinity', value }] },
      },
    ]);
  const AT = 'workload.spec.workload.workloadTweaks[0].tweaks.patches[0]';

  it.each<[string, () => unknown]>([
    ['plain', () => set(null)],
    ['an Output', () => set(pulumi.output(null))],
  ])('refuses a patch that undoes the exclusion, %s', async (_, workload) => {
    const shown = await recordRefusal(() => new ExcludedWorkload('web', untyped({ cluster, workload: workload() })));
    expect(shown).toContain(`EDGE_CONTRADICTION  ${AT}`);
  });

  it.each<[string, () => unknown]>([
    ['plain', () => false],
    ['an Output', () => pulumi.output(false)],
  ])('refuses a patch that undoes the placement on a host-network pool, %s', async (_, value) => {
    const shown = await recordRefusal(() => {
      const pool = new HostNetworkNodePool('hz', { cluster, poolName: 'hz' });
      const patches = [{ operation: 'replace', path: '/spec/template/spec/hostNetwork', value: value() }];
      const workload = yurtAppSet('web', { pools: ['hz'] }, [{ pools: ['hz'], tweaks: { patches } }]);
      new HostNetworkWorkload('web', untyped({ pool, workload }));
    });
    expect(shown).toContain(`EDGE_CONTRADICTION  ${AT}`);
  });

  it('refuses a pool that is a host-network pool, plain or an Output', async () => {
    for (const name of ['hz', pulumi.output('hz')]) {
      const shown = await recordRefusal(() => {
        new HostNetworkNodePool('hz', { cluster, poolName: 'hz' });
        new ExcludedWorkload('web', untyped({ cluster, workload: yurtAppSet('web', untyped({ pools: [name] })) }));
      });
      expect(shown).toContain('EDGE_CONTRADICTION');
      expect(shown).toContain('workload.spec.pools[0]');
    }
  });

  it('keeps a patch with Outputs that does not', async () => {
    const patches = [{ operation: 'replace', path: '/spec/replicas', value: pulumi.output(3) }];
    const workload = yurtAppSet('web', { pools: ['shanghai'] }, [{ pools: ['shanghai'], tweaks: { patches } }]);
    const recorded = await record(() => new ExcludedWorkload('web', untyped({ cluster, workload })));
    expect(recorded.errors).toEqual([]);
    expect(JSON.stringify(objectsIn(recorded))).toContain('"value":3');
  });

  it('refuses both in the transform', () => {
    const { apiVersion, kind, ...props } = set(null);
    const run = (): unknown =>
      excludeFromHostNetworkPools(cluster)(
        untyped({ custom: true, type: `kubernetes:${apiVersion}:${kind}`, name: 'web', props, opts: {} }),
      );
    expect(run).toThrow(/spec\.workload\.workloadTweaks\[0\]|EDGE_CONTRADICTION|invalid/);
  });
});

describe('the address of a port', () => {
  const agent = (more: object = {}): any => daemonSet({ containers: [withPorts], ...more });
  const valueOf = <T>(output: pulumi.Output<T>): Promise<T> =>
    new Promise((resolve) => void output.apply((value) => resolve(value)));

  it.each([
    ['plain', agent()],
    ['an Output', pulumi.output(agent())],
    ['with an Output in it', daemonSet({ containers: [{ ...withPorts, image: pulumi.output('agent:1') }] })],
  ])('of a workload that is %s is an Output', async (_, workload) => {
    let address: Promise<string> | undefined;
    await record(() => {
      const late = HostNetworkNodePool.fromPoolName({ cluster, poolName: pulumi.output('late') });
      const made = new HostNetworkWorkload('it', { pools: [pool(), late], workload });
      address = valueOf(made.address(9100, late));
      return address;
    });
    expect(await address).toBe('127.0.0.1:9100');
  });

  it('is refused for another pool, where all names are known', async () => {
    const far = HostNetworkNodePool.fromPoolName({ cluster, poolName: 'far' });
    const shown = await recordRefusal(() =>
      new HostNetworkWorkload('it', { pool: pool(), workload: agent() }).address(9100, far),
    );
    expect(shown).toContain('from: on far there is no Pod of this workload, which runs on hz');
  });
});

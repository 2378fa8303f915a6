/** @jest-environment ./test/pulumi/rejections-environment.cjs */
/** What newcomers write in Pulumi programs: refused or told, with what to write. */
import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { EdgeCluster, HostNetworkNodePool, JoinToken, NodeJoin } from 'edge-nodepools/pulumi';
import { untyped } from '../bad-inputs/case.js';
import { record, recordRefusal } from './recorded.js';
import plugin from '../../pulumi-plugin/schema.json';
import { type Data, type Schema, answer } from '../../src/pulumi/provider.js';
import { setProgramLanguage } from '../../src/base/program-language.js';

const cluster = EdgeCluster.of({
  openYurt: '1.7',
  kubernetes: '1.34',
  apiServer: '10.0.0.1:6443',
  caCertHashes: [`sha256:${'ab'.repeat(32)}`],
});
const pool = (options?: unknown, poolName = 'hz'): HostNetworkNodePool =>
  new HostNetworkNodePool(poolName, { cluster, poolName }, untyped(options));

describe('options of a component', () => {
  it.each<[what: string, options: () => unknown, hint: RegExp]>([
    [
      'a resource',
      () => pool(undefined, 'bj'),
      /the options of the component are a resource[^]*write \{ dependsOn: it \}, or \{ parent: it \}/,
    ],
    ['a provider', () => new k8s.Provider('k', {}), /a resource[^]*write \{ provider: it \}/],
    ['a list', () => [], /a list[^]*write \{ provider, dependsOn/],
    ['text', () => 'hz', /text[^]*write \{ provider, dependsOn/],
  ])('are not %s', async (_, options, hint) => {
    await expect(record(() => pool(options()))).rejects.toThrow(hint);
  });

  it.each([
    'version',
    'pluginDownloadURL',
    'replaceOnChanges',
    'deleteBeforeReplace',
    'additionalSecretOutputs',
    'import',
  ])('without effect are reported: %s', async (option) => {
    const { warnings } = await record(() => pool({ [option]: option === 'version' ? '4.0.0' : ['*'] }));
    expect(warnings.join('\n')).toMatch(new RegExp(`EDGE_UNUSED options\\.${option}: [^;]+; (give|write) `));
  });

  it('with an effect are not', async () => {
    const { warnings } = await record(() =>
      pool({ protect: true, ignoreChanges: ['spec'], version: undefined, retainOnDelete: true }),
    );
    expect(warnings).toEqual([]);
  });
});

describe('a token', () => {
  it.each([pulumi.output, pulumi.secret])('is not an Output of a JoinToken', async (output) => {
    const told = await recordRefusal(() => {
      const token = output(JoinToken.fromFile('/var/lib/edge/join-token'));
      return new NodeJoin('join', { pool: pool(), token: untyped(token) });
    });
    expect(told).toContain('EDGE_TYPE  token: this is an Output of a JoinToken');
    expect(told).toContain('write the JoinToken itself');
  });

  it('can be an Output of text', async () => {
    const token = 'abcdef.0123456789abcdef';
    const { errors } = await record(() => new NodeJoin('join', { pool: pool(), token: pulumi.secret(token) }));
    expect(errors).toEqual([]);
  });
});

describe('a pool', () => {
  it('of a join is not its name', async () => {
    const token = JoinToken.fromFile('/var/lib/edge/join-token');
    const join = record(() => new NodeJoin('join', { pool: untyped(pool().poolName), token }));
    await expect(join).rejects.toThrow(/EDGE_KNOWN_LATER {2}pool: [^]*give the pool itself/);
  });

  it('that is created elsewhere has properties', () => {
    const made = (): unknown => HostNetworkNodePool.fromPoolName(untyped('hz'));
    expect(made).toThrow(/the properties are text, not a map/);
  });
});

describe('the provider plugin', () => {
  const schema = plugin as unknown as Schema;
  const cluster = {
    openYurt: '1.7',
    kubernetes: '1.34',
    apiServer: '10.0.0.1:6443',
    caCertHashes: [`sha256:${'0'.repeat(64)}`],
  };

  /** What the engine is answered for a component, and what nobody handles, which the plugin would answer for every other component, too. */
  async function answered(kind: string, args: Data): Promise<{ thrown: unknown; unhandled: string }> {
    let thrown: unknown;
    const unhandled = await recordRefusal(async () => {
      await answer(schema, 'x', `edge-nodepools:index:${kind}`, args).catch((error: unknown) => (thrown = error));
    });
    return { thrown, unhandled };
  }

  describe('a component of the plugin that is refused later', () => {
    beforeAll(() => setProgramLanguage('any'));
    afterAll(() => setProgramLanguage('typescript'));

    it.each<[string, string, Data, RegExp]>([
      ['a token', 'NodeJoin', { cluster, pool: { poolName: 'a' }, token: 'abcdef.canary' }, /EDGE_TOKEN +token:/],
      ['an Output', 'RegularNodePool', { cluster, poolName: pulumi.output('No good') }, /EDGE_NAME +poolName:/],
    ])(
      'is the only one that fails: %s',
      async (_, kind, args, says) => {
        const { thrown, unhandled } = await answered(kind, args);
        expect(unhandled).toBe('');
        expect(pulumi.InputPropertiesError.isInstance(thrown)).toBe(true);
        const { message, errors } = thrown as pulumi.InputPropertiesError;
        expect(message).toMatch(says);
        expect(message).toMatch(/in Python, hostNetwork is host_network/);
        expect([message.includes('canary'), errors]).toEqual([false, []]);
      },
      20_000,
    );

    it('gets its outputs otherwise', async () => {
      let poolName: unknown;
      const unhandled = await recordRefusal(async () => {
        const { state } = await answer(schema, 'x', 'edge-nodepools:index:RegularNodePool', {
          cluster,
          poolName: pulumi.output('a'),
        });
        poolName = await new Promise((known) => (state.poolName as pulumi.Output<string>).apply(known));
      });
      expect([unhandled, poolName]).toEqual(['', 'a']);
    });
  });
});

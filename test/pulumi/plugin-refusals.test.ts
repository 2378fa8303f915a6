/** @jest-environment ./test/pulumi/rejections-environment.cjs */
import * as pulumi from '@pulumi/pulumi';
import plugin from '../../pulumi-plugin/schema.json';
import type { Data } from '../../src/plugin/conversion.js';
import { answer, type Schema } from '../../src/plugin/provider.js';
import { setProgramLanguage } from '../../src/validation/program-language.js';
import { recordRefusal } from './recorded.js';

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

import * as pulumi from '@pulumi/pulumi';
import type * as Program from './index.js';

const TOKEN = 'canary.0123456789canary';
const SECRET = '4dabf18193072939515e22adb298388d';

const registered: pulumi.runtime.MockResourceArgs[] = [];
let program: typeof Program;

beforeAll(async () => {
  pulumi.runtime.setAllConfig(
    {
      'project:caCertHash': `sha256:${'4a'.repeat(32)}`,
      'project:joinToken': TOKEN,
      'project:validUntil': '2100-01-01T00:00:00Z',
    },
    ['project:joinToken'],
  );
  jest.spyOn(console, 'warn').mockImplementation();
  await pulumi.runtime.setMocks({
    newResource: (resource) => {
      registered.push(resource);
      return { id: `${resource.name}-id`, state: resource.inputs };
    },
    call: ({ inputs }) => inputs,
  });
  program = jest.requireActual<typeof Program>('./index.js');
  await pulumi.runtime.disconnect();
  // warnings are shown when the program has ended
  await new Promise((resolve) => setImmediate(resolve));
});

const inputsOf = (type: string): Record<string, any>[] =>
  registered.filter((resource) => resource.type === type).map(({ inputs }) => inputs);

describe('pulumi-join', () => {
  it('passes the same cloud-config to every machine, as a secret', () => {
    const machines = inputsOf('openstack:compute/instance:Instance');
    expect(machines.map(({ name }) => name)).toEqual(['shop-1', 'shop-2']);
    for (const { userData } of machines) {
      expect(userData).toHaveProperty(SECRET);
      expect(userData.value).toMatch(/^#cloud-config\n/);
      expect(userData.value).toContain(TOKEN);
      expect(userData.value).toContain('apps.openyurt.io/nodepool=shops');
    }
  });

  it('creates the bootstrap token, and has it nowhere in plain text', () => {
    const [secret] = inputsOf('kubernetes:core/v1:Secret') as [Record<string, any>];
    expect(secret.stringData).toHaveProperty(SECRET);
    // removes secrets, and checks that nothing else contains the token
    const clear = JSON.stringify(registered, (_, value: unknown) =>
      typeof value === 'object' && value !== null && SECRET in value ? 'secret' : value,
    );
    expect(clear).not.toContain('0123456789canary');
  });

  it('publishes no object, because it would contain the token', () => {
    expect(inputsOf('kubernetes:core/v1:ConfigMap')).toEqual([]);
    expect(inputsOf('kubernetes:core/v1:Secret')).toHaveLength(1);
  });

  it('exports the leave script', async () => {
    const script = await new Promise<string>((resolve) => program.leaveScript.apply(resolve));
    expect(script).toMatch(/^#!\/bin\/sh\n/);
    expect(script).not.toContain(TOKEN);
  });
});

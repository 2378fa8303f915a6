import { createRequire } from 'node:module';
import * as pulumi from '@pulumi/pulumi';
import { type PlainMap, mapAt } from '../validation/plain-data.js';

/** What an object is told about, when the API server refuses to apply it. */
interface Refused {
  /** Type of the resource: `kubernetes:apps/v1:DaemonSetPatch`. */
  readonly type: string;
  /** The object, as far as it is known. */
  readonly object: PlainMap;
  /** The errors of the provider. */
  readonly errors: readonly string[];
}

/** The ways on when the API server has refused a patch or a policy, for which the provider has no advice; undefined for any other error. */
export function waysOn({ type, object, errors }: Refused): string | undefined {
  const text = errors.join('\n');
  const kind = String(type.split(':').at(-1));
  const isPatch = kind.endsWith('Patch');
  const { namespace, name } = mapAt(object, 'metadata') as { namespace?: string; name?: string };
  const which = `${kind.replace(/Patch$/, '')} ${namespace === undefined ? '' : `${namespace}/`}${name ?? '(name not known)'}`;
  const owners = [...new Set([...text.matchAll(/conflict with "([^"]+)"/g)].map(([, owner]) => owner))];
  if (isPatch && owners.length > 0) {
    return (
      `${which}: another tool has set these fields, with the field manager ${owners.map((one) => JSON.stringify(one)).join(', ')}. Take them out of what it ` +
      'applies; or write force: true, and the patch is their only owner, so that pulumi destroy removes them. A kubectl patch with the same ' +
      'value also ends the conflict, but it is a second owner: they stay after pulumi destroy'
    );
  }
  if (isPatch && /is invalid:.*Required value|not found/.test(text)) {
    return (
      `${which} does not exist, or it is another kind in this cluster. Leave it out of exclude; or say what differs here, for example ` +
      "components: { coredns: { namespace: 'dns' } }; or install it first, and make this component depend on it (dependsOn)"
    );
  }
  if (!isPatch && /already exists/.test(text)) {
    return (
      `${which} exists: another stack or tool has created it. Give this one another name (write policyName: '…', or namePrefix: '…' for PoolAdmission); ` +
      'or adopt it, with upsertExistingObjects of the provider or pulumi import, if nothing else manages it any more'
    );
  }
  return undefined;
}

/** The name of the hook is all that an engine prints when it fails to delete without running the program, because then it cannot call it. */
const NAME = 'edge-nodepools: pulumi destroy --run-program shows what failed';

const HOOKS = new WeakMap<object, pulumi.ErrorHook>();

/** Hooks that tell the ways on when the object cannot be applied. None with an engine that has no such hooks, or without an engine. */
export function failureHooks(): pulumi.CustomResourceOptions {
  const monitor: object | undefined = pulumi.runtime.getMonitor();
  if (monitor === undefined || !supportsHooks(monitor, 'ErrorHook')) {
    return {};
  }
  const hook =
    HOOKS.get(monitor) ??
    new pulumi.ErrorHook(NAME, async ({ type, newInputs, errors }) => {
      const ways = waysOn({ type, object: (newInputs ?? {}) as PlainMap, errors });
      await (ways === undefined ? undefined : pulumi.log.error(ways));
      return false;
    });
  HOOKS.set(monitor, hook);
  return { hooks: { onError: [hook] } };
}

/**
 * Whether the SDK and the engine have such hooks. The SDK asked the engine at the start; it keeps the answer in `runtime/state`, without a public function
 * (https://github.com/pulumi/pulumi/blob/sdk/v3.248.0/sdk/nodejs/runtime/settings.ts, `awaitFeatureSupport`), and a hook that the engine does not support
 * fails the program. Mocks say that they have hooks, but cannot register any.
 */
export function supportsHooks(monitor: object, hook: 'ErrorHook' | 'ResourceHook'): boolean {
  if ((pulumi as Partial<typeof pulumi>)[hook] === undefined || !(`register${hook}` in monitor)) {
    return false;
  }
  try {
    const { getStore } = createRequire(__filename)('@pulumi/pulumi/runtime/state') as {
      getStore(this: void): { readonly [feature: string]: unknown };
    };
    return getStore()[`supports${hook}s`] === true;
  } catch {
    return false;
  }
}

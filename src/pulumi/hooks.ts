import { createRequire } from 'node:module';
import * as pulumi from '@pulumi/pulumi';

/** What a program and the engine can have: hooks that run before or after an operation, and hooks that run when one has failed. */
export type HookKind = 'ErrorHook' | 'ResourceHook';

/** The connection of the SDK to an engine. */
interface Monitor {
  getChannel?(): { getTarget(): string };
}

const HOOKS = new Map<string, pulumi.ErrorHook | pulumi.ResourceHook>();

/**
 * A hook of the engine, which has one name for it: another one of this name fails the program. A plugin gets a connection for each component, and there can
 * be several plugins beside the program, so hooks are kept by the engine, and the name has the process. Undefined with an engine that has no such hooks, or
 * without an engine.
 */
export function hookOf<Hook extends pulumi.ErrorHook | pulumi.ResourceHook>(
  kind: HookKind,
  name: string,
  make: (name: string) => Hook,
): Hook | undefined {
  const monitor = pulumi.runtime.getMonitor() as (Monitor & object) | undefined;
  if (monitor === undefined || !supportsHooks(monitor, kind)) {
    return undefined;
  }
  const key = `${monitor.getChannel?.().getTarget()} ${name}`;
  const hook = (HOOKS.get(key) as Hook | undefined) ?? make(`${name} (${process.pid})`);
  HOOKS.set(key, hook);
  return hook;
}

/**
 * Whether the SDK and the engine have such hooks. The SDK asked the engine at the start; it keeps the answer in `runtime/state`, without a public function
 * (https://github.com/pulumi/pulumi/blob/sdk/v3.248.0/sdk/nodejs/runtime/settings.ts, `awaitFeatureSupport`; hooks came without one,
 * https://github.com/pulumi/pulumi/pull/19946), and a hook that the engine does not support fails the program. Mocks say that they have hooks, but cannot
 * register any.
 */
function supportsHooks(monitor: object, hook: HookKind): boolean {
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

import * as pulumi from '@pulumi/pulumi';
import { EdgeError, seeLine } from '../base/errors.js';
import { inProgram } from '../base/program-language.js';
import { promiseOf, report } from './outputs.js';

/**
 * Shows a warning at a component. Pulumi delivers messages one after the other, and each of them waits until its resource is registered. A component that
 * waits for something that is refused is never registered: its warning would hold back every later message, errors too, and the update would succeed
 * silently. So messages are only given to Pulumi when their component is registered.
 */
export function logWarning(text: string, component: pulumi.Resource): void {
  void whenRegistered(component, () => void pulumi.log.warn(text, component));
}

/** Shows an error at a component, or at the program, and fails the update. */
export function logError(error: unknown, component?: pulumi.Resource): void {
  if (!(error instanceof EdgeError)) {
    report(error);
    return;
  }
  const message = `${error.message}\n${seeLine(error.problems, inProgram('node_modules/', ''))}`;
  const tell = (): void => {
    const refuse = component && listeners.get(component);
    if (refuse !== undefined) {
      refuse(new pulumi.InputPropertiesError({ message, errors: [] }));
      return;
    }
    report(component === undefined ? new pulumi.RunError(message) : new pulumi.ResourceError(message, component, true));
  };
  void whenRegistered(component, tell);
}

/** Who hears that a component is refused, in place of the program. */
const listeners = new WeakMap<pulumi.Resource, (error: pulumi.InputPropertiesError) => void>();

/**
 * Waits for something of a component, or until the component is refused.
 *
 * @throws InputPropertiesError with the problems of the component, which are not reported in another way then
 */
export async function orRefused<T>(component: pulumi.Resource, something: Promise<T>): Promise<T> {
  const refused = new Promise<never>((_, reject) => listeners.set(component, reject));
  try {
    return await Promise.race([something, refused]);
  } finally {
    listeners.delete(component);
  }
}

async function whenRegistered(component: pulumi.Resource | undefined, run: () => void): Promise<void> {
  // without it the program could end in between
  const release = pulumi.runtime.rpcKeepAlive();
  try {
    await (component && promiseOf(component.urn));
    run();
  } catch {
    // an argument was rejected: it has its own error
  } finally {
    release();
  }
}

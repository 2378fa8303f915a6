import type { ProblemList } from '../base/errors.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { type DeliveryEngine, engineName } from './delivery-engine.js';
import { namesOf } from './missing-namespaces.js';

/** Hooks of Helm that it runs neither at an installation nor at an upgrade (https://helm.sh/docs/topics/charts_hooks/). */
const LATER = /^((pre|post)-(delete|rollback)|test(-success|-failure)?)$/;

/** Whether an object is a hook of Helm that is not meant for an installation or an upgrade, such as a Job that uninstalls. */
export function isLaterHook({ metadata }: KubernetesObject): boolean {
  const hooks = String(metadata?.annotations?.['helm.sh/hook'] ?? '').split(',');
  return hooks.every((hook) => LATER.test(hook.trim()));
}

/**
 * Refuses the hooks of a site that would run at once, in one problem. kustomize-controller applies them as all other objects; Argo CD
 * passes over those that it does not know (gitops-engine pkg/sync/hook/helm/type.go).
 */
export function reportLaterHooks(
  hooks: readonly KubernetesObject[],
  engine: DeliveryEngine['engine'],
  problems: ProblemList,
): void {
  if (hooks.length > 0 && engine !== 'argo-cd') {
    const [verb, them] = hooks.length === 1 ? ['is a hook', 'it'] : ['are hooks', 'them'];
    problems.add(
      'EDGE_CONTRADICTION',
      `${namesOf(hooks)} ${verb} of Helm for a deletion, a rollback or a test, and ${engineName(engine)} would create ${them} at once`,
      `leave ${them} out of the charts of the site (helm template --skip-tests leaves out those for tests, --no-hooks all hooks); or remove the annotation helm.sh/hook, if ${them === 'it' ? 'it is' : 'they are'} to run`,
    );
  }
}

import * as pulumi from '@pulumi/pulumi';
import { type PlainMap, mapAt } from '../base/plain-data.js';
import { hookOf } from './hooks.js';

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

/** Hooks that tell the ways on when the object cannot be applied. */
export function failureHooks(): pulumi.CustomResourceOptions {
  const hook = hookOf('ErrorHook', NAME, (name) => {
    return new pulumi.ErrorHook(name, async ({ type, newInputs, errors }) => {
      const ways = waysOn({ type, object: (newInputs ?? {}) as PlainMap, errors });
      await (ways === undefined ? undefined : pulumi.log.error(ways));
      return false;
    });
  });
  return hook === undefined ? {} : { hooks: { onError: [hook] } };
}

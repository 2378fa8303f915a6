import { EdgeError, type EdgeWarning } from '../errors.js';
import { identityOf, type KubernetesObject, nameOf } from '../kubernetes/object.js';
import type { Plan } from './plan.js';
import { DeclarationKind, type Scope } from './scope.js';

/** The declaration that creates an object, and where. */
interface DeclaredObject {
  readonly path: string;
  readonly owner: object;
  readonly place?: object;
}

/** The objects that a program creates, by group, kind, namespace and name. */
const OBJECTS = new DeclarationKind<DeclaredObject>('objects');

/**
 * The plan, with the objects that it creates recorded, and a warning for each that another declaration for the same cluster creates too: the one that is
 * applied last would replace the other. Where both are surely applied together, it is an error.
 *
 * @throws {@link EdgeError} with EDGE_DUPLICATE
 */
export function withDeclaredObjects<Answers>(plan: Plan<Answers>, scope: Scope): Plan<Answers> {
  if (plan.cluster === undefined) {
    return plan;
  }
  const declared = scope.declared.of(plan.cluster, OBJECTS);
  const { path, owner, place } = scope;
  const warnings: EdgeWarning[] = [];
  for (const { object, apply } of plan.objects) {
    const identity =
      apply === 'create' && !isContentAddressed(object) ? identityOf(object, scope.namespace) : undefined;
    const earlier = identity === undefined ? undefined : declared.get(identity);
    if (identity !== undefined && earlier === undefined) {
      declared.set(identity, { path, owner, ...(place === undefined ? {} : { place }) });
    } else if (earlier !== undefined && earlier.owner !== owner) {
      const duplicate: EdgeWarning = {
        code: 'EDGE_DUPLICATE',
        path: '',
        message: `${earlier.path} already creates ${nameOf(object)}: the one that is applied last replaces the other`,
        hint: 'give one of them another name or namespace (or each cluster a name, if these are two clusters)',
      };
      if (place !== undefined && earlier.place === place) {
        throw new EdgeError(plan.subject, [duplicate]);
      }
      warnings.push(duplicate);
    }
  }
  return warnings.length === 0 ? plan : { ...plan, warnings: [...plan.warnings, ...warnings] };
}

/** Whether the name of an object contains a hash of its content, so that two of one name are the same. */
function isContentAddressed({ immutable }: KubernetesObject): boolean {
  return immutable === true;
}

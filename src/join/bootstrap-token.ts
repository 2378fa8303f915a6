import type { Plan } from '../cluster/plan.js';
import { problemsOf, type Scope } from '../cluster/scope.js';
import type { EdgeWarning, ProblemList } from '../errors.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { isMap } from '../validation/plain-data.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import { showValue } from '../validation/properties.js';
import { checkProperties, listOf, optional, type PropertyTable } from '../validation/property-table.js';
import { compute, isUnknown, text } from '../validation/unknown.js';
import { checkTokenText, JoinToken } from './join-token.js';

/**
 * Properties of a {@link BootstrapToken}.
 *
 * @category Join nodes
 */
export interface BootstrapTokenProps {
  /** The token, inline: the Secret holds it, so nothing else will do. */
  readonly token: JoinToken;
  /** When it ends, RFC 3339 in UTC, `2026-01-31T12:00:00Z` or what `toISOString()` gives; `never` for one that does not. The token cleaner of the control plane removes it then. */
  readonly expiration: string;
  /** What it is for.
   * @default - both: signing (discovery) and authentication (kubelet's first request) */
  readonly usages?: ('signing' | 'authentication')[];
  /** Groups of who authenticates by it; each begins with `system:bootstrappers:`.
   * @default - system:bootstrappers:kubeadm:default-node-token */
  readonly groups?: string[];
  /** Text for administrators.
   * @default - none */
  readonly description?: string;
}

/** What a bootstrap token answers. */
export interface BootstrapTokenAnswers {
  /** Name of the Secret. */
  readonly secretName: string;
}

// bootstrap API: pkg/bootstrap/api of k8s.io/cluster-bootstrap
const GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

const RFC_3339_UTC = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?Z$/;

/** A token that lives longer is worth stealing: `kubeadm token create` gives a day. */
const LONG = 24 * 60 * 60 * 1000;

const USAGES = ['signing', 'authentication'];
const DEFAULT_GROUP = 'system:bootstrappers:kubeadm:default-node-token';

const PROPERTIES: PropertyTable<BootstrapTokenProps> = {
  token: checkToken,
  expiration: checkExpiration,
  usages: optional(checkUsages),
  groups: listOf(checkGroup, `write ['${DEFAULT_GROUP}']`, 'groups must be a list'),
  description: optional(checkDescription),
};

const ADVICE: Readonly<Record<string, string>> = {
  ttl: 'write expiration: a manifest has no clock',
  value: 'did you mean token?',
};

/**
 * Plans the Secret of a bootstrap token.
 *
 * @param now the time, in milliseconds since 1970; only whether there is a warning depends on it
 * @throws {@link EdgeError} with all problems at once
 */
export function planBootstrapToken(props: BootstrapTokenProps, scope: Scope, now: number): Plan<BootstrapTokenAnswers> {
  const subject = `BootstrapToken ${scope.path}`;
  const problems = problemsOf(scope);
  if (isMap(props)) {
    checkProperties(props, PROPERTIES, problems, ADVICE);
  } else {
    problems.add('EDGE_MISSING', 'a bootstrap token needs its value and its expiration', 'write { token, expiration }');
  }
  problems.throwIfAny(subject);
  const token = JoinToken.textOf(props.token) as string;
  const [id = '', secret = ''] = [0, 1].map((half) =>
    compute({ token, half }, (known) => known.token.split('.')[known.half] ?? ''),
  );
  const secretName = text`bootstrap-token-${id}`;
  return {
    subject,
    objects: [{ object: tokenSecret(props, secretName, { id, secret }), apply: 'create' }],
    answers: { secretName },
    warnings: lifetimeWarnings(props, now),
    artifacts: [],
  };
}

function checkToken(token: unknown, problems: ProblemList): void {
  if (!(token instanceof JoinToken)) {
    problems.add(
      token === undefined ? 'EDGE_MISSING' : 'EDGE_TYPE',
      'this is not a JoinToken (value redacted)',
      'write JoinToken.inline(value); make the value yourself: kubeadm token generate',
    );
  } else if (token.kind === 'inline') {
    checkTokenText(JoinToken.textOf(token), problems);
  } else {
    problems.add(
      'EDGE_TOKEN',
      'the Secret holds the token itself, and this is a reference to it',
      'write JoinToken.inline(value)',
    );
  }
}

function checkExpiration(expiration: unknown, problems: ProblemList): void {
  if (expiration === undefined) {
    problems.add('EDGE_MISSING', 'the token has no expiration', "write '2026-01-31T12:00:00Z'");
  } else if (expiration !== 'never' && !(typeof expiration === 'string' && isTime(expiration))) {
    problems.add(
      'EDGE_VALUE',
      `${showValue(expiration)} is not a time in UTC`,
      "write '2026-01-31T12:00:00Z', or 'never'",
    );
  }
}

function isTime(value: string): boolean {
  const time = RFC_3339_UTC.test(value) ? Date.parse(value) : NaN;
  // 31 February has the form, and is read as a day in March
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value.slice(0, 10));
}

function checkUsages(usages: unknown, problems: ProblemList): void {
  if (!Array.isArray(usages) || usages.length === 0 || usages.some((usage) => !USAGES.includes(usage as string))) {
    problems.add(
      'EDGE_VALUE',
      'a token is for signing, authentication, or both',
      "write ['signing', 'authentication']",
    );
  }
}

function checkGroup(group: unknown, problems: ProblemList): void {
  if (typeof group !== 'string' || !GROUP.test(group)) {
    problems.add('EDGE_VALUE', `${showValue(group)} is not a group of bootstrap tokens`, `write '${DEFAULT_GROUP}'`);
  }
}

function checkDescription(description: unknown, problems: ProblemList): void {
  if (typeof description !== 'string') {
    problems.add('EDGE_TYPE', 'the description is not text', "write 'nodes of hangzhou'");
  }
}

/** The Secret in kube-system that makes the token known. Its name holds the public half, the id. */
function tokenSecret(
  { expiration, usages = ['signing', 'authentication'], groups = [DEFAULT_GROUP], description }: BootstrapTokenProps,
  name: string,
  halves: { readonly id: string; readonly secret: string },
): KubernetesObject {
  const stringData = compute(
    { expiration, usages, groups, description, ...halves },
    (known) => ({
      'token-id': known.id,
      'token-secret': known.secret,
      ...(known.expiration === 'never' ? {} : { expiration: known.expiration }),
      ...Object.fromEntries(known.usages.map((usage) => [`usage-bootstrap-${usage}`, 'true'])),
      // without groups a node may not ask for its certificate
      ...(known.usages.includes('authentication')
        ? { 'auth-extra-groups': compute(known.groups, (all) => all.join(',')) }
        : {}),
      ...(known.description === undefined ? {} : { description: known.description }),
    }),
    [expiration, usages],
  );
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'kube-system', labels: { ...OWN_LABELS } },
    type: 'bootstrap.kubernetes.io/token',
    stringData,
  };
}

/** Warns of a token that lives for long, or that has expired already. */
function lifetimeWarnings({ expiration }: BootstrapTokenProps, now: number): EdgeWarning[] {
  if (isUnknown(expiration)) {
    return [];
  }
  const left = expiration === 'never' ? Infinity : Date.parse(expiration) - now;
  if (left > LONG) {
    const hours = left === Infinity ? 'for ever' : `for ${Math.round(left / 3_600_000)} hours`;
    return [
      {
        code: 'EDGE_TOKEN_TTL',
        path: 'expiration',
        message: `whoever reads this token can join nodes ${hours}`,
        hint: 'let it end within a day, and make a new one for the next nodes',
      },
    ];
  }
  return left > 0
    ? []
    : [
        {
          code: 'EDGE_TOKEN_TTL',
          path: 'expiration',
          message: `the token has ended at ${expiration}`,
          hint: 'write a later time, and a new token',
        },
      ];
}

import type { Plan } from '../cluster/plan.js';
import { problemsOf, type Scope } from '../cluster/scope.js';
import type { EdgeWarning, ProblemList } from '../base/errors.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { isMap } from '../base/plain-data.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import { showValue } from '../base/properties.js';
import { checkProperties, listOf, optional, type PropertyTable } from '../base/property-table.js';
import { compute, holdsUnknown, isUnknown, text } from '../base/unknown.js';
import { checkTokenText, JoinToken } from './join-token.js';
import { inProgram } from '../base/program-language.js';

/**
 * Properties of a {@link BootstrapToken}.
 *
 * @category Join nodes
 */
export interface BootstrapTokenProps {
  /** The token, as `JoinToken.inline(…)`, because the Secret contains it. */
  readonly token: JoinToken;
  /** When it expires: RFC 3339 in UTC, for example `2036-01-31T12:00:00Z` or the result of `toISOString()`, or `never`.
   * When it has expired, the token cleaner of the control plane deletes the Secret. */
  readonly expiration: string;
  /** What it can be used for: `signing` for discovery, `authentication` for the TLS bootstrap of the kubelet.
   * @default - both */
  readonly usages?: ('signing' | 'authentication')[];
  /** Groups of a client that authenticates with it, in place of the default; each starts with `system:bootstrappers:`.
   * None without the usage `authentication`.
   * @default - system:bootstrappers:kubeadm:default-node-token */
  readonly groups?: string[];
  /** Description for administrators.
   * @default - none */
  readonly description?: string;
}

/** Attributes of a bootstrap token. */
export interface BootstrapTokenAttributes {
  /** Name of the Secret. */
  readonly secretName: string;
}

// bootstrap API: pkg/bootstrap/api of k8s.io/cluster-bootstrap
const GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

const RFC_3339_UTC = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?Z$/;

/** A longer lifetime is a warning. It is the default of `kubeadm token create`, in milliseconds. */
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
  ttl: 'write expiration: a Secret contains a time, not a duration',
  value: 'did you mean token?',
};

/**
 * Plans the Secret of a bootstrap token.
 *
 * @param now the time, in milliseconds since 1970; only the warnings depend on it
 * @throws {@link EdgeError} with all problems at once
 */
export function planBootstrapToken(
  props: BootstrapTokenProps,
  scope: Scope,
  now: number,
): Plan<BootstrapTokenAttributes> {
  const subject = `BootstrapToken ${scope.path}`;
  const problems = problemsOf(scope);
  if (isMap(props)) {
    checkProperties(props, PROPERTIES, problems, ADVICE);
  } else {
    problems.add('EDGE_MISSING', 'a bootstrap token needs a token and an expiration', 'write { token, expiration }');
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
    attributes: { secretName },
    warnings: [...lifetimeWarnings(props, now), ...groupWarnings(props)],
    artifacts: [],
  };
}

function checkToken(token: unknown, problems: ProblemList): void {
  if (!(token instanceof JoinToken)) {
    problems.add(
      token === undefined ? 'EDGE_MISSING' : 'EDGE_TYPE',
      token === undefined ? 'token is required' : 'this is not a token (value redacted)',
      `write ${inProgram("JoinToken.inline(value), in Pulumi config.requireSecret('joinToken')", 'token, as a secret')}; kubeadm token generate prints a value`,
    );
  } else if (token.kind === 'inline') {
    checkTokenText(JoinToken.textOf(token), problems);
  } else {
    problems.add(
      'EDGE_TOKEN',
      'this is a reference to a token, and the Secret must contain the token',
      `write ${inProgram('JoinToken.inline(value)', 'token, as a secret')}`,
    );
  }
}

function checkExpiration(expiration: unknown, problems: ProblemList): void {
  if (expiration === undefined) {
    problems.add('EDGE_MISSING', 'the token has no expiration', "write '2036-01-31T12:00:00Z'");
  } else if (expiration !== 'never' && !(typeof expiration === 'string' && isTime(expiration))) {
    problems.add(
      'EDGE_VALUE',
      expiration instanceof Date ? 'this is a Date, not text' : `${showValue(expiration)} is not a time in UTC`,
      expiration instanceof Date ? 'write expiration: date.toISOString()' : "write '2036-01-31T12:00:00Z', or 'never'",
    );
  }
}

/** Whether a text is a time in UTC, as RFC 3339 writes it. */
export function isTime(value: string): boolean {
  const time = RFC_3339_UTC.test(value) ? Date.parse(value) : NaN;
  // 31 February matches the pattern, and Date.parse reads it as a day in March
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value.slice(0, 10));
}

function checkUsages(usages: unknown, problems: ProblemList): void {
  if (!Array.isArray(usages) || usages.length === 0 || usages.some((usage) => !USAGES.includes(usage as string))) {
    problems.add(
      'EDGE_VALUE',
      'usages must be signing, authentication, or both',
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
    problems.add('EDGE_TYPE', 'description must be text', "write 'nodes of hangzhou'");
  }
}

/** The Secret of the token in kube-system. Its name contains the token id, the public half of the token. */
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
      // without groups a node has no permission to request its certificate
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

/**
 * Warns about groups without that of kubeadm, whose RoleBindings let a node read the ConfigMaps of a join and request
 * its certificate (cmd/kubeadm/app/phases/bootstraptoken/node, kubelet, uploadconfig).
 */
function groupWarnings({ groups, usages }: BootstrapTokenProps): EdgeWarning[] {
  return groups === undefined ||
    holdsUnknown([groups, usages]) ||
    groups.includes(DEFAULT_GROUP) ||
    usages?.includes('authentication') === false
    ? []
    : [
        {
          code: 'EDGE_TOKEN',
          path: 'groups',
          message: `these groups replace ${DEFAULT_GROUP}, to which kubeadm gives the rights that a join needs`,
          hint: `also write '${DEFAULT_GROUP}'; nothing to do if you have bound these rights to your groups`,
        },
      ];
}

/** Warns about a token with a long lifetime, and about one that has expired. */
function lifetimeWarnings({ expiration }: BootstrapTokenProps, now: number): EdgeWarning[] {
  if (isUnknown(expiration)) {
    return [];
  }
  const left = expiration === 'never' ? Infinity : Date.parse(expiration) - now;
  if (left > LONG) {
    const hours = left === Infinity ? 'forever' : `for ${Math.round(left / 3_600_000)} hours`;
    return [
      {
        code: 'EDGE_TOKEN_TTL',
        path: 'expiration',
        message: `everyone who can read this token can join nodes ${hours}`,
        hint: 'write an expiration within a day, and create a new token for later nodes',
      },
    ];
  }
  return left > 0
    ? []
    : [
        {
          code: 'EDGE_TOKEN_TTL',
          path: 'expiration',
          message: `the token expired at ${expiration}`,
          hint: 'write a later time and a new token',
        },
      ];
}

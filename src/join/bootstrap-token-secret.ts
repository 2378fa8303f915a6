import type { EdgeWarning, ProblemList } from '../errors.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { isMap } from '../validation/plain-data.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import { checkKnownProperties, showValue } from '../validation/properties.js';
import { JoinToken } from './join-token.js';

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

const PROPERTIES = ['token', 'expiration', 'usages', 'groups', 'description'];

// bootstrap API: pkg/bootstrap/api of k8s.io/cluster-bootstrap
const GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

const RFC_3339_UTC = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?Z$/;

/** A token that lives longer is worth stealing: `kubeadm token create` gives a day. */
const LONG = 24 * 60 * 60 * 1000;

export function checkBootstrapToken(input: BootstrapTokenProps, problems: ProblemList): void {
  if (!isMap(input)) {
    problems.add('EDGE_MISSING', 'a bootstrap token needs its value and its end', 'write { token, expiration }');
    return;
  }
  checkKnownProperties(input, PROPERTIES, problems, {
    ttl: 'write expiration: a manifest has no clock',
    value: 'did you mean token?',
  });
  const token: unknown = input.token;
  if (!(token instanceof JoinToken)) {
    problems
      .at('token')
      .add(
        token === undefined ? 'EDGE_MISSING' : 'EDGE_TYPE',
        'this is not a JoinToken (what it is is not shown)',
        'write JoinToken.inline(value); the value is yours to make: kubeadm token generate',
      );
  } else if (JoinToken.textOf(token) === undefined) {
    problems
      .at('token')
      .add(
        'EDGE_TOKEN',
        'the Secret holds the token itself, and this is a reference to it',
        'write JoinToken.inline(value)',
      );
  }
  const { expiration } = input as { expiration: unknown };
  if (expiration === undefined) {
    problems.at('expiration').add('EDGE_MISSING', 'when the token ends is not said', "write '2026-01-31T12:00:00Z'");
  } else if (expiration !== 'never' && !(typeof expiration === 'string' && isTime(expiration))) {
    problems
      .at('expiration')
      .add('EDGE_VALUE', `${showValue(expiration)} is not a time in UTC`, "write '2026-01-31T12:00:00Z', or 'never'");
  }
  checkUsages(input.usages, problems.at('usages'));
  checkGroups(input.groups, problems.at('groups'));
  if (input.description !== undefined && typeof input.description !== 'string') {
    problems.at('description').add('EDGE_TYPE', 'the description is not text', "write 'nodes of hangzhou'");
  }
}

function isTime(text: string): boolean {
  const time = RFC_3339_UTC.test(text) ? Date.parse(text) : NaN;
  // 31 February has the form, and is read as a day in March
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text.slice(0, 10));
}

function checkUsages(usages: unknown, problems: ProblemList): void {
  if (usages === undefined) {
    return;
  }
  const known = ['signing', 'authentication'];
  if (!Array.isArray(usages) || usages.length === 0 || usages.some((usage) => !known.includes(usage as string))) {
    problems.add(
      'EDGE_VALUE',
      'a token is for signing, authentication, or both',
      "write ['signing', 'authentication']",
    );
  }
}

function checkGroups(groups: unknown, problems: ProblemList): void {
  if (groups === undefined) {
    return;
  }
  if (!Array.isArray(groups)) {
    problems.add('EDGE_TYPE', 'groups must be a list', "write ['system:bootstrappers:kubeadm:default-node-token']");
    return;
  }
  groups.forEach((group: unknown, index) => {
    if (typeof group !== 'string' || !GROUP.test(group)) {
      problems
        .at(index)
        .add(
          'EDGE_VALUE',
          `${showValue(group)} is not a group of bootstrap tokens`,
          "write 'system:bootstrappers:kubeadm:default-node-token'",
        );
    }
  });
}

/** The Secret in kube-system that makes the token known. Its name holds the public half, the id. */
export function bootstrapTokenSecret(input: BootstrapTokenProps, text: string): KubernetesObject {
  const [id = '', secret = ''] = text.split('.');
  const usages = input.usages ?? ['signing', 'authentication'];
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: `bootstrap-token-${id}`, namespace: 'kube-system', labels: { ...OWN_LABELS } },
    type: 'bootstrap.kubernetes.io/token',
    stringData: {
      'token-id': id,
      'token-secret': secret,
      ...(input.expiration === 'never' ? {} : { expiration: input.expiration }),
      ...Object.fromEntries(usages.map((usage) => [`usage-bootstrap-${usage}`, 'true'])),
      // without groups a node may not ask for its certificate
      ...(usages.includes('authentication')
        ? { 'auth-extra-groups': (input.groups ?? ['system:bootstrappers:kubeadm:default-node-token']).join(',') }
        : {}),
      ...(input.description === undefined ? {} : { description: input.description }),
    },
  };
}

/**
 * What may not be as intended about the time a token lives.
 * @param now milliseconds since 1970; only whether there is a warning depends on it
 */
export function bootstrapTokenWarnings({ expiration }: BootstrapTokenProps, now: number): EdgeWarning[] {
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

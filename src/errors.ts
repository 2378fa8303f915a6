/**
 * Every code that an {@link EdgeError} or an {@link EdgeWarning} can carry, with its meaning.
 * Codes are stable: scripts and tests may match on them; a code is never given another meaning.
 *
 * @category Understand errors and warnings
 */
export const EDGE_CODES = {
  EDGE_MISSING: 'a required property is absent or empty',
  EDGE_TYPE: 'a value has the wrong type',
  EDGE_UNKNOWN_PROPERTY: 'a property that this construct does not have',
  EDGE_UNKNOWN_RELEASE: 'an OpenYurt release or Kubernetes minor that the release table does not hold',
  EDGE_NEWER_RELEASE: 'a release newer than the release table',
  EDGE_UNSUPPORTED_RELEASE: 'a release that has no host-network pools, or is older than the release table',
  EDGE_API_SERVER: 'an API server address that is not host:port, or is needed and not given',
  EDGE_CA_CERT_HASH: 'a CA certificate hash that is not sha256:<64 hex digits>',
  EDGE_NAME: 'a name that the API server would refuse',
  EDGE_LABEL: 'a label key or value that the API server would refuse',
  EDGE_ANNOTATION: 'an annotation that the API server would refuse',
  EDGE_TAINT: 'a taint that the API server would refuse',
  EDGE_RESERVED_KEY: 'a key that OpenYurt or this library sets itself',
  EDGE_FIELD_NOT_IN_RELEASE: 'a NodePool field that the OpenYurt release of the cluster does not have',
  EDGE_CLOUD_HOST_NETWORK: 'a Cloud pool can not be a host-network pool',
  EDGE_VALUE: 'a value outside of what the field allows',
  EDGE_DUPLICATE: 'two things that must differ are the same',
  EDGE_YAML: 'text that is not one YAML document with one Kubernetes object',
  EDGE_NOT_AN_OBJECT: 'a value that is not a plain Kubernetes object',
  EDGE_NO_POD_TEMPLATE: 'an object in which no Pod template was found',
  EDGE_AFFINITY: 'a node affinity that the API server would refuse',
  EDGE_CONTRADICTION: 'two wishes that no node can fulfil together',
  EDGE_PORT_MISMATCH: 'containerPort and hostPort differ in a host-network Pod',
  EDGE_PORT: 'a port that is not usable',
  EDGE_DUPLICATE_PORT: 'the same port twice in one host-network Pod',
  EDGE_PORT_CONFLICT: 'two workloads need the same port of the same nodes',
  EDGE_ROLLOUT: 'a rollout that can never finish',
  EDGE_DNS: 'a DNS setting that can not work on a host-network node',
  EDGE_STRATEGY: 'a keep-off strategy that can not be used here',
  EDGE_ARTIFACT: 'two different artefact files of the same name, or a file name that is not usable',
  EDGE_UNTESTED_PAIR: 'OpenYurt never claimed to work with this Kubernetes minor',
  EDGE_ASSUMED_NEWEST: 'a release newer than the table is treated as the newest known one',
  EDGE_AFFINITY_DROPPED: 'a controller that does not pass the affinity of its template on to the Pods',
  EDGE_IMMUTABLE: 'a change that the API server refuses on an object that exists already',
  EDGE_MATCHES_NOTHING: 'a node affinity that matches no node at all',
  EDGE_CLUSTER_SERVICE: 'a Service name or address that is not reachable from a host-network node',
  EDGE_REPLICAS: 'more replicas than the pool has nodes',
  EDGE_NOT_GUARANTEED: 'an admission guarantee that nothing in this cluster gives',
  EDGE_POLICY_COST: 'an admission policy that costs more, or refuses more, than one might expect',
  EDGE_NO_PORTS: 'a host-network container that declares no ports',
  EDGE_QUANTITY: 'an amount that is not a Kubernetes quantity',
  EDGE_RESERVATION: 'more of a node is reserved than it has',
  EDGE_TOKEN: 'a join token that has not the form of one, or a token where only a reference may stand',
  EDGE_TOKEN_TTL: 'a bootstrap token that is valid for long, or no longer',
  EDGE_KUBELET_FLAG: 'a kubelet flag that the kubelet of the cluster’s minor does not have, or that is set elsewhere',
  EDGE_JOIN: 'a way to join that the releases of the cluster do not have',
  EDGE_SIZE: 'a file larger than those who carry it take',
  EDGE_COREFILE: 'a Corefile that CoreDNS would refuse, or that can not be edited as wished',
  EDGE_CONTROLLERS: 'a list of controllers that kube-controller-manager would refuse',
  EDGE_WRONG_OBJECT: 'an object that is not the one that is needed here',
  EDGE_HARMFUL: 'a precondition that does harm in this release',
  EDGE_OBSOLETE: 'a precondition that this release does not need any more',
  EDGE_REMINDER: 'something that is meant for a while only',
  EDGE_NO_OPENYURT: 'a part of OpenYurt in a cluster that does not have it',
  EDGE_WEBHOOK: 'a webhook that the API server would refuse',
  EDGE_MATCH_CONDITIONS: 'matchConditions that this cluster would drop silently',
  EDGE_CA_BUNDLE: 'a CA bundle that is not PEM certificates in base64, or none where one is needed',
  EDGE_KNOWN_LATER: 'an Output where a value must be known while the program runs',
  EDGE_WEBHOOK_LOCK: 'a webhook that can lock the cluster while its server is down',
  EDGE_UNUSED: 'a property that does nothing here',
} as const;

/**
 * One of the codes of {@link EDGE_CODES}.
 *
 * @category Understand errors and warnings
 */
export type EdgeCode = keyof typeof EDGE_CODES;

/**
 * One thing that is wrong, where, and what to write instead.
 *
 * @category Understand errors and warnings
 */
export interface EdgeProblem {
  /** Stable code, a key of {@link EDGE_CODES}. */
  readonly code: EdgeCode;
  /** Path of the offending property, for example `taints[0].effect`; empty when it is the whole input. */
  readonly path: string;
  /** What is wrong, in one sentence. */
  readonly message: string;
  /** What to write instead. */
  readonly hint: string;
}

/**
 * Something that works, but perhaps not as intended. Warnings never stop anything, unless `EdgeWarnings` is told to: cdk8s prints
 * them at synth, Pulumi shows them beside the component.
 *
 * @category Understand errors and warnings
 */
export interface EdgeWarning extends EdgeProblem {
  /** Path of the construct that gave the warning.
   * @default - not bound to a construct */
  readonly construct?: string;
}

/**
 * The one error type of this library. It holds all problems of one construct at once; `code`, `path` and `hint` are those of the first.
 * Text that has the form of a bootstrap token stands in none of them: `<token>` takes its place.
 *
 * Its `stack` names only the line of the user's program: the terminal shows what to change, not how the library is built.
 *
 * @category Understand errors and warnings
 */
export class EdgeError extends Error {
  /** `EdgeError`. */
  public override readonly name = 'EdgeError';
  /** Code of the first problem. */
  public readonly code: EdgeCode;
  /** Property path of the first problem. */
  public readonly path: string;
  /** What to write instead, for the first problem. */
  public readonly hint: string;
  /** All problems, in the order in which they were found; at least one. */
  public readonly problems: readonly EdgeProblem[];
  /** What the problems belong to: kind and construct path, or the function's subject. */
  public readonly subject: string;

  /**
   * @param subject what the problems belong to, for example `HostNetworkNodePool app/fleet/beijing`
   * @param problems all problems found; at least one
   */
  constructor(subject: string, problems: readonly EdgeProblem[]) {
    const shown = problems.map(withoutTokens);
    super(explain(withoutToken(subject), shown));
    const first = shown[0];
    if (first === undefined) {
      throw new TypeError('an EdgeError needs at least one problem');
    }
    this.code = first.code;
    this.path = first.path;
    this.hint = first.hint;
    this.problems = shown;
    this.subject = withoutToken(subject);
    // an uncaught error is printed with its enumerable properties; message and stack already say it all
    for (const property of ['name', 'code', 'path', 'hint', 'problems', 'subject']) {
      Object.defineProperty(this, property, { enumerable: false });
    }
    const declaredAt = userFrame(this.stack ?? '');
    Object.defineProperty(this, 'stack', {
      value: `${this.name}: ${this.message}${declaredAt === undefined ? '' : `\n${declaredAt}`}`,
      configurable: true,
      writable: true,
    });
  }
}

function explain(subject: string, problems: readonly EdgeProblem[]): string {
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  return [`${subject}: ${count}`, ...problems.map(explainProblem)].join('\n');
}

/** One problem or warning as the lines a terminal shows. */
export function explainProblem(problem: EdgeProblem): string {
  const { code, path, message, hint } = withoutTokens(problem);
  const where = path === '' ? '' : `${path}: `;
  return `  ${code}  ${where}${message}\n      -> ${hint}`;
}

/**
 * What has the form of a bootstrap token. In JSON an escape may stand right before it: the `n` of `\n` is no letter of a longer word.
 */
const TOKEN_FORM = /(?<=^|[^A-Za-z0-9]|\\[nrtbf]|\\u[0-9a-f]{4})[a-z0-9]{6}\.[a-z0-9]{16}(?![A-Za-z0-9])/g;

/** Messages show values that are wrong, and one of them may be a token in the wrong place: this text shows none. */
function withoutToken(text: string): string {
  return text.replace(TOKEN_FORM, '<token>');
}

/** A problem that shows no token. In a path only quoted steps can hold one: `labels.siteofproduction` is a label, not a token. */
function withoutTokens(problem: EdgeProblem): EdgeProblem {
  return {
    ...problem,
    path: problem.path.replace(/\["(?:[^"\\]|\\.)*"\]/g, withoutToken),
    message: withoutToken(problem.message),
    hint: withoutToken(problem.hint),
  };
}

/** The first stack frame outside of this library, its dependencies and Node.js. */
function userFrame(stack: string): string | undefined {
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .find((line) => !line.includes(__dirname) && !/node:|[\\/]node_modules[\\/]|\(<anonymous>\)/.test(line));
}

/** Begins the text of a value that is not there yet. What is said with such a text is said of that value, wherever it is found. @internal */
export const UNKNOWN_MARK = '\uE000<unknown ';

/**
 * Collects problems while an input is checked. `at` gives a view on the same list one step deeper in the input.
 *
 * @internal
 */
export class ProblemList {
  public readonly problems: EdgeProblem[];

  /**
   * @param base path of the input
   * @param problems the list that is filled
   * @param unknown paths of values that are not there yet: what is said of one of them, or of what holds it, is left to the check that sees the value
   */
  constructor(
    private readonly base = '',
    problems: EdgeProblem[] = [],
    private readonly unknown: readonly string[] = [],
  ) {
    this.problems = problems;
  }

  public at(...steps: readonly (string | number)[]): ProblemList {
    return new ProblemList(steps.reduce(joinPath, this.base), this.problems, this.unknown);
  }

  public add(code: EdgeCode, message: string, hint: string): void {
    const isUnknown = isAboutUnknown(this.base, this.unknown) || `${message}${hint}`.includes(UNKNOWN_MARK);
    if (code === 'EDGE_KNOWN_LATER' || !isUnknown) {
      this.problems.push({ code, path: this.base, message, hint });
    }
  }

  public throwIfAny(subject: string): void {
    if (this.problems.length > 0) {
      throw new EdgeError(subject, [...this.problems]);
    }
  }
}

/** Whether a path is one of a value that is not there yet, of a part of it, or of what holds it. @internal */
export function isAboutUnknown(path: string, unknown: readonly string[]): boolean {
  return unknown.some((one) => one === path || isInside(one, path) || isInside(path, one));
}

function isInside(outer: string, inner: string): boolean {
  return outer === '' || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`);
}

/** One step deeper in a property path: `a`, `a.b`, `a[0]`, `a["x/y"]`. @internal */
export function joinPath(base: string, step: string | number): string {
  if (typeof step === 'number') {
    return `${base}[${step}]`;
  }
  if (!/^[A-Za-z_$][\w$]*$/.test(step)) {
    return `${base}[${JSON.stringify(step)}]`;
  }
  return base === '' ? step : `${base}.${step}`;
}

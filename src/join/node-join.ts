import type { Plan, PlannedObject } from '../cluster/plan.js';
import { DeclarationKind, problemsOf, type Scope } from '../cluster/scope.js';
import type { EdgeWarning, ProblemList } from '../base/errors.js';
import { type KubernetesObject, nameOf } from '../kubernetes/object.js';
import type { EdgeArtifact } from '../base/artifact.js';
import { sha256Of } from '../base/content-hash.js';
import { gzipBase64 } from '../base/gzip.js';
import type { Check } from '../base/property-table.js';
import { compute, concatenated, holdsUnknown, text, isUnknown } from '../base/unknown.js';
import { plannedRights } from '../pools/node-conversion.js';
import { noteJoin } from '../pools/joined-pools.js';
import { type MachineSeed, seedArtifacts, seedOf } from './machine-seed.js';
import { ignitionWarnings } from './ignition-checks.js';
import { machineConfigs, ignitionConfig } from './ignition-config.js';
import { draftOf, type JoinDraft, withHash } from './join-draft.js';
import { preflightScriptOf } from './join-preflight.js';
import { updateScriptOf } from './join-update.js';
import { type JoinFiles, joinFiles } from './join-files.js';
import { JoinToken } from './join-token.js';
import { asksForCertificates, unapprovedWarnings } from './serving-certificates.js';
import { joinWarnings } from './join-warnings.js';
import { checkNodeJoin, lacksRights } from './node-join-checks.js';
import { withReservedDisk } from './node-disk.js';
import { macOf } from './join-machine-checks.js';
import type { JoinFormat, JoinMachine, NodeJoinProps } from './node-join-props.js';
import { hashInName, nameByContent, publishedFile, publishedJoin, updateFile } from './published-join.js';
import { checkSize } from './size-limits.js';
import { checkStaticPods } from './static-pods.js';
import { bootstrapReaderObjects } from './yurtadm-join.js';

/** Attributes of a join. */
export interface NodeJoinAttributes extends JoinFiles {
  /** SHA-256 of the published content, without the secret half of the token, and without the label that contains it. */
  readonly contentHash: string;
  readonly leaveScript: string;
  readonly updateScript?: string;
  readonly preflightScript: string;
  /** The user-data as the machine gets it with `gzip`. */
  readonly userDataGzipBase64?: string;
  /** The Ignition config, with that format. */
  readonly ignition?: string;
  /** Name of the ConfigMap or Secret; undefined if the join is not published. */
  readonly publishedName?: string;
  /** What only one machine has, for each machine. */
  readonly seeds: readonly MachineSeed[];
  /** The published join as a file, if it is published, and the seed folders of the machines. */
  readonly artifacts: readonly EdgeArtifact[];
  /** Whether the files contain the token. */
  readonly holdsToken: boolean;
}

/** The objects in which joins of a cluster are published, by kind and name. */
const PUBLISHED_JOINS = new DeclarationKind<{ readonly path: string; readonly owner: object }>('published joins');

/**
 * Plans a join.
 *
 * @param now the time, in milliseconds since 1970; only the warnings depend on it
 * @param own checks of properties that only the component has
 * @throws {@link EdgeError} with all problems at once; no message contains a token
 */
export function planNodeJoin(
  given: NodeJoinProps,
  scope: Scope,
  now: number,
  own: Readonly<Record<string, Check>> = {},
): Plan<NodeJoinAttributes> {
  const subject = `NodeJoin ${scope.path}`;
  const problems = problemsOf(scope);
  checkNodeJoin(given, problems, own);
  const ofStaticPods = problems.problems.length > 0 ? [] : checkStaticPods(given, scope, problems);
  problems.throwIfAny(subject);
  const props = withReservedDisk(given);
  const { pool, token, format = 'cloud-config', namespace = scope.namespace ?? 'kube-system' } = props;
  const draft = draftOf(props);
  const open = inFormat(draft, joinFiles(draft, undefined), format);
  const contentHash = hashOf(open, format, JoinToken.textOf(token));
  const hash = compute(contentHash, hashInName);
  const closed = withHash(draft, hash);
  const written = { ...joinFiles(closed, JoinToken.textOf(token)) };
  const updateScript = updateScriptOf(props, closed, hash);
  const userDataGzipBase64 = props.gzip === true ? compute(written.userData, gzipBase64) : undefined;
  const packing = format === 'cloud-config' ? { compressed: userDataGzipBase64 } : undefined;
  checkSize(open, props.provider, problems.at('provider'), packing);
  const name = compute({ poolName: pool.poolName, contentHash }, (known) =>
    nameByContent(known.poolName, known.contentHash),
  );
  const holdsToken = token.kind === 'inline';
  const content = inFormat(closed, written, format);
  const isPublished = props.publish ?? !holdsToken;
  const object = publishedJoin({ pool, format, name, namespace, source: token.source, text: content });
  if (isPublished) {
    notePublished(object, props, scope, problems);
  }
  noteMachines(props, scope, problems);
  problems.throwIfAny(subject);
  noteJoin(scope, pool);
  const file = compute({ name, format }, (known) => publishedFile(known.name, known.format));
  const folder = props.artifactFolder ?? 'join';
  const secrecy = holdsToken ? { isSecret: true } : {};
  const machines = {
    format,
    machines: props.machines ?? [],
    poolName: pool.poolName,
    folder: text`${folder}/${pool.poolName}`,
    timeServers: draft.ntpServers,
  };
  const seeds = compute(machines, seedsOf, format);
  const artifacts = concatenated<EdgeArtifact>(
    isPublished ? [{ path: text`${folder}/${file}`, content, ...secrecy }] : [],
    isPublished && updateScript !== undefined
      ? [{ path: text`${folder}/${compute(name, updateFile)}`, content: updateScript }]
      : [],
    compute({ ...machines, seeds, userData: written.userData, content, secrecy }, machineArtifacts, format),
  );
  return {
    subject,
    objects: [
      // a changed join is a new object; the old one is retained for nodes that still use it, unless it holds a token. One that is retained is immutable,
      // and has a hash of its content in its name: whoever has created it, it is the same
      ...(isPublished
        ? [{ object, apply: 'create', retain: !holdsToken, force: !holdsToken } satisfies PlannedObject]
        : []),
      ...(props.yurtadm?.membership === 'nodepool-name' ? bootstrapReaderObjects(pool.poolName) : []),
      ...(lacksRights(props) && isFirst(props, scope) ? plannedRights() : []),
    ],
    cluster: pool.cluster,
    attributes: {
      ...written,
      ...(userDataGzipBase64 === undefined ? {} : { userDataGzipBase64 }),
      ignition: compute(
        { format, content },
        (known) => (known.format === 'ignition' ? known.content : undefined),
        format,
      ),
      contentHash,
      leaveScript: draft.leaveScript,
      ...(updateScript === undefined ? {} : { updateScript }),
      preflightScript: preflightScriptOf(props, draft),
      ...(isPublished ? { publishedName: name } : {}),
      seeds,
      artifacts,
      holdsToken,
    },
    warnings: [...ofStaticPods, ...joinWarnings(props, now), ...ignitionWarnings(props)],
    artifacts,
    ...(asksForCertificates(props) ? { atEnd: () => unapprovedWarnings(props, scope) } : {}),
  };
}

/** What to tell where files are written, and a join that nobody chose not to publish is in none of them: its text has the token. */
export function unwrittenWarning({ token, publish, machines = [] }: NodeJoinProps): EdgeWarning | undefined {
  return token.kind === 'inline' && publish === undefined && machines.length === 0
    ? {
        code: 'EDGE_NOT_WRITTEN',
        path: 'publish',
        message: 'this join is in no manifest and in no file, because its token is inline',
        hint: 'write publish: true for a Secret and a file (mode 0600) with the token, or JoinToken.fromFile(…) for a join without it; publish: false if the program reads userData itself',
      }
    : undefined;
}

/** The machines of a cluster, by name and MAC address: a Node has one name, and a machine joins once. */
const MACHINES = new DeclarationKind<{ readonly path: string; readonly owner: object }>('machines');

/** The join that writes the rights of yurthub, once for a cluster. */
const RIGHTS = new DeclarationKind<object>('rights of yurthub');

function isFirst({ pool }: NodeJoinProps, scope: Scope): boolean {
  const declared = scope.declared.of(pool.cluster, RIGHTS);
  const first = declared.get('') ?? scope.owner;
  declared.set('', first);
  return first === scope.owner;
}

/** Refuses a machine that another join of the cluster has. Two sites may have the same addresses. */
function noteMachines({ pool, machines = [] }: NodeJoinProps, scope: Scope, problems: ProblemList): void {
  const declared = scope.declared.of(pool.cluster, MACHINES);
  machines.forEach(({ name, mac }, index) => {
    for (const [property, value] of Object.entries({ name, mac: macOf(mac) })) {
      const earlier = value === undefined ? undefined : declared.get(value);
      if (earlier !== undefined && earlier.owner !== scope.owner) {
        problems
          .at('machines', index, property)
          .add(
            'EDGE_DUPLICATE',
            `${earlier.path} has a machine with this ${property}`,
            'declare each machine in one join',
          );
      } else if (value !== undefined) {
        declared.set(value, { path: scope.path, owner: scope.owner });
      }
    }
  });
}

/** What the machines of a join are given. */
interface MachinesInput {
  readonly format: JoinFormat;
  readonly machines: readonly JoinMachine[];
  readonly poolName: string;
  readonly folder: string;
  readonly timeServers?: readonly string[];
}

/** Seeds are for cloud-init, which a machine without it may read from a script. */
function seedsOf({ format, machines, poolName, timeServers }: MachinesInput): readonly MachineSeed[] {
  return format === 'ignition' ? [] : machines.map((machine) => seedOf(machine, poolName, timeServers));
}

function machineArtifacts({
  format,
  machines,
  folder,
  timeServers,
  seeds,
  userData,
  content,
  secrecy,
}: MachinesInput & {
  readonly seeds: readonly MachineSeed[];
  readonly userData: string;
  readonly content: string;
  readonly secrecy: Pick<EdgeArtifact, 'isSecret'>;
}): readonly EdgeArtifact[] {
  return format === 'ignition'
    ? machineConfigs(machines, folder, { content, ...secrecy }, timeServers)
    : seedArtifacts(seeds, folder, { content: userData, ...secrecy });
}

/** The join as it is published. */
function inFormat(draft: JoinDraft, written: JoinFiles, format: JoinFormat): string {
  const { configPath, holdsToken, hasMachines, hasService, ntpServers } = draft;
  // the config of each machine has its own servers
  const ignition = {
    files: written.files,
    hasService,
    ...(holdsToken ? { secretPath: configPath } : {}),
    ...(hasMachines ? {} : { ntpServers }),
  };
  const mayBe = (one: JoinFormat): boolean => isUnknown(format) || format === one;
  const [userData, script] = [mayBe('cloud-config') ? written.userData : '', mayBe('script') ? written.script : ''];
  return compute(
    { format, userData, script, ignition },
    (known) =>
      known.format === 'ignition'
        ? compute(known.ignition, ignitionConfig)
        : known.format === 'script'
          ? known.script
          : known.userData,
    format,
  );
}

/** Hash of a join with the placeholder, and of the token id, which distinguishes the joins of two tokens. */
function hashOf(open: string, format: JoinFormat, token: string | undefined): string {
  const id = compute(token, (known) => known?.split('.')[0] ?? '');
  return compute(text`${format}\n${id}\n${open}`, sha256Of);
}

/** Refuses two joins with the same content, or with the same token id: both would be one object, and the second would replace the first. */
function notePublished(object: KubernetesObject, { pool }: NodeJoinProps, scope: Scope, problems: ProblemList): void {
  if (holdsUnknown(object.metadata)) {
    return;
  }
  const published = scope.declared.of(pool.cluster, PUBLISHED_JOINS);
  const name = nameOf(object);
  const earlier = published.get(name);
  if (earlier !== undefined && earlier.owner !== scope.owner) {
    problems.add(
      'EDGE_DUPLICATE',
      `${earlier.path} already publishes the ${name}`,
      'declare the join once and use it for all machines, or write publish: false; a new token also needs a new id',
    );
    return;
  }
  published.set(name, { path: scope.path, owner: scope.owner });
}

import type { Plan, PlannedObject } from '../cluster/plan.js';
import { DeclarationKind, problemsOf, type Scope } from '../cluster/scope.js';
import type { ProblemList } from '../errors.js';
import { type KubernetesObject, nameOf } from '../kubernetes/object.js';
import type { EdgeArtifact } from '../text/artifact.js';
import { sha256Of } from '../text/content-hash.js';
import { compute, holdsUnknown, text } from '../validation/unknown.js';
import { draftOf } from './join-draft.js';
import { type JoinFiles, joinFiles } from './join-files.js';
import { JoinToken } from './join-token.js';
import { checkNodeJoin, joinWarnings } from './node-join-checks.js';
import type { JoinFormat, NodeJoinInput } from './node-join-props.js';
import { nameByContent, publishedFile, publishedJoin } from './published-join.js';
import { checkSize } from './size-limits.js';
import { bootstrapReaderObjects } from './yurtadm-join.js';

/** What a join answers. */
export interface NodeJoinAnswers extends JoinFiles {
  /** SHA-256 of what is published, computed without the secret half of the token. */
  readonly contentHash: string;
  readonly leaveScript: string;
  /** Name of the ConfigMap or Secret; undefined when the join is not published. */
  readonly publishedName?: string;
  /** The published join as a file; empty when it is not published. */
  readonly artifacts: readonly EdgeArtifact[];
  /** Whether the token itself is in the files. */
  readonly holdsToken: boolean;
}

/** The objects in which joins of a cluster are published, by kind and name. */
const PUBLISHED_JOINS = new DeclarationKind<{ readonly path: string; readonly owner: object }>('published joins');

/**
 * Plans a join.
 *
 * @throws {@link EdgeError} with all problems at once; no message holds a token
 */
export function planNodeJoin(props: NodeJoinInput, scope: Scope): Plan<NodeJoinAnswers> {
  const subject = `NodeJoin ${scope.path}`;
  const problems = problemsOf(scope);
  checkNodeJoin(props, problems);
  problems.throwIfAny(subject);
  const { pool, token, format = 'cloud-config', namespace = scope.namespace ?? 'kube-system' } = props;
  const draft = draftOf(props);
  const written = joinFiles(draft, JoinToken.textOf(token));
  const open = inFormat(joinFiles(draft, undefined), format);
  checkSize(open, props.provider, problems.at('provider'));
  const contentHash = hashOf(open, format, JoinToken.textOf(token));
  const name = compute({ poolName: pool.poolName, contentHash }, (known) =>
    nameByContent(known.poolName, known.contentHash),
  );
  const holdsToken = token.kind === 'inline';
  const content = inFormat(written, format);
  const isPublished = props.publish ?? !holdsToken;
  const object = publishedJoin({ pool, format, name, namespace, source: token.source, text: content });
  if (isPublished) {
    notePublished(object, props, scope, problems);
  }
  problems.throwIfAny(subject);
  const file = compute({ name, format }, (known) => publishedFile(known.name, known.format));
  const path = text`${props.artifactFolder ?? 'join'}/${file}`;
  const artifacts = isPublished ? [{ path, content, ...(holdsToken ? { isSecret: true } : {}) }] : [];
  return {
    subject,
    objects: [
      // a new join is a new object; the old one stays until the nodes that were made with it do not need it
      ...(isPublished ? [{ object, apply: 'create', retain: true } satisfies PlannedObject] : []),
      ...(props.yurtadm?.membership === 'nodepool-name' ? bootstrapReaderObjects(pool.poolName) : []),
    ],
    cluster: pool.cluster,
    answers: {
      ...written,
      contentHash,
      leaveScript: draft.leaveScript,
      ...(isPublished ? { publishedName: name } : {}),
      artifacts,
      holdsToken,
    },
    warnings: joinWarnings(props),
    artifacts,
  };
}

function inFormat({ userData, script }: JoinFiles, format: JoinFormat): string {
  const select = (known: {
    readonly format: JoinFormat;
    readonly userData: string;
    readonly script: string;
  }): string => (known.format === 'script' ? known.script : known.userData);
  return compute({ format, userData, script }, select, format);
}

/** Hash of a join with the placeholder. Of the token only its public half, the id, tells the joins of two tokens apart. */
function hashOf(open: string, format: JoinFormat, token: string | undefined): string {
  const id = compute(token, (known) => known?.split('.')[0] ?? '');
  return compute(text`${format}\n${id}\n${open}`, sha256Of);
}

/** Two joins of the same content, or of one token id with two secrets, are one object: the second would take the place of the first. */
function notePublished(object: KubernetesObject, { pool }: NodeJoinInput, scope: Scope, problems: ProblemList): void {
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
      'declare the join once, and use it for every machine; publish: false leaves one out; a new token needs a new id as well',
    );
    return;
  }
  published.set(name, { path: scope.path, owner: scope.owner });
}

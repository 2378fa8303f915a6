import { EdgeError, type EdgeWarning, ProblemList } from '../errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { planJoin } from './join-plan.js';
import type { JoinPool, NodeJoinOptions } from './join-props.js';
import { hashOfJoin, type RenderedJoin, renderJoin } from './join-rendering.js';
import { JoinToken } from './join-token.js';
import { type JoinFormat, snippetFile, snippetObject } from './snippet.js';
import { type KubernetesObject, nameOf } from '../kubernetes/object.js';
import { checkNamespace } from '../kubernetes/names.js';
import { checkBoolean, checkOneOf } from '../validation/properties.js';
import { checkArtifactFolder, type EdgeArtifact } from '../text/artifact.js';
import type { Declaration } from '../cluster/fleet.js';

/**
 * How a node joins, whoever its pool is.
 *
 * @category Join nodes
 */
export interface NodeJoinSettings extends NodeJoinOptions {
  /** Where the node finds its token. */
  readonly token: JoinToken;
  /** Which form is published.
   * @default cloud-config */
  readonly format?: JoinFormat;
  /** Whether the join is published: as an immutable ConfigMap (a Secret if it holds a token), and as a file beside the YAML.
   * @default - true; false with an inline token, so that it stands in no manifest unless you say so */
  readonly publish?: boolean;
  /** Namespace of the ConfigMap or Secret.
   * @default - that of the chart, else kube-system */
  readonly namespace?: string;
  /** Folder below the output folder for the file.
   * @default join */
  readonly artifactFolder?: string;
}

/** A join with everything that is made of it. */
export interface NodeJoinPlan {
  readonly rendered: RenderedJoin;
  readonly contentHash: string;
  readonly leaveScript: string;
  /** The join as it is published; undefined when it is not. */
  readonly published?: { readonly object: KubernetesObject; readonly artifact: EdgeArtifact };
  /** Cluster-scoped objects that the join needs. */
  readonly objects: readonly KubernetesObject[];
  readonly warnings: readonly EdgeWarning[];
}

/**
 * Plans a join.
 *
 * @param defaultNamespace of the ConfigMap or Secret, where none is named
 * @throws {@link EdgeError} with all problems at once; no message holds a token
 */
export function planNodeJoin(
  props: NodeJoinSettings & { readonly pool: JoinPool },
  defaultNamespace: string,
  declaration: Declaration,
): NodeJoinPlan {
  const problems = new ProblemList();
  const plan = planJoin(props, ['format', 'publish', 'namespace', 'artifactFolder'], problems);
  checkOneOf(props.format, ['cloud-config', 'script'], problems.at('format'));
  checkBoolean(props.publish, problems.at('publish'));
  if (props.namespace !== undefined) {
    checkNamespace(props.namespace, problems.at('namespace'));
  }
  checkArtifactFolder(props.artifactFolder, 'join', problems.at('artifactFolder'));
  if (plan === undefined || problems.problems.length > 0) {
    throw new EdgeError(`NodeJoin ${declaration.path}`, problems.problems);
  }
  const { token, format = 'cloud-config', namespace = defaultNamespace } = props;
  const isInline = token.kind === 'inline';
  const rendered = renderJoin(plan, JoinToken.textOf(token));
  const contentHash = hashOfJoin(plan, format, token);
  const artifact = {
    path: `${props.artifactFolder ?? 'join'}/${snippetFile(props.pool.poolName, contentHash, format)}`,
    content: format === 'script' ? rendered.script : rendered.userData,
    ...(isInline ? { isSecret: true } : {}),
  };
  const snippet = { pool: props.pool, format, hash: contentHash, namespace, source: token.source, rendered };
  const published = (props.publish ?? !isInline) ? { object: snippetObject(snippet), artifact } : undefined;
  if (published !== undefined) {
    claimObject(published.object, props.pool.cluster, declaration);
  }
  return {
    rendered,
    contentHash,
    leaveScript: plan.leaveScript,
    ...(published === undefined ? {} : { published }),
    objects: plan.objects,
    warnings: plan.warnings,
  };
}

/** Two joins of one content, or of one token id with two secrets, are one object: the second would take the place of the first. */
function claimObject(object: KubernetesObject, cluster: EdgeCluster, { path, fleets }: Declaration): void {
  const { joins } = fleets.of(cluster);
  const name = nameOf(object);
  const earlier = joins.get(name);
  if (earlier !== undefined) {
    const problems = new ProblemList();
    problems.add(
      'EDGE_DUPLICATE',
      `${earlier} already publishes the ${name}`,
      'declare the join once, and use it for every machine; publish: false leaves one out; a new token needs a new id as well',
    );
    problems.throwIfAny(`NodeJoin ${path}`);
  }
  joins.set(name, path);
}

import { ApiObject, Chart, JsonPatch } from 'cdk8s';
import { Construct } from 'constructs';
import { type EdgeProblem, EdgeError, ProblemList } from '../errors.js';
import type { NodeJoinOptions } from '../manifests/join/join-props.js';
import { planJoin } from '../manifests/join/join-plan.js';
import { hashOfJoin, type JoinPlan, renderJoin } from '../manifests/join/join-rendering.js';
import { JoinToken } from '../manifests/join/join-token.js';
import type { NodeFile } from '../manifests/join/node-file.js';
import { type JoinFormat, snippetFile, snippetObject } from '../manifests/join/snippet.js';
import type { KubernetesObject } from '../manifests/kubernetes-object.js';
import { checkNamespace } from '../manifests/names.js';
import { checkBoolean, checkOneOf } from '../manifests/properties.js';
import { checkArtifactFolder } from '../plans/artifact.js';
import { addArtifact } from './artifact.js';
import type { INodePool } from './node-pool.js';
import { addClusterWarnings, EdgeWarnings } from './warnings.js';

/**
 * Properties of a {@link NodeJoin}.
 *
 * @category Join nodes
 */
export interface NodeJoinProps extends NodeJoinOptions {
  /** The pool that the node joins. Its cluster says where the API server is, and by which hash its CA is known. */
  readonly pool: INodePool;
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

const OWN_PROPERTIES = ['format', 'publish', 'namespace', 'artifactFolder'];

/**
 * Everything with which a machine becomes a node of a pool: the loopback CNI, what kubelet keeps for itself, the join by kubeadm or yurtadm. The
 * labels of the pool are in the very request that makes the Node, before any Pod can be placed there.
 *
 * `ApiObject.of(join)` is the ConfigMap, where there is one.
 *
 * @category Join nodes
 */
export class NodeJoin extends Construct {
  /** The whole cloud-config; its first line is `#cloud-config`. Holds the token only if it is inline. */
  public readonly userData: string;
  /** The same as a POSIX script, for machines without cloud-init. */
  public readonly script: string;
  /** The files of the join, in the order in which they are written. */
  public readonly files: readonly Required<NodeFile>[];
  /** The JoinConfiguration of kubeadm. The token stands as a placeholder unless it is inline. Empty with yurtadm, which writes its own. */
  public readonly joinConfiguration: Readonly<Record<string, unknown>>;
  /** SHA-256 of what is published, 64 hex digits, reckoned without the token. */
  public readonly contentHash: string;
  /** The script with which such a node leaves. */
  public readonly leaveScript: string;
  /** Name of the ConfigMap or Secret; undefined when the join is not published. */
  public readonly snippetName?: string;

  /**
   * @param scope parent
   * @param id construct id
   * @param props the pool, the token, and how the node joins
   * @throws {@link EdgeError} with all problems at once: EDGE_API_SERVER, EDGE_CA_CERT_HASH, EDGE_TOKEN, EDGE_JOIN, EDGE_KUBELET_FLAG, EDGE_SIZE,
   * EDGE_NAME, EDGE_LABEL, EDGE_TAINT, EDGE_RESERVED_KEY, EDGE_DUPLICATE, EDGE_CONTRADICTION, EDGE_ARTIFACT, EDGE_VALUE, EDGE_TYPE, EDGE_MISSING
   * or EDGE_UNKNOWN_PROPERTY. No message holds a token
   */
  constructor(scope: Construct, id: string, props: NodeJoinProps) {
    super(scope, id);
    const plan = this.plan(props ?? {});
    const { pool, token, format = 'cloud-config' } = props;
    const rendered = renderJoin(plan, JoinToken.textOf(token));
    this.userData = rendered.userData;
    this.script = rendered.script;
    this.files = rendered.files;
    this.joinConfiguration = rendered.joinConfiguration;
    this.contentHash = hashOfJoin(plan, format, token);
    this.leaveScript = plan.leaveScript;
    if (props.publish ?? token.kind !== 'inline') {
      const namespace = props.namespace ?? Chart.of(this).namespace ?? 'kube-system';
      const object = snippetObject({
        pool,
        format,
        hash: this.contentHash,
        namespace,
        source: token.source,
        rendered,
      });
      this.snippetName = object.metadata?.name;
      new ApiObject(this, 'Resource', object);
      addArtifact(this, {
        path: `${props.artifactFolder ?? 'join'}/${snippetFile(pool.poolName, this.contentHash, format)}`,
        content: format === 'script' ? rendered.script : rendered.userData,
        ...(token.kind === 'inline' ? { isSecret: true } : {}),
      });
    }
    plan.objects.forEach((object) => this.addClusterScoped(object));
    EdgeWarnings.add(this, plan.warnings);
    addClusterWarnings(this, pool.cluster);
  }

  private plan(props: NodeJoinProps): JoinPlan {
    const problems = new ProblemList();
    const plan = planJoin(props, OWN_PROPERTIES, problems);
    checkOneOf(props.format, ['cloud-config', 'script'], problems.at('format'));
    checkBoolean(props.publish, problems.at('publish'));
    if (props.namespace !== undefined) {
      checkNamespace(props.namespace, problems.at('namespace'));
    }
    checkArtifactFolder(props.artifactFolder, 'join', problems.at('artifactFolder'));
    if (problems.problems.length > 0) {
      throw new EdgeError(`NodeJoin ${this.node.path}`, problems.problems.map(withoutTokens));
    }
    return plan as JoinPlan;
  }

  private addClusterScoped(object: KubernetesObject): void {
    const resource = new ApiObject(this, object.kind, object);
    if (resource.chart.namespace !== undefined) {
      // cdk8s gives the chart's namespace to everything
      resource.addJsonPatch(JsonPatch.remove('/metadata/namespace'));
    }
  }
}

/** Messages show values that are wrong; one of them may be a token in the wrong place. */
function withoutTokens(problem: EdgeProblem): EdgeProblem {
  const hidden = (text: string): string =>
    text.replace(/(?<![A-Za-z0-9])[a-z0-9]{6}\.[a-z0-9]{16}(?![A-Za-z0-9])/g, '<token>');
  return { ...problem, path: hidden(problem.path), message: hidden(problem.message), hint: hidden(problem.hint) };
}

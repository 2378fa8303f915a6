import type { ProblemList } from '../errors.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { isMap, type PlainMap } from '../validation/plain-data.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import { checkNamespace, checkObjectName } from '../kubernetes/names.js';
import { checkKnownProperties, checkOneOf } from '../validation/properties.js';
import { kubeletFlags } from '../reservation/node-reservation.js';
import { quoteForShell } from '../text/shell.js';
import { fourDigits } from './cloud-config.js';
import { sha256Of } from '../text/content-hash.js';
import { JOIN_FORMAT, nodeParts, patchFiles } from './join-plan.js';
import { type JoinPool, NODE_PROPERTIES, type NodeOptions } from './join-props.js';
import { commandLine } from './join-script.js';
import { nodeRegistration } from './kubeadm-join.js';
import { checkJoinPool, checkNode } from './node-checks.js';
import type { NodeFile } from './node-file.js';
import { PATCH_FOLDER } from './node-paths.js';
import { reservedPaths } from './reserved-paths.js';
import { runtimeLines, timeServers } from './runtime-files.js';
import { snippetName } from './snippet.js';
import { kubeadmPatchesKubelet } from '../cluster/kubeadm-capabilities.js';

/**
 * Versions of `bootstrap.cluster.x-k8s.io`: `v1beta1` up to Cluster API 1.10, `v1beta2` from 1.11 on.
 *
 * @category Join nodes
 */
export type ClusterApiVersion = 'v1beta1' | 'v1beta2';

/** What a template is made from. */
export interface ConfigTemplateInput extends NodeOptions {
  readonly pool: JoinPool;
  readonly version?: ClusterApiVersion;
  readonly name?: string;
  readonly namespace?: string;
}

/** Checks a template at the door. */
export function checkConfigTemplate(input: ConfigTemplateInput, problems: ProblemList): void {
  if (!isMap(input)) {
    problems.add('EDGE_MISSING', 'a template needs a pool', 'write { pool }');
    return;
  }
  checkKnownProperties(input, [...NODE_PROPERTIES, 'version', 'name', 'namespace'], problems, {
    token: 'Cluster API makes a token for each Machine: leave it out',
    discoveryFile: 'Cluster API fills in the discovery: leave it out',
  });
  checkOneOf(input.version, ['v1beta1', 'v1beta2'], problems.at('version'));
  if (input.name !== undefined) {
    checkObjectName(input.name, problems.at('name'));
  }
  if (input.namespace !== undefined) {
    checkNamespace(input.namespace, problems.at('namespace'));
  }
  if (!checkJoinPool(input.pool, problems.at('pool'))) {
    return;
  }
  const reserved = reservedPaths(input, 'cluster-api');
  checkNode(input, input.pool, reserved, kubeadmPatchesKubelet(input.pool.cluster), problems);
  if (input.version === 'v1beta1' && Array.isArray(input.kubeletExtraArgs)) {
    problems
      .at('kubeletExtraArgs')
      .add('EDGE_JOIN', 'v1beta1 of Cluster API takes a map of kubelet arguments', "write { 'max-pods': '30' }");
  }
}

/** The template. Its spec is immutable to Cluster API, so without a name of the user's it gets one that ends in a hash of what it says. */
export function configTemplate(input: ConfigTemplateInput, namespace: string): KubernetesObject {
  const { pool, version = 'v1beta2' } = input;
  const spec = templateSpec(input, version);
  return {
    apiVersion: `bootstrap.cluster.x-k8s.io/${version}`,
    kind: 'KubeadmConfigTemplate',
    metadata: {
      name: input.name ?? snippetName(pool.poolName, sha256Of(JSON.stringify([JOIN_FORMAT, version, spec]))),
      namespace,
      labels: { ...OWN_LABELS },
    },
    spec: { template: { spec } },
  };
}

function templateSpec(input: ConfigTemplateInput, version: ClusterApiVersion): PlainMap {
  const { pool } = input;
  const parts = nodeParts(input, {});
  const canPatch = kubeadmPatchesKubelet(pool.cluster);
  const patches = canPatch ? patchFiles(parts.kubeletFields) : [];
  const registration = nodeRegistration(
    {
      ...input,
      ...parts,
      cluster: pool.cluster,
      ownArguments: canPatch ? {} : kubeletFlags(parts.kubeletFields),
    },
    version === 'v1beta2',
  );
  const runtime = runtimeLines(parts.runtime);
  const servers = timeServers(input.ntpServers);
  const before = [
    ...(runtime.length === 0 ? [] : [`sh -c ${quoteForShell(`prepare() {\n${runtime.join('\n')}\n}\nprepare`)}`]),
    ...(input.preJoinCommands ?? []).map(commandLine),
  ];
  const after = (input.postJoinCommands ?? []).map(commandLine);
  return {
    joinConfiguration: {
      nodeRegistration: registration,
      ...(patches.length > 0 ? { patches: { directory: PATCH_FOLDER } } : {}),
    },
    files: [...parts.files, ...patches, ...(input.files ?? [])].map(templateFile),
    ...(before.length > 0 ? { preKubeadmCommands: before } : {}),
    ...(after.length > 0 ? { postKubeadmCommands: after } : {}),
    ...(servers === undefined ? {} : { ntp: { enabled: true, servers: [...servers] } }),
    format: 'cloud-config',
  };
}

/** Cluster API hands its file to cloud-init as a Jinja template, so that what looks like one is encoded. */
function templateFile({ path, content, permissions }: NodeFile): PlainMap {
  const isJinja = /\{[{%#]/.test(content);
  return {
    path,
    owner: 'root:root',
    permissions: fourDigits(permissions),
    ...(isJinja ? { encoding: 'base64', content: Buffer.from(content).toString('base64') } : { content }),
  };
}

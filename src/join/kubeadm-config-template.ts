import type { Plan } from '../cluster/plan.js';
import { problemsOf, type Scope } from '../cluster/scope.js';
import { kubeadmPatchesKubelet } from '../cluster/kubeadm-capabilities.js';
import type { ProblemList } from '../base/errors.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import { checkNamespace, checkObjectName } from '../kubernetes/names.js';
import type { NodePoolAttributes } from '../pools/node-pool.js';
import { sha256Of } from '../base/content-hash.js';
import { quoteForShell } from '../base/shell.js';
import { isMap, type PlainMap } from '../base/plain-data.js';
import { oneOf, optional, plain, type PropertyTable } from '../base/property-table.js';
import { compute, computeWhole, concatenated, isUnknown } from '../base/unknown.js';
import { noteJoin } from '../pools/joined-pools.js';
import { fourDigits } from './cloud-config.js';
import { commandWarnings, type NodeCommand, type NodeFile } from './node-file.js';
import { commandLine } from './join-command.js';
import { flagWarnings } from './kubelet-configuration.js';
import { nodeRegistration } from './kubeadm-join.js';
import { filesOfMachine, reloadScript } from './machine-settings.js';
import { checkDisk, reservationOf } from './node-disk.js';
import type { NodeSettings } from './node-join-props.js';
import { checkNodeName, checkPropsWithPool, nodeOptions } from './node-options-checks.js';
import { JOIN_FORMAT, lateLabelWarnings, nodeParts } from './node-parts.js';
import { PATCH_FOLDER } from './node-paths.js';
import { nameByContent } from './published-join.js';
import { reservedPaths } from './reserved-paths.js';
import { runtimeScript } from './container-runtime.js';
import { yurthubFiles } from './yurthub.js';

/**
 * Properties of a {@link KubeadmConfigTemplate}.
 *
 * @category Join nodes
 */
export interface KubeadmConfigTemplateProps extends NodeSettings {
  /** The pool that the Machines join. */
  readonly pool: NodePoolAttributes;
  /** Version of `bootstrap.cluster.x-k8s.io`: `v1beta1` up to Cluster API 1.10, `v1beta2` from 1.11 on.
   * @default v1beta2 */
  readonly version?: 'v1beta1' | 'v1beta2';
  /** Name of the object. Templates of Cluster API are immutable, so different content needs a different name.
   * @default - the name of the pool, `-join-` and a hash of the content */
  readonly name?: string;
  /** Namespace of the object, which must be that of the Cluster.
   * @default - the namespace of the chart, else default */
  readonly namespace?: string;
}

type ClusterApiVersion = NonNullable<KubeadmConfigTemplateProps['version']>;

/** The versions that can be written. */
export const CLUSTER_API_VERSIONS: readonly ClusterApiVersion[] = ['v1beta1', 'v1beta2'];

/** Attributes of a template. */
export interface KubeadmConfigTemplateAttributes {
  /** Name of the object. */
  readonly templateName: string;
}

const ADVICE: Readonly<Record<string, string>> = {
  token: 'leave it out: Cluster API creates a token for each Machine',
  discoveryFile: 'leave it out: Cluster API writes the discovery',
};

/**
 * Plans a template of Cluster API. Its spec is immutable, so its default name ends in a hash of the spec.
 *
 * @throws {@link EdgeError} with all problems at once
 */
export function planKubeadmConfigTemplate(
  props: KubeadmConfigTemplateProps,
  scope: Scope,
): Plan<KubeadmConfigTemplateAttributes> {
  const subject = `KubeadmConfigTemplate ${scope.path}`;
  const problems = problemsOf(scope);
  checkTemplate(props, problems);
  problems.throwIfAny(subject);
  noteJoin(scope, props.pool);
  const { pool, version = 'v1beta2', namespace = scope.namespace ?? 'default' } = props;
  const spec = templateSpec(props, version);
  const name = props.name ?? compute({ poolName: pool.poolName, content: [JOIN_FORMAT, version, spec] }, nameOf);
  const object: KubernetesObject = {
    apiVersion: `bootstrap.cluster.x-k8s.io/${version}`,
    kind: 'KubeadmConfigTemplate',
    metadata: { name, namespace, labels: { ...OWN_LABELS } },
    spec: { template: { spec } },
  };
  return {
    subject,
    // templates of Cluster API are immutable: different content is another object, and the old one is deleted last
    objects: [{ object, apply: 'create', replaceOn: { fields: ['spec'], deleteFirst: false } }],
    cluster: pool.cluster,
    attributes: { templateName: name },
    warnings: [
      ...commandWarnings(props),
      ...flagWarnings(props),
      ...lateLabelWarnings(
        pool,
        'write it into the labels of the MachineDeployment’s template: Cluster API copies node-role.kubernetes.io labels to the nodes',
      ),
    ],
    artifacts: [],
  };
}

function nameOf({ poolName, content }: { readonly poolName: string; readonly content: unknown }): string {
  return nameByContent(poolName, sha256Of(JSON.stringify(content)));
}

function checkTemplate(input: KubeadmConfigTemplateProps, problems: ProblemList): void {
  if (!isMap(input)) {
    problems.add('EDGE_MISSING', 'a template needs a pool', 'write { pool }');
    return;
  }
  const { pool } = input;
  const table: PropertyTable<KubeadmConfigTemplateProps> = {
    version: plain(oneOf(...CLUSTER_API_VERSIONS)),
    name: optional(checkObjectName),
    namespace: optional(checkNamespace),
    ...nodeOptions(
      input,
      () => reservedPaths(input, 'cluster-api'),
      () => kubeadmPatchesKubelet(pool.cluster),
    ),
    nodeName: optional(checkTemplateName),
  };
  if (checkPropsWithPool<KubeadmConfigTemplateProps>(input, table, problems, ADVICE)) {
    checkDisk(input, problems);
  }
  if (input.version === 'v1beta1' && Array.isArray(input.kubeletExtraArgs)) {
    problems
      .at('kubeletExtraArgs')
      .add('EDGE_JOIN', 'v1beta1 of Cluster API needs kubeletExtraArgs as a map', "write { 'max-pods': '30' }");
  }
}

/** A name, or the data of the instance from which cloud-init makes one: Cluster API knows no other name for each
 * Machine. */
function checkTemplateName(name: unknown, problems: ProblemList): void {
  if (!(typeof name === 'string' && /^\{\{ ?(ds|v1|local_hostname)[\w."'[\]]* ?\}\}$/.test(name))) {
    checkNodeName(name, problems);
  }
}

function templateSpec(input: KubeadmConfigTemplateProps, version: ClusterApiVersion): PlainMap {
  const { nodeName, kubeletExtraArgs } = input;
  const parts = nodeParts(input, {}, kubeadmPatchesKubelet(input.pool.cluster));
  const { patches } = parts;
  const registration = nodeRegistration(
    { ...parts, nodeName, kubeletExtraArgs, ownArguments: parts.kubeletFlags },
    version === 'v1beta2',
  );
  const machine = { diskSize: reservationOf(input)?.diskSize };
  const files = concatenated(
    parts.files,
    yurthubFiles(input),
    patches,
    filesOfMachine({ machine, runtime: 'containerd' }),
    input.files ?? [],
  );
  const before = concatenated(
    inShell(reloadScript(machine)),
    compute(parts.runtime, (runtime) => inShell(runtimeScript(runtime))),
    commandLines(input.preJoinCommands),
  );
  return {
    joinConfiguration: {
      nodeRegistration: registration,
      ...(patches.length > 0 ? { patches: { directory: PATCH_FOLDER } } : {}),
    },
    files: computeWhole(files, (all) => all.map(templateFile)),
    ...present('preKubeadmCommands', before, (all) => all),
    ...present('postKubeadmCommands', commandLines(input.postJoinCommands), (all) => all),
    ...present('ntp', input.ntpServers ?? [], (servers) => ({ enabled: true, servers: [...servers] })),
    format: 'cloud-config',
  };
}

/** A field that exists only if a list is not empty. */
function present<T>(field: string, list: readonly T[], valueOf: (list: readonly T[]) => unknown): PlainMap {
  const value = computeWhole(list, (known) => (known.length > 0 ? valueOf(known) : undefined));
  return value === undefined ? {} : { [field]: value };
}

const inShell = (script: string | undefined): readonly string[] =>
  script === undefined ? [] : [`sh -c ${quoteForShell(script)}`];

function commandLines(commands: readonly NodeCommand[] = []): readonly string[] {
  return computeWhole(commands, (known) =>
    known.map((command) => compute(command, (words) => templateCommand(commandLine(words)))),
  );
}

/** The user data of Cluster API is a Jinja template of cloud-init, so text with the delimiters of Jinja is encoded. */
const JINJA = /\{[{%#]/;

// Cluster API writes content as `content: |`, without an indentation indicator, and indents each line (files.go and
// utils.go of its cloudinit). Such a block has the same bytes only if its first line begins with no blank, it ends with
// one line break, and PyYAML, which cloud-init uses, reads every character as it is: not U+007F, no other line break of
// YAML 1.1 (CR, U+0085, U+2028, U+2029), and no byte order mark.
const CHARACTERS = String.raw`\t\n\x20-\x7e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}`;
const IN_BLOCK = new RegExp(String.raw`^(?!\s)(?=[^]*\S\n$)[${CHARACTERS}]*$`, 'u');

const encoded = (text: string): string => Buffer.from(text).toString('base64');

function templateCommand(line: string): string {
  return JINJA.test(line) ? `sh -c "$(echo ${encoded(line)} | base64 -d)"` : line;
}

function templateFile(file: NodeFile): PlainMap {
  return compute(
    file,
    ({ path, content, permissions }) => ({
      path,
      owner: 'root:root',
      permissions: compute(permissions, fourDigits),
      ...(IN_BLOCK.test(content) && !JINJA.test(content)
        ? { content }
        : { encoding: 'base64', content: encoded(content) }),
    }),
    isUnknown(file) ? file : file.content,
  );
}

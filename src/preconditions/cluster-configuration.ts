import { whatIs } from '../base/properties.js';
import { ProblemList } from '../base/errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { isMap } from '../base/plain-data.js';
import { YamlText } from '../base/yaml-edit.js';
import { joinStream, splitStream } from '../base/yaml-stream.js';

const KIND = 'ClusterConfiguration';
const ARGUMENTS = ['controllerManager', 'extraArgs'];
const NAME = 'controllers';

/** The extra arguments of kube-controller-manager in a ClusterConfiguration. */
export interface ConfiguredControllers {
  /** Value of `controllers`; undefined without it. */
  readonly controllers?: string;
  /** Names of all extra arguments of kube-controller-manager. */
  readonly names: readonly string[];
}

/** Extra arguments are a map in v1beta3 and older, and a list of `name` and `value` from v1beta4 on. */
function isMapVersion(apiVersion: unknown): boolean {
  return /^kubeadm\.k8s\.io\/v1beta[1-3]$/.test(String(apiVersion));
}

/** The document with the ClusterConfiguration in a stream. */
function partOf(
  text: string,
  problems: ProblemList,
): { readonly index: number; readonly document: YamlText } | undefined {
  for (const [index, { body }] of splitStream(text).entries()) {
    if (body.replace(/^(\s*(#.*|\.\.\.)?|%.*)$/gm, '').trim() === '') {
      continue;
    }
    const document = YamlText.read(body, problems);
    if (document === undefined) {
      return undefined;
    }
    if (document.get(['kind']) === KIND) {
      return { index, document };
    }
  }
  problems.add(
    'EDGE_WRONG_OBJECT',
    `the text contains no ${KIND}`,
    'write a document with kind: ClusterConfiguration and apiVersion: kubeadm.k8s.io/…',
  );
  return undefined;
}

function positionIn(list: readonly unknown[]): number {
  return list.findIndex((argument) => isMap(argument) && argument.name === NAME);
}

/** Reads a kubeadm configuration of one or several documents. Another document, or extra arguments of another version, are problems. */
export function readClusterConfiguration(text: unknown, problems: ProblemList): ConfiguredControllers | undefined {
  if (typeof text !== 'string') {
    problems.add(
      'EDGE_TYPE',
      `clusterConfiguration must be YAML text, this is ${whatIs(text)}`,
      'write the content of the file as text',
    );
    return undefined;
  }
  const document = partOf(text, problems)?.document;
  if (document === undefined) {
    return undefined;
  }
  const apiVersion = document.get(['apiVersion']);
  const extraArgs = document.get(ARGUMENTS) ?? undefined;
  if (typeof apiVersion !== 'string' || !apiVersion.startsWith('kubeadm.k8s.io/')) {
    problems
      .at('apiVersion')
      .add(
        'EDGE_WRONG_OBJECT',
        `${String(apiVersion)} is not an API version of kubeadm`,
        'write kubeadm.k8s.io/v1beta4',
      );
    return undefined;
  }
  const at = problems.at(...ARGUMENTS);
  if (extraArgs === undefined) {
    return { names: [] };
  }
  if (isMapVersion(apiVersion)) {
    if (!isMap(extraArgs)) {
      at.add('EDGE_TYPE', `in ${apiVersion} extraArgs must be a map`, `write { ${NAME}: '…' }`);
      return undefined;
    }
    return { controllers: extraArgs[NAME] as string | undefined, names: Object.keys(extraArgs) };
  }
  if (!Array.isArray(extraArgs)) {
    at.add('EDGE_TYPE', `in ${apiVersion} extraArgs must be a list`, `write [{ name: '${NAME}', value: '…' }]`);
    return undefined;
  }
  const named = extraArgs.filter((argument: unknown) => isMap(argument) && argument.name === NAME) as {
    value: string;
  }[];
  if (named.length > 1) {
    at.add('EDGE_DUPLICATE', `${NAME} occurs ${named.length} times`, 'write it once, with all entries');
  }
  const names = extraArgs.flatMap((argument: unknown) => (isMap(argument) ? [String(argument.name)] : []));
  return { controllers: named[0]?.value, names };
}

/** The configuration with another value of `controllers`; without a configuration, a new one that contains only this. */
export function editClusterConfiguration(cluster: EdgeCluster, text: string | undefined, value: string): string {
  if (text === undefined) {
    const version = cluster.kubeadmConfigVersion();
    const isMapForm = isMapVersion(`kubeadm.k8s.io/${version}`);
    return [
      `apiVersion: kubeadm.k8s.io/${version}`,
      `kind: ${KIND}`,
      'controllerManager:',
      '  extraArgs:',
      ...(isMapForm ? [`    ${NAME}: "${value}"`] : [`    - name: ${NAME}`, `      value: "${value}"`]),
      '',
    ].join('\n');
  }
  const parts = splitStream(text);
  const { index, document } = partOf(text, new ProblemList()) as { index: number; document: YamlText };
  const edited = editDocument(document, value).toString();
  return joinStream(parts.map((part, position) => (position === index ? { ...part, body: edited } : part)));
}

function editDocument(document: YamlText, value: string): YamlText {
  const extraArgs = document.get(ARGUMENTS);
  if (isMapVersion(document.get(['apiVersion']))) {
    const path = [...ARGUMENTS, NAME];
    return document.get(path) === undefined ? document.withValue(path, value) : document.withText(path, value);
  }
  if (!Array.isArray(extraArgs)) {
    return document.withValue(ARGUMENTS, [{ name: NAME, value }]);
  }
  const position = positionIn(extraArgs);
  return position < 0
    ? document.withItem(ARGUMENTS, { name: NAME, value })
    : document.withText([...ARGUMENTS, position, 'value'], value);
}

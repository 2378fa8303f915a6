import { whatIs } from '../base/properties.js';
import { ProblemList } from '../base/errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { isMap } from '../base/plain-data.js';
import { YamlText } from '../base/yaml-edit.js';
import { joinStream, splitStream } from '../base/yaml-stream.js';

const KIND = 'ClusterConfiguration';
const NAME = 'controllers';

/** A component whose extra arguments are in a ClusterConfiguration. */
type Configured = 'controllerManager' | 'apiServer';

const argumentsOf = (component: Configured): readonly string[] => [component, 'extraArgs'];

/** The extra arguments of a component in a ClusterConfiguration. */
export interface ConfiguredArguments {
  /** Value of `controllers`; undefined without it. */
  readonly controllers?: string;
  /** Names of all extra arguments. */
  readonly names: readonly string[];
  readonly values: Readonly<Record<string, unknown>>;
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

function positionIn(list: readonly unknown[], name: string): number {
  return list.findIndex((argument) => isMap(argument) && argument.name === name);
}

/** Reads a kubeadm configuration of one or several documents. Another document, or extra arguments of another version, are problems. */
export function readClusterConfiguration(
  text: unknown,
  problems: ProblemList,
  component: Configured = 'controllerManager',
): ConfiguredArguments | undefined {
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
  const extraArgs = document.get(argumentsOf(component)) ?? undefined;
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
  const at = problems.at(...argumentsOf(component));
  if (extraArgs === undefined) {
    return { names: [], values: {} };
  }
  if (isMapVersion(apiVersion)) {
    if (!isMap(extraArgs)) {
      at.add('EDGE_TYPE', `in ${apiVersion} extraArgs must be a map`, `write { ${NAME}: '…' }`);
      return undefined;
    }
    return { controllers: extraArgs[NAME] as string | undefined, names: Object.keys(extraArgs), values: extraArgs };
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
  const values = Object.fromEntries(extraArgs.filter(isMap).map(({ name, value }) => [String(name), value]));
  return { controllers: named[0]?.value, names: Object.keys(values), values };
}

/** The configuration with another value of `controllers`; without a configuration, a new one that contains only this. */
export function editClusterConfiguration(cluster: EdgeCluster, text: string | undefined, value: string): string {
  return withConfigured(cluster, text, 'controllerManager', { [NAME]: value });
}

/** A folder of a control-plane node that a component mounts, as in `extraVolumes` of a ClusterConfiguration. */
export interface ExtraVolume {
  readonly name: string;
  readonly hostPath: string;
  readonly mountPath: string;
  readonly readOnly?: boolean;
  readonly pathType: 'DirectoryOrCreate';
}

/** The configuration with extra arguments and volumes of a component; without one, one that has only these. */
export function withConfigured(
  cluster: EdgeCluster,
  text: string | undefined,
  component: Configured,
  values: Readonly<Record<string, string>>,
  volumes: readonly ExtraVolume[] = [],
): string {
  if (text === undefined) {
    const apiVersion = `kubeadm.k8s.io/${cluster.kubeadmConfigVersion()}`;
    const lines = Object.entries(values).flatMap(([name, value]) =>
      isMapVersion(apiVersion) ? [`    ${name}: "${value}"`] : [`    - name: ${name}`, `      value: "${value}"`],
    );
    const mounts = volumes.flatMap((volume) =>
      Object.entries(volume).map(([key, value], index) => `    ${index === 0 ? '- ' : '  '}${key}: ${String(value)}`),
    );
    return [
      `apiVersion: ${apiVersion}`,
      `kind: ${KIND}`,
      `${component}:`,
      '  extraArgs:',
      ...lines,
      ...(volumes.length === 0 ? [] : ['  extraVolumes:', ...mounts]),
      '',
    ].join('\n');
  }
  const parts = splitStream(text);
  const { index, document } = partOf(text, new ProblemList()) as { index: number; document: YamlText };
  const withValues = Object.entries(values).reduce(
    (edited, [name, value]) => withArgument(edited, component, name, value),
    document,
  );
  const edited = volumes.reduce((one, volume) => withVolume(one, component, volume), withValues).toString();
  return joinStream(parts.map((part, position) => (position === index ? { ...part, body: edited } : part)));
}

function withArgument(document: YamlText, component: Configured, name: string, value: string): YamlText {
  const place = argumentsOf(component);
  const extraArgs = document.get(place);
  if (isMapVersion(document.get(['apiVersion']))) {
    const path = [...place, name];
    return document.get(path) === undefined ? document.withValue(path, value) : document.withText(path, value);
  }
  if (!Array.isArray(extraArgs)) {
    return document.withValue(place, [{ name, value }]);
  }
  const position = positionIn(extraArgs, name);
  return position < 0
    ? document.withItem(place, { name, value })
    : document.withText([...place, position, 'value'], value);
}

function withVolume(document: YamlText, component: Configured, volume: ExtraVolume): YamlText {
  const place = [component, 'extraVolumes'];
  const present = document.get(place);
  if (!Array.isArray(present)) {
    return document.withValue(place, [{ ...volume }]);
  }
  return positionIn(present, volume.name) < 0 ? document.withItem(place, { ...volume }) : document;
}

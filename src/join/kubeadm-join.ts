import type { KubeadmConfigVersion } from '../cluster/kubernetes-minors.js';
import { TOKEN_PLACEHOLDER } from '../base/errors.js';
import type { PlainMap } from '../base/plain-data.js';
import type { Taint } from '../kubernetes/taint.js';
import { compute } from '../base/unknown.js';
import { argumentList, type KubeletExtraArgs, labelsArgument } from './kubelet-arguments.js';
import { withMachineLabels } from './join-command.js';
import { type YamlValue, yamlOf } from '../base/yaml-emitter.js';

/**
 * Timeouts of `kubeadm join`, as Go durations (`30s`, `5m`).
 *
 * @category Join nodes
 */
export interface JoinTimeouts {
  /** For discovery: the API server, and a cluster-info that is signed with the token.
   * @default 5m, the default of kubeadm */
  readonly discovery?: string;
  /** For the TLS bootstrap: the certificate of the kubelet (kubeadm v1beta4).
   * @default 5m, the default of kubeadm */
  readonly tlsBootstrap?: string;
  /** For a healthy kubelet (kubeadm v1beta4).
   * @default 4m, the default of kubeadm */
  readonly kubeletHealthCheck?: string;
  /** For one request to the API server (kubeadm v1beta4).
   * @default 1m, the default of kubeadm */
  readonly kubernetesAPICall?: string;
}

/** What nodeRegistration contains, for joins and for templates of Cluster API. */
export interface NodeRegistrationInput {
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly criSocket: string;
  readonly nodeName?: string;
  /** Whether several machines share it, each of which adds labels.
   * @default false */
  readonly hasMachines?: boolean;
  readonly kubeletExtraArgs?: KubeletExtraArgs;
  /** Further kubelet flags that the join sets. */
  readonly ownArguments: Readonly<Record<string, string>>;
  readonly ignorePreflightErrors: readonly string[];
}

/** What a JoinConfiguration contains. */
export interface KubeadmJoinInput extends NodeRegistrationInput {
  readonly version: KubeadmConfigVersion;
  /** Address of the API server and hashes of its CA; undefined with a discovery file. */
  readonly apiServer?: string;
  readonly caCertHashes?: readonly string[];
  readonly discoveryFile?: string;
  readonly timeouts?: JoinTimeouts;
  /** Folder with patches; undefined if there are none. */
  readonly patches?: string;
}

/**
 * The JoinConfiguration, in the newest version that the kubeadm of the minor supports, with the placeholder instead of
 * the token. Labels are a kubelet flag, because the kubelet sends them in the request that creates the Node.
 */
export function joinConfiguration(input: KubeadmJoinInput): PlainMap {
  const { version, apiServer, caCertHashes = [], discoveryFile, timeouts } = input;
  const isList = version === 'v1beta4';
  return {
    apiVersion: `kubeadm.k8s.io/${version}`,
    kind: 'JoinConfiguration',
    discovery: {
      ...(discoveryFile === undefined
        ? {
            bootstrapToken: {
              token: TOKEN_PLACEHOLDER,
              apiServerEndpoint: apiServer,
              caCertHashes: [...caCertHashes],
            },
          }
        : { file: { kubeConfigPath: discoveryFile }, tlsBootstrapToken: TOKEN_PLACEHOLDER }),
      ...(!isList && timeouts?.discovery !== undefined ? { timeout: timeouts.discovery } : {}),
    },
    nodeRegistration: nodeRegistration(input, isList),
    ...(input.patches === undefined ? {} : { patches: { directory: input.patches } }),
    ...(isList && timeouts !== undefined && Object.keys(timeouts).length > 0 ? { timeouts: { ...timeouts } } : {}),
  };
}

/**
 * The nodeRegistration of a JoinConfiguration.
 *
 * @param isList whether kubeletExtraArgs is a list
 */
export function nodeRegistration(input: NodeRegistrationInput, isList: boolean): PlainMap {
  const labels = labelsArgument(input.labels);
  const args = [
    { name: 'node-labels', value: input.hasMachines === true ? compute(labels, withMachineLabels) : labels },
    ...Object.entries(input.ownArguments).map(([name, value]) => ({ name, value })),
    ...argumentList(input.kubeletExtraArgs),
  ];
  return {
    ...(input.nodeName === undefined ? {} : { name: input.nodeName }),
    criSocket: input.criSocket,
    kubeletExtraArgs: isList ? args : Object.fromEntries(args.map(({ name, value }) => [name, value])),
    // an empty list means no taints; without the field, kubeadm uses its default
    taints: compute(input.taints, (taints) =>
      taints.map(({ key, value, effect }) => ({ key, ...(value === undefined ? {} : { value }), effect })),
    ),
    ...(input.ignorePreflightErrors.length > 0 ? { ignorePreflightErrors: [...input.ignorePreflightErrors] } : {}),
  };
}

/** The JoinConfiguration with a token; undefined keeps the placeholder. */
export function withToken(configuration: PlainMap, token: string | undefined): PlainMap {
  if (token === undefined) {
    return configuration;
  }
  const discovery = configuration.discovery as PlainMap;
  return 'tlsBootstrapToken' in discovery
    ? { ...configuration, discovery: { ...discovery, tlsBootstrapToken: token } }
    : {
        ...configuration,
        discovery: { ...discovery, bootstrapToken: { ...(discovery.bootstrapToken as PlainMap), token } },
      };
}

/** The JoinConfiguration as YAML. */
export function joinDocument(configuration: PlainMap): string {
  return yamlOf(configuration as { [key: string]: YamlValue }, { foldsLists: true });
}

/** The text before the quoted token in the line of the JoinConfiguration that has it. */
export function tokenLine(discoveryFile: string | undefined): string {
  return discoveryFile === undefined ? '    token: ' : '  tlsBootstrapToken: ';
}

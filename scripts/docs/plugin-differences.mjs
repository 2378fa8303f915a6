// What programs in other languages write in another way than programs in TypeScript: classes and functions are for TypeScript only.

/** Objects of Kubernetes of any kind: data without a type. */
export const ANYTHING = ['WorkloadArgument', 'WorkloadInput', 'KubernetesObject', 'PlainMap'];

/** Types in place of classes, and what they have besides the properties of an interface. src/pulumi/provider.ts makes the classes of them. */
export const INSTEAD = {
  EdgeCluster: { is: 'Cluster', of: 'EdgeClusterArgs', text: 'A cluster, by release.' },
  INodePool: {
    is: 'PoolReference',
    of: 'ImportedHostNetworkNodePoolArgs',
    text: 'A pool of this or another program, by name, with the labels and taints of its nodes.',
    without: ['cluster'],
    and: { hostNetwork: ['boolean', 'Whether its nodes run only hostNetwork Pods.\nDefault: true.'] },
  },
  NodeReservation: {
    is: 'Reservation',
    of: 'NodeReservationProps',
    text: 'Resources that a node reserves for its system and kubelet: amounts, or a preset.',
    and: {
      preset: [
        'ReservationPreset',
        'Amounts of another platform, or of a small edge node, in place of own ones.\nDefault: none.',
      ],
      capacity: [
        'NodeCapacity',
        'Capacity of the node, from which the presets gke, eks and aks are computed.\nDefault: none.',
      ],
      maxPods: ['integer', 'Maximum number of Pods on the node, for the presets eks and aks.\nDefault: 110.'],
    },
  },
  SystemComponent: {
    is: 'SystemComponent',
    members: 'SystemComponent',
    text: 'A known system component, by its short name.',
  },
  JoinTokenInput: { is: { type: 'string', secret: true } },
};
INSTEAD.IHostNetworkNodePool = INSTEAD.INodePool;

/** The cluster of a component that gets it from its pools in TypeScript, by the argument that the pools are. */
export const CLUSTER_OF = {
  pools: ['EdgeCluster', 'The cluster of the pools.', 'required'],
  pool: ['EdgeCluster', 'The cluster of the pool, with its address and CA if a join needs them.', 'required'],
};

/** Properties besides those of TypeScript, or in place of them. */
export const ALSO = {
  NodeJoin: {
    token: [
      'JoinTokenInput',
      'The bootstrap token itself. Either this, tokenFile, tokenCommand or tokenSecret.\nDefault: one of the others.',
    ],
    tokenFile: [
      'string',
      'Path of a file on the machine that contains the token, absolute and on a disk.\nDefault: token.',
    ],
    removeTokenFile: ['boolean', 'Whether tokenFile is removed after the join.\nDefault: false.'],
    tokenCommand: ['string[]', 'Command on the machine that prints the token: program and arguments.\nDefault: token.'],
    tokenCommandTimeout: [
      'integer',
      'After how many seconds tokenCommand is ended, 1 to 3600. It needs the program timeout.\nDefault: it is not ended.',
    ],
    tokenSecret: [
      'TokenSecret',
      'The Secret from which the program that delivers the join to the machine takes the token.\nDefault: token.',
    ],
  },
  BootstrapToken: { token: ['JoinTokenInput', 'The token; it is a secret in the state, too.', 'required'] },
  EdgeSystemComponents: {
    exclude: ['SystemComponent[]', 'Known components that are excluded from host-network nodes.\nDefault: none.'],
    workloads: ['SystemComponentProps[]', 'Other components, by their workloads.\nDefault: none.'],
    manifests: [
      'WorkloadArgument[]',
      'Other components, by their whole manifests: objects, or YAML text.\nDefault: none.',
    ],
  },
};

/**
 * Arguments of TypeScript that other languages do not have, and why. Of the outputs they have neither resources of other packages nor those that are
 * an argument of the program, which plugin-schema.mjs finds by their types.
 */
export const LEFT_OUT = {
  HostNetworkNodePool: { type: 'always Edge' },
};

/** Names of choices that have none in TypeScript, by the property that they are of. */
export const NAMES = {
  distribution: 'ClusterDistribution',
  leaderElectionStrategy: 'LeaderElectionStrategy',
  matchPolicy: 'WebhookMatchPolicy',
  mechanism: 'GuaranteeMechanism',
  mutatingAdmissionPolicy: 'MutatingAdmissionPolicyVersion',
  portConflicts: 'PortConflicts',
  reinvocationPolicy: 'WebhookReinvocationPolicy',
  runtime: 'ContainerRuntime',
  sideEffects: 'WebhookSideEffects',
  withYurtManagerDown: 'GuaranteeWithoutYurtManager',
  'EdgePreconditions.guide': 'PreconditionGuide',
  'EdgePreconditions.only': 'PreconditionName',
  dnsPolicy: 'HostNetworkDnsPolicy',
  'KubeadmConfigTemplate.version': 'ClusterApiVersion',
  'NodeJoin.format': 'JoinFormat',
  'NodeJoin.via': 'JoinVia',
  'Reservation.enforceNodeAllocatable': 'NodeAllocatableEnforcement',
  'SystemComponentReport.lostAfter': 'RevertingEvent',
  'SystemComponentWorkload.owner': 'ComponentOwner',
  'Toleration.effect': 'TaintEffect',
  'CoreDnsServiceSettings.topology': 'CoreDnsTopology',
  'CoreDnsServiceSettings.within': 'CoreDnsScope',
  'RegularNodePool.type': 'PoolType',
  'HostNetworkNodePool.type': 'PoolType',
  'OpenYurtWebhook.scope': 'WebhookScope',
  'OpenYurtWebhook.type': 'WebhookType',
  'PoolAdmission.guarantees': 'PoolGuarantees',
  'PoolAdmission.pools': 'PoolSource',
  'PoolAdmission.template': 'WorkloadTemplate',
  'PoolWebhook.type': 'WebhookType',
  'PoolWebhookEntry.rule': 'WebhookRulePreset',
  SystemComponentProps: 'SystemComponentWorkload',
  'SystemComponentWorkload.kind': 'SystemComponentKind',
  'YurtadmSettings.membership': 'YurtadmMembership',
};

/** Documentation in place of that of TypeScript, by property, or by type for those that have none. */
export const TEXTS = {
  'PoolAdmission.pools':
    'How `nodeLabel` finds the host-network pools. `live`: it reads every NodePool object. `listed`: the policy contains the names in `otherPools`.\nDefault: live; listed if otherPools is given, or without OpenYurt.',
  'PoolAdmission.otherPools':
    'Names of the host-network pools, for `listed`. Components do not know each other in the plugin, so it must name those of this program too.\nDefault: none.',
  PoolGuarantees:
    'True or settings turn the guarantee on, false turns it off.\nDefault: as described for all guarantees.',
};

/** What the documentation says in the words of TypeScript. */
const WORDS = [
  [/\{@link ([\w.]+?)(?:\.of)? *\}/g, '$1'],
  ['Arguments of EdgeCluster. What determines', 'A cluster, by release. What determines'],
  ['the namespace of the chart, else ', ''],
  ['the construct', 'the component'],
  [', for SystemComponent.', '.'],
  [
    " All fields are text of one line, so that `console.table` can print them. `policies` and `note` can be long; to print only\nthe short columns: `console.table(admission.report, ['guarantee', 'mechanism', 'apiVersion', 'withYurtManagerDown'])`.",
    '',
  ],
  ['; `admission.report.apply((rows) => console.table(rows))` prints it', ''],
  [', below the output folder of `writeArtifacts`', ', in the paths of `artifacts`'],
  ['below the output folder', 'in their paths'],
  ["`{ flannel: { namespace: 'cni' } }`", '`flannel` with the namespace `cni`'],
  ['If the token is inline or an Output, everything', 'If `token` is given, everything'],
];

/** Documentation for every language. */
export function inEveryLanguage(text) {
  return WORDS.reduce((said, [from, to]) => said.replaceAll(from, to), text);
}

import {
  affinity,
  antiAffinity,
  bound,
  claim,
  host,
  node,
  onClaim,
  pod,
  port,
  ofNode,
  requests,
  resized,
  selecting,
  spread,
  tainted,
  volume,
  ZONE,
  type JudgedPlacement,
} from './judged-pods.js';

/** Selects no namespace of the rows. */
const NOT_DEFAULT = { matchExpressions: [{ key: 'team', operator: 'DoesNotExist' }] };

/** What somebody believed otherwise, one row for each. */
export const JUDGED_PLACEMENTS: readonly JudgedPlacement[] = [
  { what: 'a Pod without anything', by: undefined, pod: pod() },
  // taints
  {
    what: 'the API server lets every Pod stay five minutes on a node that is not ready',
    by: undefined,
    pod: pod(),
    node: tainted('node.kubernetes.io/not-ready', 'NoExecute'),
  },
  {
    what: 'and on one that is unreachable',
    by: undefined,
    pod: pod(),
    node: tainted('node.kubernetes.io/unreachable', 'NoExecute'),
  },
  {
    what: 'but it is not scheduled there',
    by: 'TaintToleration',
    pod: pod(),
    node: tainted('node.kubernetes.io/not-ready', 'NoSchedule'),
  },
  {
    what: 'an own toleration of another effect does not replace that of the API server',
    by: undefined,
    pod: pod({ tolerations: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoSchedule' }] }),
    node: tainted('node.kubernetes.io/not-ready', 'NoExecute'),
  },
  {
    what: 'a DaemonSet tolerates pressure',
    by: undefined,
    pod: pod(),
    daemon: true,
    node: tainted('node.kubernetes.io/memory-pressure', 'NoSchedule'),
  },
  {
    what: 'a DaemonSet with a Pod network does not tolerate a node without network',
    by: 'DaemonSet',
    pod: pod(),
    daemon: true,
    node: tainted('node.kubernetes.io/network-unavailable', 'NoSchedule'),
  },
  {
    what: 'one with hostNetwork does',
    by: undefined,
    pod: pod({ hostNetwork: true }),
    daemon: true,
    node: tainted('node.kubernetes.io/network-unavailable', 'NoSchedule'),
  },
  {
    what: 'a Pod that names its node does not see NoSchedule',
    by: undefined,
    pod: pod({ nodeName: 'n' }),
    node: tainted('site', 'NoSchedule'),
  },
  {
    what: 'a DaemonSet whose template names its node does',
    by: 'DaemonSet',
    pod: pod({ nodeName: 'n' }),
    daemon: true,
    node: tainted('site', 'NoSchedule'),
  },
  {
    what: 'kubelet does not admit a Pod that names a node with NoExecute',
    by: 'kubelet',
    pod: pod({ nodeName: 'n' }),
    node: tainted('site', 'NoExecute'),
  },
  {
    what: 'a toleration without key tolerates all',
    by: undefined,
    pod: pod({ tolerations: [{ operator: 'Exists' }] }),
    node: tainted('site', 'NoExecute', 'hz'),
  },
  { what: 'a cordoned node', by: 'NodeUnschedulable', pod: pod(), node: node('n', { unschedulable: true }) },
  {
    what: 'a DaemonSet on a cordoned node',
    by: undefined,
    pod: pod(),
    daemon: true,
    node: node('n', { unschedulable: true }),
  },
  { what: 'PreferNoSchedule', by: undefined, pod: pod(), node: tainted('site', 'PreferNoSchedule') },
  // labels
  { what: 'NotIn matches a node without the label', by: undefined, pod: pod(selecting('NotIn', '3')) },
  {
    what: 'Gt does not match text',
    by: 'NodeAffinity',
    pod: pod(selecting('Gt', '3')),
    node: node('n', { labels: { rank: 'x' } }),
  },
  {
    what: 'an operating system of the template is not the scheduler’s',
    by: undefined,
    pod: pod({ os: { name: 'windows' } }),
  },
  { what: 'but kubelet’s', by: 'kubelet', pod: pod({ nodeName: 'n', os: { name: 'windows' } }) },
  // ports
  {
    what: 'with hostNetwork each port is one of the node',
    by: 'NodePorts',
    pod: pod({ hostNetwork: true }, {}, port({ containerPort: 80 })),
    others: [bound('p', 'n', {}, {}, port({ containerPort: 8080, hostPort: 80 }))],
  },
  {
    what: 'the port of a sidecar is taken',
    by: 'NodePorts',
    pod: pod({}, {}, port({ containerPort: 80, hostPort: 80 })),
    others: [
      bound(
        'p',
        'n',
        {},
        {
          initContainers: [
            { name: 'i', image: 'a', restartPolicy: 'Always', ports: [{ containerPort: 80, hostPort: 80 }] },
          ],
        },
      ),
    ],
  },
  {
    what: 'that of an init container is not',
    by: undefined,
    pod: pod({}, {}, port({ containerPort: 80, hostPort: 80 })),
    others: [
      bound(
        'p',
        'n',
        {},
        { initContainers: [{ name: 'i', image: 'a', ports: [{ containerPort: 80, hostPort: 80 }] }] },
      ),
    ],
  },
  {
    what: 'two addresses share a port',
    by: undefined,
    pod: pod({}, {}, port({ containerPort: 80, hostPort: 80, hostIP: '192.0.2.1' })),
    others: [bound('p', 'n', {}, {}, port({ containerPort: 80, hostPort: 80, hostIP: '192.0.2.2' }))],
  },
  {
    what: 'IPv6’s any address is an address of its own',
    by: undefined,
    pod: pod({}, {}, port({ containerPort: 80, hostPort: 80, hostIP: '::' })),
    others: [bound('p', 'n', {}, {}, port({ containerPort: 80, hostPort: 80, hostIP: '192.0.2.2' }))],
  },
  // room
  { what: 'a limit is a request', by: 'NodeResourcesFit', pod: pod({}, {}, requests({}, { cpu: '3' })) },
  {
    what: 'the largest init container counts with the sidecars before it',
    by: 'NodeResourcesFit',
    pod: pod({
      initContainers: [
        { name: 's', image: 'a', restartPolicy: 'Always', ...requests({ cpu: '1' }) },
        { name: 'i', image: 'a', ...requests({ cpu: '1.5' }) },
      ],
    }),
  },
  {
    what: 'but not with those after it',
    by: undefined,
    pod: pod({
      initContainers: [
        { name: 'i', image: 'a', ...requests({ cpu: '1.5' }) },
        { name: 's', image: 'a', restartPolicy: 'Always', ...requests({ cpu: '1' }) },
      ],
    }),
  },
  {
    what: 'requests of the Pod replace those of its containers',
    by: 'NodeResourcesFit',
    pod: pod({ resources: { requests: { cpu: '3' } } }, {}, requests({ cpu: '100m' })),
  },
  {
    what: 'a limit of the Pod counts for what no container requests',
    by: 'NodeResourcesFit',
    pod: pod({ resources: { limits: { cpu: '3' } } }),
  },
  {
    what: 'overhead counts',
    by: 'NodeResourcesFit',
    pod: pod({ overhead: { cpu: '1' } }, {}, requests({ cpu: '1500m' })),
  },
  {
    what: 'the number of Pods',
    by: 'NodeResourcesFit',
    pod: pod(),
    node: node('n', { allocatable: { pods: '1' } }),
    others: [bound('p', 'n')],
  },
  {
    what: 'a resource that the node does not have',
    by: 'NodeResourcesFit',
    pod: pod({}, {}, requests({ 'example.com/gpu': '1' }, { 'example.com/gpu': '1' })),
  },
  {
    what: 'kubelet leaves such a resource out',
    by: undefined,
    pod: pod({ nodeName: 'n' }, {}, requests({ 'example.com/gpu': '1' }, { 'example.com/gpu': '1' })),
  },
  {
    what: 'a request of 0 is one, so that the limit of the Pod does not count',
    by: undefined,
    pod: pod({ resources: { limits: { cpu: '3' } } }, {}, requests({ cpu: 0 })),
  },
  {
    what: 'a Pod that is there counts with what it still has, while it is made smaller',
    by: 'NodeResourcesFit',
    pod: pod({}, {}, requests({ cpu: '1500m' })),
    others: [resized('p', { cpu: '100m' }, { cpu: '1' })],
  },
  {
    what: 'and with what it wants, while it is made larger',
    by: 'NodeResourcesFit',
    pod: pod({}, {}, requests({ cpu: '1500m' })),
    others: [resized('p', { cpu: '1' }, { cpu: '100m' })],
  },
  {
    what: 'but not if its node can never give it',
    by: undefined,
    pod: pod({}, {}, requests({ cpu: '1500m' })),
    others: [resized('p', { cpu: '1' }, { cpu: '100m' }, [{ type: 'PodResizePending', reason: 'Infeasible' }])],
  },
  // features of nodes
  {
    what: 'hostNetwork with a user namespace needs a node that declares it',
    by: 'NodeDeclaredFeatures',
    pod: pod({ hostNetwork: true, hostUsers: false }),
  },
  {
    what: 'and is put on one that does',
    by: undefined,
    pod: pod({ hostNetwork: true, hostUsers: false }),
    node: node('n', { status: { declaredFeatures: ['UserNamespacesHostNetworkSupport'] } }),
  },
  {
    what: 'kubelet asks it too',
    by: 'kubelet',
    pod: pod({ nodeName: 'n', hostNetwork: true, hostUsers: false }),
  },
  {
    what: 'a rule by which all containers start again needs it as well',
    by: 'NodeDeclaredFeatures',
    pod: pod({}, {}, { restartPolicy: 'Never', restartPolicyRules: [{ action: 'RestartAllContainers' }] }),
  },
  {
    what: 'only the groups of the Pod, which the runtime of the node cannot do',
    by: 'kubelet',
    pod: pod({ nodeName: 'n', securityContext: { supplementalGroupsPolicy: 'Strict' } }),
  },
  {
    what: 'and one that can',
    by: undefined,
    pod: pod({ nodeName: 'n', securityContext: { supplementalGroupsPolicy: 'Strict' } }),
    node: node('n', { status: { features: { supplementalGroupsPolicy: true } } }),
  },
  // Pods together
  { what: 'affinity to itself', by: undefined, pod: pod(affinity(host)) },
  { what: 'affinity to nobody', by: 'InterPodAffinity', pod: pod(affinity(host), { app: 'y' }) },
  {
    what: 'anti-affinity of the Pod that is there',
    by: 'InterPodAffinity',
    pod: pod(),
    others: [bound('p', 'n', { app: 'y' }, antiAffinity(host))],
  },
  {
    what: 'anti-affinity is for the own namespace',
    by: undefined,
    pod: pod(antiAffinity(host)),
    others: [{ ...bound('p', 'n'), metadata: { name: 'p', namespace: 'other', labels: { app: 'x' } } }],
  },
  {
    what: 'mismatchLabelKeys leave Pods of the same label out',
    by: undefined,
    pod: pod(antiAffinity({ ...host, mismatchLabelKeys: ['app'] })),
    others: [bound('p', 'n')],
  },
  {
    what: 'spread over a node that has one more',
    by: 'PodTopologySpread',
    pod: pod(spread()),
    others: [node('m'), bound('p', 'n')],
  },
  {
    what: 'a Pod that does not match its own selector',
    by: undefined,
    pod: pod(spread(), { app: 'y' }),
    others: [node('m'), bound('p', 'n')],
  },
  {
    what: 'a tainted node counts for the spread',
    by: 'PodTopologySpread',
    pod: pod(spread()),
    others: [node('m', { taints: [{ key: 'a', effect: 'NoSchedule' }] }), bound('p', 'n')],
  },
  {
    what: 'unless the policy honours taints',
    by: undefined,
    pod: pod(spread({ nodeTaintsPolicy: 'Honor' })),
    others: [node('m', { taints: [{ key: 'a', effect: 'NoSchedule' }] }), bound('p', 'n')],
  },
  {
    what: 'for a DaemonSet only its own node counts',
    by: undefined,
    pod: pod(spread()),
    daemon: true,
    others: [node('m'), bound('p', 'n')],
  },
  { what: 'a node without the label of the spread', by: 'PodTopologySpread', pod: pod(spread({ topologyKey: ZONE })) },
  {
    what: 'minDomains that are not there',
    by: 'PodTopologySpread',
    pod: pod(spread({ minDomains: 2 })),
    others: [bound('p', 'n')],
  },
  {
    what: 'a namespaceSelector also selects what it selects without labels, which is a mistake of this minor',
    by: 'InterPodAffinity',
    pod: pod(antiAffinity({ ...host, namespaceSelector: NOT_DEFAULT })),
    others: [bound('p', 'n')],
  },
  {
    what: 'but not that of a Pod that is there',
    by: undefined,
    pod: pod({}, { app: 'x' }),
    others: [bound('p', 'n', {}, antiAffinity({ ...host, namespaceSelector: NOT_DEFAULT }))],
  },
  // volumes
  {
    what: 'the name of a node, by which a volume is for another one, is not asked',
    by: undefined,
    pod: pod(onClaim('data')),
    claims: [claim('data', {})],
    volumes: [volume({}, ofNode('In', 'm'))],
  },
  {
    what: 'but the labels beside it are',
    by: 'VolumeBinding',
    pod: pod(onClaim('data')),
    claims: [claim('data', {})],
    volumes: [volume({}, ofNode('In', 'n', { key: 'rank', operator: 'Exists' }))],
  },
  { what: 'a claim that is not there', by: 'VolumeRestrictions', pod: pod(onClaim('data')) },
  {
    what: 'an ephemeral volume whose claim belongs to nobody',
    by: 'VolumeBinding',
    pod: pod({ volumes: [{ name: 'data', ephemeral: { volumeClaimTemplate: { spec: {} } } }] }),
    claims: [claim('asked-data', {})],
    volumes: [volume()],
  },
  { what: 'a volume that is gone', by: 'VolumeZone', pod: pod(onClaim('data')), claims: [claim('data', {})] },
  {
    what: 'a volume of another zone, by its label',
    by: 'VolumeZone',
    pod: pod(onClaim('data')),
    claims: [claim('data', {})],
    volumes: [volume({ [ZONE]: 'a' })],
    node: node('n', { labels: { [ZONE]: 'b' } }),
  },
  {
    what: 'the label of a volume on a node without zone',
    by: undefined,
    pod: pod(onClaim('data')),
    claims: [claim('data', {})],
    volumes: [volume({ [ZONE]: 'a' })],
  },
  {
    what: 'a claim for one Pod',
    by: 'VolumeRestrictions',
    pod: pod(onClaim('data')),
    claims: [claim('data', { accessModes: ['ReadWriteOncePod'] })],
    volumes: [volume()],
    others: [bound('p', 'n', {}, onClaim('data'))],
  },
  {
    what: 'a claim that is not bound',
    by: 'VolumeBinding',
    pod: pod(onClaim('data')),
    claims: [claim('data', { volumeName: '' }, false)],
  },
  { what: 'scheduling gates', by: 'SchedulingGates', pod: pod({ schedulingGates: [{ name: 'example.com/gate' }] }) },
];

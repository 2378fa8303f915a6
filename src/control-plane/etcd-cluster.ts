import type { Plan } from '../cluster/plan.js';
import { problemsOf, type Scope } from '../cluster/scope.js';
import { cloudConfig } from '../join/cloud-config.js';
import { fileParts } from '../join/join-files.js';
import type { NodeFile } from '../join/node-file.js';
import { checkSize } from '../join/size-limits.js';
import type { EdgeArtifact } from '../base/artifact.js';
import { shellScript } from '../base/shell-script.js';
import type { PlainMap } from '../base/plain-data.js';
import { compute, text } from '../base/unknown.js';
import { certificatesScript, certManagerObjects } from './etcd-certificates.js';
import { expiredWarnings } from './etcd-certificates-checks.js';
import { checkEtcdCluster, DEFAULT_QUOTA } from './etcd-cluster-checks.js';
import type { EtcdClusterProps, EtcdMember } from './etcd-cluster-props.js';
import { etcdConfig, type EtcdSettings, etcdUnit } from './etcd-config.js';
import { apiServerFlags, clusterApiSecrets, clusterConfiguration } from './etcd-kubeadm.js';
import { etcdAlerts } from './etcd-alerts.js';
import { timerUnits } from './etcd-maintenance.js';
import { rulesOf, type SecurityGroupRule, serverGroup, type ServerGroup } from './etcd-network.js';
import { ETCD_CONFIG, ETCD_TOOL, ETCD_UNIT } from './etcd-paths.js';
import { etcdTool } from './etcd-tool.js';
import { shell } from './shell-parts.js';

/**
 * The files of one member of an etcd cluster.
 *
 * @category Run the control plane
 */
export interface EtcdMemberFiles {
  /** Name of the member. */
  readonly name: string;
  /** The whole cloud-config; its first line is `#cloud-config`. It contains no keys. */
  readonly userData: string;
  /** The same as a POSIX script, for machines without cloud-init. */
  readonly script: string;
  /** The files of the member, in the order in which they are written. */
  readonly files: readonly NodeFile[];
}

/** Attributes of an etcd cluster. */
export interface EtcdClusterAttributes {
  readonly members: readonly EtcdMemberFiles[];
  readonly clusterConfiguration: PlainMap;
  readonly apiServerFlags: readonly string[];
  readonly certificatesScript?: string;
  readonly serverGroup: ServerGroup;
  readonly securityGroupRules: readonly SecurityGroupRule[];
  readonly artifacts: readonly EdgeArtifact[];
}

/**
 * Plans an etcd cluster on machines of its own.
 *
 * @param now the time, in milliseconds since 1970; only the warnings depend on it
 * @throws {@link EdgeError} with all problems at once; no message contains a key
 */
export function planEtcdCluster(given: EtcdClusterProps, scope: Scope, now: number): Plan<EtcdClusterAttributes> {
  const props = given ?? {};
  const subject = `EtcdCluster ${scope.path}`;
  const problems = problemsOf(scope);
  checkEtcdCluster(props, problems);
  problems.throwIfAny(subject);
  const { cluster, name, members, certificates, loadBalancer, clusterApi, provider = 'openstack' } = props;
  const namespace = props.namespace ?? scope.namespace ?? 'default';
  const settings = settingsOf(props);
  const made = members.map((member) => memberFiles(settings, member));
  made.forEach(({ userData }, index) => checkSize(userData, provider, problems.at('members', index)));
  problems.throwIfAny(subject);
  const input = {
    name,
    members: members.map(({ name: own, address }) => ({ name: own, address, device: '' })),
    certificates,
    loadBalancer,
    namespace,
    clusterApi: clusterApi && {
      clusterName: clusterApi.clusterName,
      caCertificate: clusterApi.caCertificate && 'given',
    },
    kubernetes: cluster.kubernetes,
    kubeadm: cluster.kubeadmConfigVersion(),
  };
  const script = certificates.source === 'files' ? undefined : compute(input, certificatesScript);
  const folder = text`${props.artifactFolder ?? 'etcd'}/${name}`;
  const artifacts = [
    ...made.flatMap(({ name: own, userData, script: whole }) => [
      { path: text`${folder}/${own}.yaml`, content: userData },
      { path: text`${folder}/${own}.sh`, content: whole },
    ]),
    ...(script === undefined ? [] : [{ path: text`${folder}/certificates.sh`, content: script }]),
  ];
  return {
    subject,
    objects: [
      ...(certificates.source === 'cert-manager' ? certManagerObjects(input) : []),
      ...clusterApiSecrets(clusterApi, namespace),
      ...(props.alerts === undefined ? [] : [etcdAlerts(name, namespace, props.alerts)]),
    ],
    cluster,
    attributes: {
      members: made,
      clusterConfiguration: clusterConfiguration(cluster, members),
      apiServerFlags: apiServerFlags(members),
      ...(script === undefined ? {} : { certificatesScript: script }),
      serverGroup: serverGroup(name),
      securityGroupRules: rulesOf({
        members: input.members,
        clients: props.clients,
        monitoring: props.monitoring,
      }),
      artifacts,
    },
    warnings: expiredWarnings(clusterApi, now),
    artifacts,
  };
}

/** What the files of every member depend on. A member does not depend on the devices of the others. */
function settingsOf(props: EtcdClusterProps): EtcdSettings {
  const { name, members, download, latency, publicMetrics, version = '3.6' } = props;
  const { quota = DEFAULT_QUOTA, filesystem = 'ext4', snapshots, defragmentationHour } = props;
  return {
    ...{ name, download, latency, publicMetrics, version, quota, filesystem },
    ...{ snapshots, defragmentationHour },
    members: members.map((member) => ({ name: member.name, address: member.address, device: '' })),
  };
}

function memberFiles(settings: EtcdSettings, member: EtcdMember): EtcdMemberFiles {
  const files = compute({ settings, member }, filesOf);
  const about = text`edge-nodepools: member ${member.name} of the etcd cluster ${settings.name}`;
  return {
    name: member.name,
    userData: compute({ about, files }, userDataOf),
    script: compute({ about, files }, scriptOf),
    files,
  };
}

function filesOf({
  settings,
  member,
}: {
  readonly settings: EtcdSettings;
  readonly member: EtcdMember;
}): readonly NodeFile[] {
  const about = `edge-nodepools: member ${member.name} of the etcd cluster ${settings.name}`;
  return [
    { path: ETCD_CONFIG, content: etcdConfig(settings, member), permissions: '0644' },
    {
      path: ETCD_TOOL,
      content: etcdTool(about, settings, member),
      permissions: '0755',
    },
    { path: ETCD_UNIT, content: etcdUnit(about), permissions: '0644' },
    ...timerUnits(about, settings.snapshots?.everyHours, settings.defragmentationHour).map((unit) => ({
      ...unit,
      permissions: '0644',
    })),
  ];
}

interface Written {
  readonly about: string;
  readonly files: readonly NodeFile[];
}

function userDataOf({ about, files }: Written): string {
  return cloudConfig({ about, files, command: [ETCD_TOOL, 'setup'] });
}

function scriptOf({ about, files }: Written): string {
  return shellScript({
    comments: [
      about,
      'Run it as root, as often as you like. A running etcd reads changed settings when it is restarted: one member after the other.',
    ],
    parts: [shell('etcd-machine'), ...fileParts(files), `exec ${ETCD_TOOL} setup`],
  });
}

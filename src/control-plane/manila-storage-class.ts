import { checkCluster, type EdgeCluster } from '../cluster/edge-cluster.js';
import type { Plan } from '../cluster/plan.js';
import { problemsOf, type Scope } from '../cluster/scope.js';
import type { ProblemList } from '../base/errors.js';
import { HOST_NETWORK_LABEL, OWN_LABELS, TRUE } from '../kubernetes/labels.js';
import { checkObjectName } from '../kubernetes/names.js';
import { exclusionOf } from '../workloads/exclusion-affinity.js';
import type { PlainMap } from '../base/plain-data.js';
import { checkBoolean, quoted } from '../base/properties.js';
import {
  type Check,
  checkProperties,
  mapWith,
  oneOf,
  optional,
  plain,
  type PropertyTable,
  setOf,
} from '../base/property-table.js';
import { compute, isUnknown } from '../base/unknown.js';
import { checkAddressRange } from '../kubernetes/hosts.js';
import { checkZone, hasProperties, plannedClass, words } from './class-fields.js';
import { defaultClass } from './cinder-storage-class.js';
import type { StorageAttributes } from './storage-attributes.js';
import { checkSecretReference, DRIVERS, type SecretReference } from './volume-snapshot-class.js';

/**
 * Properties of a {@link ManilaStorageClass}.
 *
 * @category Store data on OpenStack
 */
export interface ManilaStorageClassProps {
  /** Name of the StorageClass. */
  readonly name: string;
  /** Protocol of the shares. */
  readonly protocol: 'NFS' | 'CEPHFS';
  /** Share type of Manila, as `openstack share type list` shows it. */
  readonly shareType: string;
  /** The Secret with the credentials of Manila, for example that of {@link ManilaCredentials}. */
  readonly secret: SecretReference;
  /** Addresses of the nodes that may mount the shares, as IP addresses or ranges (CIDR). Required for NFS: the driver's own default includes every address.
   * @default - none, for CEPHFS */
  readonly clients?: string[];
  /** Id of the share network, for share types with their own share servers.
   * @default - none */
  readonly shareNetworkId?: string;
  /** Availability zone of Manila in which every share is made.
   * @default - any */
  readonly availability?: string;
  /** Whether a share is made in the zone of the node of its first Pod.
   * @default false */
  readonly autoTopology?: boolean;
  /** How CephFS is mounted.
   * @default - fuse, the default of the driver */
  readonly cephfsMounter?: 'kernel' | 'fuse';
  /** Metadata of the shares in Manila.
   * @default - none */
  readonly shareMetadata?: Record<string, string>;
  /** What becomes of a share when its claim is deleted.
   * @default Retain */
  readonly reclaimPolicy?: 'Retain' | 'Delete';
  /** Whether claims can grow.
   * @default true */
  readonly allowVolumeExpansion?: boolean;
  /** Whether claims without a class get this one.
   * @default false */
  readonly isDefault?: boolean;
  /** Whether the node plugin of the driver runs on host-network pools. Releases up to 1.36 cannot run on a machine that is not one of this OpenStack: they
   * ask its metadata service for the name of the node.
   * @default exclude */
  readonly hostNetworkPools?: 'exclude' | 'include';
  /** Release of the driver, `1.37.0` (the version of its image).
   * @default - 1.36 */
  readonly driverRelease?: string;
  /** The cluster, if its host-network pools have a label of their own.
   * @default - nodes with the label of OpenYurt */
  readonly cluster?: EdgeCluster;
}

/** Attributes of a class of Manila. */
export interface ManilaStorageClassAttributes extends StorageAttributes {
  readonly storageClassName: string;
  readonly medium: 'nfs' | 'cephfs';
  /** Values for the chart of the driver, `openstack-manila-csi`. */
  readonly driverValues: Record<string, unknown>;
  /** Arguments of the node plugin for machines outside of this OpenStack; empty unless hostNetworkPools is include. */
  readonly nodeArguments: string[];
}

const EXAMPLE = "{ name: 'shared', protocol: 'NFS', shareType: 'default', clients: ['10.0.0.0/24'], secret }";

const checkMetadata: Check = mapWith(
  (map, problems) => {
    for (const [key, value] of Object.entries(map)) {
      if (typeof value !== 'string') {
        problems.at(key).add('EDGE_TYPE', `${quoted(value)} is not text`, "write { team: 'edge' }");
      }
    }
  },
  'shareMetadata must be a map',
  "write { team: 'edge' }",
);

const checkDriverRelease: Check = (release, problems) => {
  if (typeof release !== 'string' || !/^v?\d+\.\d+(\.\d+)?$/.test(release)) {
    problems.add(
      'EDGE_VALUE',
      `${quoted(release)} is not a release of the driver`,
      'write major, minor and patch, as the tag of its image',
    );
  }
};

const PROPERTIES: PropertyTable<ManilaStorageClassProps> = {
  name: checkObjectName,
  protocol: plain((protocol, problems) =>
    protocol === undefined
      ? problems.add('EDGE_MISSING', 'the protocol is missing', "write 'NFS' or 'CEPHFS'")
      : oneOf('NFS', 'CEPHFS')(protocol, problems),
  ),
  shareType: words('default'),
  secret: (secret, problems) =>
    secret === undefined
      ? problems.add(
          'EDGE_MISSING',
          'the driver reads its credentials from a Secret',
          'write secret: credentials.secret, or { name, namespace }',
        )
      : checkSecretReference(secret, problems),
  clients: setOf(checkAddressRange, "write ['10.0.0.0/24']", 'clients must be a list'),
  shareNetworkId: optional(words('0c5e2b1e-…')),
  availability: optional(checkZone),
  autoTopology: plain(checkBoolean),
  cephfsMounter: oneOf('kernel', 'fuse'),
  shareMetadata: checkMetadata,
  reclaimPolicy: oneOf('Retain', 'Delete'),
  allowVolumeExpansion: checkBoolean,
  isDefault: checkBoolean,
  hostNetworkPools: plain(oneOf('exclude', 'include')),
  driverRelease: optional(plain(checkDriverRelease)),
  cluster: optional(plain(checkCluster)),
};

const ADVICE: Readonly<Record<string, string>> = {
  type: 'did you mean shareType?',
  nfsShareClient: 'did you mean clients?',
  'nfs-shareClient': 'did you mean clients?',
};

/**
 * Plans a StorageClass of Manila CSI.
 *
 * @throws {@link EdgeError} with all problems at once
 */
export function planManilaStorageClass(
  props: ManilaStorageClassProps,
  scope: Scope,
): Plan<ManilaStorageClassAttributes> {
  const subject = `ManilaStorageClass ${scope.path}`;
  const problems = problemsOf(scope);
  if (hasProperties(props, 'ManilaStorageClass', EXAMPLE, problems)) {
    checkProperties(props, PROPERTIES, problems, ADVICE);
    checkTogether(props, problems);
  }
  problems.throwIfAny(subject);
  const { name, protocol, reclaimPolicy = 'Retain', allowVolumeExpansion = true, autoTopology } = props;
  const object = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name, labels: { ...OWN_LABELS }, ...defaultClass(props.isDefault) },
    provisioner: DRIVERS[protocol === 'NFS' ? 'manila-nfs' : 'manila-cephfs'],
    parameters: parametersOf(props),
    reclaimPolicy,
    volumeBindingMode: autoTopology === true ? 'WaitForFirstConsumer' : 'Immediate',
    allowVolumeExpansion,
  };
  const isIncluded = props.hostNetworkPools === 'include';
  return {
    subject,
    objects: [plannedClass(object)],
    ...(props.cluster === undefined ? {} : { cluster: props.cluster }),
    attributes: {
      storageClassName: name,
      medium: protocol === 'NFS' ? 'nfs' : 'cephfs',
      driverValues: driverValues(props, isIncluded),
      // the name of the node from the downward API, and no zone
      nodeArguments: isIncluded ? ['--nodeid=$(NODE_ID)', '--nodeaz='] : [],
    },
    warnings: [],
    artifacts: [],
  };
}

/** Operations that read the Secret: making, growing, and mounting a share. */
const OPERATIONS = ['provisioner', 'controller-expand', 'node-stage', 'node-publish'];

function parametersOf(props: ManilaStorageClassProps): PlainMap {
  const { secret, clients, shareMetadata, shareNetworkId, availability, autoTopology, cephfsMounter } = props;
  const secrets = OPERATIONS.flatMap((operation): [string, unknown][] =>
    (['name', 'namespace'] as const).map((field) => [
      `csi.storage.k8s.io/${operation}-secret-${field}`,
      compute({ secret, field }, (known) => known.secret[known.field], isUnknown(secret) && secret),
    ]),
  );
  return {
    type: props.shareType,
    ...(shareNetworkId === undefined ? {} : { shareNetworkID: shareNetworkId }),
    ...(availability === undefined ? {} : { availability }),
    ...(autoTopology === true ? { autoTopology: TRUE } : {}),
    ...(clients === undefined ? {} : { 'nfs-shareClient': compute(clients, (all) => all.join(',')) }),
    ...(cephfsMounter === undefined ? {} : { 'cephfs-mounter': cephfsMounter }),
    ...(shareMetadata === undefined
      ? {}
      : { appendShareMetadata: compute(shareMetadata, (all) => JSON.stringify(all)) }),
    ...Object.fromEntries(secrets),
  };
}

/**
 * Values of openstack-manila-csi 2.36. Its node plugin tolerates nothing, and forwards to csi-driver-nfs or ceph-csi on the same node, whose sockets the
 * controller needs too.
 */
function driverValues({ protocol, autoTopology, cluster }: ManilaStorageClassProps, isIncluded: boolean): PlainMap {
  const folder = protocol === 'NFS' ? 'csi-nfsplugin' : 'cephfs.csi.ceph.com';
  const label = cluster?.hostNetworkLabel ?? { key: HOST_NETWORK_LABEL, value: TRUE };
  const excluded = { nodeSelectorTerms: [{ matchExpressions: [exclusionOf(label)] }] };
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: excluded } };
  return {
    shareProtocols: [
      {
        protocolSelector: protocol,
        fsGroupPolicy: 'None',
        fwdNodePluginEndpoint: { dir: `/var/lib/kubelet/plugins/${folder}`, sockFile: 'csi.sock' },
      },
    ],
    csimanila: { topologyAwarenessEnabled: autoTopology === true },
    nodeplugin: isIncluded ? { tolerations: [{ operator: 'Exists' }] } : { affinity },
    controllerplugin: { affinity },
  };
}

function checkTogether(props: ManilaStorageClassProps, problems: ProblemList): void {
  const { protocol, clients, cephfsMounter, autoTopology, availability, hostNetworkPools, driverRelease } = props;
  if (protocol === 'NFS' && (clients === undefined || (Array.isArray(clients) && clients.length === 0))) {
    problems
      .at('clients')
      .add(
        'EDGE_MISSING',
        'without clients the driver gives every address access to the shares',
        "write the addresses of the nodes: ['10.0.0.0/24']",
      );
  }
  if (protocol === 'CEPHFS' && clients !== undefined) {
    problems.at('clients').add('EDGE_CONTRADICTION', 'CephFS gives access by keys, not by addresses', 'remove it');
  }
  if (protocol === 'NFS' && cephfsMounter !== undefined) {
    problems.at('cephfsMounter').add('EDGE_CONTRADICTION', 'this is for CephFS, and the shares are NFS', 'remove it');
  }
  if (autoTopology === true && availability !== undefined) {
    problems
      .at('availability')
      .add(
        'EDGE_CONTRADICTION',
        'a share cannot be in the zone of its node and in this one',
        'write either autoTopology or availability',
      );
  }
  const [major = 1, minor = 36] = (typeof driverRelease === 'string' ? driverRelease : '')
    .replace(/^v/, '')
    .split('.')
    .flatMap((part) => (part === '' ? [] : [Number(part)]));
  if (hostNetworkPools === 'include' && major === 1 && minor <= 36) {
    problems
      .at('hostNetworkPools')
      .add(
        'EDGE_VALUE',
        'the driver up to release 1.36 has no --nodeid, and cannot register on a machine outside of OpenStack',
        'leave it out and use an NfsVolume there; or write the driverRelease of a newer driver',
      );
  }
}

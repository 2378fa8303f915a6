import { isIP } from 'node:net';
import type { Plan } from '../cluster/plan.js';
import { problemsOf, type Scope } from '../cluster/scope.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import { isLocal } from '../kubernetes/hosts.js';
import { checkNamespace, checkObjectName, isDnsSubdomain } from '../kubernetes/names.js';
import type { PlainMap } from '../base/plain-data.js';
import { quoted } from '../base/properties.js';
import {
  type Check,
  checkProperties,
  oneOf,
  optional,
  plain,
  type PropertyTable,
  setOf,
} from '../base/property-table.js';
import { compute, text } from '../base/unknown.js';
import { hasProperties, mountOption } from './class-fields.js';
import { ACCESS_MODES, checkVolumeSize, type StorageAttributes } from './storage-attributes.js';

/**
 * Properties of an {@link NfsVolume}.
 *
 * @category Store data on OpenStack
 */
export interface NfsVolumeProps {
  /** Name of the PersistentVolume and of its claim. */
  readonly name: string;
  /** Namespace of the claim.
   * @default - the namespace of the chart, else default */
  readonly namespace?: string;
  /** Where the share is, server and folder, as `openstack share export location list` shows it: `192.0.2.10:/sharevolumes/share_a`. The node resolves the
   * server, not the cluster; an IPv6 address is in brackets. */
  readonly exportLocation: string;
  /** Size of the share. Kubernetes only compares it with claims. */
  readonly size: string;
  /** What mounts it: the driver csi-driver-nfs (`csi`), or kubelet with the NFS client of the node (`in-tree`), which needs no Pod on the node.
   * @default csi */
  readonly mode?: 'csi' | 'in-tree';
  /** Mount options.
   * @default - nfsvers=4.1 and hard */
  readonly mountOptions?: string[];
  /** How many nodes use it.
   * @default ReadWriteMany */
  readonly accessMode?: 'ReadWriteOnce' | 'ReadWriteMany' | 'ReadOnlyMany';
}

/** Attributes of an NFS volume. */
export interface NfsVolumeAttributes extends StorageAttributes {
  /** Name of the claim. */
  readonly claimName: string;
  /** Its namespace. */
  readonly claimNamespace: string;
  readonly medium: 'nfs';
  /** Size of the share. */
  readonly size: string;
  /** Where it is. */
  readonly exportLocation: string;
}

const checkServer: Check = (server, problems) => {
  if (typeof server === 'string' && isLocal(server)) {
    problems.add(
      'EDGE_VALUE',
      `every node would mount a share of its own: ${server} is the node`,
      "write the address of the server: '192.0.2.10'",
    );
  } else if (typeof server !== 'string' || !(isIP(server) > 0 || isDnsSubdomain(server))) {
    problems.add(
      'EDGE_VALUE',
      `${quoted(server)} is not an address`,
      "write '192.0.2.10' or 'nfs.example', without a scheme",
    );
  } else if (/\.svc(\.|$)/.test(server)) {
    problems.add(
      'EDGE_CLUSTER_SERVICE',
      `the node mounts the share, and does not know the Service ${server}`,
      'write the address of the server: its ClusterIP is not reachable from a host-network node either',
    );
  }
};

const checkPath: Check = (path, problems) => {
  if (typeof path !== 'string' || !/^\/(?!\/)[^\s#]*$/.test(path)) {
    problems.add(
      'EDGE_VALUE',
      `${quoted(path)} is not a folder on a server`,
      "write '/sharevolumes/share_a': absolute, without blanks and #",
    );
  }
};

/** Server and path of an export location; an IPv6 address is in brackets. */
function locationOf(location: unknown): { readonly server: string; readonly path: string } | undefined {
  const [, inBrackets, host, path = ''] =
    (typeof location === 'string' && /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]+)):(\/.*)$/.exec(location)) || [];
  const server = inBrackets ?? host;
  return server === undefined ? undefined : { server, path };
}

const checkLocation: Check = (location, problems) => {
  const found = locationOf(location);
  if (location === undefined) {
    problems.add(
      'EDGE_MISSING',
      'the location of the share is missing',
      "write exportLocation: '192.0.2.10:/sharevolumes/share_a'",
    );
    return;
  }
  if (found === undefined) {
    problems.add(
      'EDGE_VALUE',
      `${quoted(location)} is not an export location`,
      "write '192.0.2.10:/sharevolumes/share_a'",
    );
    return;
  }
  checkServer(found.server, problems);
  checkPath(found.path, problems);
};

const PROPERTIES: PropertyTable<NfsVolumeProps> = {
  name: checkObjectName,
  namespace: optional(checkNamespace),
  exportLocation: checkLocation,
  size: checkVolumeSize,
  mode: plain(oneOf('csi', 'in-tree')),
  mountOptions: setOf(mountOption('nfsvers=4.1'), "write ['nfsvers=4.1', 'hard']", 'mountOptions must be a list'),
  accessMode: plain(oneOf(...ACCESS_MODES)),
};

const ADVICE: Readonly<Record<string, string>> = {
  server: "write exportLocation: '192.0.2.10:/sharevolumes/share_a'",
  path: "write exportLocation: '192.0.2.10:/sharevolumes/share_a'",
  share: 'did you mean exportLocation?',
  readOnly: "write accessMode: 'ReadOnlyMany'",
  accessModes: 'did you mean accessMode?',
};

/**
 * Plans a static NFS volume and its claim.
 *
 * @throws {@link EdgeError} with all problems at once
 */
export function planNfsVolume(props: NfsVolumeProps, scope: Scope): Plan<NfsVolumeAttributes> {
  const subject = `NfsVolume ${scope.path}`;
  const problems = problemsOf(scope);
  const example = "{ name: 'share-a', exportLocation: '192.0.2.10:/sharevolumes/share_a', size: '10Gi' }";
  if (hasProperties(props, 'NfsVolume', example, problems)) {
    checkProperties(props, PROPERTIES, problems, ADVICE);
  }
  problems.throwIfAny(subject);
  const { name, size, mode = 'csi', accessMode = 'ReadWriteMany', mountOptions = ['nfsvers=4.1', 'hard'] } = props;
  const namespace = props.namespace ?? scope.namespace ?? 'default';
  const { exportLocation } = props;
  const [server, path] = (['server', 'path'] as const).map((part) =>
    compute({ exportLocation, part }, (known) => locationOf(known.exportLocation)?.[known.part] ?? ''),
  ) as [string, string];
  const labels = { ...OWN_LABELS };
  const volume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, labels },
    spec: {
      capacity: { storage: size },
      accessModes: [accessMode],
      persistentVolumeReclaimPolicy: 'Retain',
      // empty and not absent: else the default class of the cluster is filled in, and nothing matches
      storageClassName: '',
      mountOptions,
      claimRef: { namespace, name },
      ...source(mode, { name, server, path, isReadOnly: accessMode === 'ReadOnlyMany' }),
    },
  };
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace, labels },
    spec: {
      accessModes: [accessMode],
      storageClassName: '',
      volumeName: name,
      resources: { requests: { storage: size } },
    },
  };
  return {
    subject,
    objects: [
      { object: volume, apply: 'create', id: 'volume' },
      { object: claim, apply: 'create' },
    ],
    attributes: { claimName: name, claimNamespace: namespace, medium: 'nfs', size, exportLocation },
    warnings: [],
    artifacts: [],
  };
}

interface Share {
  readonly name: string;
  readonly server: string;
  readonly path: string;
  readonly isReadOnly: boolean;
}

/** The source of the volume. Two volumes with one handle confuse kubelet, so the handle ends in the name of the volume. */
function source(mode: 'csi' | 'in-tree', { name, server, path, isReadOnly }: Share): PlainMap {
  const readOnly = isReadOnly ? { readOnly: true } : {};
  if (mode === 'in-tree') {
    return { nfs: { server, path, ...readOnly } };
  }
  const volumeHandle = text`${server}#${compute(path, (known) => known.slice(1))}#${name}`;
  return { csi: { driver: 'nfs.csi.k8s.io', volumeHandle, volumeAttributes: { server, share: path }, ...readOnly } };
}

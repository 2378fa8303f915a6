import type { Plan, PlannedObject } from '../cluster/plan.js';
import { type Scope, problemsOf } from '../cluster/scope.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import { sha256Of } from '../base/content-hash.js';
import { type PlainMap, isMap } from '../base/plain-data.js';
import { compute, isUnknown, text } from '../base/unknown.js';
import type { ProblemList } from '../base/errors.js';
import { checkNamespace, checkObjectName } from '../kubernetes/names.js';
import { type NodePoolAttributes, isPool } from '../pools/node-pool.js';
import { checkZone, hasProperties, words } from './class-fields.js';
import { checkBoolean, checkKnownProperties, checkWholeNumber, quoted, whatIs } from '../base/properties.js';
import {
  type Check,
  type PropertyTable,
  checkProperties,
  listOf,
  mapWith,
  oneOf,
  optional,
  plain,
  setOf,
  wholeNumber,
} from '../base/property-table.js';
import { checkId } from './openstack-id.js';

/** Attributes of the machines of a pool. */
export interface OpenStackMachinesAttributes {
  /** Name of the OpenStackMachineTemplate. */
  readonly machineTemplateName: string;
  /** Names of the MachineDeployments. */
  readonly deploymentNames: string[];
}

const CLUSTER_LABEL = 'cluster.x-k8s.io/cluster-name';
const DEPLOYMENT_LABEL = 'cluster.x-k8s.io/deployment-name';

/**
 * Plans the machines of a pool: an OpenStackMachineTemplate, and a MachineDeployment for each failure domain.
 *
 * @throws {@link EdgeError} with all problems at once
 */
export function planOpenStackMachines(props: OpenStackMachinesProps, scope: Scope): Plan<OpenStackMachinesAttributes> {
  const subject = `OpenStackMachines ${scope.path}`;
  const problems = problemsOf(scope);
  checkOpenStackMachines(props, problems);
  problems.throwIfAny(subject);
  const { pool, providerVersion = 'v1beta1', failureDomains } = props;
  const name = props.name ?? pool.poolName;
  const namespace = props.namespace ?? scope.namespace ?? 'default';
  const spec = machineSpec(props, providerVersion === 'v1beta2');
  // templates of Cluster API are immutable: different content is another object
  const machineTemplateName = compute({ name, content: [providerVersion, spec] }, (known) =>
    [known.name, 'machine', sha256Of(JSON.stringify(known.content)).slice(0, 10)].join('-'),
  );
  const template: PlannedObject = {
    object: {
      apiVersion: `infrastructure.cluster.x-k8s.io/${providerVersion}`,
      kind: 'OpenStackMachineTemplate',
      metadata: { name: machineTemplateName, namespace, labels: { ...OWN_LABELS } },
      spec: { template: { spec } },
    },
    apply: 'create',
    replaceOn: { fields: ['spec'], deleteFirst: false },
  };
  const places: readonly (string | undefined)[] = failureDomains ?? [undefined];
  const deployments = places.map((zone): PlannedObject => ({
    object: deployment(props, { zone, name: nameIn(name, zone), namespace, machineTemplateName }),
    apply: 'create',
    id: zone ?? '',
    after: [template],
  }));
  return {
    subject,
    objects: [template, ...deployments],
    cluster: pool.cluster,
    attributes: { machineTemplateName, deploymentNames: places.map((zone) => nameIn(name, zone)) },
    warnings: [],
    artifacts: [],
  };
}

/** The machine, in the fields of either version: v1beta2 has objects for flavor, and says what is on instead of what is off. */
function machineSpec(props: OpenStackMachinesProps, isNew: boolean): PlainMap {
  const { flavor, image, imageId, rootVolume, ports, securityGroups, serverGroupId, sshKeyName } = props;
  return {
    flavor: isNew ? { filter: { name: flavor } } : flavor,
    image: imageId === undefined ? { filter: { name: image } } : { id: imageId },
    ...(rootVolume === undefined
      ? {}
      : { rootVolume: compute(rootVolume, diskOf, isUnknown(rootVolume) && rootVolume) }),
    ...(ports === undefined
      ? {}
      : {
          ports: compute(
            ports,
            (all) => all.map((port) => compute(port, (known) => portOf(known, isNew), isUnknown(port) && port)),
            isUnknown(ports) && ports,
          ),
        }),
    ...(securityGroups === undefined
      ? {}
      : {
          securityGroups: compute(
            securityGroups,
            (all) => all.map((name) => ({ filter: { name } })),
            isUnknown(securityGroups) && securityGroups,
          ),
        }),
    ...(serverGroupId === undefined ? {} : { serverGroup: { id: serverGroupId } }),
    ...(sshKeyName === undefined ? {} : { sshKeyName }),
    configDrive: props.configDrive ?? true,
  };
}

function diskOf({ sizeGib, type, availabilityZone }: NonNullable<OpenStackMachinesProps['rootVolume']>): PlainMap {
  return {
    sizeGiB: sizeGib,
    ...(type === undefined ? {} : { type }),
    ...(availabilityZone === undefined ? {} : { availabilityZone: { from: 'Name', name: availabilityZone } }),
  };
}

function portOf({ network, networkId, portSecurity }: MachinePort, isNew: boolean): PlainMap {
  return {
    ...(network === undefined ? {} : { network: { filter: { name: network } } }),
    ...(networkId === undefined ? {} : { network: { id: networkId } }),
    ...(portSecurity === undefined
      ? {}
      : isNew
        ? { enablePortSecurity: portSecurity }
        : { disablePortSecurity: compute(portSecurity, (isOn) => !isOn) }),
  };
}

interface Place {
  readonly zone: string | undefined;
  readonly name: string;
  readonly namespace: string;
  readonly machineTemplateName: string;
}

function deployment(
  props: OpenStackMachinesProps,
  { zone, name, namespace, machineTemplateName }: Place,
): PlannedObject['object'] {
  const { clusterName, clusterApiVersion = 'v1beta2', providerVersion = 'v1beta1' } = props;
  const labels = { [CLUSTER_LABEL]: clusterName, [DEPLOYMENT_LABEL]: name };
  const reference = (group: string, version: string, kind: string, to: string): PlainMap => ({
    // v1beta2 names the group, and finds the version itself
    ...(clusterApiVersion === 'v1beta1' ? { apiVersion: `${group}/${version}` } : { apiGroup: group }),
    kind,
    name: to,
  });
  return {
    apiVersion: `cluster.x-k8s.io/${clusterApiVersion}`,
    kind: 'MachineDeployment',
    metadata: { name, namespace, labels: { ...OWN_LABELS, [CLUSTER_LABEL]: clusterName } },
    spec: {
      clusterName,
      replicas: props.replicas ?? 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          clusterName,
          version: props.version,
          bootstrap: {
            configRef: reference(
              'bootstrap.cluster.x-k8s.io',
              clusterApiVersion,
              'KubeadmConfigTemplate',
              props.bootstrapTemplate,
            ),
          },
          infrastructureRef: reference(
            'infrastructure.cluster.x-k8s.io',
            providerVersion,
            'OpenStackMachineTemplate',
            machineTemplateName,
          ),
          ...(zone === undefined ? {} : { failureDomain: zone }),
        },
      },
    },
  };
}

/** Name of the MachineDeployment in a zone. */
const nameIn = (name: string, zone: string | undefined): string =>
  zone === undefined ? name : text`${name}-${zone.toLowerCase().replace(/[^a-z0-9-]+/g, '-')}`;

const checkPool: Check = (pool, problems) => {
  if (!isPool(pool)) {
    problems.add(
      pool === undefined ? 'EDGE_MISSING' : 'EDGE_TYPE',
      pool === undefined ? 'the pool is missing' : `this is ${whatIs(pool)}, not a pool`,
      'write pool: the HostNetworkNodePool or RegularNodePool that the machines join',
    );
  }
};

/** Of the value of a label. */
const LONGEST = 63;

/** Its name is a label of every machine, so Cluster API refuses longer ones (webhooks/cluster.go). */
const checkClusterName: Check = (name, problems) => {
  checkObjectName(name, problems);
  if (typeof name === 'string' && name.length > LONGEST) {
    problems.add(
      'EDGE_NAME',
      `${quoted(name)} is too long: the name of a Cluster is also the value of a label`,
      `write the name of the Cluster of Cluster API, at most ${LONGEST} characters`,
    );
  }
};

const checkVersion: Check = (version, problems) => {
  if (typeof version !== 'string' || !/^v\d+\.\d+\.\d+$/.test(version)) {
    problems.add(
      version === undefined ? 'EDGE_MISSING' : 'EDGE_VALUE',
      version === undefined ? 'the version is missing' : `${quoted(version)} is not the version of a machine`,
      'write major, minor and patch with a v in front, as the image has it',
    );
  }
};

const checkRootVolume = mapWith(
  (map, problems) => {
    checkKnownProperties(map, ['sizeGib', 'type', 'availabilityZone'], problems, { sizeGiB: 'did you mean sizeGib?' });
    if (map.sizeGib === undefined) {
      problems.at('sizeGib').add('EDGE_MISSING', 'the size of the disk is missing', 'write sizeGib: 50');
    }
    checkWholeNumber(map.sizeGib, 1, problems.at('sizeGib'));
    optional(words('ssd'))(map.type, problems.at('type'));
    optional(checkZone)(map.availabilityZone, problems.at('availabilityZone'));
  },
  'rootVolume must be a map',
  'write { sizeGib: 50 }',
);

const checkPort: Check = (port, problems) => {
  if (!isMap(port)) {
    problems.add('EDGE_TYPE', `this is ${whatIs(port)}, not a port`, "write { network: 'edge' }");
    return;
  }
  checkKnownProperties(port, ['network', 'networkId', 'portSecurity'], problems, {
    disablePortSecurity: 'write portSecurity: false',
    enablePortSecurity: 'did you mean portSecurity?',
  });
  if (port.network !== undefined && port.networkId !== undefined) {
    problems.at('network').add('EDGE_CONTRADICTION', 'the port is in one network', 'write either network or networkId');
  }
  optional(words('edge'))(port.network, problems.at('network'));
  optional(checkId)(port.networkId, problems.at('networkId'));
  checkBoolean(port.portSecurity, problems.at('portSecurity'));
};

const PROPERTIES: PropertyTable<OpenStackMachinesProps> = {
  pool: checkPool,
  clusterName: checkClusterName,
  bootstrapTemplate: checkObjectName,
  version: checkVersion,
  flavor: words('m1.small'),
  image: optional(words('ubuntu-24.04')),
  imageId: optional(checkId),
  replicas: wholeNumber(0),
  failureDomains: plain(setOf(checkZone, "write ['az1']", 'failureDomains must be a list')),
  rootVolume: checkRootVolume,
  ports: listOf(checkPort, "write [{ network: 'edge' }]", 'ports must be a list'),
  securityGroups: setOf(words('edge'), "write ['edge']", 'securityGroups must be a list'),
  serverGroupId: optional(checkId),
  sshKeyName: optional(words('admin')),
  configDrive: checkBoolean,
  name: optional(checkObjectName),
  namespace: optional(checkNamespace),
  providerVersion: plain(oneOf('v1beta1', 'v1beta2')),
  clusterApiVersion: plain(oneOf('v1beta1', 'v1beta2')),
};

const ADVICE: Readonly<Record<string, string>> = {
  kubernetesVersion: 'did you mean version?',
  flavorName: 'did you mean flavor?',
  userData: 'leave it out: the KubeadmConfigTemplate makes it',
};

/** Checks all properties. */
function checkOpenStackMachines(props: OpenStackMachinesProps, problems: ProblemList): void {
  const example = "{ pool, clusterName: 'edge', bootstrapTemplate: template.templateName, version, flavor, image }";
  if (hasProperties(props, 'OpenStackMachines', example, problems)) {
    checkProperties(props, PROPERTIES, problems, ADVICE);
    checkTogether(props, problems);
  }
}

/** Each name is a label of its machines, and there is one for each zone. */
function checkNames({ name, pool, failureDomains }: OpenStackMachinesProps, problems: ProblemList): void {
  const own: unknown = name ?? (isPool(pool) ? pool.poolName : undefined);
  const zones = Array.isArray(failureDomains) ? failureDomains.filter((zone) => typeof zone === 'string') : [];
  const taken = new Map<string, string>();
  zones.forEach((zone, index) => {
    const suffix = nameIn('', zone);
    const other = taken.get(suffix);
    if (other !== undefined && other !== zone) {
      problems
        .at('failureDomains', index)
        .add(
          'EDGE_DUPLICATE',
          `the MachineDeployments of ${other} and ${zone} would have one name`,
          'declare OpenStackMachines for one of them, with another name',
        );
    }
    taken.set(suffix, zone);
  });
  const longest = Math.max(0, ...[...taken.keys()].map((suffix) => suffix.length));
  if (typeof own === 'string' && own.length + longest > LONGEST) {
    problems
      .at('name')
      .add(
        'EDGE_NAME',
        `${own} is too long for the label of its machines, with the zone`,
        `write a name of at most ${Math.max(1, LONGEST - longest)} characters`,
      );
  }
}

function checkTogether(props: OpenStackMachinesProps, problems: ProblemList): void {
  const { pool, version, image, imageId, ports, failureDomains, securityGroups } = props;
  if ((image === undefined) === (imageId === undefined)) {
    const isBoth = image !== undefined;
    problems
      .at('image')
      .add(
        isBoth ? 'EDGE_CONTRADICTION' : 'EDGE_MISSING',
        isBoth ? 'a machine has one image' : 'the image is missing',
        "write either image: 'ubuntu-24.04' or imageId",
      );
  }
  if (Array.isArray(failureDomains) && failureDomains.length === 0) {
    problems
      .at('failureDomains')
      .add(
        'EDGE_MATCHES_NOTHING',
        'there is no failure domain, and so no machine',
        'leave failureDomains out, or name one',
      );
  }
  checkNames(props, problems);
  const [, minor] = (typeof version === 'string' && /^v(\d+\.\d+)\./.exec(version)) || [];
  if (isPool(pool) && minor !== undefined && minor !== pool.cluster.kubernetes) {
    problems
      .at('version')
      .add(
        'EDGE_CONTRADICTION',
        `the machines have Kubernetes ${minor}, and the files of the pool are for ${pool.cluster.kubernetes}`,
        'write the same minor here and in the cluster of the pool',
      );
  }
  if (
    Array.isArray(ports) &&
    ports.some((port) => isMap(port) && port.portSecurity === false) &&
    securityGroups !== undefined
  ) {
    problems
      .at('securityGroups')
      .add(
        'EDGE_CONTRADICTION',
        'Neutron refuses security groups on a port without port security',
        'remove securityGroups, or portSecurity: false',
      );
  }
}

/**
 * The disk of a machine as a volume of Cinder.
 *
 * @category Machines on OpenStack
 */
export interface RootVolume {
  /** Size in GiB. */
  readonly sizeGib: number;
  /** Volume type of Cinder.
   * @default - the default type */
  readonly type?: string;
  /** Availability zone of the volume, for an OpenStack with other zones for volumes than for machines.
   * @default - the zone of the machine */
  readonly availabilityZone?: string;
}

/**
 * A network port of a machine.
 *
 * @category Machines on OpenStack
 */
export interface MachinePort {
  /** Name of the network.
   * @default - networkId, else the network of the cluster */
  readonly network?: string;
  /** Id of the network.
   * @default - network */
  readonly networkId?: string;
  /** Whether Neutron filters its traffic. Write false only where something else has to: without it there are no security groups, and any address can be
   * used as the source.
   * @default - as the network says */
  readonly portSecurity?: boolean;
}

/**
 * Properties of {@link OpenStackMachines}.
 *
 * @category Machines on OpenStack
 */
export interface OpenStackMachinesProps {
  /** The pool that the machines join. */
  readonly pool: NodePoolAttributes;
  /** Name of the Cluster of Cluster API. */
  readonly clusterName: string;
  /** Name of the KubeadmConfigTemplate of the pool: its `templateName`. */
  readonly bootstrapTemplate: string;
  /** Kubernetes version of the machines, with its patch: `v1.36.2`. Its minor is that of the cluster of the pool. */
  readonly version: string;
  /** Name of the flavor. */
  readonly flavor: string;
  /** Name of the image.
   * @default - imageId */
  readonly image?: string;
  /** Id of the image.
   * @default - image */
  readonly imageId?: string;
  /** Machines in each failure domain.
   * @default 1 */
  readonly replicas?: number;
  /** Availability zones of Nova. Each gets a MachineDeployment of its own.
   * @default - one MachineDeployment, in the zone that Nova chooses */
  readonly failureDomains?: string[];
  /** Disk of the machines as a volume.
   * @default - the disk of the flavor */
  readonly rootVolume?: RootVolume;
  /** Ports of the machines.
   * @default - one, in the network of the cluster */
  readonly ports?: MachinePort[];
  /** Names of security groups.
   * @default - those of the cluster */
  readonly securityGroups?: string[];
  /** Id of a server group, for anti-affinity.
   * @default - none */
  readonly serverGroupId?: string;
  /** Name of the key pair for SSH.
   * @default - none */
  readonly sshKeyName?: string;
  /** Whether the user data is also on a config drive, for networks without a metadata service.
   * @default true */
  readonly configDrive?: boolean;
  /** Name of the MachineDeployments; with failure domains, the zone is added.
   * @default - the name of the pool */
  readonly name?: string;
  /** Namespace of the objects, which must be that of the Cluster.
   * @default - the namespace of the chart, else default */
  readonly namespace?: string;
  /** API version of the provider (cluster-api-provider-openstack): `v1beta2` from 0.15 on.
   * @default v1beta1 */
  readonly providerVersion?: 'v1beta1' | 'v1beta2';
  /** API version of Cluster API: `v1beta2` from 1.11 on. Also that of the KubeadmConfigTemplate.
   * @default v1beta2 */
  readonly clusterApiVersion?: 'v1beta1' | 'v1beta2';
}

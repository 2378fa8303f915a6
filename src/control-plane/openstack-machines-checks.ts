import type { ProblemList } from '../base/errors.js';
import { checkNamespace, checkObjectName } from '../kubernetes/names.js';
import { isPool } from '../pools/node-pool.js';
import { checkZone, hasProperties, words } from './class-fields.js';
import { isMap } from '../base/plain-data.js';
import { checkBoolean, checkKnownProperties, checkWholeNumber, quoted, whatIs } from '../base/properties.js';
import {
  type Check,
  checkProperties,
  listOf,
  mapWith,
  oneOf,
  optional,
  plain,
  type PropertyTable,
  setOf,
  wholeNumber,
} from '../base/property-table.js';
import { text } from '../base/unknown.js';
import { checkId } from './openstack-id.js';
import type { OpenStackMachinesProps } from './openstack-machines-props.js';

/** Name of the MachineDeployment in a zone. */
export const nameIn = (name: string, zone: string | undefined): string =>
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
export function checkOpenStackMachines(props: OpenStackMachinesProps, problems: ProblemList): void {
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

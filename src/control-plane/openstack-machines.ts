import type { Plan, PlannedObject } from '../cluster/plan.js';
import { problemsOf, type Scope } from '../cluster/scope.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import { sha256Of } from '../base/content-hash.js';
import type { PlainMap } from '../base/plain-data.js';
import { compute, isUnknown } from '../base/unknown.js';
import { checkOpenStackMachines, nameIn } from './openstack-machines-checks.js';
import type { MachinePort, OpenStackMachinesProps } from './openstack-machines-props.js';

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

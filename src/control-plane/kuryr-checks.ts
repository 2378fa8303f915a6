import { checkCluster, EdgeCluster } from '../cluster/edge-cluster.js';
import type { ProblemList } from '../base/errors.js';
import { checkNamespace, checkObjectName } from '../kubernetes/names.js';
import { hasProperties, words } from './class-fields.js';
import { checkCertificates, checkKeystone, checkWays, credentialFields } from './openstack-credentials.js';
import { isMap } from '../base/plain-data.js';
import { checkBoolean, checkKnownProperties, checkWholeNumber, quoted } from '../base/properties.js';
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
import { isUnknown } from '../base/unknown.js';
import type { KuryrKubernetesProps } from './kuryr-props.js';
import { checkId, checkProjectId } from './openstack-id.js';

/** The repository of kuryr-kubernetes is empty since 2024-06-28; the governance of OpenStack lists it as retired (reference/legacy.yaml). */
const checkAcknowledged: Check = (acknowledged, problems) => {
  if (acknowledged !== true) {
    problems.add(
      acknowledged === undefined ? 'EDGE_MISSING' : 'EDGE_VALUE',
      'kuryr-kubernetes was retired in 2024: it gets no fixes, and nobody publishes its images',
      'use OVN-Kubernetes, Kube-OVN, Cilium or Calico; host-network pools need no CNI at all. For a cluster that has kuryr already, write acknowledgeRetired: true',
    );
  }
};

const checkImage =
  (name: string): Check =>
  (image, problems) => {
    if (typeof image !== 'string' || !/^\S+(:\w[\w.-]{0,127}|@sha256:[0-9a-f]{64})$/.test(image)) {
      problems.add(
        image === undefined ? 'EDGE_MISSING' : 'EDGE_VALUE',
        image === undefined ? 'there is no image to pull' : `${quoted(image)} has neither a tag nor a digest`,
        `build it from release 10.0.0, and write 'registry.example/kuryr-${name}:10.0.0'`,
      );
    } else if (image.endsWith(':latest')) {
      problems.add(
        'EDGE_VALUE',
        'latest can be a different image on each node',
        'write the tag of a release, or a digest',
      );
    }
  };

const checkImages: Check = (images, problems) => {
  const given = isMap(images) ? images : {};
  if (images !== undefined && !isMap(images)) {
    problems.add('EDGE_TYPE', 'images must be a map', 'write { controller, cni }');
    return;
  }
  checkKnownProperties(given, ['controller', 'cni'], problems);
  for (const name of ['controller', 'cni']) {
    checkImage(name)(given[name], problems.at(name));
  }
};

/** A value in a line of kuryr.conf. */
const checkLine: Check = (value, problems) => {
  if (typeof value === 'string' && /[\u0000-\u001f\u007f]/.test(value)) {
    problems.add(
      'EDGE_VALUE',
      'a line break or another control character (value redacted)',
      'remove the control character',
    );
  }
};

const checkLogin: Check = mapWith(
  (given, problems) => {
    checkKnownProperties(given, ['authUrl', 'region', 'applicationCredential', 'password'], problems);
    checkKeystone(given.authUrl, problems.at('authUrl'));
    checkLine(given.authUrl, problems.at('authUrl'));
    optional(words('RegionOne'))(given.region, problems.at('region'));
    checkLine(given.region, problems.at('region'));
    for (const way of ['applicationCredential', 'password'] as const) {
      optional(credentialFields(way))(given[way], problems.at(way));
      for (const [field, value] of Object.entries(isMap(given[way]) ? given[way] : {})) {
        checkLine(value, problems.at(way, field));
      }
    }
    if (!isUnknown(given)) {
      checkWays(given, problems);
    }
  },
  'keystone must be a map',
  "write { authUrl: 'https://keystone.example/v3', applicationCredential: { id, secret } }",
);

const checkInterface: Check = (name, problems) => {
  if (typeof name !== 'string' || !/^[\w.-]{1,15}$/.test(name)) {
    problems.add('EDGE_VALUE', `${quoted(name)} is not the name of an interface`, "write 'eth0'");
  }
};

const checkVifDriver: Check = (driver, problems) => {
  if (driver === 'nested-macvlan') {
    // its __init__ does not call that of NestedPodVIFDriver, which finds the subnets of the nodes
    problems.add(
      'EDGE_VALUE',
      'nested-macvlan of release 10.0.0 fails for each Pod, and its traffic never meets the rules of kube-proxy',
      "write 'neutron-vif', or 'nested-vlan' on machines with trunk ports",
    );
    return;
  }
  oneOf('neutron-vif', 'nested-vlan')(driver, problems);
};

const checkPool: Check = mapWith(
  (pool, problems) => {
    checkKnownProperties(pool, ['min', 'max', 'batch'], problems);
    checkWholeNumber(pool.min, 1, problems.at('min'));
    checkWholeNumber(pool.max, 0, problems.at('max'));
    checkWholeNumber(pool.batch, 1, problems.at('batch'));
    const { min = 5, max = 0, batch = 10 } = pool as { min?: unknown; max?: unknown; batch?: unknown };
    if (typeof max === 'number' && max > 0) {
      for (const [name, value] of Object.entries({ min, batch })) {
        if (typeof value === 'number' && value > max) {
          problems
            .at(name)
            .add('EDGE_CONTRADICTION', `${name} is ${value}, and the pool holds ${max}`, `write max: ${value} or more`);
        }
      }
    }
  },
  'pool must be a map',
  'write { min: 5, batch: 10 }',
);

const subnets = setOf(checkId, 'write [id]', 'this must be a list of ids');

const PROPERTIES: PropertyTable<KuryrKubernetesProps> = {
  cluster: plain(checkCluster),
  acknowledgeRetired: plain(checkAcknowledged),
  images: checkImages,
  keystone: checkLogin,
  secretName: optional(checkObjectName),
  caCertificates: optional(checkCertificates),
  project: checkProjectId,
  podSubnet: checkId,
  podSecurityGroups: subnets,
  vifDriver: plain(optional(checkVifDriver)),
  ovsBridge: optional(checkInterface),
  workerSubnets: subnets,
  linkInterface: optional(checkInterface),
  pool: checkPool,
  portmap: checkBoolean,
  definition: plain(oneOf('create', 'external')),
  namespace: optional(checkNamespace),
  inManifest: plain(checkBoolean),
};

const ADVICE: Readonly<Record<string, string>> = {
  serviceSubnet: 'leave it out: kube-proxy serves Services here, not Octavia',
  serviceMode: 'leave it out: kube-proxy serves Services here, not Octavia',
  apiRoot: 'write apiServer in the cluster',
  auth: 'did you mean keystone?',
};

/** Checks all properties. */
export function checkKuryr(props: KuryrKubernetesProps, problems: ProblemList): void {
  const example = '{ cluster, acknowledgeRetired: true, images, keystone, project, podSubnet, podSecurityGroups }';
  if (hasProperties(props, 'KuryrKubernetes', example, problems)) {
    checkProperties(props, PROPERTIES, problems, ADVICE);
    checkTogether(props, problems);
  }
}

function checkTogether(props: KuryrKubernetesProps, problems: ProblemList): void {
  const { cluster, keystone, secretName, inManifest, podSecurityGroups, vifDriver, workerSubnets } = props;
  if (cluster instanceof EdgeCluster && cluster.apiServer === undefined) {
    problems
      .at('cluster', 'apiServer')
      .add(
        'EDGE_API_SERVER',
        'the address of the API server is missing: kuryr runs before any Service does',
        "write apiServer: '10.0.0.1:6443' in the cluster",
      );
  }
  if ((keystone === undefined) === (secretName === undefined)) {
    const isBoth = keystone !== undefined;
    problems
      .at('keystone')
      .add(
        isBoth ? 'EDGE_CONTRADICTION' : 'EDGE_MISSING',
        isBoth ? 'these credentials are not used: there is also a Secret' : 'there are no credentials',
        'write either keystone: { authUrl, applicationCredential: { id, secret } }, or the secretName of your own Secret',
        'for any value',
      );
  }
  if (inManifest === true && keystone === undefined) {
    problems
      .at('inManifest')
      .add('EDGE_UNUSED', 'inManifest has no effect: the Secret is your own', 'remove it', 'for any value');
  }
  if (podSecurityGroups === undefined || (Array.isArray(podSecurityGroups) && podSecurityGroups.length === 0)) {
    problems
      .at('podSecurityGroups')
      .add(
        'EDGE_MISSING',
        'kuryr creates no port without a security group',
        'write [id], with openstack security group list',
      );
  }
  const isNested = vifDriver === 'nested-vlan';
  if (isNested && (workerSubnets === undefined || (Array.isArray(workerSubnets) && workerSubnets.length === 0))) {
    problems
      .at('workerSubnets')
      .add(
        'EDGE_MISSING',
        'nested-vlan finds the trunk of a node by the subnet of the node',
        'write workerSubnets: [id]',
      );
  }
  for (const name of ['workerSubnets', 'linkInterface'] as const) {
    if (!isNested && props[name] !== undefined) {
      problems
        .at(name)
        .add(
          'EDGE_UNUSED',
          `${name} has no effect with neutron-vif`,
          "remove it, or write vifDriver: 'nested-vlan'",
          'for any value',
        );
    }
  }
}

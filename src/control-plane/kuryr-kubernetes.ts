import type { Plan, PlannedObject } from '../cluster/plan.js';
import { type Scope, problemsOf } from '../cluster/scope.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { declaredHostNetworkPools } from '../pools/declared-pools.js';
import { checkCertificates, checkKeystone, checkWays, credentialFields, secretFile } from './openstack-credentials.js';
import type { SecretReference } from './volume-snapshot-class.js';
import { compute, isUnknown } from '../base/unknown.js';
import { excludeWorkload } from '../workloads/exclusion.js';
import {
  CA_FILE,
  CONFLIST_FILE,
  CONFLIST_FOLDER,
  CONF_FILE,
  CONF_FOLDER,
  CREDENTIALS_FILE,
  conflist,
  credentialsConf,
  kuryrConf,
} from './kuryr-conf.js';
import type { KuryrImages, KuryrKubernetesProps } from './kuryr-props.js';
import { EdgeCluster, checkCluster } from '../cluster/edge-cluster.js';
import type { ProblemList } from '../base/errors.js';
import { checkNamespace, checkObjectName } from '../kubernetes/names.js';
import { hasProperties, words } from './class-fields.js';
import { type PlainMap, isMap, withChangeAt } from '../base/plain-data.js';
import { checkBoolean, checkKnownProperties, checkWholeNumber, quoted } from '../base/properties.js';
import {
  type Check,
  type PropertyTable,
  checkProperties,
  mapWith,
  oneOf,
  optional,
  plain,
  setOf,
} from '../base/property-table.js';
import { checkId, checkProjectId } from './openstack-id.js';
import { sha256Of } from '../base/content-hash.js';

const CONTROLLER = 'kuryr-controller';
const CNI = 'kuryr-cni';
const CONFIG = 'kuryr-config';

/** The object with an annotation that whoever finds it in a cluster can read. */
const sayRetired = <O extends KubernetesObject>(object: O): O => ({
  ...object,
  metadata: {
    ...object.metadata,
    annotations: {
      'edge-nodepools/retired':
        'kuryr-kubernetes was retired in 2024; use OVN-Kubernetes, Kube-OVN, Cilium or Calico instead',
    },
  },
});

/**
 * The CustomResourceDefinition of KuryrPort. Of the four of kuryr, the handlers for Services, namespaces and network policies write the others, and these are
 * off here. It has no status subresource: kuryr writes the status with the object (controller/handlers/vif.py), and the API server would drop it.
 */
const kuryrPortDefinition = (): PlannedObject => ({
  object: {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'kuryrports.openstack.org', labels: { ...OWN_LABELS } },
    spec: {
      group: 'openstack.org',
      scope: 'Namespaced',
      names: {
        plural: 'kuryrports',
        singular: 'kuryrport',
        kind: 'KuryrPort',
        listKind: 'KuryrPortList',
        shortNames: ['kp'],
      },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          additionalPrinterColumns: [{ name: 'Node', type: 'string', jsonPath: '.spec.podNodeName' }],
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  required: ['podUid', 'podNodeName'],
                  properties: {
                    podUid: { type: 'string' },
                    podNodeName: { type: 'string' },
                    podStatic: { type: 'boolean' },
                  },
                },
                status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
              },
            },
          },
        },
      ],
    },
  },
  apply: 'create',
  id: 'kuryrports',
  // with it, every KuryrPort would be deleted, and no controller would be there to release its port
  retain: true,
  force: true,
});

const EVENTS = { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create'] };

/** The rules of both accounts, as generate_kuryr_service_account in devstack/lib/kuryr_kubernetes of release 10.0.0 has them. */
const RULES: Readonly<Record<string, readonly PlainMap[]>> = {
  [CONTROLLER]: [
    { apiGroups: [''], resources: ['endpoints', 'pods', 'services', 'services/status', 'namespaces'], verbs: ['*'] },
    { apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch'] },
    {
      apiGroups: ['openstack.org'],
      resources: ['kuryrnetworks', 'kuryrnetworkpolicies', 'kuryrloadbalancers', 'kuryrports'],
      verbs: ['*'],
    },
    {
      apiGroups: ['networking.k8s.io'],
      resources: ['networkpolicies'],
      verbs: ['get', 'list', 'watch', 'update', 'patch'],
    },
    { apiGroups: ['k8s.cni.cncf.io'], resources: ['network-attachment-definitions'], verbs: ['get'] },
    EVENTS,
  ],
  [CNI]: [
    { apiGroups: [''], resources: ['pods'], verbs: ['*'] },
    { apiGroups: ['openstack.org'], resources: ['kuryrports'], verbs: ['*'] },
    EVENTS,
  ],
};

/** The accounts of controller and daemon, with what each may do. */
function accounts(namespace: string): PlannedObject[] {
  return Object.entries(RULES).flatMap(([name, rules]): PlannedObject[] => {
    const planned = (object: KubernetesObject): PlannedObject => ({ object, apply: 'create', id: name });
    const labels = { ...OWN_LABELS };
    const rbac = 'rbac.authorization.k8s.io';
    return [
      planned({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace, labels } }),
      planned({ apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name, labels }, rules }),
      planned({
        apiVersion: `${rbac}/v1`,
        kind: 'ClusterRoleBinding',
        metadata: { name: `${name}-global`, labels },
        subjects: [{ kind: 'ServiceAccount', name, namespace }],
        roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
      }),
    ];
  });
}

/** What the objects of one installation depend on. */
export interface KuryrFiles {
  readonly namespace: string;
  readonly images: KuryrImages;
  readonly secretName: string;
  readonly conf: string;
  readonly conflist: string;
  readonly caCertificates?: string | undefined;
}

/** Everything that is no secret. */
const configMap = ({ namespace, conf, conflist, caCertificates }: KuryrFiles): PlannedObject => ({
  object: {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: CONFIG, namespace, labels: { ...OWN_LABELS } },
    data: {
      [CONF_FILE]: conf,
      [CONFLIST_FILE]: conflist,
      ...(caCertificates === undefined ? {} : { [CA_FILE]: caCertificates }),
    },
  },
  apply: 'create',
  id: 'config',
});

/** A node is not ready before its CNI is, and the taint of control planes has its newer name. */
const TOLERATIONS = [
  { key: 'node-role.kubernetes.io/control-plane', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoSchedule' },
];

const probe = (path: string, port: number, seconds: PlainMap): PlainMap => ({ httpGet: { path, port }, ...seconds });
const folder = (name: string, path: string, type: string): PlainMap => ({ name, hostPath: { path, type } });
/** One of the images, which may be unknown on its own or with the other. */
const imageOf = (images: KuryrImages, name: keyof KuryrImages): string =>
  compute(images, (known) => known[name], isUnknown(images) ? images : images[name]);

const item = (key: string): PlainMap => ({ key, path: key });

const template = (labels: PlainMap, spec: PlainMap): PlainMap => ({
  metadata: { labels },
  spec: { hostNetwork: true, tolerations: TOLERATIONS, ...spec },
});

/** A workload with the hash of its configuration: another configuration is another Pod, because kuryr reads it only when it starts. */
function withConfigHash(object: PlainMap, { conf, conflist, caCertificates }: KuryrFiles): PlainMap {
  const at = ['spec', 'template', 'metadata', 'annotations'];
  const hash = compute([conf, conflist, caCertificates ?? ''], (known) => sha256Of(known.join('\n')));
  return withChangeAt(object, at, (annotations) => ({ ...annotations, 'checksum/config': hash }));
}

/** The controller, of which there is one: its election of a leader needs an image that is gone. */
function controller(files: KuryrFiles): KubernetesObject {
  const labels = { name: CONTROLLER };
  const { namespace, images, secretName, caCertificates } = files;
  const items = [CONF_FILE, ...(caCertificates === undefined ? [] : [CA_FILE])].map(item);
  const sources = [
    { configMap: { name: CONFIG, items } },
    { secret: { name: secretName, items: [item(CREDENTIALS_FILE)] } },
  ];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: CONTROLLER, namespace, labels: { ...OWN_LABELS, ...labels } },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
      template: template(labels, {
        serviceAccountName: CONTROLLER,
        priorityClassName: 'system-cluster-critical',
        containers: [
          {
            name: 'controller',
            image: imageOf(images, 'controller'),
            command: ['kuryr-k8s-controller', '--config-dir', CONF_FOLDER],
            volumeMounts: [{ name: 'config', mountPath: CONF_FOLDER, readOnly: true }],
            readinessProbe: probe('/ready', 8082, { timeoutSeconds: 5 }),
            livenessProbe: probe('/alive', 8082, { initialDelaySeconds: 15 }),
          },
        ],
        volumes: [{ name: 'config', projected: { sources } }],
      }),
    },
  };
}

/** The daemon, which connects the Pods of its node, and installs the CNI plugin. */
function daemon(files: KuryrFiles): KubernetesObject {
  const labels = { app: CNI, tier: 'node' };
  const { namespace, images } = files;
  const field = (name: string, fieldPath: string): PlainMap => ({ name, valueFrom: { fieldRef: { fieldPath } } });
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'kuryr-cni-ds', namespace, labels: { ...OWN_LABELS, ...labels } },
    spec: {
      selector: { matchLabels: { app: CNI } },
      template: template(labels, {
        serviceAccountName: CNI,
        priorityClassName: 'system-node-critical',
        containers: [
          {
            name: CNI,
            image: imageOf(images, 'cni'),
            command: ['cni_ds_init'],
            env: [field('KUBERNETES_NODE_NAME', 'spec.nodeName'), field('KURYR_CNI_POD_NAME', 'metadata.name')],
            securityContext: { privileged: true },
            volumeMounts: [
              { name: 'bin', mountPath: '/opt/cni/bin' },
              { name: 'net-conf', mountPath: '/etc/cni/net.d' },
              { name: 'config', mountPath: CONF_FOLDER, readOnly: true },
              { name: 'conflist', mountPath: CONFLIST_FOLDER, readOnly: true },
              { name: 'proc', mountPath: '/host_proc' },
              { name: 'var-run', mountPath: '/var/run', mountPropagation: 'HostToContainer' },
            ],
            readinessProbe: probe('/ready', 8090, { initialDelaySeconds: 60, timeoutSeconds: 10 }),
            livenessProbe: probe('/alive', 8090, { initialDelaySeconds: 60 }),
          },
        ],
        volumes: [
          folder('bin', '/opt/cni/bin', 'DirectoryOrCreate'),
          folder('net-conf', '/etc/cni/net.d', 'DirectoryOrCreate'),
          { name: 'config', configMap: { name: CONFIG, items: [item(CONF_FILE)] } },
          { name: 'conflist', configMap: { name: CONFIG, items: [item(CONFLIST_FILE)] } },
          folder('proc', '/proc', 'Directory'),
          folder('var-run', '/var/run', 'Directory'),
        ],
      }),
    },
  };
}

/** Attributes of kuryr-kubernetes. */
export interface KuryrAttributes {
  /** The Secret with the credentials. */
  readonly secret: SecretReference;
}

/**
 * Plans kuryr-kubernetes as the CNI of the regular nodes of a cluster.
 *
 * @throws {@link EdgeError} with all problems at once; none shows a credential
 */
export function planKuryrKubernetes(props: KuryrKubernetesProps, scope: Scope): Plan<KuryrAttributes> {
  const subject = `KuryrKubernetes ${scope.path}`;
  const problems = problemsOf(scope);
  checkKuryr(props, problems);
  problems.throwIfAny(subject);
  const { cluster, namespace = 'kube-system', keystone, inManifest = false, portmap = true, caCertificates } = props;
  const { project, podSubnet, podSecurityGroups, vifDriver, ovsBridge, workerSubnets, linkInterface, pool } = props;
  const secretName = props.secretName ?? 'kuryr-credentials';
  const input = {
    ...{ project, podSubnet, podSecurityGroups, vifDriver, ovsBridge, workerSubnets, linkInterface, pool },
    apiServer: cluster.apiServer as string,
    hasCertificates: caCertificates !== undefined,
  };
  const files = {
    ...{ namespace, images: props.images, secretName, caCertificates },
    conf: compute(input, kuryrConf),
    conflist: compute(portmap, conflist),
  };
  const secret =
    keystone &&
    sayRetired({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: secretName, namespace, labels: { ...OWN_LABELS } },
      type: 'Opaque',
      stringData: { [CREDENTIALS_FILE]: compute(keystone, credentialsConf) },
    });
  const before: PlannedObject[] = [
    ...[
      ...(props.definition === 'external' ? [] : [kuryrPortDefinition()]),
      ...accounts(namespace),
      configMap(files),
    ].map((planned) => ({ ...planned, object: sayRetired(planned.object) })),
    ...(secret === undefined || !inManifest ? [] : [{ object: secret, apply: 'create' as const, id: 'credentials' }]),
  ];
  const pools = declaredHostNetworkPools(scope, cluster);
  // neither waits until the other is ready
  const workloads = [controller(files), daemon(files)].map((object): PlannedObject => ({
    object: withConfigHash(
      excludeWorkload(cluster, { ...sayRetired(object) }, pools, problems)?.manifest ?? {},
      files,
    ) as KubernetesObject,
    apply: 'create',
    id: object.kind.toLowerCase(),
    after: before,
  }));
  problems.throwIfAny(subject);
  return {
    subject,
    objects: [...before, ...workloads],
    cluster,
    attributes: { secret: { name: secretName, namespace } },
    warnings: [],
    artifacts: secret === undefined || inManifest ? [] : [secretFile(secret)],
  };
}

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
function checkKuryr(props: KuryrKubernetesProps, problems: ProblemList): void {
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

import type { PlannedObject } from '../cluster/plan.js';
import { OWN_LABELS } from '../kubernetes/labels.js';
import type { KubernetesObject } from '../kubernetes/object.js';
import { sha256Of } from '../base/content-hash.js';
import { type PlainMap, withChangeAt } from '../base/plain-data.js';
import { compute, isUnknown } from '../base/unknown.js';
import { CA_FILE, CONF_FILE, CONF_FOLDER, CONFLIST_FILE, CONFLIST_FOLDER, CREDENTIALS_FILE } from './kuryr-conf.js';
import type { KuryrImages } from './kuryr-props.js';

const CONTROLLER = 'kuryr-controller';
const CNI = 'kuryr-cni';
const CONFIG = 'kuryr-config';

/** The object with an annotation that whoever finds it in a cluster can read. */
export const sayRetired = <O extends KubernetesObject>(object: O): O => ({
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
export const kuryrPortDefinition = (): PlannedObject => ({
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
export function accounts(namespace: string): PlannedObject[] {
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
export const configMap = ({ namespace, conf, conflist, caCertificates }: KuryrFiles): PlannedObject => ({
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
export function withConfigHash(object: PlainMap, { conf, conflist, caCertificates }: KuryrFiles): PlainMap {
  const at = ['spec', 'template', 'metadata', 'annotations'];
  const hash = compute([conf, conflist, caCertificates ?? ''], (known) => sha256Of(known.join('\n')));
  return withChangeAt(object, at, (annotations) => ({ ...annotations, 'checksum/config': hash }));
}

/** The controller, of which there is one: its election of a leader needs an image that is gone. */
export function controller(files: KuryrFiles): KubernetesObject {
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
export function daemon(files: KuryrFiles): KubernetesObject {
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

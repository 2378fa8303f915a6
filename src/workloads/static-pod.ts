import { ProblemList, type EdgeWarning, joinPath } from '../base/errors.js';
import { isAbsent, itemsOf, mapsIn } from '../kubernetes/field-values.js';
import { isMap, mapAt, type PlainMap, valueAt } from '../base/plain-data.js';
import { CONTAINER_FIELDS } from './containers.js';
import { DeclarationKind, type Scope } from '../cluster/scope.js';
import { objectKind } from '../kubernetes/group-kind.js';
import { STATIC_POD_ANNOTATION } from '../kubernetes/labels.js';
import { readWorkload } from '../kubernetes/object-input.js';
import type { NodePoolAttributes } from '../pools/node-pool.js';
import { sha256Of } from '../base/content-hash.js';
import { printManifests } from '../base/yaml-print.js';
import { showValue } from '../base/properties.js';
import { checkDeclaredWorkload } from './workload-shape.js';
import { hostNetworkPods } from './host-network-pods.js';
import type { PortClaim } from './host-ports.js';

// What kubelet refuses in a static Pod, or ignores, or cannot have without an API server (pkg/api/pod/util.go HasAPIObjectReference of Kubernetes 1.36;
// older kubelets start such a Pod and wait for the object forever).

/** What is refused, and what to write instead. */
interface Refused {
  readonly what: string;
  readonly instead: string;
}

const A_FILE =
  'write a file of the join (files), or have one on the machine, and mount it: hostPath: { path, type: File }';
const A_VALUE = 'write the value, or a file of the join (files) that the container reads by a hostPath volume';
const A_FOLDER = "write hostPath: { path: '/var/lib/…', type: 'DirectoryOrCreate' }: the data is on the machine anyway";
const A_KEY = 'give the program a certificate or a kubeconfig as a file on the machine, and mount it by hostPath';

/** Fields of a Pod spec. */
const FIELDS: Readonly<Record<string, Refused>> = {
  serviceAccountName: { what: 'a service account', instead: `leave it out; ${A_KEY}` },
  serviceAccount: { what: 'a service account', instead: `leave it out; ${A_KEY}` },
  imagePullSecrets: {
    what: 'Secrets for images',
    instead:
      'leave it out: import the image from a folder (machineSettings.imageFolder), or give the runtime the password on the machine',
  },
  resourceClaims: { what: 'resource claims', instead: 'leave it out; a device is there as a hostPath volume' },
  ephemeralContainers: { what: 'ephemeral containers', instead: 'leave it out; crictl exec looks into a container' },
  schedulingGates: { what: 'scheduling gates', instead: 'leave it out: no scheduler sees it' },
  // kuberuntime_sandbox.go asks the lister of the API server (pkg/kubelet/runtimeclass), and makes no sandbox without an answer
  runtimeClassName: {
    what: 'a RuntimeClass, whose handler kubelet asks the API server for',
    instead: 'leave it out: a static Pod runs with the default runtime of the machine',
  },
  readinessGates: { what: 'readiness gates', instead: 'leave it out, and write a readinessProbe' },
};

/** What selects nodes. kubelet starts a static Pod wherever its file is, and refuses one whose node affinity its labels do not match. */
const SELECTS: readonly string[] = ['nodeName', 'nodeSelector', 'affinity', 'topologySpreadConstraints'];

const VOLUMES: Readonly<Record<string, Refused>> = {
  configMap: { what: 'a ConfigMap', instead: A_FILE },
  secret: { what: 'a Secret', instead: A_FILE },
  persistentVolumeClaim: { what: 'a PersistentVolumeClaim', instead: A_FOLDER },
  ephemeral: { what: 'an ephemeral PersistentVolumeClaim', instead: A_FOLDER },
  csi: { what: 'a CSI volume', instead: A_FOLDER },
  glusterfs: { what: 'Endpoints of GlusterFS', instead: A_FOLDER },
  azureFile: { what: 'a Secret of Azure', instead: A_FOLDER },
};

const SOURCES: Readonly<Record<string, Refused>> = {
  configMap: { what: 'a ConfigMap', instead: A_FILE },
  secret: { what: 'a Secret', instead: A_FILE },
  serviceAccountToken: { what: 'a token of a service account', instead: A_KEY },
  clusterTrustBundle: { what: 'a ClusterTrustBundle', instead: A_FILE },
  podCertificate: { what: 'a Pod certificate', instead: A_KEY },
};

const VALUES: Readonly<Record<string, Refused>> = {
  configMapKeyRef: { what: 'a ConfigMap', instead: A_VALUE },
  secretKeyRef: { what: 'a Secret', instead: A_FILE },
  configMapRef: { what: 'a ConfigMap', instead: A_VALUE },
  secretRef: { what: 'a Secret', instead: A_FILE },
};

/** Metadata. */
const METADATA: Readonly<Record<string, Refused>> = {
  ownerReferences: { what: 'an owner', instead: 'leave it out: it is there as long as its file is' },
  finalizers: { what: 'finalizers', instead: 'leave it out: it ends when its file goes' },
};

/** Refuses metadata that a file cannot have. @param metadata as it was given */
function checkStaticPodMetadata(metadata: PlainMap, problems: ProblemList): void {
  refuse(metadata, METADATA, problems);
}

/** Whether a field says anything: an empty list or map does not. */
function isGiven(value: unknown): boolean {
  return !isAbsent(value) && value !== '' && !(typeof value === 'object' && Object.keys(value).length === 0);
}

function refuse(map: PlainMap, table: Readonly<Record<string, Refused>>, problems: ProblemList): void {
  for (const [field, { what, instead }] of Object.entries(table)) {
    if (isGiven(map[field])) {
      problems
        .at(field)
        .add('EDGE_STATIC_POD', `a static Pod cannot have ${what}: it starts without an API server`, instead);
    }
  }
}

function eachIn(
  map: PlainMap,
  field: string,
  problems: ProblemList,
  visit: (item: PlainMap, at: ProblemList) => void,
): void {
  mapsIn(map, field).forEach(([index, item]) => visit(item, problems.at(field, index)));
}

/** Refuses what a static Pod cannot have. @param spec the Pod spec as it was given */
function checkStaticPodSpec(spec: PlainMap, problems: ProblemList): void {
  refuse(spec, FIELDS, problems);
  for (const field of SELECTS.filter((name) => isGiven(spec[name]))) {
    problems
      .at(field)
      .add(
        'EDGE_STATIC_POD',
        'a static Pod is not scheduled: it runs on every machine of the join, and kubelet refuses one whose node affinity does not match the labels that it has without an API server',
        'leave it out; for some machines of a pool write another NodeJoin. A HostNetworkWorkload gets its node affinity by itself: give the workload, not its manifest',
      );
  }
  if (spec.automountServiceAccountToken === true) {
    problems
      .at('automountServiceAccountToken')
      .add('EDGE_STATIC_POD', 'a static Pod has no token of a service account', `leave it out; ${A_KEY}`);
  }
  if (spec.dnsPolicy === 'ClusterFirstWithHostNet') {
    const hint = "leave it out: 'Default', the resolv.conf of the node, is written here";
    problems.at('dnsPolicy').add('EDGE_STATIC_POD', 'a static Pod starts while no cluster DNS is reachable', hint);
  }
  eachIn(spec, 'volumes', problems, (volume, at) => {
    refuse(volume, VOLUMES, at);
    eachIn(mapAt(volume, 'projected'), 'sources', at.at('projected'), (source, of) => refuse(source, SOURCES, of));
  });
  for (const field of CONTAINER_FIELDS) {
    eachIn(spec, field, problems, (container, at) => {
      eachIn(container, 'envFrom', at, (source, of) => refuse(source, VALUES, of));
      eachIn(container, 'env', at, (variable, of) => {
        if (isMap(variable.valueFrom)) {
          refuse(variable.valueFrom, VALUES, of.at('valueFrom'));
        }
      });
      if (isGiven(mapAt(container, 'resources').claims)) {
        refuse({ resourceClaims: mapAt(container, 'resources').claims }, FIELDS, at.at('resources', 'claims'));
      }
    });
  }
}

/** A workload as a static Pod: kubelet starts it from a file, without an API server. */
export interface StaticPod {
  /** `<namespace>-<name>` */
  readonly fileName: string;
  /** The manifest, as an object. */
  readonly pod: PlainMap;
  /** The manifest, as YAML. */
  readonly text: string;
  readonly warnings: readonly EdgeWarning[];
  readonly claim: PortClaim;
}

/** A mirror Pod is named `<name>-<node>`, and the name of a node is at most 63 characters. */
const LONGEST_NAME = 253 - 1 - 63;

/** What concerns a controller, a scheduler or a token, of which a static Pod has none. */
const NOT_HERE: readonly string[] = [
  'EDGE_API_SERVER',
  'EDGE_AUTONOMY',
  'EDGE_IMMUTABLE',
  'EDGE_REPLICAS',
  'EDGE_ROLLOUT',
];

/**
 * The static Pod of a workload on the nodes of a pool: a Pod, or the Pod of a DaemonSet. It has no node affinity and no tolerations of the pool, because no
 * scheduler sees it, and kubelet would compare the affinity with labels that a node does not have without an API server.
 */
export function staticPodOf(pool: NodePoolAttributes, given: unknown, problems: ProblemList): StaticPod | undefined {
  const before = problems.problems.length;
  const workload = readWorkload(given, problems);
  if (workload === undefined) {
    return undefined;
  }
  const { groupKind } = objectKind(workload);
  if (groupKind !== 'Pod' && groupKind !== 'DaemonSet.apps') {
    problems
      .at('kind')
      .add(
        'EDGE_STATIC_POD',
        `a ${showValue(workload.kind)} cannot be a static Pod, of which one runs on every machine of the join`,
        'write a DaemonSet or a Pod',
      );
    return undefined;
  }
  checkDeclaredWorkload(pool.cluster, workload, problems);
  const path = groupKind === 'Pod' ? [] : ['spec', 'template'];
  const template = path.length === 0 ? workload : (valueAt(workload, path) as PlainMap | undefined);
  const spec = isMap(template) ? mapAt(template, 'spec') : {};
  checkName(mapAt(workload, 'metadata'), problems.at('metadata'));
  checkStaticPodMetadata(mapAt(workload, 'metadata'), problems.at('metadata'));
  checkStaticPodSpec(spec, problems.at(...path, 'spec'));
  if (problems.problems.length > before) {
    return undefined;
  }
  const inner = new ProblemList();
  const result = hostNetworkPods(pool.cluster, [pool], workload, {}, inner);
  const warned = result?.warnings ?? [];
  const services = warned.filter(({ code }) => code === 'EDGE_CLUSTER_SERVICE');
  for (const problem of [...inner.problems, ...services]) {
    problems.problems.push({ ...problem, path: inList(problems.path, problem.path) });
  }
  if (result === undefined || problems.problems.length > before) {
    return undefined;
  }
  const made = podFrom(workload, valueAt(result.manifest, path) as PlainMap, spec);
  const [namespace, name] = [mapAt(made, 'metadata').namespace, mapAt(made, 'metadata').name].map(String);
  return {
    fileName: `${namespace}-${name}`,
    pod: made,
    text: printManifests([made]),
    warnings: [
      ...warned
        .filter((warning) => !NOT_HERE.includes(warning.code) && !services.includes(warning))
        .map((warning) => ({ ...warning, path: inList(problems.path, warning.path) })),
      ...pullWarnings(spec, problems.at(...path, 'spec')),
    ],
    claim: {
      ...result.claim,
      demand: 'every node',
      nodeSelector: {},
      workload: `the static Pod ${namespace}/${name}`,
    },
  };
}

/** A path in the workload as a path in the list that has it. */
function inList(base: string, path: string): string {
  const rest = path.replace(/^workload(?=$|[.[])\.?/, '');
  return rest === '' ? base : rest.startsWith('[') ? `${base}${rest}` : `${base}.${rest}`;
}

function checkName({ name }: PlainMap, problems: ProblemList): void {
  if (typeof name !== 'string') {
    problems.add('EDGE_MISSING', 'a static Pod needs a name', "write metadata: { name: 'agent', namespace: 'edge' }");
  } else if (name.length > LONGEST_NAME) {
    const message = `the name has ${name.length} characters, and kubelet appends the name of the node`;
    problems.at('name').add('EDGE_NAME', message, `write at most ${LONGEST_NAME}`);
  }
}

/** What was added for a scheduler. */
const OF_SCHEDULER: readonly string[] = ['affinity', 'nodeSelector', 'tolerations'];

/** Metadata of the template, with the name of the workload; the annotation has the hash of all the rest, which the mirror Pod shows. */
function podFrom(workload: PlainMap, template: PlainMap, given: PlainMap): PlainMap {
  const { name, namespace = 'default' } = mapAt(workload, 'metadata');
  const { labels, annotations } = mapAt(template, 'metadata');
  const spec = Object.fromEntries(
    Object.entries(mapAt(template, 'spec')).filter(([field]) => !OF_SCHEDULER.includes(field)),
  );
  const { tolerations } = given;
  const made = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, ...(isMap(labels) ? { labels } : {}) },
    spec: {
      ...spec,
      ...(tolerations === undefined ? {} : { tolerations }),
      ...Object.fromEntries(
        CONTAINER_FIELDS.flatMap((field) => (Array.isArray(spec[field]) ? [[field, spec[field].map(pulledOnce)]] : [])),
      ),
    },
  };
  const own = isMap(annotations) ? annotations : {};
  const hash = sha256Of(JSON.stringify([made, own])).slice(0, 10);
  return { ...made, metadata: { ...made.metadata, annotations: { ...own, [STATIC_POD_ANNOTATION]: hash } } };
}

/** Without a policy an image with the tag latest is pulled at every start, which fails without a network. */
function pulledOnce(container: unknown): unknown {
  return isMap(container) && (container.imagePullPolicy ?? '') === ''
    ? { ...container, imagePullPolicy: 'IfNotPresent' }
    : container;
}

function pullWarnings(spec: PlainMap, at: ProblemList): EdgeWarning[] {
  return CONTAINER_FIELDS.flatMap((field) =>
    itemsOf(spec[field]).flatMap((container, index) =>
      isMap(container) && container.imagePullPolicy === 'Always'
        ? [
            {
              code: 'EDGE_STATIC_POD' as const,
              path: joinPath(at.at(field, index).path, 'imagePullPolicy'),
              message:
                'Always: after a reboot without a network, kubelet cannot pull the image, and does not start the container',
              hint: "leave it out: 'IfNotPresent' is written here; another version of the image is another tag",
            },
          ]
        : [],
    ),
  );
}

/** The static Pods that the joins of a pool write, by their files without `.yaml`; undefined if not all are known. */
const RESIDENT = new DeclarationKind<ReadonlySet<string> | undefined>('static Pods of pools');

/** Records the static Pods that a join writes on the nodes of a pool. */
export function noteStaticPods(
  { declared }: Scope,
  { cluster, poolName }: NodePoolAttributes,
  files: ReadonlySet<string> | undefined,
): void {
  const known = declared.of(cluster, RESIDENT);
  const earlier = known.has(poolName) ? known.get(poolName) : new Set<string>();
  known.set(poolName, earlier && files && new Set([...earlier, ...files]));
}

/** Names of the pools whose joins write no static Pod with a file; those without a join in this program may have it from elsewhere. */
export function poolsWithout(file: string, pools: readonly NodePoolAttributes[], { declared }: Scope): string[] {
  return pools
    .filter(({ cluster, poolName }) => declared.of(cluster, RESIDENT).get(poolName)?.has(file) === false)
    .map(({ poolName }) => poolName);
}

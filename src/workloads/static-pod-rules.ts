import type { ProblemList } from '../errors.js';
import { isAbsent } from '../kubernetes/field-values.js';
import { isMap, mapAt, type PlainMap } from '../validation/plain-data.js';
import { CONTAINER_FIELDS } from './containers.js';

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
export function checkStaticPodMetadata(metadata: PlainMap, problems: ProblemList): void {
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
  const list = map[field];
  (Array.isArray(list) ? (list as unknown[]) : []).forEach((item, index) => {
    if (isMap(item)) {
      visit(item, problems.at(field, index));
    }
  });
}

/** Refuses what a static Pod cannot have. @param spec the Pod spec as it was given */
export function checkStaticPodSpec(spec: PlainMap, problems: ProblemList): void {
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
    problems
      .at('dnsPolicy')
      .add(
        'EDGE_STATIC_POD',
        'a static Pod starts while no cluster DNS is reachable',
        "leave it out: 'Default', the resolv.conf of the node, is written here",
      );
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

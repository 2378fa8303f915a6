import { holdsUnresolved, isAbsent } from '../kubernetes/field-values.js';
import { isDnsLabel } from '../kubernetes/names.js';
import { Quantity } from '../kubernetes/quantity.js';
import { fieldsOfType } from '../kubernetes/workload-fields.js';
import { isMap, mapAt } from '../validation/plain-data.js';
import { checkOneOf, quoted } from '../validation/properties.js';
import { CONTAINER_FIELDS } from './containers.js';
import { between, formed, has, known, mapsIn, mode, needs, oneOf, onlyOne, type Rule, texts } from './rule-builders.js';

const FILE_MODE = mode('defaultMode');

function isQuantity(text: string): boolean {
  return Quantity.parse(text) !== undefined;
}

const isRelative = (path: string): boolean => !path.startsWith('/') && !path.split('/').includes('..');
const hasNoWayBack = (path: string): boolean => !path.split('/').includes('..');

const checkSources: Rule = (part, problems) => {
  const sources = Object.keys(part).filter(
    (field) => field !== 'name' && has(part, field) && fieldsOfType('Volume').has(field),
  );
  if (sources.length > 1) {
    problems.add(
      'EDGE_CONTRADICTION',
      `conflicting settings: a volume has ${sources.join(' and ')}`,
      'write one of them',
    );
  }
};

/** Without these no claim is made; from Kubernetes 1.36 on the workload is refused (core validation ValidatePersistentVolumeClaimSpec). */
const checkClaim: Rule = (claim, problems) => {
  const modes = claim.accessModes;
  if (isAbsent(modes) || (Array.isArray(modes) && modes.length === 0)) {
    problems.at('accessModes').add('EDGE_MISSING', 'a claim needs accessModes', "write accessModes: ['ReadWriteOnce']");
  } else if (Array.isArray(modes) && !holdsUnresolved(modes)) {
    modes.forEach((each: unknown, index) => checkOneOf(each ?? null, ACCESS_MODES, problems.at('accessModes', index)));
  }
  const { resources } = claim;
  if (holdsUnresolved(resources)) {
    return;
  }
  const { storage } = mapAt(mapAt(claim, 'resources'), 'requests');
  const at = problems.at('resources', 'requests', 'storage');
  if (isAbsent(storage)) {
    at.add('EDGE_MISSING', 'a claim needs its size', "write resources: { requests: { storage: '1Gi' } }");
  } else if (typeof storage === 'string' && !isQuantity(storage)) {
    at.add('EDGE_QUANTITY', `${quoted(storage)} is not a quantity`, "write '500Mi' or '1Gi'");
  } else if (
    (typeof storage === 'string' || typeof storage === 'number') &&
    (Quantity.parse(String(storage))?.nano ?? 1n) <= 0n
  ) {
    at.add('EDGE_QUANTITY', 'a claim is of more than 0', "write '500Mi' or '1Gi'");
  }
};

/** Files of the Pod that a volume can have (core validation validVolumeDownwardAPIFieldPathExpressions). */
const FILE_PATH = /^metadata\.(?:name|namespace|uid|(?:labels|annotations)(?:\['[^']+'\])?)$/;

const checkFile: Rule = (file, problems) => {
  const path = isMap(file.fieldRef) ? known(file.fieldRef, 'fieldPath') : undefined;
  if (typeof path === 'string' && path !== '' && !FILE_PATH.test(path)) {
    problems
      .at('fieldRef', 'fieldPath')
      .add('EDGE_VALUE', `a file cannot have ${quoted(path)}`, "write 'metadata.labels', or give it to a variable");
  }
  // of a variable it is that of its own container
  if (isMap(file.resourceFieldRef)) {
    needs(
      'an amount in a file',
      'containerName',
      'write the name of a container',
    )(file.resourceFieldRef, problems.at('resourceFieldRef'));
  }
};

/** Devices of volumes that are not claims (core validation ValidateVolumeDevices). */
export const checkDevices: Rule = (pod, problems) => {
  const volumes = new Map(mapsIn(pod, 'volumes').map(([, volume]) => [volume.name, volume]));
  for (const field of CONTAINER_FIELDS) {
    for (const [index, container] of mapsIn(pod, field)) {
      for (const [at, device] of mapsIn(container, 'volumeDevices')) {
        const volume = volumes.get(known(device, 'name'));
        const isClaim = ['persistentVolumeClaim', 'ephemeral'].some((source) => has(volume ?? {}, source));
        if (volume !== undefined && !isClaim && !holdsUnresolved(pod.volumes)) {
          problems
            .at(field, index, 'volumeDevices', at, 'name')
            .add('EDGE_VALUE', `${quoted(device.name)} is not a claim`, 'mount it by volumeMounts');
        }
      }
    }
  }
};

const ACCESS_MODES = ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'];

/** What the API server refuses in volumes and mounts (core validation validateVolumeSource, ValidateVolumeMounts), by type. */
export const VOLUME_RULES: Readonly<Record<string, readonly Rule[]>> = {
  VolumeMount: [
    formed('subPath', isRelative, 'is not a path in the volume', 'write it without "/" in front and without ".."'),
    onlyOne('a mount', ['subPath', 'subPathExpr']),
    texts('mountPropagation', 'None', 'HostToContainer', 'Bidirectional'),
  ],
  VolumeDevice: [needs('a device', 'devicePath', "write devicePath: '/dev/xvda'")],
  Volume: [
    checkSources,
    formed(
      'name',
      isDnsLabel,
      'is not a name of a volume',
      'write lower-case letters, digits and "-", at most 63',
      'EDGE_NAME',
    ),
  ],
  PersistentVolumeClaimSpec: [checkClaim],
  EmptyDirVolumeSource: [
    formed(
      'medium',
      (medium) => medium === 'Memory' || /^HugePages(?:-|$)/.test(medium),
      'is not a valid medium',
      "write 'Memory', or leave it out",
    ),
    formed(
      'sizeLimit',
      (size) => (Quantity.parse(size)?.nano ?? -1n) >= 0n,
      'is not a size',
      "write '500Mi' or '1Gi'",
      'EDGE_QUANTITY',
    ),
  ],
  HostPathVolumeSource: [
    texts('type', 'DirectoryOrCreate', 'Directory', 'FileOrCreate', 'File', 'Socket', 'CharDevice', 'BlockDevice'),
    formed('path', hasNoWayBack, 'contains ".."', 'write the path without ".."'),
    needs('a hostPath', 'path', "write path: '/var/lib/app'"),
  ],
  SecretVolumeSource: [FILE_MODE, needs('the volume', 'secretName', 'write the name of a Secret')],
  ConfigMapVolumeSource: [FILE_MODE, needs('the volume', 'name', 'write the name of a ConfigMap')],
  PersistentVolumeClaimVolumeSource: [needs('the volume', 'claimName', 'write the name of a PersistentVolumeClaim')],
  NFSVolumeSource: [
    needs('NFS', 'server', "write server: 'nfs.example'"),
    needs('NFS', 'path', "write path: '/exports'"),
    formed('path', (path) => path.startsWith('/'), 'is not an absolute path', 'begin it with "/"'),
  ],
  CSIVolumeSource: [needs('CSI', 'driver', "write the name of a CSIDriver: 'nfs.csi.k8s.io'")],
  EphemeralVolumeSource: [
    needs(
      'the volume',
      'volumeClaimTemplate',
      "write { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } }",
    ),
  ],
  SecretProjection: [needs('the source', 'name', 'write the name of a Secret')],
  ConfigMapProjection: [needs('the source', 'name', 'write the name of a ConfigMap')],
  ServiceAccountTokenProjection: [
    needs('the token', 'path', "write path: 'token'"),
    between('expirationSeconds', 600, 2 ** 32, 'write 600 (ten minutes) or more'),
  ],
  VolumeProjection: [
    onlyOne('a source', [
      'clusterTrustBundle',
      'configMap',
      'downwardAPI',
      'podCertificate',
      'secret',
      'serviceAccountToken',
    ]),
  ],
  DownwardAPIVolumeFile: [
    needs('a file', 'path', "write path: 'labels'"),
    oneOf('a file', ['fieldRef', 'resourceFieldRef'], "write fieldRef: { fieldPath: 'metadata.labels' }"),
    onlyOne('a file', ['fieldRef', 'resourceFieldRef']),
    checkFile,
    mode('mode'),
  ],
  DownwardAPIVolumeSource: [FILE_MODE],
  ProjectedVolumeSource: [FILE_MODE],
  KeyToPath: [
    mode('mode'),
    needs('a file', 'key', 'write a key of the data'),
    needs('a file', 'path', 'write its path in the volume'),
    formed('path', isRelative, 'is not a path in the volume', 'write it without "/" in front and without ".."'),
  ],
};

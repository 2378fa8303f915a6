import type { ProblemList } from '../base/errors.js';
import { isAbsolutePath, pathProblem } from '../join/absolute-path.js';
import { checkLabels } from '../kubernetes/label-syntax.js';
import { showValue } from '../base/properties.js';
import { checkProperties, optional, type PropertyTable, wholeNumber } from '../base/property-table.js';
import { isUnknown } from '../base/unknown.js';
import type { EtcdAlerts, EtcdSnapshots } from './etcd-cluster-props.js';
import { FILE_PLACEHOLDER, UPLOAD_VARIABLES } from './etcd-maintenance.js';
import { ETCD_MOUNT } from './etcd-paths.js';
import { secretWords } from './upload-secrets.js';

/** A day has a whole number of them. */
const HOURS = [1, 2, 3, 4, 6, 8, 12, 24];

const SNAPSHOTS: PropertyTable<EtcdSnapshots> = {
  everyHours: optional((hours, problems) => {
    if (!HOURS.includes(hours as number)) {
      problems.add('EDGE_VALUE', `${showValue(hours)} hours do not divide a day`, `write one of ${HOURS.join(', ')}`);
    }
  }),
  keep: optional(wholeNumber(1, 10_000)),
  folder: optional(checkFolder),
  upload: optional(checkUpload),
};

/** Table of the properties of alerts. */
export const ALERTS: PropertyTable<EtcdAlerts> = {
  job: optional((job, problems) => {
    if (typeof job !== 'string' || !/^[\w./:-]+$/.test(job)) {
      problems.add('EDGE_VALUE', `${showValue(job)} is not the name of a job`, "write job: 'edge-etcd'");
    }
  }),
  labels: optional(checkLabels),
};

export function checkSnapshots(snapshots: Record<string, unknown>, problems: ProblemList): void {
  checkProperties<EtcdSnapshots>(snapshots, SNAPSHOTS, problems, {
    schedule: 'did you mean everyHours?',
    target: 'did you mean upload?',
  });
}

function checkFolder(folder: unknown, problems: ProblemList): void {
  if (!isAbsolutePath(folder)) {
    problems.add('EDGE_VALUE', `${showValue(folder)} ${pathProblem(folder)}`, "write '/var/lib/etcd-snapshots'");
  } else if (folder === ETCD_MOUNT || folder.startsWith(`${ETCD_MOUNT}/`)) {
    problems.add(
      'EDGE_VALUE',
      `${folder} is on the volume of the data, and is lost with it`,
      "write a folder on another disk, '/var/lib/etcd-snapshots'",
    );
  }
}

function checkUpload(upload: unknown, problems: ProblemList): void {
  const words: unknown[] = Array.isArray(upload) ? upload : [];
  checkSecrets(words, problems);
  const isCommand =
    words.length > 1 && words[0] !== '' && words.every((word) => typeof word === 'string' && !word.includes('\0'));
  if (!isCommand && !words.some(isUnknown)) {
    problems.add(
      'EDGE_TYPE',
      'upload must be a program and its arguments',
      `write ['cp', '${FILE_PLACEHOLDER}', '/mnt']`,
    );
  } else if (!words.some((word) => isUnknown(word) || (word as string).includes(FILE_PLACEHOLDER))) {
    problems.add(
      'EDGE_MISSING',
      `no argument has ${FILE_PLACEHOLDER}, the path of the snapshot`,
      `write ['aws', 's3', 'cp', '${FILE_PLACEHOLDER}', 's3://backups/']`,
    );
  }
}

/** User data can be read by every process of a machine. No message quotes the word. */
function checkSecrets(words: readonly unknown[], problems: ProblemList): void {
  for (const index of secretWords(words)) {
    problems
      .at(index)
      .add(
        'EDGE_VALUE',
        'this looks like a credential (value redacted), and every process on the machine can read the user data',
        `write it as NAME=value into ${UPLOAD_VARIABLES} of each member, where the command finds it in its environment`,
      );
  }
}

export function checkHour(hour: unknown, problems: ProblemList): void {
  if (typeof hour !== 'number' || !Number.isInteger(hour) || hour < 0 || hour > 23) {
    problems.add('EDGE_VALUE', `${showValue(hour)} is not an hour of the day`, 'write a whole number from 0 to 23');
  }
}

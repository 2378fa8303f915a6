import type { EdgeArtifact } from '../base/artifact.js';
import { gunzipBase64, gzipBase64 } from '../base/gzip.js';
import { compute, text } from '../base/unknown.js';
import type { EdgeWarning, ProblemList } from '../base/errors.js';
import { convertsNodes } from '../cluster/openyurt-capabilities.js';
import { isMap } from '../base/plain-data.js';
import { quoted } from '../base/properties.js';
import { macOf } from './join-machine-checks.js';
import type { NodeFile } from './node-file.js';
import type { JoinMachine, NodeJoinProps } from './node-join-props.js';
import { identityLines } from './machine-seed.js';
import { SERVICE_UNIT_NAME } from './join-service.js';
import {
  APPLIED_FILE,
  IDENTITY_FILE,
  RUN_FOLDER,
  SCRIPT_PATH,
  SERVICE_PATH,
  STATE_FOLDER,
  STATUS_FILE,
} from './node-paths.js';
import { timeServersFile } from './machine-settings.js';
import { itemsOf } from '../kubernetes/field-values.js';

const NETWORKD_FILE = '/etc/systemd/network/00-edge-nodepools.network';
const NETWORK_MANAGER_FILE = '/etc/NetworkManager/system-connections/edge-nodepools.nmconnection';

/** Files with the network of a machine. */
export const NETWORK_FILES: readonly string[] = [NETWORKD_FILE, NETWORK_MANAGER_FILE];

/**
 * The network of a machine, for machines without cloud-init: systemd-networkd (Flatcar) reads one file, NetworkManager
 * (Fedora CoreOS) the other. None without settings, because both use DHCP by default.
 */
export function networkFiles({ mac, address, gateway, nameservers = [] }: JoinMachine): Required<NodeFile>[] {
  const match = macOf(mac);
  if (match === undefined || (address === undefined && nameservers.length === 0)) {
    return [];
  }
  const networkd = [
    '[Match]',
    `MACAddress=${match}`,
    '[Network]',
    address === undefined ? 'DHCP=yes' : `Address=${address}`,
    ...(gateway === undefined ? [] : [`Gateway=${gateway}`]),
    ...nameservers.map((server) => `DNS=${server}`),
  ];
  const networkManager = [
    '[connection]',
    'id=edge-nodepools',
    'type=ethernet',
    '[ethernet]',
    `mac-address=${match}`,
    ...(['ipv4', 'ipv6'] as const).flatMap((family) => {
      const isOf = (ip: string): boolean => ip.includes(':') === (family === 'ipv6');
      const own = address !== undefined && isOf(address);
      return [
        `[${family}]`,
        // the default of each is DHCP and router advertisements, as networkd has it; a static network has no DHCP
        `method=${own ? 'manual' : family === 'ipv4' && address !== undefined ? 'disabled' : 'auto'}`,
        ...(own ? [`address1=${address}${gateway === undefined ? '' : `,${gateway}`}`] : []),
        ...(nameservers.some(isOf) ? [`dns=${nameservers.filter(isOf).join(';')};`] : []),
      ];
    }),
  ];
  return [
    { path: NETWORKD_FILE, content: `${networkd.join('\n')}\n`, permissions: '0644' },
    // NetworkManager ignores a file that others can read
    { path: NETWORK_MANAGER_FILE, content: `${networkManager.join('\n')}\n`, permissions: '0600' },
  ];
}

/** What an Ignition config is made of. */
export interface IgnitionInput {
  readonly files: readonly Required<NodeFile>[];
  /** Path of the file with the token, or with the placeholder for it. */
  readonly secretPath?: string;
  readonly hasService: boolean;
  /** NTP servers of all machines. */
  readonly ntpServers?: readonly string[];
}

const UNIT_FOLDER = '/etc/systemd/system';
const UNIT = 'edge-nodepools-boot.service';
const SERVICE_DROP_IN = '10-edge-nodepools.conf';

/** Files on the machine that only a join by Ignition has. */
export const IGNITION_FILES: readonly string[] = [
  `${UNIT_FOLDER}/${UNIT}`,
  `${UNIT_FOLDER}/multi-user.target.wants/${UNIT}`,
  `${UNIT_FOLDER}/${SERVICE_UNIT_NAME}.d/${SERVICE_DROP_IN}`,
];

export const HOST_NAME_FILE = '/etc/hostname';

/** Where the file with the token is until the join begins: Ignition runs before the system, whose /run is another
 * one. */
const FIRST_CONFIG = `${STATE_FOLDER}/first-join.yaml`;

/** Flatcar has programs that do not belong to its image in /opt/bin. */
const PATH = 'Environment=PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/bin';

/** The lowest version suffices, so that every Ignition from 2.0 on reads it. */
const BEGIN = '{"ignition":{"version":"3.0.0"},"storage":{"files":[';

/** An Ignition config with the files of the join and a unit that joins. It is one line, because providers limit its
 * size. */
export function ignitionConfig({ files, secretPath, hasService, ntpServers }: IgnitionInput): string {
  const all = [
    ...files.map((file) => (file.path === secretPath ? { ...file, path: FIRST_CONFIG } : file)),
    ...(ntpServers === undefined ? [] : [timeServersFile(ntpServers)]),
  ];
  const systemd = {
    units: [
      { name: UNIT, enabled: true, contents: lines(unitLines(hasService, secretPath)) },
      ...(hasService
        ? [{ name: SERVICE_UNIT_NAME, dropins: [{ name: SERVICE_DROP_IN, contents: lines(['[Service]', PATH]) }] }]
        : []),
    ],
  };
  // text in the place of the token can be replaced by another only if it is not compressed
  const parts = all.map((file) => fileOf(file, file.path !== FIRST_CONFIG));
  return `${BEGIN}${parts.join(',')}]},"systemd":${JSON.stringify(systemd)}}\n`;
}

const lines = (all: readonly string[]): string => `${all.join('\n')}\n`;

/**
 * The unit runs at every boot until everything is done, as cloud-init's hook does; with a service, until that has
 * begun. systemd would replace `$` and `%`.
 */
function unitLines(hasService: boolean, secretPath: string | undefined): string[] {
  return [
    '[Unit]',
    'Description=Joins this machine to its Kubernetes cluster',
    'Wants=network-online.target',
    'After=network-online.target time-sync.target containerd.service crio.service',
    `ConditionPathExists=${SCRIPT_PATH}`,
    `ConditionPathExists=!${hasService ? STATUS_FILE : APPLIED_FILE}`,
    '[Service]',
    'Type=oneshot',
    PATH,
    ...(secretPath === undefined
      ? []
      : [
          `ExecStartPre=/bin/sh -c 'if [ -e ${FIRST_CONFIG} ]; then umask 077 && mkdir -p ${RUN_FOLDER} && mv -f ${FIRST_CONFIG} ${secretPath}; fi'`,
        ]),
    `ExecStart=/bin/sh ${hasService ? `${SERVICE_PATH} start` : SCRIPT_PATH}`,
    // what a command of the user has started goes on
    'KillMode=process',
    '[Install]',
    'WantedBy=multi-user.target',
  ];
}

/** A file, in the shortest of the forms that Ignition reads. A file of the image is replaced. */
function fileOf({ path, content, permissions }: Required<NodeFile>, canPack = true): string {
  const plain = { source: `data:,${escaped(content)}` };
  const forms: { readonly source: string; readonly compression?: 'gzip' }[] = canPack
    ? [
        plain,
        { source: `data:;base64,${Buffer.from(content).toString('base64')}` },
        { source: `data:;base64,${gzipBase64(content)}`, compression: 'gzip' },
      ]
    : [plain];
  const [shortest] = forms.map((form) => JSON.stringify(form)).sort((a, b) => a.length - b.length);
  return `{"path":${JSON.stringify(path)},"mode":${Number.parseInt(permissions, 8)},"overwrite":true,"contents":${shortest}}`;
}

/** Every character but letters, digits and -_. is escaped (RFC 2397), so a token stays as it is. */
function escaped(content: string): string {
  return encodeURIComponent(content).replace(
    /[!~*'()]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** A text in which the files of an Ignition config are not encoded; what is not such a file stays as it is. */
export function readableText(config: string): string {
  return config.replace(
    /\{"source":"data:([^,"]*),([^"]*)"(,"compression":"gzip")?\}/g,
    (whole, type: string, data: string, packed?: string) => {
      try {
        return packed !== undefined
          ? gunzipBase64(data)
          : type.endsWith(';base64')
            ? Buffer.from(data, 'base64').toString()
            : decodeURIComponent(data);
      } catch {
        return whole;
      }
    },
  );
}

/**
 * A complete config for each machine, with its name, labels, network and NTP servers.
 *
 * @param shared the config of the join
 * @param timeServers of the join
 */
export function machineConfigs(
  machines: readonly JoinMachine[],
  folder: string,
  shared: Omit<EdgeArtifact, 'path'>,
  timeServers: readonly string[] | undefined,
): EdgeArtifact[] {
  return machines.map((machine) => ({
    ...shared,
    path: text`${folder}/${machine.name}.ign`,
    content: compute({ machine, timeServers, content: shared.content }, (known) => {
      const servers = known.machine.ntp ?? known.timeServers ?? [];
      const own: Required<NodeFile>[] = [
        { path: HOST_NAME_FILE, content: `${known.machine.name}\n`, permissions: '0644' },
        { path: IDENTITY_FILE, content: lines(identityLines(known.machine)), permissions: '0644' },
        ...(servers.length === 0 ? [] : [timeServersFile(servers)]),
        ...networkFiles(known.machine),
      ];
      return `${BEGIN}${own.map((file) => fileOf(file)).join(',')},${known.content.slice(BEGIN.length)}`;
    }),
  }));
}

/**
 * Folders that are read-only, in memory or links when the machine runs. Ignition runs before, and the machine does not
 * boot if it fails.
 */
const UNWRITABLE = /^(\/var)?\/(usr|bin|sbin|lib|lib64|run|tmp|dev|proc|sys)\//;

/** Checks what a join by Ignition cannot do; the properties themselves are checked elsewhere. */
export function checkIgnition(input: NodeJoinProps, problems: ProblemList): void {
  const { format, via, packages } = input;
  if (format !== 'ignition') {
    return;
  }
  if (via === 'yurtadm') {
    problems
      .at('via')
      .add(
        'EDGE_JOIN',
        'yurtadm installs programs in /usr, which is read-only where Ignition runs',
        convertsNodes(input.pool.cluster) ? "write via: 'label-driven'" : "write via: 'kubeadm'",
      );
  }
  if (packages !== undefined) {
    problems
      .at('packages')
      .add(
        'EDGE_JOIN',
        'Ignition installs no packages, and the systems that it sets up have neither apt nor dnf',
        'leave it out; put kubelet and kubeadm into the image or into a system extension (systemd-sysext)',
      );
  }
  checkPaths(input, problems);
}

/** Warns that OpenYurt cannot convert a node where /usr/local cannot be written (node-servant,
 * `pkg/node-servant/convert`). */
export function ignitionWarnings({ format, via, pool }: NodeJoinProps): EdgeWarning[] {
  return format !== 'ignition' || via === 'kubeadm' || !convertsNodes(pool.cluster) || pool.type !== 'Edge'
    ? []
    : [
        {
          code: 'EDGE_JOIN',
          path: 'format',
          message:
            'OpenYurt writes /usr/local/bin/yurthub on the nodes of an Edge pool, which Flatcar does not permit: the conversion fails, and the node stays cordoned',
          hint: 'use a system on which /usr/local can be written, such as Fedora CoreOS; or a Cloud pool, whose nodes are not converted',
        },
      ];
}

function checkPaths({ files, cniFolder, machines }: NodeJoinProps, problems: ProblemList): void {
  const own = new Set([...IGNITION_FILES, ...(machines === undefined ? [] : [HOST_NAME_FILE, ...NETWORK_FILES])]);
  const check = (path: unknown, at: ProblemList): void => {
    if (typeof path === 'string' && UNWRITABLE.test(`${path}/`)) {
      at.add(
        'EDGE_JOIN',
        `Ignition cannot leave ${quoted(path)} on a machine: the folder is read-only or in memory when it runs`,
        'write a path below /etc, /opt or /var; or write it with a command before the join',
      );
    } else if (typeof path === 'string' && own.has(path)) {
      at.add('EDGE_RESERVED_KEY', `${path} is reserved: managed by edge-nodepools`, 'write another path');
    }
  };
  itemsOf(files).forEach((file, index) => {
    check(isMap(file) ? file.path : undefined, problems.at('files', index, 'path'));
  });
  check(cniFolder, problems.at('cniFolder'));
}

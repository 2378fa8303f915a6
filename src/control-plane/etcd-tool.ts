import { quoteForShell } from '../base/shell.js';
import { shellScript } from '../base/shell-script.js';
import type { EtcdMember, EtcdSnapshots } from './etcd-cluster-props.js';
import { clientUrls, type EtcdSettings, initialCluster } from './etcd-config.js';
import { DEFAULT_SNAPSHOTS, FILE_PLACEHOLDER } from './etcd-maintenance.js';
import { CLIENT_PORT, hostAndPort, PEER_PORT, urlOf } from './etcd-paths.js';
import { shell } from './shell-parts.js';

/** The program of a member, `edge-etcd`: a POSIX script. Without a command it lists them. */
export function etcdTool(about: string, settings: EtcdSettings, member: EtcdMember): string {
  const { name, members, download, snapshots: { folder, keep, upload } = {} } = settings;
  const others = members.filter((other) => other.name !== member.name);
  return shellScript({
    comments: [about],
    variables: {
      cluster: name,
      member: member.name,
      address: member.address,
      device: member.device,
      filesystem: settings.filesystem,
      version: settings.version,
      initial_cluster: initialCluster(members),
      peer: urlOf(member.address, PEER_PORT),
      endpoint: urlOf(member.address, CLIENT_PORT),
      endpoints: clientUrls(members).join(','),
      others: clientUrls(others).join(','),
      other_peers: others.map(({ address }) => hostAndPort(address, PEER_PORT)),
      download_url: download?.url ?? '',
      download_sha256: download?.sha256,
      snapshots: folder ?? DEFAULT_SNAPSHOTS.folder,
      snapshots_kept: keep ?? DEFAULT_SNAPSHOTS.keep,
      upload: upload === undefined ? '' : uploadCommand(upload),
    },
    parts: [
      ...(download === undefined ? [] : [shell('etcd-download')]),
      shell('etcd-volume'),
      shell('etcd-member'),
      shell('etcd-second-day'),
      shell('etcd-recovery'),
      shell('edge-etcd'),
    ],
  });
}

/** Quoted words, with `"$file"` in place of the path of the snapshot. */
function uploadCommand(words: NonNullable<EtcdSnapshots['upload']>): string {
  return words.map((word) => word.split(FILE_PLACEHOLDER).map(quoteForShell).join('"$file"')).join(' ');
}

import { ETCD_TOOL } from './etcd-paths.js';

export const DEFAULT_SNAPSHOTS = { everyHours: 6, keep: 28, folder: '/var/lib/etcd-snapshots' } as const;
export const DEFAULT_DEFRAGMENTATION_HOUR = 3;

/** In the command of an upload: the path of the snapshot. */
export const FILE_PLACEHOLDER = '{file}';

/** Variables for the command of an upload, such as credentials: `NAME=value`, read by a shell. */
export const UPLOAD_VARIABLES = '/etc/etcd/upload.env';

/** A timer and its service, by path. */
export function timerUnits(
  about: string,
  everyHours: number = DEFAULT_SNAPSHOTS.everyHours,
  hour: number = DEFAULT_DEFRAGMENTATION_HOUR,
): { readonly path: string; readonly content: string }[] {
  return [
    ...timer(about, 'snapshot', everyHours === 24 ? '*-*-* 00:10:00 UTC' : `*-*-* 00/${everyHours}:10:00 UTC`),
    ...timer(about, 'defrag', `*-*-* ${String(hour).padStart(2, '0')}:30:00 UTC`),
  ];
}

function timer(
  about: string,
  command: string,
  calendar: string,
): { readonly path: string; readonly content: string }[] {
  const unit = (kind: string, lines: readonly string[]): { readonly path: string; readonly content: string } => ({
    path: `/etc/systemd/system/edge-etcd-${command}.${kind}`,
    content: `${[`# ${about}`, ...lines].join('\n')}\n`,
  });
  return [
    unit('service', [
      '[Unit]',
      `Description=edge-etcd ${command}`,
      'After=etcd.service',
      '',
      '[Service]',
      'Type=oneshot',
      `ExecStart=${ETCD_TOOL} ${command}`,
      // an upload, or a lock that others hold; a oneshot has no limit of its own
      'TimeoutStartSec=2h',
      // etcd goes first
      'IOSchedulingClass=idle',
      'Nice=10',
    ]),
    unit('timer', [
      '[Unit]',
      `Description=edge-etcd ${command}`,
      '',
      '[Timer]',
      `OnCalendar=${calendar}`,
      // members do not begin together
      'RandomizedDelaySec=15min',
      'Persistent=true',
      '',
      '[Install]',
      'WantedBy=timers.target',
    ]),
  ];
}

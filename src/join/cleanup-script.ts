import { quoteForShell } from '../text/shell.js';
import { PER_BOOT_FOLDER, STATE_FOLDER } from './node-paths.js';

/** The script that removes the token after an interrupted join. */
export const CLEANUP_PATH = `${STATE_FOLDER}/forget.sh`;

const UNIT_FOLDER = '/etc/systemd/system';
const UNIT = 'edge-nodepools-forget.service';
const WANTS_FOLDER = `${UNIT_FOLDER}/multi-user.target.wants`;
const HOOK = `${PER_BOOT_FOLDER}/edge-nodepools-forget`;

/** Files that make systemd or cloud-init run it at the next boot. */
export const REGISTRATIONS: readonly string[] = [`${WANTS_FOLDER}/${UNIT}`, `${UNIT_FOLDER}/${UNIT}`, HOOK];

const UNIT_LINES = [
  '[Unit]',
  'Description=Removes the token of a join that was cut off',
  // before the kubelet would use the token, and cloud-init would join again
  'Before=kubelet.service cloud-final.service',
  '[Service]',
  'Type=oneshot',
  `ExecStart=/bin/sh ${CLEANUP_PATH}`,
  '[Install]',
  'WantedBy=multi-user.target',
];

/**
 * The content of the script. With `at-boot` it registers itself for the next boot. The join does this before it writes the token, because only the next
 * boot can remove the token after a power failure or a SIGKILL. Without systemd and cloud-init nothing runs it at the next boot.
 *
 * @param paths files that contain the token during a join or after it
 */
export function cleanupScript(about: string, paths: readonly string[]): string {
  const write = (lines: readonly string[], path: string): string =>
    `printf '%s\\n' ${lines.map(quoteForShell).join(' ')} > ${path}`;
  return `${[
    '#!/bin/sh',
    `# ${about}`,
    '# Removes what a join that was cut off has left of its token; with at-boot it has the next boot do so. It never holds the token itself.',
    'set -u',
    'if [ "${1-}" = at-boot ]; then',
    '  status=0',
    `  if [ -d ${UNIT_FOLDER} ]; then`,
    `    { ${write(UNIT_LINES, `${UNIT_FOLDER}/${UNIT}`)} && mkdir -p ${WANTS_FOLDER} && ln -sf ../${UNIT} ${WANTS_FOLDER}/${UNIT}; } || status=$?`,
    '  fi',
    `  if [ -d ${PER_BOOT_FOLDER} ]; then`,
    `    { ${write(['#!/bin/sh', `exec sh ${CLEANUP_PATH}`], HOOK)} && chmod 0755 ${HOOK}; } || status=$?`,
    '  fi',
    '  exit $status',
    'fi',
    `rm -f ${[...paths, ...REGISTRATIONS].map(quoteForShell).join(' ')}`,
  ].join('\n')}\n`;
}

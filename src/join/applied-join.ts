import { sha256Of } from '../text/content-hash.js';
import { BOX_FILE, STATE_FOLDER } from './node-paths.js';

/** What a machine has joined with; written when everything is done. */
export const APPLIED_FILE = `${STATE_FOLDER}/applied`;

/** Exit status of a run on a node that has joined with other settings (EX_CONFIG of sysexits.h). */
export const NOT_APPLIED = 78;

/** One line for each part of a join: a hash, and what to call it. */
export function appliedLines(parts: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(parts).map(([name, part]) => `${sha256Of(JSON.stringify(part ?? null)).slice(0, 8)} ${name}`);
}

/** Shell function `refuse_change`: ends the script on a node that has joined with other settings, because a run would apply only some of them. */
export function changeLines(lines: readonly string[], hasBoxes: boolean): string[] {
  return [
    '# a node keeps what it has joined with',
    'refuse_change() {',
    `  [ -s ${APPLIED_FILE} ] || return 0`,
    '  changed=',
    '  while IFS= read -r part; do',
    `    grep -qxF -e "$part" ${APPLIED_FILE} || changed="$changed, \${part#* }"`,
    "  done <<'END'",
    ...lines,
    'END',
    ...(hasBoxes
      ? [
          `  [ ! -r ${BOX_FILE} ] || while IFS= read -r part; do`,
          `    grep -qxF -e "$part" ${APPLIED_FILE} || changed="$changed, \${part%%=*} of the box"`,
          `  done < ${BOX_FILE}`,
        ]
      : []),
    '  [ -n "$changed" ] || return 0',
    '  echo "edge-nodepools: this machine has joined with other settings. Not applied: ${changed#, }. Leave and join again to apply them" >&2',
    `  exit ${NOT_APPLIED}`,
    '}',
  ];
}

import { RUN_FOLDER } from './node-paths.js';

const LOCK = `${RUN_FOLDER}/lock`;

/**
 * Shell functions `lock` and `unlock`: one run at a time. The file names the process and when it began, so that one that was killed holds nothing, and
 * `exec` keeps it. A lock by flock would be inherited by everything that the commands of the user start.
 */
export const LOCK_LINES: readonly string[] = [
  '# one run at a time; a process that has ended holds nothing',
  'began() { IFS= read -r stat < "/proc/$1/stat" && set -- ${stat##*)} && echo "${20-}"; }',
  'lock() {',
  `  mkdir -p ${RUN_FOLDER} && chmod 0700 ${RUN_FOLDER} || return 0`,
  '  own="$$ $(began $$)"',
  `  until (set -C; echo "$own" > ${LOCK}) 2>/dev/null; do`,
  `    [ -s ${LOCK} ] || { rm -f ${LOCK} && [ -w ${RUN_FOLDER} ] || return 0; }`,
  `    holder=$(cat ${LOCK} 2>/dev/null) pid=\${holder%% *}`,
  '    [ "$holder" != "$own" ] || return 0',
  '    if [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null && [ "$holder" = "$pid $(began "$pid")" ]; then',
  '      echo "edge-nodepools: process $pid is joining this machine already" >&2',
  '      exit 75',
  '    fi',
  `    rm -f ${LOCK}`,
  '  done',
  '}',
  `unlock() { rm -f ${LOCK}; }`,
];

/**
 * The same for an update. ksh93 takes the bracket of the pattern for the end of the command; the scripts of a join keep theirs, because it counts for the
 * hash of every join.
 */
export const UPDATE_LOCK_LINES: readonly string[] = LOCK_LINES.map((line) => line.replace('##*)', '##*\\)'));

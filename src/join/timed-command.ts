import type { TokenSource } from './join-token.js';
import { RUN_FOLDER } from './node-paths.js';

/** Where a command with a timeout prints the token: in memory, so that what it has started cannot keep the script waiting. */
const TOKEN_OUTPUT = `${RUN_FOLDER}/token-output`;

/**
 * Shell lines that read the token from a command which ends in time, or return.
 *
 * @param command the command as words of a shell
 */
export function timedCommandLines(command: string, seconds: number): string[] {
  return [
    "command -v timeout >/dev/null 2>&1 || { say 'timeout is not installed'; return 127; }",
    `mkdir -p ${RUN_FOLDER} && chmod 0700 ${RUN_FOLDER} || return`,
    'status=0',
    `(umask 077; exec timeout -s KILL ${seconds} ${command} </dev/null > ${TOKEN_OUTPUT}) || status=$?`,
    `token=$(cat ${TOKEN_OUTPUT})`,
    `rm -f ${TOKEN_OUTPUT}`,
    'case $status in',
    '0) ;;',
    `124 | 137) say 'the command for the token has not ended in ${seconds} s'; return 66 ;;`,
    '*) say "the command for the token failed with status $status"; return 66 ;;',
    'esac',
  ];
}

/** Files in which the script has the token while it joins. */
export function tokenFiles(source: TokenSource): readonly string[] {
  const isTimed = source.kind === 'command' && source.timeoutSeconds !== undefined;
  return [`${RUN_FOLDER}/token-config.yaml`, ...(isTimed ? [TOKEN_OUTPUT] : [])];
}

/** Programs that a source of the token needs on the machine. */
export function tokenPrograms(source: TokenSource): readonly string[] {
  return source.kind === 'command' && source.timeoutSeconds !== undefined ? ['timeout'] : [];
}

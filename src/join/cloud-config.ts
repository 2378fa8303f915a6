import { DEFAULT_PERMISSIONS, type NodeFile } from './node-file.js';
import { type YamlValue, yamlOf } from '../base/yaml-emitter.js';

/** What a cloud-config contains. */
export interface CloudConfigInput {
  /** Comment below the first line, if no file says it.
   * @default - none */
  readonly about?: string;
  readonly files: readonly NodeFile[];
  /** Runs before the files are written, at every boot until it leaves `sem/config_seed_random`.
   * @default - nothing */
  readonly bootCommand?: readonly string[];
  /** The only command; its exit status becomes that of cloud-init. */
  readonly command: readonly string[];
  readonly ntpServers?: readonly string[];
}

/** As a later part of several, it adds to the lists of the earlier ones instead of replacing them. */
const MERGE_HOW = 'list(append)+dict(no_replace,recurse_list)';

/**
 * The keys with a command at boot. By default a later cloud-config replaces each key that it has, also of a part with
 * `merge_how`, because that of the later one decides (`handlers/cloud_config.py`); `random_seed` is the one with a
 * command that hardly any has. Some systems do not run it (`cloud_init_modules` of RHEL 8), all run `bootcmd`.
 */
function bootKeys(command: readonly string[]): string {
  const lines = yamlOf(command, { blockIndentation: 1 }).trimEnd().split('\n');
  return ['random_seed:', ' command: &boot', ...lines.map((line) => ` ${line}`), 'bootcmd: [*boot]', ''].join('\n');
}

/**
 * A cloud-config. cloud-init writes the files of `write_files` before it runs commands. `runcmd` has one command,
 * because cloud-init reports only the exit status of the last one.
 */
export function cloudConfig({ about, files, bootCommand, command, ntpServers }: CloudConfigInput): string {
  // providers limit the size of user-data: three blanks before each line of a script are the fewest
  const list = (key: string, items: readonly YamlValue[]): string =>
    `${key}:\n${yamlOf(items, { blockIndentation: 1 })}`;
  return [
    `#cloud-config\n${about === undefined ? '' : `# ${about}\n`}`,
    yamlOf({ merge_how: MERGE_HOW }),
    ...(bootCommand === undefined ? [] : [bootKeys(bootCommand)]),
    list(
      'write_files',
      files.map(({ path, content, permissions }) => ({ path, permissions: fourDigits(permissions), content })),
    ),
    ...(ntpServers === undefined ? [] : [yamlOf({ ntp: { enabled: true, servers: ntpServers } })]),
    list('runcmd', [command]),
  ].join('');
}

export function fourDigits(permissions: string = DEFAULT_PERMISSIONS): string {
  return permissions.padStart(4, '0');
}

import { DEFAULT_PERMISSIONS, type NodeFile } from './node-file.js';
import { type YamlValue, yamlOf } from '../text/yaml-emitter.js';

/** What a cloud-config contains. */
export interface CloudConfigInput {
  /** Comment below the first line. */
  readonly about: string;
  readonly files: readonly NodeFile[];
  /** Runs at every boot, before the files are written.
   * @default - nothing */
  readonly bootCommand?: readonly string[];
  /** The only command; its exit status becomes that of cloud-init. */
  readonly command: readonly string[];
  readonly ntpServers?: readonly string[];
}

/** As the second part of several, it adds to the lists of the first one instead of replacing them. */
const MERGE_HOW: YamlValue = [
  { name: 'list', settings: ['append'] },
  { name: 'dict', settings: ['no_replace', 'recurse_list'] },
];

/**
 * A cloud-config. cloud-init writes the files of `write_files` before it runs commands. `runcmd` has one command, because cloud-init reports only the
 * exit status of the last one.
 */
export function cloudConfig({ about, files, bootCommand, command, ntpServers }: CloudConfigInput): string {
  const config: { [key: string]: YamlValue } = {
    merge_how: MERGE_HOW,
    ...(bootCommand === undefined ? {} : { bootcmd: [bootCommand] }),
    write_files: files.map(({ path, content, permissions }) => ({
      path,
      owner: 'root:root',
      permissions: fourDigits(permissions),
      content,
    })),
    ...(ntpServers === undefined ? {} : { ntp: { enabled: true, servers: ntpServers } }),
    runcmd: [command],
  };
  return `#cloud-config\n# ${about}\n${yamlOf(config)}`;
}

export function fourDigits(permissions: string = DEFAULT_PERMISSIONS): string {
  return permissions.padStart(4, '0');
}

import { DEFAULT_PERMISSIONS, type NodeFile } from './node-file.js';
import { type YamlValue, yamlOf } from '../text/yaml-emitter.js';

/** What a cloud-config contains. */
export interface CloudConfigInput {
  /** Comment below the first line. */
  readonly about: string;
  readonly files: readonly NodeFile[];
  /** The only command; its exit status becomes that of cloud-init. */
  readonly command: readonly string[];
  readonly ntpServers?: readonly string[];
}

/**
 * A cloud-config. cloud-init writes the files of `write_files` before it runs commands. `runcmd` has one command, because cloud-init reports only the
 * exit status of the last one.
 */
export function cloudConfig({ about, files, command, ntpServers }: CloudConfigInput): string {
  const config: { [key: string]: YamlValue } = {
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

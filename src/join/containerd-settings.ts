import { quoteForShell } from '../text/shell.js';
import { CNI_FOLDER } from './loopback-cni.js';

/** Settings in the configuration of containerd. */
export interface ContainerdSettings {
  readonly cniFolder: string;
  readonly sandboxImage?: string;
}

/** Table and key by version of the configuration file: 1 (also without a version), 2 (containerd 1.5 to 1.7) and 3 (containerd 2). */
type Places = Readonly<Record<1 | 2 | 3, readonly [table: string, key: string]>>;

const SANDBOX_IMAGE: Places = {
  1: ['plugins.cri', 'sandbox_image'],
  2: ['plugins."io.containerd.grpc.v1.cri"', 'sandbox_image'],
  3: ["plugins.'io.containerd.cri.v1.images'.pinned_images", 'sandbox'],
};

const CNI_FOLDER_KEY: Places = {
  1: ['plugins.cri.cni', 'conf_dir'],
  2: ['plugins."io.containerd.grpc.v1.cri".cni', 'conf_dir'],
  3: ["plugins.'io.containerd.cri.v1.runtime'.cni", 'conf_dir'],
};

// sets one key of one table, and changes nothing else. \047 is a single quote
const AWK = [
  'function put() { if (!done) { print "  " key " = \\"" value "\\""; done = 1 } }',
  'function plain(name) { gsub(/["\\047 \\t]/, "", name); return name }',
  '/^[ \\t]*\\[/ {',
  '  if (here) put()',
  '  name = $0; sub(/^[ \\t]*\\[/, "", name); sub(/\\][ \\t]*(#.*)?$/, "", name)',
  '  here = (plain(name) == plain(table))',
  '}',
  'here && $0 ~ ("^[ \\t]*" key "[ \\t]*=") { put(); next }',
  '{ print }',
  'END { if (!done && !here) print "[" table "]"; put() }',
];

/**
 * Shell lines that write settings that differ from the defaults of containerd into its existing configuration file. They do not write a drop-in file,
 * because containerd 1.x reads the whole section of a plugin from the last file that has it, and for example `SystemdCgroup` of the main file would be lost.
 */
export function containerdLines({ cniFolder, sandboxImage }: ContainerdSettings): string[] {
  const settings: (readonly [Places, string])[] = [
    ...(sandboxImage === undefined ? [] : [[SANDBOX_IMAGE, sandboxImage] as const]),
    ...(cniFolder === CNI_FOLDER ? [] : [[CNI_FOLDER_KEY, cniFolder] as const]),
  ];
  const calls = (version: 1 | 2 | 3): string =>
    settings
      .map(([places, value]) => ['set_containerd', ...[...places[version], value].map(quoteForShell)].join(' '))
      .join(' && ');
  return settings.length === 0
    ? []
    : [
        'toml=/etc/containerd/config.toml',
        'set_containerd() {',
        '  cp -p "$toml" "$toml.edge-nodepools" &&',
        '    awk -v table="$1" -v key="$2" -v value="$3" \'',
        ...AWK.map((line) => `      ${line}`),
        '    \' "$toml" > "$toml.edge-nodepools" && mv "$toml.edge-nodepools" "$toml"',
        '}',
        '[ -s "$toml" ] || { mkdir -p /etc/containerd && echo \'version = 2\' > "$toml"; } || return',
        'case $(sed -n \'s/^ *version *= *\\([0-9]*\\).*/\\1/p\' "$toml" | head -n 1) in',
        `  '' | 1) ${calls(1)} ;;`,
        `  2) ${calls(2)} ;;`,
        `  *) ${calls(3)} ;;`,
        'esac || return',
      ];
}

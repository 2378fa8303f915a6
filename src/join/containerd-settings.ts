import { quoteForShell } from '../text/shell.js';
import { CNI_FOLDER } from './loopback-cni.js';

/** Settings in the configuration of containerd. */
export interface ContainerdSettings {
  readonly cniFolder: string;
  readonly sandboxImage?: string;
  readonly systemdCgroup?: boolean;
  /** Where it looks for mirrors of registries. */
  readonly hostsFolder?: string;
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

const HOSTS_FOLDER_KEY: Places = {
  1: ['plugins.cri.registry', 'config_path'],
  2: ['plugins."io.containerd.grpc.v1.cri".registry', 'config_path'],
  3: ["plugins.'io.containerd.cri.v1.images'.registry", 'config_path'],
};

const runc = (key: string, below = ''): Places => ({
  1: [`plugins.cri.containerd.runtimes.runc${below}`, key],
  2: [`plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc${below}`, key],
  3: [`plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc${below}`, key],
});

const PUT = 'function put(name) { print "  " name " = \\"" value "\\"" cr }';
const PUT_AS_IS = 'function put(name) { print "  " name " = " value cr }';

// reads the file twice, finds the one key of the one table, and changes nothing else. \047 is a single quote. A table may be written as [a.b], or by keys
// with dots in a table above it, to which TOML permits no [a.b]; an inline table is not changed
const AWK = [
  'function path(name,  i, c, q, out) {',
  '  for (i = 1; i <= length(name); i++) {',
  '    c = substr(name, i, 1)',
  '    if (q != "") { if (c == q) q = ""; else out = out c }',
  '    else if (c == "\\"" || c == "\\047") q = c',
  '    else if (c == ".") out = out SUBSEP',
  '    else if (c != " " && c != "\\t") out = out c',
  '  }',
  '  return out',
  '}',
  PUT,
  'BEGIN { goal = path(table) }',
  '{ line = $0; if (sub(/\\r$/, "", line)) cr = "\\r" }',
  'FNR == 1 { here = "" }',
  'line ~ /^[ \\t]*\\[/ {',
  '  here = line; sub(/^[ \\t]*\\[/, "", here); sub(/\\][ \\t]*(#.*)?$/, "", here); here = path(here)',
  '}',
  'NR == FNR && here == goal { last = FNR }',
  'line !~ /^[ \\t]*[[#]/ && (at = index(line, "=")) {',
  '  name = substr(line, 1, at - 1); sub(/^[ \\t]*/, "", name); sub(/[ \\t]*$/, "", name)',
  '  full = (here == "" ? "" : here SUBSEP) path(name)',
  '  if (NR == FNR) {',
  '    if (full == goal && line ~ /=[ \\t]*\\{/) exit 3',
  '    if (full == goal SUBSEP key) found = FNR',
  '    else if (here != goal && index(full, goal SUBSEP) == 1 && index(name, ".")) {',
  '      dotted = FNR; stem = name; sub(/[^.]*$/, "", stem)',
  '    }',
  '  } else if (FNR == found) { put(name); next }',
  '}',
  'NR != FNR {',
  '  print',
  '  if (!found && FNR == (last ? last : dotted)) { put(last ? key : stem key); found = -1 }',
  '}',
  'END { if (!found && NR) { print "[" table "]" cr; put(key) } }',
];

/** The configuration of containerd. */
export const CONTAINERD_FILE = '/etc/containerd/config.toml';

// plugins of CRI in any quotes; Docker's packages of containerd disable them
const DISABLED = `["'.]cri["']`;

/**
 * Shell lines that write settings that differ from the defaults of containerd into its existing configuration file. They do not write a drop-in file,
 * because containerd 1.x reads the whole section of a plugin from the last file that has it, and for example `SystemdCgroup` of the main file would be lost.
 */
export function containerdLines({ cniFolder, sandboxImage, systemdCgroup, hostsFolder }: ContainerdSettings): string[] {
  const settings: (readonly [Places, string | boolean])[] = [
    ...(sandboxImage === undefined ? [] : [[SANDBOX_IMAGE, sandboxImage] as const]),
    ...(cniFolder === CNI_FOLDER ? [] : [[CNI_FOLDER_KEY, cniFolder] as const]),
    ...(hostsFolder === undefined ? [] : [[HOSTS_FOLDER_KEY, hostsFolder] as const]),
    // containerd has no runtime in place of the default one without a type
    ...(systemdCgroup === undefined
      ? []
      : [
          [runc('runtime_type'), 'io.containerd.runc.v2'] as const,
          [runc('SystemdCgroup', '.options'), systemdCgroup] as const,
        ]),
  ];
  // with only texts the quotes are in the program, as they have always been: the hash of a join depends on its bytes
  const hasTexts = settings.every(([, value]) => typeof value === 'string');
  const valueOf = (value: string | boolean): string => (hasTexts ? String(value) : JSON.stringify(value));
  const calls = (version: 1 | 2 | 3): string =>
    settings
      .map(([places, value]) =>
        ['set_containerd', ...[...places[version], valueOf(value)].map(quoteForShell)].join(' '),
      )
      .join(' && ');
  return settings.length === 0
    ? []
    : [
        `toml=${CONTAINERD_FILE}`,
        'set_containerd() {',
        '  cp -p "$toml" "$toml.edge-nodepools" &&',
        '    awk -v table="$1" -v key="$2" -v value="$3" \'',
        ...AWK.map((line) => `      ${hasTexts ? line : line.replace(PUT, PUT_AS_IS)}`),
        '    \' "$toml" "$toml" > "$toml.edge-nodepools" && mv "$toml.edge-nodepools" "$toml" && return',
        '  rm -f "$toml.edge-nodepools"',
        '  echo "edge-nodepools: $toml cannot be edited: write $2 of [$1] into it" >&2',
        '  return 78',
        '}',
        `[ -s "$toml" ] || { mkdir -p /etc/containerd && echo 'version = 2' > "$toml"; } || return`,
        'case $(sed -n \'s/^ *version *= *\\([0-9]*\\).*/\\1/p\' "$toml" | head -n 1) in',
        `  '' | 1) ${calls(1)} ;;`,
        `  2) ${calls(2)} ;;`,
        `  *) ${calls(3)} ;;`,
        'esac || return',
      ];
}

/** Shell lines that enable CRI where the configuration of containerd disables it: no node joins without it. */
export const CRI_LINES: readonly string[] = [
  `if grep -q ${quoteForShell(`^[[:space:]]*disabled_plugins.*${DISABLED}`)} ${CONTAINERD_FILE} 2>/dev/null; then`,
  `  cp -p ${CONTAINERD_FILE} ${CONTAINERD_FILE}.edge-nodepools &&`,
  `    sed ${quoteForShell(`/^[[:space:]]*disabled_plugins/s/["'][a-z0-9.]*cri["'][[:space:]]*,*//g`)} ${CONTAINERD_FILE} > ${CONTAINERD_FILE}.edge-nodepools &&`,
  `    mv ${CONTAINERD_FILE}.edge-nodepools ${CONTAINERD_FILE} || return`,
  '  if command -v systemctl >/dev/null 2>&1; then systemctl restart containerd || return; fi',
  'fi',
];

import { quoteForShell } from '../text/shell.js';
import { SCRIPT_PROGRAMS } from './join-command.js';
import { LOOPBACK_FILE } from './loopback-cni.js';
import { IDENTITY_FILE, KUBELET_CONF } from './node-paths.js';
import { nodeScript } from './node-script.js';

/** What the script looks at. */
export interface PreflightInput {
  /** Comment at the beginning. */
  readonly about: string;
  /** Minor of the cluster. */
  readonly kubernetes: string;
  readonly programs: readonly string[];
  /** Whether the join downloads a key, by curl or wget. */
  readonly downloads: boolean;
  /** Folder with images that the join imports. */
  readonly imageFolder?: string;
  /** The version of kubelet that the join installs.
   * @default - it has to be there */
  readonly installs?: string;
  /** The package of the container runtime that the join installs.
   * @default - the runtime has to be there */
  readonly installsRuntime?: string;
  /** The folder from which the join installs its packages, and the program that finds packages in it. */
  readonly folder?: PackageFolder;
  /** Whether kubelet of the minor refuses control groups of version 1. */
  readonly needsCgroupV2: boolean;
  /** What is done about swap: kubelet ends with it, is told to run with it, or the join switches it off. */
  readonly swap: 'refused' | 'permitted' | 'switched off';
  /** Path of the socket of the container runtime. */
  readonly socket: string;
  readonly runtime: string;
  /** Folder of the loopback CNI, on a host-network node. */
  readonly cniFolder?: string;
  /** Address of the API server, `host:port`. */
  readonly apiServer?: string;
  /** File with the token. */
  readonly tokenFile?: string;
  /** Program that prints the token. */
  readonly tokenProgram?: string;
  /** File with user and password of the proxy. */
  readonly proxyFile?: string;
  readonly discoveryFile?: string;
  readonly nodeName?: string;
  readonly hasMachines: boolean;
  readonly environment: Readonly<Record<string, string>>;
}

/** A folder with packages. */
export interface PackageFolder {
  readonly path: string;
  readonly manager: 'apt' | 'dnf';
  /** Names and versions that have to be in it; without a version, any. */
  readonly packages: readonly (readonly [name: string, version: string])[];
}

/** Ports of kubelet, decimal and as in /proc/net/tcp. */
const PORTS = [
  ['10250', '280A'],
  ['10248', '2808'],
] as const;

/** In MiB. */
const LEAST_DISK = 2048;
/** In KiB. */
const LEAST_MEMORY = 512 * 1024;

/**
 * The script that says what a machine lacks for a join, in one table. It changes nothing, and its exit status is 1 if anything is missing. What the join
 * does itself is a note.
 */
export function preflightScript(input: PreflightInput): string {
  const comments = [
    input.about,
    'Prints what this machine lacks for the join, and changes nothing. Exit status 1: something is missing.',
  ];
  const lines = [
    'status=0',
    'row() { if [ -n "$3" ]; then printf \'%-15s %-8s %s\\n\' "$1" "$2" "$3"; else printf \'%-15s %s\\n\' "$1" "$2"; fi; }',
    'ok() { row "$1" ok "${2-}"; }',
    'missing() { row "$1" missing "$2"; status=1; }',
    'note() { row "$1" note "$2"; }',
    'has() { command -v "$1" >/dev/null 2>&1; }',
    "row check state 'what to do'",
    ...programLines(input),
    ...(input.folder === undefined ? [] : folderLines(input.folder)),
    ...(input.imageFolder === undefined ? [] : imageLines(input.imageFolder)),
    ...kernelLines(input),
    ...machineLines(input),
    ...clusterLines(input),
    'exit "$status"',
  ];
  return nodeScript({ comments, environment: input.environment, lines });
}

function programLines({ programs, downloads, installs, kubernetes }: PreflightInput): string[] {
  const [, minor = ''] = kubernetes.split('.');
  return [
    'if [ "$(id -u)" = 0 ]; then ok root; else missing root \'run this, and the join, as root\'; fi',
    'lacking=',
    `for program in ${[...new Set([...SCRIPT_PROGRAMS, ...programs])].join(' ')}; do has "$program" || lacking="$lacking $program"; done`,
    ...(downloads ? ['has curl || has wget || lacking="$lacking curl"'] : []),
    'if [ -z "$lacking" ]; then ok programs; else missing programs "install$lacking"; fi',
    ...(installs === undefined
      ? [
          "version=$(kubelet --version 2>/dev/null | sed -n 's/^Kubernetes v//p') minor=",
          'case $version in *.*.*) minor=${version#*.} minor=${minor%%.*} ;; esac',
          'case $minor in',
          `'' | *[!0-9]*) missing kubelet 'install kubelet and kubeadm ${kubernetes}, or write packages in the join' ;;`,
          `*) if [ "$minor" -le ${minor} ]; then ok kubelet "$version"; else missing kubelet "$version is newer than the cluster, ${kubernetes}"; fi ;;`,
          'esac',
        ]
      : [`note kubelet 'the join installs ${installs}'`]),
  ];
}

/** The folder has to have the wanted versions before a machine without a network boots with it. */
function folderLines({ path, manager, packages }: PackageFolder): string[] {
  const names =
    manager === 'apt'
      ? `for file in ${quoteForShell(path)}/*.deb; do dpkg-deb -W --showformat='\${Package} \${Version}\\n' "$file"; done 2>/dev/null`
      : `rpm -qp --nosignature --qf '%{NAME} %{VERSION}\\n' ${quoteForShell(path)}/*.rpm 2>/dev/null`;
  return [
    `found=$(${names})`,
    'lacking=',
    ...packages.map(([name, version]) => {
      const wanted = `^${name} ([0-9]*:)?${version.replaceAll('.', '[.]')}${version === '' ? '' : '([^0-9.]|$)'}`;
      return `echo "$found" | grep -qE ${quoteForShell(wanted)} || lacking="$lacking, ${`${name} ${version}`.trim()}"`;
    }),
    `if [ -z "$lacking" ]; then ok packages ${quoteForShell(path)}; else missing packages "${path} lacks \${lacking#, }, and it needs all that they depend on"; fi`,
  ];
}

/** The join imports what is there, and says nothing if that is nothing. */
function imageLines(folder: string): string[] {
  return [
    `set -- ${quoteForShell(folder)}/*.tar`,
    `if [ -e "$1" ]; then ok images "$# files"; else missing images ${quoteForShell(`${folder} has no *.tar`)}; fi`,
  ];
}

function kernelLines({ needsCgroupV2, swap, kubernetes }: PreflightInput): string[] {
  const withSwap = {
    refused: "missing swap 'kubelet does not start with it: swapoff -a, and remove it from /etc/fstab'",
    permitted: "note swap 'kubelet runs with it, as configured'",
    'switched off': "note swap 'the join switches it off'",
  }[swap];
  return [
    'if [ -e /sys/fs/cgroup/cgroup.controllers ]; then ok cgroups; else',
    needsCgroupV2
      ? `missing cgroups 'kubelet ${kubernetes} needs version 2: boot with systemd.unified_cgroup_hierarchy=1, or write kubeletConfiguration: { failCgroupV1: false }'`
      : "note cgroups 'version 1, which kubelet 1.35 and later do not accept'",
    'fi',
    `if [ -r /proc/swaps ] && [ "$(awk 'NR > 1 { n++ } END { print n + 0 }' /proc/swaps)" != 0 ]; then ${withSwap}; else ok swap; fi`,
    "if grep -qw overlay /proc/filesystems || modprobe -n overlay 2>/dev/null; then ok modules; else missing modules 'the kernel has no overlay file system for images: modprobe overlay'; fi",
    "if [ -e /dev/kmsg ]; then ok kmsg; else missing kmsg 'kubelet does not start without /dev/kmsg'; fi",
    "kib=$(awk '/^MemTotal:/ { print $2 }' /proc/meminfo)",
    `if [ "\${kib:-0}" -ge ${LEAST_MEMORY} ]; then ok memory "$((kib / 1024)) MiB"; else missing memory "\${kib:-0} KiB are too few for kubelet and a container runtime"; fi`,
  ];
}

function machineLines({
  socket,
  runtime,
  installsRuntime,
  cniFolder,
  nodeName,
  hasMachines,
}: PreflightInput): string[] {
  return [
    installsRuntime !== undefined
      ? `if [ -S ${quoteForShell(socket)} ]; then ok runtime; else note runtime 'the join installs ${installsRuntime}'; fi`
      : `if [ -S ${quoteForShell(socket)} ]; then ok runtime; else missing runtime ${quoteForShell(`${runtime} does not run: there is no socket ${socket}`)}; fi`,
    // mksh and small builds of busybox count with 32 bits, and a disk can have more KiB
    "set -- $(df -Pk /var/lib | awk 'NR > 1 { print int($4 / 1024), $5 }')",
    'free=${1:-0} used=${2:-0%}',
    `if [ "$free" -lt ${LEAST_DISK} ]; then missing disk "$free MiB are free for images and Pods below /var/lib";`,
    'elif [ "${used%\\%}" -gt 85 ]; then missing disk "$used of /var/lib are used: kubelet removes images, and then Pods"; else ok disk "$free MiB free"; fi',
    'taken=',
    ...PORTS.map(
      ([port, hex]) =>
        `if awk '$4 == "0A" && $2 ~ /:${hex}$/ { found = 1 } END { exit !found }' /proc/net/tcp /proc/net/tcp6 2>/dev/null; then taken="$taken ${port}"; fi`,
    ),
    'if [ -z "$taken" ]; then ok ports; else missing ports "another program listens on$taken, which kubelet needs"; fi',
    'if has timedatectl; then synced=$(timedatectl show -p NTPSynchronized --value 2>/dev/null)',
    "elif has chronyc; then synced=$(chronyc -n tracking 2>/dev/null | sed -n 's/^Leap status.*Not syn.*/no/p'); else synced=unknown; fi",
    'case $synced in',
    "no) missing clock 'the clock is not synchronized: certificates may not be valid yet' ;;",
    'unknown) note clock "nothing here says whether it is synchronized; it is $(date -u)" ;;',
    '*) ok clock ;;',
    'esac',
    ...(hasMachines
      ? [
          `name=$(sed -n 's/^name=//p' ${IDENTITY_FILE} 2>/dev/null)`,
          `if [ -n "$name" ]; then ok machine "$name"; else missing machine '${IDENTITY_FILE} does not name this machine'; fi`,
        ]
      : [
          nodeName === undefined
            ? "name=$(awk '{ print tolower($1) }' /proc/sys/kernel/hostname)"
            : `name=${quoteForShell(nodeName)}`,
        ]),
    'case $name in',
    '\'\' | localhost* | *[!a-z0-9.-]* | -* | *- | .* | *.) missing name "a Node cannot be called ${name:-nothing}: hostnamectl set-hostname NAME" ;;',
    '*) if [ "${#name}" -le 63 ]; then ok name "$name"; else missing name "$name is longer than 63 characters"; fi ;;',
    'esac',
    `if [ -s ${KUBELET_CONF} ]; then missing node 'this machine has joined a cluster; the leave script takes it out'`,
    'elif [ -n "$(ls -A /etc/kubernetes/manifests 2>/dev/null)" ]; then missing node \'kubeadm needs an empty /etc/kubernetes/manifests\'; else ok node; fi',
    ...(cniFolder === undefined
      ? []
      : [
          `first=$(ls ${quoteForShell(cniFolder)} 2>/dev/null | grep -e '[.]conf$' -e '[.]conflist$' -e '[.]json$' | head -n 1)`,
          `if [ -n "$first" ] && awk -v a="$first" 'BEGIN { exit !(a "" < "${LOOPBACK_FILE}") }'; then missing cni "remove ${cniFolder}/$first: the runtime would use it in place of ${LOOPBACK_FILE}"; else ok cni; fi`,
        ]),
  ];
}

function clusterLines({ apiServer, tokenFile, tokenProgram, proxyFile, discoveryFile }: PreflightInput): string[] {
  const file = (path: string, row: string, what: string): string =>
    `if [ -s ${quoteForShell(path)} ]; then ok ${row}; else missing ${row} ${quoteForShell(`${path} is missing or empty: ${what}`)}; fi`;
  return [
    ...(apiServer === undefined
      ? []
      : [
          'if has curl; then',
          // what it answers does not matter: kubeadm checks its certificate by the hash
          `  if curl -ks -m 10 -o /dev/null ${quoteForShell(`https://${apiServer}/livez`)}; then ok api-server; else missing api-server ${quoteForShell(`no answer from https://${apiServer}: network, name or proxy`)}; fi`,
          `else note api-server 'not tried, because there is no curl'; fi`,
        ]),
    ...(discoveryFile?.startsWith('/') === true
      ? [file(discoveryFile, 'discovery', 'it has the address and the CA')]
      : []),
    ...(proxyFile === undefined ? [] : [file(proxyFile, 'proxy', 'write user:password of the proxy into it')]),
    ...(tokenFile === undefined ? [] : [file(tokenFile, 'token', 'write the bootstrap token into it')]),
    // the join may install it
    ...(tokenProgram === undefined
      ? []
      : [
          `if has ${quoteForShell(tokenProgram)}; then ok token ${quoteForShell(`by ${tokenProgram}`)}; else note token ${quoteForShell(`${tokenProgram}, which prints it, is not there yet`)}; fi`,
        ]),
  ];
}

import { quoteForShell } from '../text/shell.js';
import type { EtcdDownload, EtcdMember } from './etcd-cluster-props.js';
import { clientUrls, type EtcdSettings, initialCluster } from './etcd-config.js';
import {
  CLIENT_PORT,
  ETCD_CONFIG,
  ETCD_DATA,
  ETCD_FORMATTED,
  ETCD_MOUNT,
  ETCD_PKI,
  ETCD_PKI_FILES,
  PEER_PORT,
  urlOf,
} from './etcd-paths.js';

/** A command of the program on a member. */
export interface EtcdCommand {
  readonly name: string;
  /** For its list of commands. */
  readonly text: string;
  /** Shell functions; the last one has the name of the command. */
  readonly lines: readonly string[];
}

/** The program of a member, `edge-etcd`: a POSIX script. Without a command it lists them. */
export function etcdTool(
  about: string,
  settings: EtcdSettings,
  member: EtcdMember,
  further: readonly EtcdCommand[] = [],
): string {
  const commands = [...COMMANDS, ...further];
  const set = (variable: string, value: string): string => `${variable}=${quoteForShell(value)}`;
  return `${[
    '#!/bin/sh',
    `# ${about}`,
    'set -u',
    'LC_ALL=C',
    'PATH=${PATH:-/usr/sbin:/usr/bin:/sbin:/bin}:/usr/local/sbin:/usr/local/bin',
    'export LC_ALL PATH',
    set('member', member.name),
    set('address', member.address),
    set('device', member.device),
    set('filesystem', settings.filesystem),
    set('version', settings.version),
    set('token', settings.name),
    set('initial_cluster', initialCluster(settings.members)),
    set('peer', urlOf(member.address, PEER_PORT)),
    set('endpoint', urlOf(member.address, CLIENT_PORT)),
    set('others', clientUrls(settings.members.filter(({ name }) => name !== member.name)).join(',')),
    set('endpoints', clientUrls(settings.members).join(',')),
    `mount=${ETCD_MOUNT}`,
    `data=${ETCD_DATA}`,
    `pki=${ETCD_PKI}`,
    `config=${ETCD_CONFIG}`,
    `formatted=${ETCD_FORMATTED}`,
    '',
    'say() { echo "edge-etcd: $*" >&2; }',
    'die() { say "$*"; exit 1; }',
    '',
    '# etcdctl at some members, with the certificates of this one',
    'at() { where=$1; shift; etcdctl --cacert="$pki/ca.crt" --cert="$pki/peer.crt" --key="$pki/peer.key" --endpoints="$where" "$@"; }',
    'own() { at "$endpoint" "$@"; }',
    'ctl() { at "$endpoints" "$@"; }',
    '',
    ...programLines(settings.download),
    '',
    ...commands.flatMap(({ lines }) => [...lines, '']),
    'command=${1:-help}',
    '[ $# -eq 0 ] || shift',
    '[ "$(id -u)" = 0 ] || [ "$command" = help ] || { say \'this needs root\'; exit 77; }',
    'case $command in',
    `  ${commands.map(({ name }) => name).join('|')}) "$command" "$@" ;;`,
    '  *)',
    ...commands.map(({ name, text }) => `    echo ${quoteForShell(`edge-etcd ${name.padEnd(8)} ${text}`)}`),
    '    [ "$command" = help ] || exit 64 ;;',
    'esac',
  ].join('\n')}\n`;
}

/** Installs the programs if another archive was installed, or none. Data of a newer minor cannot be read by an older one again (etcd.io, Downgrade). */
function programLines(download: EtcdDownload | undefined): string[] {
  return [
    ...(download === undefined ? [] : installLines(download)),
    'programs() {',
    ...(download === undefined ? [] : ['  install_programs']),
    '  for program in etcd etcdctl etcdutl; do',
    '    command -v $program >/dev/null 2>&1 || die "$program is not installed: put it into the image, or write download"',
    '  done',
    "  found=$(etcd --version 2>/dev/null | sed -n 's/^etcd Version: //p')",
    '  case $found in',
    '    "$version".*) ;;',
    '    *) die "etcd $found is installed, and this member is declared for $version" ;;',
    '  esac',
    '}',
  ];
}

function installLines(download: EtcdDownload): string[] {
  return [
    'install_programs() {',
    `  wanted=${quoteForShell(download.sha256)}`,
    '  [ "$(cat /etc/etcd/installed 2>/dev/null)" = "$wanted" ] && return',
    "  work=$(mktemp -d) || die 'there is no room for the archive of etcd'",
    `  url=${quoteForShell(download.url)}`,
    '  if command -v curl >/dev/null 2>&1; then',
    '    curl -fsSL --retry 3 -o "$work/etcd.tar.gz" "$url"',
    '  else',
    '    wget -q -O "$work/etcd.tar.gz" "$url"',
    '  fi || { rm -rf "$work"; die "$url cannot be downloaded"; }',
    '  echo "$wanted  $work/etcd.tar.gz" | sha256sum -c - >/dev/null 2>&1 || { rm -rf "$work"; die "$url is not the archive with the SHA-256 $wanted"; }',
    '  tar -xzf "$work/etcd.tar.gz" -C "$work" --strip-components=1 &&',
    '    install -m 0755 "$work/etcd" "$work/etcdctl" "$work/etcdutl" /usr/local/bin/ || { rm -rf "$work"; die \'etcd cannot be installed\'; }',
    '  rm -rf "$work"',
    '  echo "$wanted" > /etc/etcd/installed',
    '}',
  ];
}

const READY: EtcdCommand = {
  name: 'ready',
  text: 'prepares volume, user and certificates, and fails with the reason if etcd must not start; systemd runs it before each start',
  lines: [
    '# only a blank device is formatted, and only once: a volume that is blank later has lost its data, or is another one',
    'replaces=no',
    'format() {',
    '  found=$(blkid -p -o export "$device" 2>/dev/null)',
    '  case $found in',
    '    *"TYPE=$filesystem"*) return ;;',
    "    '') ;;",
    '    *) die "$device has other content than $filesystem, and is not formatted:" $found ;;',
    '  esac',
    '  # it was blank when a format began that did not end: the power was cut',
    '  if [ ! -e "$formatted.begun" ]; then',
    '    # blkid says nothing also about a device that it cannot read',
    '    [ "$(head -c 1048576 "$device" | wc -c)" = 1048576 ] && [ "$(head -c 1048576 "$device" | tr -d \'\\000\' | wc -c)" = 0 ] ||',
    '      die "$device is not blank, and is not formatted; if nothing on it is needed, run dd if=/dev/zero of=$device bs=1M count=1"',
    '    [ ! -e "$formatted" ] || [ "$replaces" = yes ] ||',
    '      die "$device is blank, and this member had data: if its volume is lost, run edge-etcd replace"',
    '    echo "$device" > "$formatted.begun" && sync "$formatted.begun" || die "$formatted.begun cannot be written"',
    '  fi',
    '  mkfs -t "$filesystem" -L etcd "$device" >/dev/null || die "$device cannot be formatted"',
    '  echo "$device" > "$formatted"',
    '}',
    '',
    '# etcd never writes to the disk of the system: an unmounted folder looks like one that is empty',
    'mounted() {',
    '  if ! mountpoint -q "$mount"; then',
    '    [ -b "$device" ] || die "the volume $device is not attached"',
    '    format',
    '    mkdir -p "$mount" || die "there is no $mount"',
    '    line="$device $mount $filesystem defaults,noatime,nofail 0 2"',
    '    grep -qxF "$line" /etc/fstab 2>/dev/null || echo "$line" >> /etc/fstab',
    '    mount -t "$filesystem" -o noatime "$device" "$mount" || die "$device cannot be mounted at $mount"',
    '  fi',
    '  if [ -b "$device" ]; then',
    '    source=$(findmnt -n -o SOURCE --mountpoint "$mount" | tail -n 1)',
    '    [ "$(readlink -f "$source")" = "$(readlink -f "$device")" ] || die "$source is mounted at $mount, and the volume is $device"',
    '  fi',
    '  [ -e "$formatted" ] || echo "$device" > "$formatted"',
    '  rm -f "$formatted.begun"',
    '}',
    '',
    'certificates() {',
    `  for file in ${ETCD_PKI_FILES.join(' ')}; do`,
    '    [ -s "$pki/$file" ] || die "$pki/$file is not there yet"',
    '  done',
    '  chown root:etcd "$pki" "$pki"/*.crt "$pki"/*.key && chmod 0750 "$pki" && chmod 0644 "$pki"/*.crt && chmod 0640 "$pki"/*.key || die "$pki cannot be protected"',
    '  command -v openssl >/dev/null 2>&1 || return 0',
    '  for pair in server peer; do',
    '    case $(openssl x509 -noout -checkip "$address" -in "$pki/$pair.crt") in',
    '      *NOT*) die "$pki/$pair.crt is not for $address" ;;',
    '    esac',
    '    openssl x509 -noout -checkend 0 -in "$pki/$pair.crt" >/dev/null || say "$pki/$pair.crt has expired: put a new one there, etcd reads it at once"',
    '    # errors of the chain: no issuer, another issuer of the same name, signed by itself, not verified',
    '    case $(openssl verify -partial_chain -CAfile "$pki/ca.crt" -untrusted "$pki/$pair.crt" "$pki/$pair.crt" 2>&1) in',
    '      *"error 20 "* | *"error 7 "* | *"error 18 "* | *"error 21 "*) die "$pki/$pair.crt is not signed by $pki/ca.crt: nobody would trust this member" ;;',
    '      *"not yet valid"*) say "$pki/$pair.crt is not valid yet at $(date -u): is the clock of this machine, or of who made it, wrong?" ;;',
    '    esac',
    '  done',
    '}',
    '',
    'ready() {',
    '  id -u etcd >/dev/null 2>&1 || useradd --system --user-group --no-create-home --home-dir "$mount" --shell /usr/sbin/nologin etcd || die \'the user etcd cannot be added\'',
    '  programs',
    '  mounted',
    '  mkdir -p "$data" && chown etcd:etcd "$data" && chmod 0700 "$data" || die "$data cannot be made"',
    '  certificates',
    '}',
  ],
};

const SETUP: EtcdCommand = {
  name: 'setup',
  text: 'enables the units, and starts etcd in the background',
  lines: [
    'setup() {',
    "  systemctl daemon-reload || die 'systemd cannot read the units'",
    '  for unit in /etc/systemd/system/edge-etcd-*.timer; do',
    '    [ ! -e "$unit" ] || systemctl enable --now "${unit##*/}"',
    '  done',
    '  # in the background: it waits for the other members, and for its certificates',
    '  systemctl enable etcd.service && systemctl start --no-block etcd.service',
    '}',
  ],
};

const CTL: EtcdCommand = {
  name: 'run',
  text: 'runs etcdctl at all members with the certificates of this one: edge-etcd run member list',
  lines: ['run() {', '  ctl "$@"', '}'],
};

const COMMANDS: readonly EtcdCommand[] = [READY, SETUP, CTL];

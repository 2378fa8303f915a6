import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { artifactsOf } from 'edge-nodepools';
import type { JoinMachine } from 'edge-nodepools/types';
import { declareJoin, tokenOf } from '../../../properties/join-arbitraries.js';
import type { Group, Proof } from '../../harness/group.js';

const NOCLOUD = resolve(__dirname, '../../harness/nocloud.py');
const WAY = { openYurt: '1.7', kubernetes: '1.34', via: undefined };
const FILE = tokenOf('file', '');

/** What cloud-init has read from a seed. */
interface Read {
  readonly found?: boolean;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly network?: unknown;
  /** Content type and content of each part of the user-data. */
  readonly user?: readonly (readonly [string, string])[];
  readonly vendor?: readonly (readonly [string, string])[];
  readonly failed?: string;
}

function readBy(kind: 'folder' | 'vmware', path: string): Read {
  const { status, stdout, stderr } = spawnSync('/usr/bin/python3', [NOCLOUD, kind, path], { encoding: 'utf8' });
  return status === 0 ? (JSON.parse(stdout) as Read) : { failed: stderr };
}

/** User-data with gzip, read by the data sources of cloud-init. */
function readsGzip(folder: string, proof: Proof): void {
  const { join: made } = declareJoin(WAY, FILE, { service: {}, gzip: true, provider: 'aws' });
  const packed = made.userDataGzipBase64 ?? '';
  const seed = join(folder, 'gzip');
  mkdirSync(seed);
  writeFileSync(join(seed, 'meta-data'), 'instance-id: i-gzip\n');
  writeFileSync(join(seed, 'user-data'), Buffer.from(packed, 'base64'));
  const plain = [['text/cloud-config', made.userData]];
  proof.same(
    'gzip: cloud-init decompresses the bytes, and has the same cloud-config',
    readBy('folder', seed).user,
    plain,
  );
  const file = join(folder, 'guestinfo');
  writeFileSync(file, packed);
  const onVsphere = readBy('vmware', file);
  proof.same('gzip: cloud-init on vSphere decodes gzip+base64', onVsphere.user ?? onVsphere.failed, plain);
  writeFileSync(join(seed, 'user-data'), packed);
  proof.that('(base64 of it is no user-data by itself)', readBy('folder', seed).user?.[0]?.[1] !== made.userData);
}

/** Machines of a join, with what each renderer of cloud-init must write for their networks. */
const MACHINES: readonly JoinMachine[] = [
  {
    name: 'shop-1',
    mac: '52:54:00:00:00:01',
    address: '192.0.2.20/24',
    gateway: '192.0.2.1',
    nameservers: ['192.0.2.53', '2001:db8::53'],
  },
  { name: 'shop-2', mac: '52-54-00-00-00-0A' },
  { name: 'shop-3', mac: '52:54:00:00:00:03', address: '2001:db8::10/64', gateway: 'fe80::1' },
  { name: 'shop-4' },
];

/** Kind of the output, and what of it is right for the first three machines. */
const RENDERED: Readonly<Record<string, readonly (readonly RegExp[])[]>> = {
  netplan: [
    [
      /macaddress: 0?'?52:54:00:00:00:01/,
      /- 192\.0\.2\.20\/24/,
      /via: 192\.0\.2\.1\b/,
      /- 192\.0\.2\.53/,
      /- 2001:db8::53/,
    ],
    [/macaddress: '?52:54:00:00:00:0a/, /dhcp4: true/],
    [/- 2001:db8::10\/64/, /to: ::\/0\n\s+via: fe80::1|via: fe80::1/],
  ],
  networkd: [
    [
      /MACAddress=52:54:00:00:00:01/i,
      /Address=192\.0\.2\.20\/24/,
      /Gateway=192\.0\.2\.1\b/,
      /DNS=192\.0\.2\.53 2001:db8::53/,
    ],
    [/MACAddress=52:54:00:00:00:0a/i, /DHCP=(ipv4|yes)/],
    [/Address=2001:db8::10\/64/, /Gateway=fe80::1/],
  ],
  eni: [
    [
      /iface eth0 inet static/,
      /address 192\.0\.2\.20\/24/,
      /(gateway|gw) 192\.0\.2\.1\b/,
      /dns-nameservers 192\.0\.2\.53 2001:db8::53/,
    ],
    [/iface eth0 inet dhcp/],
    [/iface eth0 inet6 static/, /address 2001:db8::10\/64/, /(gateway|gw) fe80::1/],
  ],
  'network-manager': [
    [/mac-address=52:54:00:00:00:01/i, /address1=192\.0\.2\.20\/24/, /192\.0\.2\.1\b/, /dns=192\.0\.2\.53;/],
    [/mac-address=52:54:00:00:00:0a/i, /method=auto/],
    [/address1=2001:db8::10\/64/, /fe80::1/],
  ],
  sysconfig: [
    [
      /HWADDR=52:54:00:00:00:01/i,
      /IPADDR=192\.0\.2\.20/,
      /(GATEWAY=|GATEWAY0=|via )192\.0\.2\.1\b/,
      /DNS1=192\.0\.2\.53/,
    ],
    [/HWADDR=52:54:00:00:00:0a/i, /BOOTPROTO=dhcp/],
    [/IPV6ADDR=2001:db8::10\/64/, /fe80::1/],
  ],
};

/** Everything that a renderer of cloud-init writes for a network-config. */
function renderedBy(kind: string, config: string, folder: string): string {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const distro = kind === 'sysconfig' ? 'rhel' : 'debian';
  const args = [
    'devel',
    'net-convert',
    '-p',
    config,
    '-k',
    'yaml',
    '-d',
    folder,
    '-D',
    distro,
    '-m',
    'eth0,52:54:00:00:00:01',
  ];
  const { status, stderr } = spawnSync('cloud-init', [...args, '-O', kind], { encoding: 'utf8' });
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const texts = files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
  return status === 0 ? texts.join('\n') : `${kind}: ${stderr}`;
}

/** Seed folders by the data source of cloud-init, and their networks by its renderers. */
function readsSeeds(folder: string, proof: Proof): void {
  const { join: made, app } = declareJoin(WAY, FILE, { machines: [...MACHINES], ntpServers: ['192.0.2.123'] });
  for (const { path, content } of artifactsOf(app)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  const seeds = join(folder, 'join', 'beijing');
  for (const [kind, machines] of Object.entries(RENDERED)) {
    machines.forEach((wanted, index) => {
      const name = MACHINES[index]?.name ?? '';
      const text = renderedBy(kind, join(seeds, name, 'network-config'), join(folder, 'rendered'));
      const missing = wanted.filter((pattern) => !pattern.test(text)).map(String);
      proof.that(`seeds: ${kind} of cloud-init has the network of ${name}`, missing.length === 0, { missing, text });
    });
  }
  const asFolder = readBy('folder', join(seeds, 'shop-1'));
  proof.same(
    'seeds: cloud-init reads the name of the machine, the join, and its own part',
    [asFolder.metadata?.['local-hostname'], asFolder.user, asFolder.vendor?.map(([type]) => type)],
    ['shop-1', [['text/cloud-config', made.userData]], ['text/cloud-boothook', 'text/cloud-config']],
  );
}

export const seeds: Group = {
  name: 'seeds',
  claim:
    'user-data with gzip and seed folders of machines are read by the data sources of cloud-init, and their network by each of its renderers',
  programs: 'cloud-init (NoCloud, VMware, net-convert to netplan, networkd, eni, sysconfig and NetworkManager)',
  tools: [],
  needs: ['linux', 'cloud-init'],
  run: (proof) => {
    const folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-e2e-'));
    try {
      readsGzip(folder, proof);
      readsSeeds(folder, proof);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    return Promise.resolve();
  },
};

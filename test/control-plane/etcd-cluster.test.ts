/** EtcdCluster: what its files say, for any cluster. The e2e group runs them. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, Chart, Testing } from 'cdk8s';
import { artifactsOf, EdgeCluster } from 'edge-nodepools';
import { EtcdCluster, type EtcdClusterProps } from 'edge-nodepools/control-plane';
import fc from 'fast-check';
import { parse, parseAllDocuments } from 'yaml';
import { CA, CLIENT, CLIENT_KEY } from '../bad-inputs/certificates.js';
import { MEMBERS } from '../bad-inputs/etcd.js';
import { runs } from '../depth.js';
import { EtcdCluster as arbitrary } from '../pulumi/control-plane-props.js';

const cluster = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36' });

function declare(props: Partial<EtcdClusterProps> = {}): { etcd: EtcdCluster; objects: any[]; chart: Chart } {
  const chart = new Chart(new App(), 'chart');
  const etcd = new EtcdCluster(chart, 'etcd', {
    cluster,
    name: 'edge',
    members: MEMBERS,
    certificates: { source: 'kubeadm' },
    ...props,
  });
  return { etcd, objects: Testing.synth(chart), chart };
}

const fileOf = (etcd: EtcdCluster, index: number, path: string): string =>
  etcd.members[index]?.files.find((file) => file.path === path)?.content ?? '';
/** A function of a script, with its body. */
const functionOf = (script: string, name: string): string =>
  new RegExp(`^${name}\\(\\) \\{\\n[^]*?\\n\\}$`, 'm').exec(script)?.[0] ?? '';
const configOf = (etcd: EtcdCluster, index: number): any => parse(fileOf(etcd, index, '/etc/etcd/etcd.conf.yml'));

/** Runs certificates.sh with programs that note how they are called: the phases of kubeadm with its documents, the calls of kubectl. */
function runCertificates(etcd: EtcdCluster): { record: string[][]; calls: string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-'));
  const program = (name: string, lines: readonly string[]): void =>
    writeFileSync(join(folder, name), ['#!/bin/sh', ...lines, ''].join('\n'), { mode: 0o755 });
  program('kubeadm', [
    `{ echo "=== $4"; cat "$6"; } >> '${folder}/record'`,
    'cd "${6%/*}" && mkdir -p etcd && case $4 in',
    '  etcd-ca) echo x > etcd/ca.crt; echo x > etcd/ca.key ;;',
    '  apiserver-*) echo x > "$4.crt"; echo x > "$4.key" ;;',
    '  *) echo x > "etcd/${4#etcd-}.crt"; echo x > "etcd/${4#etcd-}.key" ;;',
    'esac',
  ]);
  program('kubectl', [`echo "$*" >> '${folder}/calls'`, 'case $1 in get | create) echo x ;; esac']);
  const { status, stderr } = spawnSync('sh', ['-s', join(folder, 'pki')], {
    input: etcd.certificatesScript,
    encoding: 'utf8',
    env: { PATH: `${folder}:/usr/bin:/bin` },
  });
  expect({ status, stderr }).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('/etc/kubernetes/pki/etcd/ca.crt'),
  });
  expect(existsSync(join(folder, 'pki/apiserver/ca.crt'))).toBe(true);
  expect(existsSync(join(folder, 'pki/apiserver/ca.key'))).toBe(false);
  const read = (name: string): string =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '';
  const record = read('record')
    .split('=== ')
    .slice(1)
    .map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n') + 1)]);
  const calls = read('calls')
    .split('\n')
    .filter((call) => call !== '');
  rmSync(folder, { recursive: true });
  return { record, calls };
}

const accepted = arbitrary.filter(({ quota, volumeSize }: any) => quota !== '16Gi' && volumeSize !== '4Gi');

it('every member has the same cluster, its own address, and TLS for clients and peers', () => {
  fc.assert(
    fc.property(accepted, (props: any) => {
      const { etcd } = declare(props);
      const configs = props.members.map((_: unknown, index: number) => configOf(etcd, index));
      expect(new Set(configs.map((config: any) => config['initial-cluster'])).size).toBe(1);
      props.members.forEach(({ name, address }: any, index: number) => {
        const config = configs[index];
        const host = address.includes(':') ? `[${address}]` : address;
        expect(config.name).toBe(name);
        expect(config['initial-cluster'].split(',')[index]).toBe(`${name}=https://${host}:2380`);
        expect(config['advertise-client-urls']).toBe(`https://${host}:2379`);
        // a folder of the volume: the volume itself has lost+found
        expect(config['data-dir']).toBe('/var/lib/etcd/data');
        for (const part of ['client', 'peer']) {
          expect(config[`${part}-transport-security`]['client-cert-auth']).toBe(true);
        }
        const urls = JSON.stringify(config).match(/http:\/\/[^"]*/g);
        expect(urls).toEqual([`http://${props.publicMetrics === true ? host : '127.0.0.1'}:2381`]);
        expect(config['election-timeout']).toBeGreaterThanOrEqual(5 * config['heartbeat-interval']);
      });
      const endpoints = (etcd.clusterConfiguration as any).etcd.external.endpoints;
      expect(endpoints).toEqual(configs.map((config: any) => config['advertise-client-urls']));
      expect(etcd.apiServerFlags[0]).toBe(`--etcd-servers=${endpoints.join(',')}`);
    }),
    runs(100),
  );
});

it('no key is in any file, and the shell reads every script', () => {
  const { etcd, chart } = declare({
    clusterApi: {
      clusterName: 'edge',
      caCertificate: CA,
      clientCertificate: CLIENT,
      clientKey: CLIENT_KEY,
    },
  });
  const artifacts = artifactsOf(chart);
  expect(artifacts.map(({ path }) => path)).toContain('etcd/edge/certificates.sh');
  expect(
    artifacts.filter(
      ({ content }) => content.includes('PRIVATE KEY') || content.includes(CLIENT_KEY.split('\n')[1] ?? ''),
    ),
  ).toEqual([]);
  const scripts = [
    etcd.certificatesScript as string,
    etcd.members[0]?.script as string,
    fileOf(etcd, 0, '/usr/local/sbin/edge-etcd'),
  ];
  // of both ways to make certificates
  scripts.push(declare({ certificates: { source: 'cert-manager' } }).etcd.certificatesScript as string);
  for (const script of scripts) {
    expect(spawnSync('sh', ['-n'], { input: script, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  }
});

it('the user data of cloud-init and the script write the same files', () => {
  const { etcd } = declare();
  for (const { userData, script, files } of etcd.members) {
    const config = parse(userData);
    expect(config.write_files.map(({ path, content, permissions }: any) => ({ path, content, permissions }))).toEqual(
      files,
    );
    expect(config.runcmd).toEqual([['/usr/local/sbin/edge-etcd', 'setup']]);
    expect(files.filter(({ path }) => !script.includes(path))).toEqual([]);
  }
});

it('the unit runs the guard of the volume as root before each start', () => {
  const unit = fileOf(declare().etcd, 0, '/etc/systemd/system/etcd.service');
  expect(unit).toContain('\nExecStartPre=+/usr/local/sbin/edge-etcd ready\n');
  expect(unit).toContain('\nUser=etcd\n');
  // an attempt every ten seconds until volume and certificates are there
  expect(unit).toContain('\nRestart=always\nRestartSec=10s\n');
  expect(unit).toContain('\nStartLimitIntervalSec=0\n');
});

describe('certificates', () => {
  it('of cert-manager: a pair of both usages for each member, with its address and that of the load balancer', () => {
    const { objects } = declare({ certificates: { source: 'cert-manager', days: 30 }, loadBalancer: '192.0.2.9' });
    const certificates = objects.filter(({ kind, spec }) => kind === 'Certificate' && spec.isCA !== true);
    expect(certificates).toHaveLength(7);
    for (const { metadata, spec } of certificates) {
      expect(spec).toMatchObject({ secretName: metadata.name, duration: '720h' });
      expect(spec.commonName.length).toBeLessThanOrEqual(64);
      const pair = /^edge-etcd-(etcd-\d)-(server|peer)$/.exec(metadata.name as string);
      const member = MEMBERS.find(({ name }) => name === pair?.[1]);
      expect(spec.usages).toEqual([
        'digital signature',
        ...(member === undefined ? [] : ['server auth']),
        'client auth',
      ]);
      if (member !== undefined) {
        expect(spec.ipAddresses).toContain(member.address);
        expect(spec.ipAddresses.includes('192.0.2.9')).toBe(pair?.[2] === 'server');
      }
    }
  });

  it('of cert-manager: a CA that is renewed keeps its key, so that members with old certificates are trusted', () => {
    const { objects } = declare({ certificates: { source: 'cert-manager' } });
    const rotations = objects
      .filter(({ kind }) => kind === 'Certificate')
      .map(({ spec }) => [spec.isCA === true, spec.privateKey.rotationPolicy]);
    expect(rotations[0]).toEqual([true, 'Never']);
    expect(rotations.slice(1).filter(([isCa]) => isCa)).toEqual([]);
  });

  it('of kubeadm: a document for each member, in the version of its cluster', () => {
    for (const [kubernetes, version] of [
      ['1.30', 'v1beta3'],
      ['1.36', 'v1beta4'],
    ] as const) {
      const { etcd } = declare({
        cluster: EdgeCluster.of({ openYurt: 'none', kubernetes }),
        ...(version === 'v1beta4'
          ? { loadBalancer: '2001:db8::9', certificates: { source: 'kubeadm', days: 30 } as const }
          : {}),
      });
      const { record } = runCertificates(etcd);
      const given = record.filter(([phase]) => phase === 'etcd-server');
      expect(given).toHaveLength(MEMBERS.length);
      given.forEach(([, text], index) => {
        const name = MEMBERS[index]?.name;
        const documents = parseAllDocuments(text as string).map((document) => document.toJS());
        expect(documents.map(({ apiVersion }: any) => apiVersion)).toEqual([
          `kubeadm.k8s.io/${version}`,
          `kubeadm.k8s.io/${version}`,
        ]);
        expect(documents[0]).toMatchObject({
          nodeRegistration: { name },
          localAPIEndpoint: { advertiseAddress: MEMBERS[index]?.address },
        });
        expect(documents[1]).toMatchObject({
          kubernetesVersion: `v${kubernetes}.0`,
          etcd: {
            local: {
              serverCertSANs: ['localhost', '127.0.0.1', '::1', ...(version === 'v1beta4' ? ['2001:db8::9'] : [])],
              peerCertSANs: ['localhost', '127.0.0.1', '::1'],
            },
          },
        });
        expect(documents[1].certificateValidityPeriod).toBe(version === 'v1beta4' ? '720h0m0s' : undefined);
      });
      expect(etcd.clusterConfiguration.apiVersion).toBe(`kubeadm.k8s.io/${version}`);
    }
  });

  it('of your own: no script', () => {
    expect(declare({ certificates: { source: 'files' } }).etcd.certificatesScript).toBeUndefined();
  });

  it('for Cluster API: the CA never with its key, which Cluster API would write into user data', () => {
    const { objects } = declare({
      certificates: { source: 'files' },
      namespace: 'machines',
      clusterApi: {
        clusterName: 'shops',
        caCertificate: CA,
        clientCertificate: CLIENT,
        clientKey: CLIENT_KEY,
      },
    });
    expect(
      objects.map(({ metadata, stringData }) => [metadata.name, metadata.namespace, Object.keys(stringData)]),
    ).toEqual([
      ['shops-etcd', 'machines', ['tls.crt']],
      ['shops-apiserver-etcd-client', 'machines', ['tls.crt', 'tls.key']],
    ]);
    // what Cluster API 1.13.6 looks up: Name, Purpose and secretToKeyPair in util/secret; the label is that of its book (using-custom-certificates). A Secret of
    // its own type would get the KubeadmControlPlane as owner (ensureCertificatesOwnerRef), and be deleted with it
    for (const { type, metadata } of objects) {
      expect([type, metadata.labels['cluster.x-k8s.io/cluster-name']]).toEqual(['Opaque', 'shops']);
    }
    for (const source of ['kubeadm', 'cert-manager'] as const) {
      const { etcd, objects: made } = declare({ certificates: { source }, clusterApi: { clusterName: 'shops' } });
      const { calls } = runCertificates(etcd);
      const created = (name: string): string[] =>
        calls.filter((call) => call.startsWith('create secret') && call.split(' ').includes(name));
      expect(created('shops-etcd')).toEqual([expect.stringMatching(/tls\.crt=\S*\/apiserver\/ca\.crt/)]);
      expect(created('shops-etcd').filter((call) => call.includes('.key'))).toEqual([]);
      expect(created('shops-apiserver-etcd-client')).toHaveLength(source === 'kubeadm' ? 1 : 0);
      expect(calls.filter((call) => call.startsWith('label'))).toHaveLength(source === 'kubeadm' ? 2 : 1);
      expect(made.filter(({ spec }) => spec?.secretName === 'shops-etcd')).toEqual([]);
    }
  });
});

it('etcd of another cluster cannot be joined by mistake: the token is the name', () => {
  expect(configOf(declare({ name: 'shops' }).etcd, 0)['initial-cluster-token']).toBe('shops');
});

describe('the second day', () => {
  it('timers of snapshots and of the defragmentation run the program of the member', () => {
    const { etcd } = declare({ snapshots: { everyHours: 4, keep: 3 }, defragmentationHour: 5 });
    const unit = (name: string): string => fileOf(etcd, 1, `/etc/systemd/system/edge-etcd-${name}`);
    expect(unit('snapshot.timer')).toContain('\nOnCalendar=*-*-* 00/4:10:00 UTC\n');
    expect(unit('defrag.timer')).toContain('\nOnCalendar=*-*-* 05:30:00 UTC\n');
    for (const command of ['snapshot', 'defrag']) {
      expect(unit(`${command}.service`)).toContain(`\nExecStart=/usr/local/sbin/edge-etcd ${command}\n`);
      expect(fileOf(etcd, 1, '/usr/local/sbin/edge-etcd')).toMatch(
        new RegExp(`^ +.*\\b${command}\\b.*\\) "\\$command"`, 'm'),
      );
    }
    expect(fileOf(etcd, 1, '/usr/local/sbin/edge-etcd')).toMatch(/ snapshots_kept=3 /);
  });

  it('words of an upload reach the program as they are', () => {
    const words = ['printf', '%s\\n', '{file}', "it's; a $(b) `c`", 'to={file}.gz'];
    const { etcd } = declare({ snapshots: { upload: words } });
    const script = fileOf(etcd, 0, '/usr/local/sbin/edge-etcd');
    const assignment = /^upload=[^]*?'$/m.exec(script)?.[0] ?? '';
    const line = `${assignment}\nfile='/a b/1.db'\n${functionOf(script, 'upload_snapshot')}\nupload_snapshot`;
    const { stdout } = spawnSync('sh', ['-c', line], { encoding: 'utf8' });
    expect(stdout.split('\n').slice(0, 3)).toEqual(['/a b/1.db', "it's; a $(b) `c`", 'to=/a b/1.db.gz']);
  });

  /** Runs lines with the functions of a member, of which they replace some. */
  function runsOnMember(lines: readonly string[]): { stdout: string; stderr: string } {
    const script = fileOf(declare().etcd, 0, '/usr/local/sbin/edge-etcd');
    const input = script.replace(/\ncommand=\$\{1:-help\}[^]*$/, `\n${lines.join('\n')}\n`);
    return spawnSync('sh', [], { input, encoding: 'utf8', timeout: 20_000 });
  }

  /** Others, of which each answers as etcd does (its cluster, and in brackets who has started), or as a member that waits. */
  function withOthers(others: readonly string[], folder: string): string[] {
    const says = others.map((answer, index) => `10.0.0.1${index + 1}:2380) says='${answer}' ;;`);
    return [
      `ask() { case $1 in ${says.join(' ')} *) says= ;; esac`,
      '  answer=; id=; listed=; case $says in',
      '    etcd*) id=${says#etcd } id=${id%%(*}; listed=${says#*(} ;; esac; [ -n "$id" ]; }',
      'lists_this() { case $listed in *own*) ;; *) return 1 ;; esac; }',
      'said() { echo "$says"; }; hears() { false; }; cluster_id() { echo this; }; pki=/nowhere; answers=/tmp',
      `data='${folder}'; mount='${folder}'; prepared='${folder}/prepared'; other_peers='10.0.0.11:2380 10.0.0.12:2380'`,
    ];
  }

  /** What a member without data does after some rounds of questions. */
  function rounds(others: readonly string[], given: { mark?: string; majority?: string }): string {
    const folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-'));
    const { stdout, stderr } = runsOnMember([
      ...withOthers(others, folder),
      'speaks() { :; }; silences() { :; }; chown() { :; }; slept=0; sleep() { slept=$((slept + 1)); [ $slept -lt 4 ] || { echo waits; exit; }; }; setting() { echo new; }',
      `never_started() { [ '${given.majority ?? ''}' = never ]; }`,
      ...(given.mark === undefined ? [] : ['mkdir "$data/member"', `echo '${given.mark}' > "$data/member/agreed"`]),
      'may_begin; echo begins',
    ]);
    const mark = existsSync(join(folder, 'member/agreed')) ? ', agreed' : '';
    rmSync(folder, { recursive: true });
    return (stdout.trim() === '' ? `refuses: ${stderr.trim().split('\n').at(-1)}` : stdout.trim()) + mark;
  }

  it.each([
    // it hears nobody, or not all: silence is no permission
    [['', ''], {}, 'waits'],
    [['blank this', ''], {}, 'waits'],
    [['agreed this', ''], {}, 'waits'],
    [['agreed this', ''], { mark: 'this ' }, 'waits, agreed'],
    // all are blank: it notes so, and the next round decides
    [['blank this', 'blank this'], {}, 'waits, agreed'],
    [['agreed this', 'blank this'], {}, 'waits, agreed'],
    [['agreed this', 'blank this'], { mark: 'this ' }, 'waits, agreed'],
    [['agreed this', 'agreed this'], { mark: 'this ' }, 'begins, agreed'],
    [['etcd this()', ''], { mark: 'this ' }, 'begins, agreed'],
    // a mark of another cluster is none, and it notes anew
    [['agreed this', 'agreed this'], { mark: 'other ' }, 'begins, agreed'],
    [['blank other', 'blank this'], {}, 'waits'],
    // one that has data may lag: only most members know
    [['etcd this("clientURLs" others)', ''], {}, 'waits'],
    [['etcd this("clientURLs" others)', 'blank this'], {}, 'waits'],
    [['etcd this("clientURLs" others)', 'blank this'], { majority: 'never' }, 'begins, agreed'],
    [
      ['etcd this("clientURLs" own)', ''],
      {},
      'refuses: edge-etcd: .*had data for the member at .*run edge-etcd replace',
    ],
    [['blank this', 'etcd that()'], { mark: 'this ' }, 'refuses: edge-etcd: .*of the cluster that.*, agreed'],
    // the word of an administrator
    [['', ''], { mark: 'this word' }, 'begins, agreed'],
    [['', ''], { mark: 'that word' }, 'waits, agreed'],
  ] as const)('a member without data that hears %j (%j): %s', (others, given, does) => {
    expect(rounds(others, given)).toMatch(new RegExp(`^${does}$`));
  });

  it.each([
    [['', ''], 'prepares'],
    [['blank this', 'agreed this'], 'prepares'],
    [['etcd this("clientURLs" own)', ''], 'etcd runs at 10.0.0.11:2380 with what came after'],
    // one that lags does not know that this member ever started
    [['', 'etcd this()'], 'etcd runs at 10.0.0.12:2380 with what came after'],
    [['', 'etcd that()'], 'etcd runs at 10.0.0.12:2380 with other data'],
  ] as const)('a restore beside %j: %s', (others, does) => {
    const folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-'));
    const { stdout, stderr } = runsOnMember([
      ...withOthers(others, folder),
      'etcdutl() { :; }; systemctl() { :; }; certificates() { :; }; mounted() { :; }; prepare() { echo prepares; }',
      `echo data > '${folder}/file'; restore '${folder}/file'`,
    ]);
    rmSync(folder, { recursive: true });
    expect(`${stdout}${stderr}`).toContain(does);
  });

  it('a snapshot of an etcd that does not answer fails, and leaves nothing', () => {
    const folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-'));
    const { stdout, stderr } = runsOnMember([
      'etcdctl() { case "$*" in *"snapshot save"*) sleep 60 ;; *) return 1 ;; esac; }; certificates() { say expired; }',
      `snapshots='${folder}/snapshots'; snapshot`,
    ]);
    expect(`${stdout}${stderr}`).toMatch(/^edge-etcd: expired\nedge-etcd: etcd at .* does not answer/);
    expect(existsSync(join(folder, 'snapshots'))).toBe(false);
    rmSync(folder, { recursive: true });
  });

  it('old snapshots of a member are removed, and none of another one in the same folder', () => {
    const { etcd } = declare({ snapshots: { keep: 2 } });
    const removes = functionOf(fileOf(etcd, 0, '/usr/local/sbin/edge-etcd'), 'remove_old_snapshots');
    const folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-'));
    const days = ['20260101', '20260102', '20260103'];
    const files = ['etcd-1', 'etcd-1-b', 'etcd-10'].flatMap((name) => days.map((day) => `${name}-${day}T000000Z.db`));
    files.forEach((file) => writeFileSync(join(folder, file), ''));
    const given = `snapshots='${folder}' snapshots_kept=2 member=etcd-1`;
    const { status } = spawnSync('sh', ['-c', `${given}\n${removes}\nremove_old_snapshots`]);
    expect(status).toBe(0);
    expect(files.filter((file) => !existsSync(join(folder, file)))).toEqual(['etcd-1-20260101T000000Z.db']);
    rmSync(folder, { recursive: true });
  });

  it('alerts select the job of this cluster', () => {
    const { objects } = declare({ publicMetrics: true, alerts: { labels: { release: 'prometheus' } } });
    expect(objects.map(({ kind }) => kind)).toEqual(['PrometheusRule']);
    expect(objects[0].metadata.labels).toMatchObject({ release: 'prometheus' });
    const { rules } = objects[0].spec.groups[0];
    expect(rules.length).toBeGreaterThan(10);
    for (const { expr } of rules) {
      expect(expr).toContain('{job="edge-etcd"}');
      expect(expr).not.toContain('JOB');
    }
  });

  it('a security group opens ports to members, clients and monitoring, and to nobody else', () => {
    const { etcd } = declare({ clients: ['10.0.0.0/24'], publicMetrics: true, monitoring: ['10.0.9.0/24'] });
    expect(
      etcd.securityGroupRules.map((rule) => [
        rule.remoteIpPrefix,
        rule.ethertype,
        rule.portRangeMin,
        rule.portRangeMax,
      ]),
    ).toEqual([
      ...MEMBERS.map(({ address }) => [`${address}/32`, 'IPv4', 2379, 2380]),
      ['10.0.0.0/24', 'IPv4', 2379, 2379],
      ['10.0.9.0/24', 'IPv4', 2381, 2381],
    ]);
    expect(etcd.serverGroup).toEqual({ name: 'edge-etcd', policies: ['anti-affinity'] });
    const members = MEMBERS.map((member, index) => ({ ...member, address: `2001:db8::${index + 1}` }));
    const { securityGroupRules } = declare({ members, clients: ['2001:db8:1::/64'] }).etcd;
    expect(securityGroupRules.map(({ remoteIpPrefix, ethertype }) => [remoteIpPrefix, ethertype])).toEqual([
      ...members.map(({ address }) => [`${address}/128`, 'IPv6']),
      ['2001:db8:1::/64', 'IPv6'],
    ]);
  });
});

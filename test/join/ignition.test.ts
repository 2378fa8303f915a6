import { Testing } from 'cdk8s';
import { artifactsOf, JoinToken, type NodeJoinProps } from 'edge-nodepools';
import type { JoinMachine } from 'edge-nodepools/types';
import fc from 'fast-check';
import { planNodeJoin } from '../../src/join/node-join.js';
import { runs } from '../depth.js';
import { planScope } from '../plan-scope.js';
import { declareJoin, joinOptions, tokenKind, tokenOf, tokenText, WAYS } from '../properties/join-arbitraries.js';
import { readIgnition, type WrittenFile } from './ignition-files.js';

const TOKEN = 'k3x9q2.7v1m0c8z4b6n5j2h';
const FIRST = '/var/lib/edge-nodepools/first-join.yaml';
const FILE = tokenOf('file', '');
const KUBEADM = { openYurt: 'none', kubernetes: '1.36', via: 'kubeadm' } as const;

const way = fc.constantFrom(...WAYS.filter(({ via }) => via !== 'yurtadm'));

/** What a system with Ignition can be given. */
const options = joinOptions
  .filter(({ files = [] }) => !files.some(({ path }) => /^\/(usr|s?bin|lib|lib64|run|tmp|dev|proc|sys)\//.test(path)))
  .map((given): Partial<NodeJoinProps> => ({
    ...given,
    format: 'ignition',
  }));

const declared = (props: Partial<NodeJoinProps> = {}, token = tokenOf('file', '')) =>
  declareJoin(KUBEADM, token, { format: 'ignition', ...props });

const asWritten = ({ path, content, permissions }: { path: string; content: string; permissions: string }) => ({
  path,
  content,
  mode: permissions.padStart(4, '0'),
});

describe('a join by Ignition', () => {
  it('has the files of the other formats, to the byte, and a unit that runs their script', () => {
    fc.assert(
      fc.property(way, tokenKind, tokenText, options, (chosen, kind, text, props) => {
        const { join } = declareJoin(chosen, tokenOf(kind, text), props);
        const { version, files, units } = readIgnition(join.ignition ?? '');
        expect(version).toBe('3.0.0');
        const time = '/etc/systemd/timesyncd.conf.d/10-edge-nodepools.conf';
        const inMemory = /^\/run\//;
        const expected = join.files.map(asWritten);
        expect(files.filter(({ path }) => path !== time)).toEqual(
          expected.map((file) => (inMemory.test(file.path) ? { ...file, path: FIRST } : file)),
        );
        expect(files.some(({ path }) => path === time)).toBe(props.ntpServers !== undefined);
        // the same as those of the script, but for the hash of what is published
        const script = declareJoin(chosen, tokenOf(kind, text), { ...props, format: 'script' }).join;
        const hashless = (all: readonly WrittenFile[]): unknown =>
          all.map((file) => ({ ...file, content: file.content.replace(/(edge-nodepools\/join=)[0-9a-f]{10}/, '$1') }));
        expect(hashless(expected)).toEqual(hashless(script.files.map(asWritten)));

        const [unit, service] = units;
        const moved = expected.find(({ path }) => inMemory.test(path))?.path;
        const lines = unit?.contents?.split('\n') ?? [];
        expect(unit).toMatchObject({ name: 'edge-nodepools-boot.service', enabled: true });
        expect(lines).toContain(
          props.service === undefined
            ? 'ExecStart=/bin/sh /var/lib/edge-nodepools/join.sh'
            : 'ExecStart=/bin/sh /var/lib/edge-nodepools/service.sh start',
        );
        expect(lines).toContain(
          `ConditionPathExists=!/var/lib/edge-nodepools/${props.service === undefined ? 'applied' : 'service-status'}`,
        );
        expect(lines.filter((line) => line.startsWith('ExecStartPre='))).toEqual(
          moved === undefined ? [] : [expect.stringContaining(`mv -f ${FIRST} ${moved}; fi'`)],
        );
        // systemd would replace them
        expect(unit?.contents).not.toMatch(/[$%]/);
        expect(service?.name).toBe(props.service === undefined ? undefined : 'edge-nodepools-join.service');
      }),
      runs(100),
    );
  });

  it('is the same bytes twice, and has an inline token or a placeholder in one file, as plain text', () => {
    fc.assert(
      fc.property(way, tokenText, options, (chosen, text, props) => {
        for (const [token, wanted] of [
          [JoinToken.inline(text), text],
          [tokenOf('secret', ''), 'token0.placeholder00000'],
        ] as const) {
          const [once, twice] = [0, 1].map(() => declareJoin(chosen, token, props).join);
          expect(twice?.ignition).toBe(once?.ignition);
          expect(twice?.contentHash).toBe(once?.contentHash);
          expect(once?.ignition?.split(wanted)).toHaveLength(2);
          const holding = readIgnition(once?.ignition ?? '').files.filter(({ content }) => content.includes(wanted));
          expect(holding.map(({ path, mode }) => [path, mode])).toEqual([[FIRST, '0600']]);
        }
        const [id = '', secret = ''] = text.split('.');
        const other = `${id}.${secret.startsWith('z') ? 'y' : 'z'}${secret.slice(1)}`;
        const [one, two] = [text, other].map((each) => declareJoin(chosen, JoinToken.inline(each), props).join);
        expect(two?.contentHash).toBe(one?.contentHash);
      }),
      runs(60),
    );
  });

  it('has no token of any kind where it is a reference', () => {
    for (const kind of ['file', 'command'] as const) {
      const { files, units } = readIgnition(declared({}, tokenOf(kind, TOKEN)).join.ignition ?? '');
      expect(JSON.stringify([files, units])).not.toContain(TOKEN);
      expect(files.map(({ path }) => path)).toContain('/var/lib/edge-nodepools/join.yaml');
      expect(units).toHaveLength(1);
    }
  });

  it('is published as it is, with a name of its own, as a Secret if it has the token', () => {
    const { join, chart, app } = declared();
    const object = Testing.synth(chart).find(({ kind }) => kind === 'ConfigMap');
    expect(object.data).toEqual({ 'config.ign': join.ignition });
    expect(object.metadata.name).toBe(`beijing-join-${join.contentHash.slice(0, 10)}`);
    expect(artifactsOf(app)[0]).toEqual({ path: `join/${object.metadata.name}.ign`, content: join.ignition });
    expect(declared({ format: 'script' }).join.contentHash).not.toBe(join.contentHash);
    expect(declared({ format: 'script' }).join.ignition).toBeUndefined();
    const inline = declared({ publish: true }, JoinToken.inline(TOKEN));
    expect(Testing.synth(inline.chart).map(({ kind }) => kind as string)).toContain('Secret');
    expect(artifactsOf(inline.app).filter(({ content }) => content.includes(TOKEN))).toEqual([
      expect.objectContaining({ isSecret: true }),
    ]);
  });

  it('is smaller than the cloud-config, because its files are compressed, and its size is checked', () => {
    const { join } = declared({ provider: 'aws', service: {} });
    expect(join.ignition?.length).toBeLessThan(join.userData.length / 1.7);
    expect(join.userData.length).toBeGreaterThan(16_384);
  });

  it('keeps text of every kind', () => {
    const content = 'a%20b "c" \\ \' (d) ~!*\n\t\u0001é漢🙂\r\n';
    const short = declared({ files: [{ path: '/etc/a', content }] });
    const long = declared({ files: [{ path: '/etc/a', content: content.repeat(500), permissions: '640' }] });
    const fileOf = ({ join }: typeof short) =>
      readIgnition(join.ignition ?? '').files.find(({ path }) => path === '/etc/a');
    expect(fileOf(short)).toEqual({ path: '/etc/a', content, mode: '0644' });
    expect(fileOf(long)).toEqual({ path: '/etc/a', content: content.repeat(500), mode: '0640' });
  });

  it('warns where OpenYurt would write a program into /usr', () => {
    const said = (openYurt: string, props: Partial<NodeJoinProps>): string[] =>
      planNodeJoin(
        { pool: declareJoin({ openYurt, kubernetes: '1.34', via: undefined }, FILE).pool, token: FILE, ...props },
        planScope(),
        0,
      ).warnings.map(({ path, message }) => `${path} ${message}`);
    const warning = expect.stringMatching(/^format .*yurthub.*Flatcar/);
    expect(said('1.7', { format: 'ignition' })).toEqual([warning]);
    expect(said('1.7', { format: 'script' })).toEqual([]);
    expect(said('none', { format: 'ignition' })).toEqual([]);
  });

  it('is removed by the script with which a node leaves', () => {
    const [own, other] = [declared({ service: {} }), declared({ service: {}, format: 'script' })];
    const paths = readIgnition(own.join.ignition ?? '').units.flatMap(({ name, dropins = [] }) =>
      dropins.length === 0
        ? [name, `multi-user.target.wants/${name}`]
        : dropins.map((part) => `${name}.d/${part.name}`),
    );
    expect(paths).toHaveLength(3);
    for (const path of paths) {
      expect(own.join.leaveScript).toContain(`\n/etc/systemd/system/${path}`);
      expect(other.join.leaveScript).not.toContain(`/etc/systemd/system/${path}`);
    }
  });
});

describe('machines with Ignition', () => {
  const machines: JoinMachine[] = [
    { name: 'shop-1', mac: '52:54:00:00:00:01', labels: { 'shops.example/rack': 'r1', on: '' }, ntp: ['192.0.2.1'] },
    { name: 'shop-2' },
  ];

  it('have a config each: what they share, and their own name, labels and NTP servers', () => {
    for (const token of [tokenOf('file', ''), JoinToken.inline(TOKEN)]) {
      const { app, join } = declared({ machines, ntpServers: ['ntp.example'] }, token);
      const shared = readIgnition(join.ignition ?? '');
      const configs = artifactsOf(app).filter(({ path }) => /^join\/beijing\/shop-\d\.ign$/.test(path));
      expect(configs.map(({ isSecret }) => isSecret)).toEqual(
        [0, 1].map(() => (token.kind === 'inline' ? true : undefined)),
      );
      const own = configs.map(({ content }) => {
        const { files, units, version } = readIgnition(content);
        expect([version, units]).toEqual([shared.version, shared.units]);
        expect(files.slice(-shared.files.length)).toEqual(shared.files);
        return files.slice(0, -shared.files.length).map(({ path, content: text }) => [path, text]);
      });
      const time = '/etc/systemd/timesyncd.conf.d/10-edge-nodepools.conf';
      expect(own).toEqual([
        [
          ['/etc/hostname', 'shop-1\n'],
          ['/var/lib/edge-nodepools/machine', 'name=shop-1\nlabels=,shops.example/rack=r1,on=\n'],
          [time, '[Time]\nNTP=192.0.2.1\n'],
        ],
        [
          ['/etc/hostname', 'shop-2\n'],
          ['/var/lib/edge-nodepools/machine', 'name=shop-2\nlabels=\n'],
          [time, '[Time]\nNTP=ntp.example\n'],
        ],
      ]);
      expect(join.seeds).toEqual([]);
    }
  });

  it('have the network of their list, for networkd and for NetworkManager', () => {
    const network = (machine: Partial<JoinMachine>): unknown => {
      const { app } = declared({ machines: [{ name: 'shop-1', mac: '52-54-00-00-00-0A', ...machine }] });
      const config = artifactsOf(app).find(({ path }) => path.endsWith('/shop-1.ign'))?.content ?? '';
      const files = readIgnition(config).files.filter(({ path }) => /network/i.test(path));
      return files.map(({ path, content, mode }) => [
        path.replace(/^.*\./, ''),
        mode,
        content
          .split('\n')
          .filter((line) => /^(\[ipv|[A-Zam].*=)/.test(line))
          .join(' '),
      ]);
    };
    expect(network({})).toEqual([]);
    expect(
      network({ address: '192.0.2.20/24', gateway: '192.0.2.1', nameservers: ['192.0.2.53', 'fd00::53'] }),
    ).toEqual([
      [
        'network',
        '0644',
        'MACAddress=52:54:00:00:00:0a Address=192.0.2.20/24 Gateway=192.0.2.1 DNS=192.0.2.53 DNS=fd00::53',
      ],
      [
        'nmconnection',
        '0600',
        'mac-address=52:54:00:00:00:0a [ipv4] method=manual address1=192.0.2.20/24,192.0.2.1 [ipv6] method=auto',
      ],
    ]);
    expect(network({ address: 'fd00::10/64', gateway: 'fe80::1' })).toEqual([
      ['network', '0644', 'MACAddress=52:54:00:00:00:0a Address=fd00::10/64 Gateway=fe80::1'],
      [
        'nmconnection',
        '0600',
        'mac-address=52:54:00:00:00:0a [ipv4] method=disabled [ipv6] method=manual address1=fd00::10/64,fe80::1',
      ],
    ]);
    expect(network({ nameservers: ['192.0.2.53'] })).toEqual([
      ['network', '0644', 'MACAddress=52:54:00:00:00:0a DHCP=yes DNS=192.0.2.53'],
      ['nmconnection', '0600', 'mac-address=52:54:00:00:00:0a [ipv4] method=auto [ipv6] method=auto'],
    ]);
  });

  it('share a join that does not depend on the list', () => {
    const [one, other] = [declared({ machines }), declared({ machines: machines.slice(1) })];
    expect(other.join.ignition).toBe(one.join.ignition);
    expect(other.join.contentHash).toBe(one.join.contentHash);
  });
});

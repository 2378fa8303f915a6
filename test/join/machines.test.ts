import { rmSync } from 'node:fs';
import { join as pathOf } from 'node:path';
import { Testing } from 'cdk8s';
import { artifactsOf, EdgeError, JoinToken, type NodeJoinProps, parseMachines } from 'edge-nodepools';
import type { JoinMachine } from 'edge-nodepools/types';
import fc from 'fast-check';
import { parse, parseAllDocuments } from 'yaml';
import { runs } from '../depth.js';
import { declareJoin, WAYS } from '../properties/join-arbitraries.js';
import { Folder, SUCCEEDS, TOKEN } from './machine-folder.js';

const FILE = JoinToken.fromFile('/var/lib/edge/join-token');
const KUBEADM = { openYurt: 'none', kubernetes: '1.36', via: 'kubeadm' } as const;

const name = fc.stringMatching(/^[a-z0-9]([a-z0-9.-]{0,20}[a-z0-9])?$/).filter((text) => !/\.[.-]|-\./.test(text));
const label = fc.stringMatching(/^([A-Za-z0-9]([\w.-]{0,10}[A-Za-z0-9])?)?$/);
const byte = fc.integer({ min: 1, max: 250 });

/** Machines with everything, or nothing but a name. */
const machines: fc.Arbitrary<JoinMachine[]> = fc.uniqueArray(
  fc
    .record({ name, low: byte, labels: fc.dictionary(fc.constantFrom('rack', 'example.com/on'), label), ntp: byte })
    .map(({ name: own, low, labels, ntp }): JoinMachine =>
      low % 5 === 0
        ? { name: own }
        : {
            name: own,
            mac: `52-54-00-00-00-${low.toString(16).padStart(2, '0')}`,
            ...(low % 2 ? { address: `192.0.2.${low}/24`, gateway: '192.0.2.254', nameservers: ['fd00::53'] } : {}),
            labels,
            ntp: [`192.0.2.${ntp}`],
          },
    ),
  { minLength: 1, maxLength: 6, selector: ({ name: own, mac }) => mac ?? own, comparator: 'SameValueZero' },
);

const declared = (
  given: JoinMachine[],
  props: Partial<NodeJoinProps> = {},
  token = FILE,
  way: (typeof WAYS)[number] = KUBEADM,
) => declareJoin(way, token, { secondsBetweenAttempts: 0, attempts: 1, machines: given, ...props });

describe('machines of a join', () => {
  it('have a complete seed folder each, and share the bytes of everything else', () => {
    const way = fc.constantFrom(...WAYS);
    fc.assert(
      fc.property(way, machines, fc.constantFrom('file', 'inline'), (chosen, given, kind) => {
        const unique = given.filter(
          (machine, index) => given.findIndex(({ name: own }) => own === machine.name) === index,
        );
        const token = kind === 'file' ? FILE : JoinToken.inline(TOKEN);
        const { app, chart, join } = declared(unique, { ntpServers: ['ntp.example'] }, token, chosen);
        const other = declared([{ name: 'other', ntp: ['192.0.2.1'] }], { ntpServers: ['ntp.example'] }, token, chosen);
        expect([join.userData, join.script, join.contentHash]).toEqual([
          other.join.userData,
          other.join.script,
          other.join.contentHash,
        ]);
        expect(Testing.synth(chart)).toEqual(Testing.synth(other.chart));
        const files = new Map(artifactsOf(app).map((artifact) => [artifact.path, artifact]));
        unique.forEach((machine) => {
          const folder = `join/beijing/${machine.name}`;
          const at = (file: string): string => files.get(`${folder}/${file}`)?.content ?? '';
          expect(at('user-data')).toBe(join.userData);
          expect(files.get(`${folder}/user-data`)?.isSecret ?? false).toBe(kind === 'inline');
          expect(parse(at('meta-data'), { version: '1.1' })).toEqual({
            'instance-id': `beijing_${machine.name}`,
            'local-hostname': machine.name,
          });
          const [document] = parseAllDocuments(at('network-config'), { version: '1.1' });
          expect(document?.toJS()?.ethernets?.eth0.match).toEqual(
            machine.mac === undefined ? undefined : { macaddress: machine.mac.replaceAll('-', ':') },
          );
          expect(at('meta-data') + at('network-config') + at('vendor-data')).not.toContain(TOKEN);
          const [hook, config] = parse(at('vendor-data'), { version: '1.1' }) as { type: string; content: string }[];
          expect(hook?.content.startsWith('#cloud-boothook\n#!/bin/sh\n')).toBe(true);
          expect(parse(config?.content ?? '', { version: '1.1' }).ntp.servers).toEqual(machine.ntp ?? ['ntp.example']);
          for (const [key, value] of Object.entries(machine.labels ?? {})) {
            expect(hook?.content).toContain(`,${key}=${value}`);
          }
        });
      }),
      runs(100),
    );
  });

  it('are not in the way of a join without machines', () => {
    const { join } = declareJoin(KUBEADM, FILE, {});
    expect([join.seeds, /edge-nodepools\/machine|machine-(name|labels|config)/.test(join.userData)]).toEqual([
      [],
      false,
    ]);
  });
});

const describeInShell = process.platform === 'win32' ? describe.skip : describe;

describeInShell('a machine', () => {
  let machine: Folder;
  beforeEach(() => (machine = new Folder()));
  afterEach(() => rmSync(machine.root, { recursive: true }));

  /** What cloud-init does with the vendor-data at every boot. */
  const boots = (seed: { readonly vendorData: string } | undefined): void => {
    const [hook] = parse(seed?.vendorData ?? '') as { content: string }[];
    expect(machine.run(hook?.content ?? '').status).toBe(0);
  };

  it.each([
    ['v1beta4', KUBEADM, FILE],
    ['v1beta3', { openYurt: 'none', kubernetes: '1.30', via: 'kubeadm' }, JoinToken.inline(TOKEN)],
  ] as const)('joins with its name and labels, by kubeadm %s', (_, way, token) => {
    machine.write('/var/lib/edge/join-token', TOKEN);
    machine.program('kubeadm', `cat "$3" > /run/seen; ${SUCCEEDS}`);
    machine.program('sed', `echo "$*" >> /run/arguments; PATH=/usr/bin:/bin exec sed "$@"`);
    const given = [{ name: 'shop-1', labels: { rack: 'r_1.x', 'example.com/on': '' } }, { name: 'shop-2' }];
    const { join, pool } = declared(given, { labels: { rack: 'none' } }, token, way);
    const nameless = machine.run(join.script);
    expect(nameless).toMatchObject({ status: 66, said: expect.stringContaining('does not name this machine') });
    expect(machine.has('/run/seen')).toBe(false);

    boots(join.seeds[0]);
    expect(machine.run(join.script).status).toBe(0);
    const { nodeRegistration } = parse(machine.read('/run/seen'));
    const args = nodeRegistration.kubeletExtraArgs;
    expect([nodeRegistration.name, args['node-labels'] ?? args[0].value]).toEqual([
      'shop-1',
      `${Object.entries(pool.joinLabels)
        .map(([key, value]) => `${key}=${value}`)
        .join(',')},rack=none,edge-nodepools/join=${join.contentHash.slice(0, 10)},rack=r_1.x,example.com/on=`,
    ]);
    expect(machine.whereIsToken().filter((path) => path !== '/var/lib/edge/join-token')).toEqual(['/run/seen']);

    expect(machine.run(join.script)).toMatchObject({ status: 0, said: expect.stringContaining('joined already') });
    boots(join.seeds[1]);
    expect(machine.run(join.script)).toMatchObject({
      status: 78,
      said: expect.stringContaining('Not applied: labels of this machine, name of this machine.'),
    });
    rmSync(pathOf(machine.root, 'etc/kubernetes/kubelet.conf'));
    expect(machine.run(join.script).status).toBe(0);
    expect(parse(machine.read('/run/seen')).nodeRegistration.name).toBe('shop-2');
  });

  it.each([
    ['node-labels', '--node-labels=apps.openyurt.io/nodepool=beijing,nodepool.openyurt.io/hostnetwork=true'],
    ['nodepool-name', '--node-labels=nodepool.openyurt.io/hostnetwork=true'],
  ] as const)('joins with its name and labels, by yurtadm and %s', (membership, labels) => {
    machine.write('/var/lib/edge/join-token', TOKEN);
    machine.program('yurtadm', `printf '%s\\n' "$@" > /run/seen; ${SUCCEEDS}`);
    const way = { openYurt: '1.6', kubernetes: '1.30', via: 'yurtadm' } as const;
    const { join } = declared([{ name: 'shop-1', labels: { rack: 'r1' } }], { yurtadm: { membership } }, FILE, way);
    boots(join.seeds[0]);
    expect(machine.run(join.script).status).toBe(0);
    expect(machine.read('/run/seen').split('\n')).toEqual(
      expect.arrayContaining([
        '--node-name=shop-1',
        `${labels},edge-nodepools/join=${join.contentHash.slice(0, 10)},rack=r1`,
      ]),
    );
  });

  it('lets nothing but a name and labels into the configuration', () => {
    machine.write('/var/lib/edge/join-token', TOKEN);
    machine.program('kubeadm', 'touch /run/seen');
    const { join } = declared([{ name: 'shop-1' }]);
    for (const [text, status] of [
      ['name=a~b\nlabels=\n', 66],
      ['name=\nlabels=,a=b\n', 66],
      ['name=a"\nlabels=\n', 66],
      ['name=a\nlabels=,a=b"~e\n', 65],
      ['', 66],
    ] as const) {
      machine.write('/var/lib/edge-nodepools/machine', text);
      expect(machine.run(join.script).status).toBe(status);
    }
    expect(machine.has('/run/seen')).toBe(false);
  });
});

const HEADER = 'name,mac,address,gateway,nameservers,labels,ntp';
const ROW = 'shop-1,52:54:00:00:00:01,192.0.2.10/24,192.0.2.1,"192.0.2.53, fd00::53",rack=r1;floor=,ntp.example';

const MACHINE: JoinMachine = {
  name: 'shop-1',
  mac: '52:54:00:00:00:01',
  address: '192.0.2.10/24',
  gateway: '192.0.2.1',
  nameservers: ['192.0.2.53', 'fd00::53'],
  labels: { rack: 'r1', floor: '' },
  ntp: ['ntp.example'],
};

/** Code and path of each problem. */
function problemsOf(text: string, file?: string): string[] {
  try {
    parseMachines(text, file);
  } catch (error) {
    expect(error).toBeInstanceOf(EdgeError);
    return (error as EdgeError).problems.map(({ code, path }) => `${code} ${path}`);
  }
  return [];
}

describe('parseMachines', () => {
  it('says that columns are separated by commas', () => {
    expect(() => parseMachines('name;mac\nshop-1;\n')).toThrow(/write commas between the columns/);
  });

  it('reads CSV as spreadsheets write it, and JSON, and YAML', () => {
    expect(parseMachines(`${HEADER}\n${ROW}\n`)).toEqual([MACHINE]);
    expect(parseMachines(`\uFEFF${HEADER.toUpperCase().toLowerCase()}\r\n\r\n${ROW}\r\nshop-2,,,,,,\r\n`)).toEqual([
      MACHINE,
      { name: 'shop-2' },
    ]);
    expect(parseMachines('mac, name\n"52:54:00:00:00:01" , "shop-1"')).toEqual([{ mac: MACHINE.mac, name: 'shop-1' }]);
    expect(parseMachines(JSON.stringify([MACHINE], undefined, 2), 'machines.json')).toEqual([MACHINE]);
    expect(parseMachines('- name: shop-1\n- {name: shop-2}\n', 'machines.yaml')).toEqual([
      { name: 'shop-1' },
      { name: 'shop-2' },
    ]);
  });

  it.each<[what: string, text: string, problems: string[], file?: string]>([
    ['nothing', '', ['EDGE_MISSING machines.csv:1:1']],
    ['only a header', HEADER, ['EDGE_MISSING machines.csv:1:1']],
    [
      'no header',
      'shop-1,rack\n',
      [
        'EDGE_UNKNOWN_PROPERTY machines.csv:1:1',
        'EDGE_UNKNOWN_PROPERTY machines.csv:1:8',
        'EDGE_MISSING machines.csv:1:1',
      ],
    ],
    ['an unknown column', 'name,ip\na,b\n', ['EDGE_UNKNOWN_PROPERTY machines.csv:1:6']],
    ['a column twice', 'name,mac,name\na,,b\n', ['EDGE_DUPLICATE machines.csv:1:10']],
    ['a wrong MAC address', 'name,mac\na,52:54:00:00:00:01\nb,52:54\n', ['EDGE_VALUE machines.csv:3:3.mac']],
    [
      'wrong values after others that are quoted',
      'labels,name\n"é=""1""",Ab\n',
      [
        'EDGE_NAME machines.csv:2:11.name',
        'EDGE_LABEL machines.csv:2:1.labels["é"]',
        'EDGE_LABEL machines.csv:2:1.labels["é"]',
      ],
    ],
    ['a name that is missing', 'name,ntp\na,\n,b\n', ['EDGE_MISSING machines.csv:3:1.name']],
    ['a name that is there twice', 'name\na\nb\n\na\n', ['EDGE_DUPLICATE machines.csv:5:1.name']],
    ['a label without a value', 'name,labels\na,rack\n', ['EDGE_LABEL machines.csv:2:3.labels']],
    ['a label twice', 'name,labels\na,rack=1 rack=2\n', ['EDGE_DUPLICATE machines.csv:2:3.labels']],
    ['a label that is a command', 'name,labels\na,"x=$(id)"\n', ['EDGE_LABEL machines.csv:2:3.labels.x']],
    [
      'a label __proto__',
      'name,labels\na,__proto__=$\n',
      ['EDGE_LABEL machines.csv:2:3.labels.__proto__', 'EDGE_LABEL machines.csv:2:3.labels.__proto__'],
    ],
    [
      'a column after letters of several bytes',
      'name,labels,ntp\na,"é=1\nx=😀 y",z\nb,,"€😀",q\n',
      ['EDGE_LABEL machines.csv:2:3.labels', 'EDGE_VALUE machines.csv:4:10'],
    ],
    ['a line that is too short', 'name,mac\na\n', ['EDGE_VALUE machines.csv:2:1']],
    ['a line that is too long', 'name,mac\na,,b\n', ['EDGE_VALUE machines.csv:2:4']],
    ['a quote that is not closed', 'name,mac\na,\nb,"x\n', ['EDGE_VALUE machines.csv:3:3']],
    ['a quote in a field', 'name\na\nb"c"\n', ['EDGE_VALUE machines.csv:3:2']],
    ['JSON that ends early', '[{"name": "a"', ['EDGE_YAML x.json:1:14'], 'x.json'],
    ['JSON without an end', '[{', ['EDGE_YAML x.json:1:3'], 'x.json'],
    ['JSON with a map', '{"name": "a"}', ['EDGE_TYPE x.json:1:1'], 'x.json'],
    [
      'JSON with a wrong value',
      '[\n  { "name": "a" },\n  { "name": "b",\n    "mac": 7 }\n]',
      ['EDGE_VALUE x.json:4:12.mac'],
      'x.json',
    ],
    [
      'JSON with an unknown property',
      '[{ "name": "a", "ip": "b" }]',
      ['EDGE_UNKNOWN_PROPERTY x.json:1:23.ip'],
      'x.json',
    ],
    ['YAML with a key twice', '- name: a\n  name: b\n', ['EDGE_YAML x.yaml:2:3'], 'x.yaml'],
  ])('says line and column of %s', (...[, text, problems, file]) => {
    expect(problemsOf(text, file)).toEqual(problems);
  });

  it('stops at a line of many fields and at the 101st problem', () => {
    expect(problemsOf(`name,ntp\na,b\nb${','.repeat(99)}\n`)).toEqual(['EDGE_VALUE machines.csv:3:30']);
    const wrong = 'name,ntp\n' + 'a\n'.repeat(5000);
    const problems = problemsOf(wrong);
    expect(problems).toHaveLength(100);
    expect(problems.at(-1)).toBe('EDGE_VALUE machines.csv:101:1');
    expect(() => parseMachines(wrong)).toThrow('machines of machines.csv, the first 100 problems');
    expect(() => parseMachines('name,ntp\na')).toThrow(/machines of machines\.csv\b(?!, the first)/);
  });

  it('takes any text, and throws nothing but an EdgeError', () => {
    const part = fc.constantFrom(
      'name',
      'mac',
      ',',
      '"',
      '\n',
      '\r\n',
      'a',
      '=',
      ' ',
      '[',
      '{',
      ':',
      '&a',
      '*a',
      '\0',
      'é',
      '\uD800',
    );
    const text = fc.oneof(
      fc.string(),
      fc.array(part).map((parts) => parts.join('')),
      fc.array(part).map((parts) => `name,labels\n${parts.join('')}`),
    );
    expect(problemsOf(Buffer.from('name') as unknown as string)).toEqual(['EDGE_TYPE text']);
    expect(problemsOf('*a', 'a.json')).toEqual(['EDGE_YAML a.json:1:1']);
    fc.assert(
      fc.property(text, fc.constantFrom('a.csv', 'a.json'), (content, file) => void problemsOf(content, file)),
      runs(1000),
    );
  });
});

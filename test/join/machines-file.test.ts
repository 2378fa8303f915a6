import { EdgeError, type JoinMachine, parseMachines } from 'edge-nodepools';
import fc from 'fast-check';
import { samples } from '../depth.js';

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
    ['JSON without an end', '['.repeat(100_000), ['EDGE_YAML x.json:1:1'], 'x.json'],
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
      { numRuns: samples(1000) },
    );
  });
});

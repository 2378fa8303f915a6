import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Testing } from 'cdk8s';
import { PoolsChart } from './chart.js';
import { COLUMNS, type CsvProblem, PoolsFileError } from './pools-csv.js';
import { addPools } from './program.js';

type Manifest = Record<string, any>;

const HEADER = COLUMNS.join(',');
const GOOD = 'hangzhou-01,Edge,host-network,hangzhou-01,,4,';

function synthesized(text: string): Manifest[] {
  return Testing.synth(new PoolsChart(Testing.app(), 'pools', { file: 'pools.csv', text }));
}

function failure(...lines: string[]): PoolsFileError {
  try {
    synthesized([HEADER, ...lines].join('\n'));
  } catch (error) {
    if (error instanceof PoolsFileError) {
      return error;
    }
    throw error;
  }
  throw new Error('the lines are fine');
}

function places(...lines: string[]): string[] {
  return failure(...lines).problems.map(({ line, column, name }: CsvProblem) =>
    `${line}:${column} ${name ?? ''}`.trim(),
  );
}

describe('pools.csv', () => {
  const text = readFileSync(join(__dirname, 'pools.csv'), 'utf8');
  const started = performance.now();
  const pools = synthesized(text);
  const seconds = (performance.now() - started) / 1000;

  it('becomes 1,000 pools with different names, each in the mode of its line', () => {
    expect(new Set(pools.map(({ metadata }) => metadata.name)).size).toBe(1000);
    expect(pools.filter(({ spec }) => spec.hostNetwork === true)).toHaveLength(text.split(',host-network,').length - 1);
    expect(pools.filter(({ spec }) => spec.type === 'Cloud' && spec.hostNetwork === true)).toEqual([]);
  });

  it('is fast: one flat chart', () => {
    expect(seconds).toBeLessThan(10);
  });

  it('preserves taints, commas, quotes and letters of any language', () => {
    const named = (name: string): Manifest => pools.find(({ metadata }) => metadata.name === name) as Manifest;
    expect(named('hangzhou-01').spec).toEqual({
      type: 'Edge',
      leaderElectionStrategy: 'random',
      hostNetwork: true,
      labels: { 'retail.example/site': 'hangzhou-01' },
      annotations: { 'retail.example/contact': 'ask for "Depot 2"' },
      taints: [
        { key: 'retail.example/kiosk', effect: 'NoSchedule' },
        { key: 'retail.example/power-save', effect: 'PreferNoSchedule' },
      ],
    });
    expect(named('hangzhou-02').spec.taints).toEqual([
      { key: 'retail.example/store', value: 'hangzhou-02', effect: 'NoSchedule' },
    ]);
    expect(named('hangzhou-03').spec.annotations).toEqual({ 'retail.example/contact': '李伟, 夜班' });
  });

  it('can be from a spreadsheet: byte order mark, CRLF, empty lines, columns in another order', () => {
    const exported = `\uFEFF"contact",expectedNodes,taint,site,mode,type,poolName\r\n"a, b",2,,s1,regular,,p1\r\n\r\n`;
    expect(synthesized(exported).map(({ metadata, spec }) => [metadata.name, spec])).toEqual([
      [
        'p1',
        {
          type: 'Edge',
          leaderElectionStrategy: 'random',
          labels: { 'retail.example/site': 's1' },
          annotations: { 'retail.example/contact': 'a, b' },
        },
      ],
    ]);
  });
});

describe('a bad line', () => {
  it.each([
    ['a bad name', 'Hangzhou_01,Edge,host-network,hz,,4,', '2:1 poolName'],
    ['no name', ',Edge,host-network,hz,,4,', '2:1 poolName'],
    ['a bad type', 'hz-01,Egde,regular,hz,,4,', '2:7 type'],
    ['a Cloud pool on the host network', 'hz-01,Cloud,host-network,hz,,4,', '2:7 type'],
    ['a bad mode', 'hz-01,Edge,hostnetwork,hz,,4,', '2:12 mode'],
    ['a bad site', 'hz-01,Edge,regular,h z,,4,', '2:20 site'],
    ['a bad taint effect', 'hz-01,Edge,regular,hz,a=b:Noschedule,4,', '2:23 taint'],
    ['a taint without effect', 'hz-01,Edge,regular,hz,a=b,4,', '2:23 taint'],
    ['a second taint that is bad', 'hz-01,Edge,regular,hz,a:NoSchedule;b c:NoSchedule,4,', '2:23 taint'],
    ['a bad number', 'hz-01,Edge,regular,hz,,four,', '2:24 expectedNodes'],
    ['a field too many', 'hz-01,Edge,regular,hz,,4,Li Wei, night', '2:33'],
    ['a field too few', 'hz-01,Edge,regular,hz,,4', '2:25'],
    ['a quote that is not closed', 'hz-01,Edge,regular,hz,,4,"Li', '2:26'],
    ['text after a quote', 'hz-01,Edge,regular,hz,,4,"Li" Wei', '2:26'],
  ])('with %s is reported with line and column', (_, line, place) => {
    expect(places(line)).toEqual([place]);
  });

  it('with the name of another line is reported with that line', () => {
    const { problems } = failure(GOOD, 'hangzhou-01,Edge,regular,hz,,4,');
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ line: 3, column: 1, message: expect.stringContaining('line-2') });
  });

  it('does not hide the others: all are reported at once, in the order of the file', () => {
    expect(
      places('HZ,Cloud,host-network,hz,,4,', GOOD, 'hz-02,Edge,host-network,hz,,4', 'hz-03,Edge,none,hz,,4,'),
    ).toEqual(['2:1 poolName', '2:4 type', '4:30', '5:12 mode']);
  });

  it('in the header is the only one that is reported', () => {
    expect(() => synthesized('poolName,type\nHZ,Cloud')).toThrow(
      `pools.csv:1:1: the first line must name the columns\n    -> write ${HEADER}`,
    );
  });
});

describe('the program', () => {
  it('prints every problem of broken.csv with a fix, without a stack trace, and creates nothing', () => {
    const print = jest.spyOn(console, 'error').mockImplementation();
    const app = Testing.app();
    expect(addPools(app, join(__dirname, 'broken.csv'))).toBeUndefined();
    const printed = print.mock.calls.flat().join('\n');
    print.mockRestore();
    expect(printed.match(/broken\.csv:\d+:\d+: /g)).toHaveLength(8);
    expect(printed.match(/\n {4}-> write|\n {4}-> give|\n {4}-> leave/g)).toHaveLength(8);
    expect(printed).not.toMatch(/^\s+at /m);
  });

  it('reports a missing file', () => {
    const print = jest.spyOn(console, 'error').mockImplementation();
    expect(addPools(Testing.app(), 'no-such.csv')).toBeUndefined();
    expect(print).toHaveBeenCalledWith('no-such.csv: there is no such file');
    print.mockRestore();
  });
});

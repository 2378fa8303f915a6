import type * as Csv from 'csv-parse/sync';
import type { EdgeCode } from '../base/error-codes.js';
import { ProblemList } from '../base/errors.js';
import { parseNodes } from '../base/yaml-nodes.js';
import { YamlSyntaxError } from '../base/yaml-reader.js';
import type { YamlNode } from '../base/yaml-tree.js';
import { keyOf, valueOf } from '../base/yaml-values.js';
import { nearest, quoted, whatIs } from '../base/properties.js';
import { checkMachines } from './join-machine-checks.js';
import type { JoinMachine } from './node-join-props.js';

/** Columns of a CSV file. */
const COLUMNS = ['name', 'mac', 'address', 'gateway', 'nameservers', 'labels', 'ntp'] as const;
/** What the columns are called elsewhere, in lower case. */
const SYNONYMS: Readonly<Partial<Record<string, (typeof COLUMNS)[number]>>> = {
  ...{ host: 'name', hostname: 'name', machine: 'name', node: 'name', nodename: 'name', 'node name': 'name' },
  ...{ ip: 'address', ipaddress: 'address', ip_address: 'address', 'ip address': 'address', ipv4: 'address' },
  ...{ macaddress: 'mac', mac_address: 'mac', 'mac address': 'mac', hwaddr: 'mac', cidr: 'address' },
  ...{ gw: 'gateway', router: 'gateway', dns: 'nameservers', nameserver: 'nameservers', dnsservers: 'nameservers' },
  ...{ timeservers: 'ntp', ntpservers: 'ntp', tags: 'labels', label: 'labels' },
};
/** Files that are not tables. */
const YAML_FILE = /\.(json|ya?ml)$/i;
/** A line with more fields is wrong in any case; the parser stops at it. */
const MOST_FIELDS = 4 * COLUMNS.length;
/** A file with more problems is of another kind, and nobody reads them all. */
const MOST_PROBLEMS = 100;

/** Machines of a file, not checked yet, and the offsets at which each begins and at which its properties do. */
interface Parsed {
  readonly machines: readonly unknown[];
  readonly places: readonly { readonly start: number; readonly properties: Readonly<Record<string, number>> }[];
}

/** Reports a problem at an offset of the text. */
type Report = (code: EdgeCode, offset: number, property: string, message: string, hint: string) => void;

/**
 * Reads the machines of a file: `machines: parseMachines(readFileSync('machines.csv', 'utf8'), 'machines.csv')`.
 *
 * CSV: the first line names the columns, in any order; only `name` is required. The values of `nameservers`, `labels`
 * (`key=value`) and `ntp` have blanks, `;` or `,` between them. An empty field is not a value. JSON or YAML: a list of
 * maps with the properties of {@link JoinMachine}.
 *
 * @param text content of the file
 * @param file its name, for messages; if it ends in `.json`, `.yaml` or `.yml`, it is JSON or YAML, otherwise CSV
 * @throws {@link EdgeError} with the problems (at most 100), each with line and column: EDGE_VALUE, EDGE_NAME,
 * EDGE_LABEL, EDGE_RESERVED_KEY, EDGE_TOKEN, EDGE_DUPLICATE, EDGE_MISSING, EDGE_TYPE, EDGE_UNKNOWN_PROPERTY or
 * EDGE_YAML
 * @category Join nodes
 */
export function parseMachines(text: string, file = 'machines.csv'): JoinMachine[] {
  const reported = new ProblemList();
  checkText(text, reported.at('text'));
  checkText(file, reported.at('file'));
  if (typeof text === 'string' && /^[^\n,]{0,300}\.(csv|json|ya?ml|txt)\s*$/i.test(text)) {
    const name = quoted(text.trim()).replaceAll('"', "'");
    reported
      .at('text')
      .add(
        'EDGE_TYPE',
        `${name} is the name of a file, and the text is what is in it`,
        `write parseMachines(readFileSync(${name}, 'utf8'), ${name})`,
      );
  }
  const isTable = typeof file === 'string' && !YAML_FILE.test(file);
  if (typeof text === 'string' && isTable && /^\uFEFF?\s*(?:\[\s*[\]{]|\{\s*"|-\s+name:)/.test(text)) {
    reported
      .at('text')
      .add(
        'EDGE_TYPE',
        'this is JSON or YAML, and is read as CSV',
        "write parseMachines(readFileSync('machines.json', 'utf8'), 'machines.json'): the name of the file says what it is",
      );
  }
  reported.throwIfAny('parseMachines');
  const content = text.replace(/^\uFEFF/, '');
  const isYaml = YAML_FILE.test(file);
  const placeOf = placesIn(content, isYaml ? 'characters' : 'bytes');
  const report: Report = (code, offset, property, message, hint) => {
    if (reported.problems.length < MOST_PROBLEMS) {
      new ProblemList(`${file}:${placeOf(offset)}${property}`, reported.problems).add(code, message, hint);
    }
  };
  const { machines, places } = (isYaml ? machinesOfYaml : machinesOfCsv)(content, report);
  if (reported.problems.length === 0) {
    const problems = new ProblemList();
    checkMachines(machines, problems);
    for (const { code, path, message, hint } of problems.problems) {
      const [, index = '', property = ''] = /^\[(\d+)\](.*)$/.exec(path) ?? [];
      const [, name = ''] = /^\.(\w+)/.exec(property) ?? [];
      const place = places[Number(index)];
      report(code, place?.properties[name] ?? place?.start ?? 0, property, message, hint);
    }
  }
  const isCut = reported.problems.length === MOST_PROBLEMS;
  reported.throwIfAny(`machines of ${file}${isCut ? `, the first ${MOST_PROBLEMS} problems` : ''}`);
  return machines as JoinMachine[];
}

/** Line and column of an offset, from 1: `2:7`. What is needed for any offset is computed once. */
function placesIn(text: string, unit: 'bytes' | 'characters'): (offset: number) => string {
  const lines = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const characters = unit === 'bytes' ? charactersOfBytes(text) : undefined;
  return (offset) => {
    const at = characters?.[offset] ?? offset;
    let [line, behind] = [0, lines.length];
    while (behind - line > 1) {
      const middle = (line + behind) >> 1;
      [line, behind] = (lines[middle] as number) <= at ? [middle, behind] : [line, middle];
    }
    return `${line + 1}:${at - (lines[line] as number) + 1}`;
  };
}

/** For each byte of a text the index of its character; undefined if they are the same. */
function charactersOfBytes(text: string): Uint32Array | undefined {
  const bytes = Buffer.byteLength(text);
  if (bytes === text.length) {
    return undefined;
  }
  const indexes = new Uint32Array(bytes + 1).fill(text.length);
  let [byte, index] = [0, 0];
  for (const character of text) {
    indexes.fill(index, byte, (byte += Buffer.byteLength(character)));
    index += character.length;
  }
  return indexes;
}

function machinesOfCsv(text: string, report: Report): Parsed {
  const [header = [], ...records] = rowsOf(text, report);
  const columns = header.map(({ value }) => value);
  header.forEach(({ value, start }, index) => {
    const near = SYNONYMS[value.toLowerCase()] ?? nearest(value, COLUMNS);
    if (!(COLUMNS as readonly string[]).includes(value)) {
      const hint = value.includes(';')
        ? "write commas between the columns: in a spreadsheet, export CSV with ',' as the separator"
        : near === undefined
          ? `write some of ${COLUMNS.join(', ')}`
          : `did you mean ${near}?`;
      report('EDGE_UNKNOWN_PROPERTY', start, '', `there is no column ${JSON.stringify(value)}`, hint);
    } else if (columns.indexOf(value) < index) {
      report('EDGE_DUPLICATE', start, '', `there are two columns ${value}`, 'leave one out');
    }
  });
  if (header.length > 0 && !columns.includes('name')) {
    report('EDGE_MISSING', 0, '', 'the first line names no column name', `write ${COLUMNS.join(',')}, or some of them`);
  }
  // with others there is a problem already
  const known = COLUMNS.map((column) => ({ column, index: columns.indexOf(column) })).filter(({ index }) => index >= 0);
  const machines = records.map((fields) => {
    if (fields.length !== header.length) {
      report(
        'EDGE_VALUE',
        fields[header.length]?.start ?? fields[0]?.start ?? 0,
        '',
        `the line has ${fields.length} fields, and the first line has ${header.length}`,
        'write one field for each column: an empty one is fine, one with a comma in it needs quotes',
      );
    }
    const given = known.flatMap(({ column, index }) => {
      const field = fields[index];
      return field === undefined || field.value === '' ? [] : [[column, fieldValue(column, field, report)] as const];
    });
    return Object.fromEntries(given);
  });
  const places = records.map((fields) => ({
    start: fields[0]?.start ?? 0,
    properties: Object.fromEntries(known.map(({ column, index }) => [column, fields[index]?.start ?? 0])),
  }));
  return { machines, places };
}

/** A field, and the byte at which it begins. */
interface Field {
  readonly value: string;
  readonly start: number;
}

/** Ends the parsing of a file: its problems are reported. */
class Stop extends Error {}

function rowsOf(text: string, report: Report): readonly Field[][] {
  // loaded when it is first used: most programs read no table of machines
  const { CsvError, parse } = require('csv-parse/sync') as typeof Csv;
  const bytes = Buffer.from(text);
  let end = 0;
  const rows: Field[][] = [];
  let wrong = 0;
  try {
    parse(bytes, {
      trim: true,
      skip_empty_lines: true,
      relax_column_count: true,
      cast: (value, { index, bytes: reached }): Field => {
        // of the positions that the parser gives, that of the end of a field is exact
        const start = index === 0 ? bytes.lastIndexOf(0x0a, reached - 1) + 1 : end + 1;
        end = reached;
        if (index >= MOST_FIELDS) {
          const message = `the line has more than ${MOST_FIELDS} fields`;
          report('EDGE_VALUE', start, '', message, `write one field for each column: ${COLUMNS.join(', ')}`);
          throw new Stop();
        }
        return { value, start };
      },
      // the parser makes an error, with its stack, for each line that has more or fewer fields than the first one
      on_record: (fields: unknown) => {
        rows.push(fields as Field[]);
        if (rows.at(-1)?.length !== rows[0]?.length && (wrong += 1) > MOST_PROBLEMS) {
          throw new Stop();
        }
        return null;
      },
    });
    return rows;
  } catch (error) {
    if (error instanceof Stop) {
      return rows;
    }
    if (!(error instanceof CsvError)) {
      throw error;
    }
    const line = Number(error.lines) - 1;
    const start = text
      .split('\n')
      .slice(0, line)
      .reduce((sum, part) => sum + Buffer.byteLength(part) + 1, 0);
    report(
      'EDGE_VALUE',
      Math.max(start, bytes.indexOf('"', start)),
      '',
      'a quote is not closed, or is in the middle of a field',
      'write the whole field in quotes, and a quote in it as ""',
    );
    return [];
  }
}

function checkText(text: unknown, problems: ProblemList): void {
  if (typeof text !== 'string') {
    problems.add(
      'EDGE_TYPE',
      `must be text, not ${whatIs(text)}`,
      "write parseMachines(readFileSync('machines.csv', 'utf8'), 'machines.csv')",
    );
  }
}

/** The value of a field that is not empty. */
function fieldValue(column: (typeof COLUMNS)[number], { value, start }: Field, report: Report): unknown {
  if (column !== 'labels' && column !== 'nameservers' && column !== 'ntp') {
    return value;
  }
  const items = value.split(/[\s;,]+/).filter((item) => item !== '');
  if (column !== 'labels') {
    return items;
  }
  const labels: Record<string, string> = {};
  for (const item of items) {
    const at = item.indexOf('=');
    const key = at < 0 ? item : item.slice(0, at);
    if (at < 0 || Object.hasOwn(labels, key)) {
      const twice = at >= 0;
      report(
        twice ? 'EDGE_DUPLICATE' : 'EDGE_LABEL',
        start,
        '.labels',
        twice ? `the label ${key} appears twice` : `${JSON.stringify(item)} is not a label`,
        twice ? 'leave one out' : 'write key=value; separate several with spaces',
      );
    }
    Object.defineProperty(labels, key, {
      value: item.slice(at + 1),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return labels;
}

function machinesOfYaml(text: string, report: Report): Parsed {
  const hint = 'write a list of maps: [{ "name": "shop-0001" }]';
  try {
    const root = parseNodes(text).roots[0];
    const items = root?.kind === 'list' ? root.items : [];
    const places = items.map((item) => {
      const pairs = item.kind === 'map' ? item.pairs : [];
      return {
        start: item.start,
        properties: Object.fromEntries(pairs.map(({ key, value }) => [keyOf(key), value.start])),
      };
    });
    keysTwice(root).forEach(({ start }) =>
      report('EDGE_YAML', start, '', 'the key appears twice in its map', 'leave one out'),
    );
    return { machines: (root === undefined ? null : valueOf(root, Number)) as unknown[], places };
  } catch (error) {
    if (error instanceof YamlSyntaxError) {
      report('EDGE_YAML', error.offset, '', error.message, hint);
    } else if (error instanceof RangeError) {
      report('EDGE_YAML', 0, '', 'the YAML is nested too deeply', hint);
    } else {
      throw error;
    }
    return { machines: [], places: [] };
  }
}

/** Keys that are in their map for the second time: of such properties only the last one would count. */
function keysTwice(node: YamlNode | undefined): YamlNode[] {
  if (node?.kind === 'list') {
    return node.items.flatMap(keysTwice);
  }
  if (node?.kind !== 'map') {
    return [];
  }
  const seen = new Set<string>();
  return node.pairs.flatMap(({ key, value }) => {
    const name = keyOf(key);
    const isTwice = seen.has(name);
    seen.add(name);
    return [...(isTwice ? [key] : []), ...keysTwice(value)];
  });
}

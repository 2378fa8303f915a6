import { CsvError, parse } from 'csv-parse/sync';
import { isMap, isNode, isSeq, parseDocument } from 'yaml';
import { type EdgeCode, ProblemList } from '../errors.js';
import { nearest } from '../validation/properties.js';
import { checkBoxes } from './node-box-checks.js';
import type { NodeBox } from './node-join-props.js';

/** Columns of a CSV file. */
const COLUMNS = ['name', 'mac', 'address', 'gateway', 'nameservers', 'labels', 'ntp'] as const;

/** Boxes of a file, not checked yet, and the offsets at which each begins and at which its properties do. */
interface Parsed {
  readonly boxes: readonly unknown[];
  readonly places: readonly { readonly start: number; readonly properties: Readonly<Record<string, number>> }[];
}

/** Reports a problem at an offset of the text. */
type Report = (code: EdgeCode, offset: number, property: string, message: string, hint: string) => void;

/**
 * Reads the boxes of a file: `boxes: parseBoxes(readFileSync('boxes.csv', 'utf8'), 'boxes.csv')`.
 *
 * CSV: the first line names the columns, in any order; only `name` is required. The values of `nameservers`, `labels` (`key=value`) and `ntp` have blanks,
 * `;` or `,` between them. An empty field is no value. JSON or YAML: a list of maps with the properties of {@link NodeBox}.
 *
 * @param text content of the file
 * @param file its name, for messages; if it ends in `.json`, `.yaml` or `.yml`, it is JSON or YAML, otherwise CSV
 * @throws {@link EdgeError} with all problems at once, each with line and column: EDGE_VALUE, EDGE_NAME, EDGE_LABEL, EDGE_RESERVED_KEY, EDGE_TOKEN,
 * EDGE_DUPLICATE, EDGE_MISSING, EDGE_TYPE, EDGE_UNKNOWN_PROPERTY or EDGE_YAML
 * @category Join nodes
 */
export function parseBoxes(text: string, file = 'boxes.csv'): NodeBox[] {
  const content = text.replace(/^\uFEFF/, '');
  const isYaml = /\.(json|ya?ml)$/i.test(file);
  const reported = new ProblemList();
  const report: Report = (code, offset, property, message, hint) => {
    // the parser of CSV counts bytes
    const before = isYaml ? content.slice(0, offset) : Buffer.from(content).toString('utf8', 0, offset);
    const place = `${file}:${before.split('\n').length}:${before.length - before.lastIndexOf('\n')}`;
    new ProblemList(`${place}${property}`, reported.problems).add(code, message, hint);
  };
  const { boxes, places } = (isYaml ? boxesOfYaml : boxesOfCsv)(content, report);
  if (reported.problems.length === 0) {
    const problems = new ProblemList();
    checkBoxes(boxes, problems);
    for (const { code, path, message, hint } of problems.problems) {
      const [, index = '', property = ''] = /^\[(\d+)\](.*)$/.exec(path) ?? [];
      const [, name = ''] = /^\.(\w+)/.exec(property) ?? [];
      const place = places[Number(index)];
      report(code, place?.properties[name] ?? place?.start ?? 0, property, message, hint);
    }
  }
  reported.throwIfAny(`boxes of ${file}`);
  return boxes as NodeBox[];
}

function boxesOfCsv(text: string, report: Report): Parsed {
  const [header = [], ...records] = rowsOf(text, report);
  const columns = header.map(({ value }) => value);
  header.forEach(({ value, start }, index) => {
    const near = nearest(value, COLUMNS);
    if (!(COLUMNS as readonly string[]).includes(value)) {
      const hint = near === undefined ? `write some of ${COLUMNS.join(', ')}` : `did you mean ${near}?`;
      report('EDGE_UNKNOWN_PROPERTY', start, '', `there is no column ${JSON.stringify(value)}`, hint);
    } else if (columns.indexOf(value) < index) {
      report('EDGE_DUPLICATE', start, '', `there are two columns ${value}`, 'leave one out');
    }
  });
  if (header.length > 0 && !columns.includes('name')) {
    report('EDGE_MISSING', 0, '', 'the first line names no column name', `write ${COLUMNS.join(',')}, or some of them`);
  }
  const boxes = records.map((fields) => {
    if (fields.length !== header.length) {
      report(
        'EDGE_VALUE',
        fields[header.length]?.start ?? fields[0]?.start ?? 0,
        '',
        `the line has ${fields.length} fields, and the first line has ${header.length}`,
        'write one field for each column: an empty one is fine, one with a comma in it needs quotes',
      );
    }
    const given = columns.flatMap((column, index) => {
      const field = fields[index];
      return field === undefined || field.value === '' ? [] : [[column, valueOf(column, field, report)] as const];
    });
    return Object.fromEntries(given);
  });
  const places = records.map((fields) => ({
    start: fields[0]?.start ?? 0,
    properties: Object.fromEntries(columns.map((name, index) => [name, fields[index]?.start ?? 0])),
  }));
  return { boxes, places };
}

/** A field, and the byte at which it begins. */
interface Field {
  readonly value: string;
  readonly start: number;
}

function rowsOf(text: string, report: Report): readonly Field[][] {
  const bytes = Buffer.from(text);
  let end = 0;
  try {
    return parse(bytes, {
      trim: true,
      skip_empty_lines: true,
      relax_column_count: true,
      cast: (value, { index, bytes: reached }): Field => {
        // of the positions that the parser gives, that of the end of a field is exact
        const start = index === 0 ? bytes.lastIndexOf(0x0a, reached - 1) + 1 : end + 1;
        end = reached;
        return { value, start };
      },
    }) as unknown as Field[][];
  } catch (error) {
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

/** The value of a field that is not empty. */
function valueOf(column: string | undefined, { value, start }: Field, report: Report): unknown {
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
        twice ? `the label ${key} is there twice` : `${JSON.stringify(item)} is no label`,
        twice ? 'leave one out' : 'write key=value; several with blanks between them',
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

function boxesOfYaml(text: string, report: Report): Parsed {
  const document = parseDocument(text, { prettyErrors: false });
  for (const { pos, message } of document.errors) {
    report('EDGE_YAML', pos[0], '', message, 'write a list of maps: [{ "name": "shop-0001" }]');
  }
  const { contents } = document;
  const items = isSeq(contents) ? contents.items : [];
  const startOf = (node: unknown): number => (isNode(node) ? (node.range?.[0] ?? 0) : 0);
  const places = items.map((item) => ({
    start: startOf(item),
    properties: Object.fromEntries(
      (isMap(item) ? item.items : []).map(({ key, value }) => [String(key), startOf(value ?? key)]),
    ),
  }));
  if (document.errors.length > 0) {
    return { boxes: [], places };
  }
  try {
    return { boxes: document.toJS() as unknown[], places };
  } catch (error) {
    // an alias without its anchor, or too many aliases
    report('EDGE_YAML', 0, '', (error as Error).message, 'write each box in full, without aliases');
    return { boxes: [], places };
  }
}

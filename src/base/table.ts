import { visible } from './errors.js';

/** Columns of a terminal that every user has, and of a log in a browser. */
const WIDTH = 100;

const GAP = '  ';

/**
 * A report that prints itself: `String(report)` is a table of at most 100 columns. The method is not enumerable, so JSON, equality, `console.table` and
 * the state of Pulumi are those of the plain data; a copy (`{ ...report }`, `structuredClone`) is plain data only.
 *
 * @category Write the result
 */
export type PrintableReport<Report> = Report & {
  /** The report as a table of at most 100 columns, for a terminal or a log. */
  toString(): string;
};

/** Gives a report its table. */
export function printable<Report extends object>(
  report: Report,
  print: (report: Report) => string,
): PrintableReport<Report> {
  return Object.defineProperty(report, 'toString', {
    value: () => visible(print(report)),
    configurable: true,
    writable: true,
  });
}

/**
 * A table of at most 100 columns: of its columns the widest ones are wrapped, between words where there are any. A line feed in a cell begins a new line of
 * the cell.
 *
 * @param head titles of the columns
 */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => longestOf((row[column] ?? '').split('\n')))));
  const words = head.map((_, column) => Math.max(...all.map((row) => longestOf((row[column] ?? '').split(/[ \n]/)))));
  const most = WIDTH - GAP.length * (head.length - 1);
  while (widths.reduce((sum, width) => sum + width, 0) > most) {
    // names are broken only where there is no other way
    const breakable = widths.map((width, column) => (width > (words[column] ?? 0) ? width : 0));
    const candidates = breakable.some((width) => width > 0) ? breakable : widths;
    const widest = candidates.indexOf(Math.max(...candidates));
    widths[widest] = (widths[widest] ?? 1) - 1;
  }
  return all
    .flatMap((row) => {
      const cells = widths.map((width, column) => wrapped(row[column] ?? '', width));
      const height = Math.max(...cells.map((lines) => lines.length));
      return Array.from({ length: height }, (_, line) =>
        cells
          .map((lines, column) => (lines[line] ?? '').padEnd(widths[column] ?? 0))
          .join(GAP)
          .trimEnd(),
      );
    })
    .join('\n');
}

/** Text in lines of at most 100 columns, for notes below a table. */
export function wrappedText(text: string): string {
  return wrapped(text, WIDTH).join('\n');
}

/** Text behind a beginning, in lines of at most 100 columns; those after the first are below the text. */
export function hangingText(lead: string, text: string): string {
  const blanks = ' '.repeat(lead.length);
  return wrapped(text, WIDTH - lead.length)
    .map((line, index) => `${index === 0 ? lead : blanks}${line}`.trimEnd())
    .join('\n');
}

function longestOf(parts: readonly string[]): number {
  return Math.min(WIDTH, Math.max(...parts.map((part) => part.length)));
}

function wrapped(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => {
    const lines: string[] = [];
    let rest = line;
    while (rest.length > width) {
      const space = rest.lastIndexOf(' ', width);
      // a word that is longer than the column, such as a path of fields
      const point = Math.max(...['.', '/', '['].map((mark) => rest.lastIndexOf(mark, width)));
      const end = space > 0 ? space : point > width / 2 ? point : width;
      lines.push(rest.slice(0, end));
      rest = rest.slice(end).trimStart();
    }
    return [...lines, rest];
  });
}

/** One line of a comparison: kept, removed or added. */
interface DiffLine {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
}

/** Lines around a change that are shown. */
const CONTEXT = 3;

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  return lines[lines.length - 1] === '' ? lines.slice(0, -1) : lines;
}

/** The longest common subsequence, by the plain table: the texts here are configuration files. */
function compare(before: readonly string[], after: readonly string[]): DiffLine[] {
  const longest = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0));
  const at = (i: number, j: number): number => longest[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      (longest[i] as number[])[j] =
        before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const result: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      result.push({ sign: ' ', text: before[i] as string });
      i += 1;
      j += 1;
    } else if (i < before.length && (j === after.length || at(i + 1, j) >= at(i, j + 1))) {
      result.push({ sign: '-', text: before[i++] as string });
    } else {
      result.push({ sign: '+', text: after[j++] as string });
    }
  }
  return result;
}

/**
 * A unified diff, as `diff -u` and `git diff` print it (without times); empty when nothing differs.
 *
 * @param name how the text is called in the first two lines
 */
export function unifiedDiff(before: string, after: string, name: string): string {
  if (before === after) {
    return '';
  }
  const lines = compare(linesOf(before), linesOf(after));
  const changed = lines.flatMap(({ sign }, index) => (sign === ' ' ? [] : [index]));
  const hunks: { from: number; to: number }[] = [];
  for (const index of changed) {
    const last = hunks[hunks.length - 1];
    if (last !== undefined && index - CONTEXT <= last.to) {
      last.to = Math.min(index + CONTEXT + 1, lines.length);
    } else {
      hunks.push({ from: Math.max(index - CONTEXT, 0), to: Math.min(index + CONTEXT + 1, lines.length) });
    }
  }
  const text = hunks.flatMap(({ from, to }) => {
    const place = (without: '+' | '-'): string => {
      const count = (list: readonly DiffLine[]): number => list.filter(({ sign }) => sign !== without).length;
      const length = count(lines.slice(from, to));
      const begin = count(lines.slice(0, from)) + (length === 0 ? 0 : 1);
      return length === 1 ? String(begin) : `${begin},${length}`;
    };
    const shown = lines.slice(from, to).map(({ sign, text: line }) => `${sign}${line}`);
    return [`@@ -${place('+')} +${place('-')} @@`, ...shown];
  });
  return [`--- a/${name}`, `+++ b/${name}`, ...text, ''].join('\n');
}

/** The lines of a text. Where a line begins is looked up, not searched for: all of a text may stand on one line. */
export class TextLines {
  private starts: readonly number[] | undefined;

  constructor(private readonly text: string) {}

  /** Where the line with an offset begins. */
  public startAt(offset: number): number {
    const index = this.indexAt(offset);
    return this.starts?.[index] ?? 0;
  }

  /** The number of the line with an offset, from 1. */
  public numberAt(offset: number): number {
    return this.indexAt(offset) + 1;
  }

  private indexAt(offset: number): number {
    const starts = (this.starts ??= startsOf(this.text));
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] as number) <= offset) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }
}

function startsOf(text: string): number[] {
  const starts = [0];
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) {
    starts.push(end + 1);
  }
  return starts;
}

/**
 * One document of a YAML stream, which is split without parsing: a line that begins with `---` is always a document marker, because the lines of a
 * block scalar are indented.
 */
export interface YamlPart {
  /** The marker line, with its line break; empty if the stream begins without one. */
  readonly marker: string;
  /** Everything up to the next marker. */
  readonly body: string;
}

/** The parts of a stream; joined again they are the same bytes. */
export function splitStream(text: string): YamlPart[] {
  const parts: YamlPart[] = [];
  let start = 0;
  let markerEnd = 0;
  const end = (offset: number): void => {
    if (offset > start) {
      parts.push({ marker: text.slice(start, markerEnd), body: text.slice(markerEnd, offset) });
    }
    start = markerEnd = offset;
  };
  for (let line = 0, next = 0; line < text.length; line = next) {
    next = text.indexOf('\n', line) + 1 || text.length;
    const isMarker = text.startsWith('---', line) && isBlankAt(text, line + 3);
    // the end of a document; what follows, for example a directive, belongs to the next one
    if (isMarker || (text.startsWith('...', line) && isBlankAt(text, line + 3))) {
      end(line);
    }
    if (isMarker) {
      // `--- # comment` and `--- {a: b}`: text after the dashes belongs to the document, unless it is only white space
      const isBare = text.slice(line + 3, next).trim() === '';
      markerEnd = isBare ? next : line + 4;
    }
  }
  end(text.length);
  return parts;
}

/** Whether there is white space, or the end of the text. */
function isBlankAt(text: string, offset: number): boolean {
  return offset >= text.length || /\s/.test(text.charAt(offset));
}

export function joinStream(parts: readonly YamlPart[]): string {
  return parts.map(({ marker, body }) => marker + body).join('');
}

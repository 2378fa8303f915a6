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
  let marker = '';
  let body = '';
  const end = (): void => {
    if (marker !== '' || body !== '') {
      parts.push({ marker, body });
    }
  };
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    const [, dashes, rest] = /^(---(?:[^\S\n]|\n|$))([^]*)$/.exec(line) ?? [];
    if (dashes === undefined) {
      if (/^\.\.\.(\s|$)/.test(line)) {
        // the end of a document; what follows, for example a directive, belongs to the next one
        end();
        [marker, body] = ['', ''];
      }
      body += line;
      continue;
    }
    end();
    // `--- # comment` and `--- {a: b}`: text after the dashes belongs to the document, unless it is only white space
    const isBare = (rest ?? '').trim() === '';
    marker = isBare ? line : dashes;
    body = isBare ? '' : (rest ?? '');
  }
  end();
  return parts;
}

export function joinStream(parts: readonly YamlPart[]): string {
  return parts.map(({ marker, body }) => marker + body).join('');
}

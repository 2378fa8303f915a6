/**
 * A stream of YAML documents, taken apart without reading them: a line that begins with `---` is a document marker wherever it stands, because a
 * block scalar in it would have to be indented.
 */
export interface YamlPart {
  /** The marker line, with its line break; empty where the stream begins without one. */
  readonly marker: string;
  /** Everything up to the next marker. */
  readonly body: string;
}

/** The parts of a stream; printed one after the other they are the stream again, byte for byte. */
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
    const [, dashes, rest] = /^(---(?:[^\S\n]|\n|$))((?:.|\n)*)$/.exec(line) ?? [];
    if (dashes === undefined) {
      if (/^\.\.\.(\s|$)/.test(line)) {
        // the end of a document; what follows, for example a directive, is not in it
        end();
        [marker, body] = ['', ''];
      }
      body += line;
      continue;
    }
    end();
    // `--- # comment` and `--- {a: b}`: what follows the dashes on the line belongs to the document, unless it is white space only
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

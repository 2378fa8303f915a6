/** A parsed version. */
interface ParsedVersion {
  readonly major: number;
  readonly minor: number;
  readonly preRelease: boolean;
}

/** The result of looking up a version in a release table. */
export type Lookup<Row> =
  | { readonly kind: 'known'; readonly row: Row; readonly preRelease: boolean }
  | { readonly kind: 'newer'; readonly newest: Row }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unknown' };

// v1.34, 1.34.2, v1.34.2+k3s1, 1.31.1-gke.1200, 1.36.0-rc.1
const VERSION = /^v?(0|[1-9]\d{0,3})\.(0|[1-9]\d{0,3})(?:\.\d{1,6})?((?:[-+][0-9A-Za-z.+_-]{1,64})?)$/;

function parse(version: string): ParsedVersion | undefined {
  const match = VERSION.exec(version);
  if (match === null) {
    return undefined;
  }
  return { major: Number(match[1]), minor: Number(match[2]), preRelease: /^-(alpha|beta|rc)\b/.test(match[3] ?? '') };
}

function isNewer(a: ParsedVersion, b: ParsedVersion): boolean {
  return a.major > b.major || (a.major === b.major && a.minor > b.minor);
}

/** Looks up a version in a release table that begins with the oldest row. */
export function lookUp<Row>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
  version: string,
  refused: (name: string) => string | undefined,
): Lookup<Row> {
  const parsed = parse(version);
  if (parsed === undefined) {
    return { kind: 'unknown' };
  }
  const name = `${parsed.major}.${parsed.minor}`;
  const row = rows.find((candidate) => nameOf(candidate) === name);
  if (row !== undefined) {
    return { kind: 'known', row, preRelease: parsed.preRelease };
  }
  const newest = rows[rows.length - 1] as Row;
  if (isNewer(parsed, parse(nameOf(newest)) as ParsedVersion)) {
    return { kind: 'newer', newest };
  }
  const reason = refused(name);
  return reason === undefined ? { kind: 'unknown' } : { kind: 'refused', reason };
}

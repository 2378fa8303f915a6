/** The content of an Ignition config, read independently of the code that writes it. */
import { gunzipSync } from 'node:zlib';

/** A file as Ignition would write it. */
export interface WrittenFile {
  readonly path: string;
  readonly content: string;
  readonly mode: string;
}

/** A unit of systemd. */
export interface WrittenUnit {
  readonly name: string;
  readonly enabled?: boolean;
  readonly contents?: string;
  readonly dropins?: readonly { readonly name: string; readonly contents: string }[];
}

/** The text of a data URL (RFC 2397). */
function textOf({ source, compression }: { readonly source: string; readonly compression?: string }): string {
  const [, type = '', data = ''] = /^data:([^,]*),(.*)$/.exec(source) ?? [];
  const bytes = type.endsWith(';base64') ? Buffer.from(data, 'base64') : Buffer.from(decodeURIComponent(data));
  return (compression === 'gzip' ? gunzipSync(bytes) : bytes).toString();
}

export function readIgnition(text: string): {
  readonly version: string;
  readonly files: readonly WrittenFile[];
  readonly units: readonly WrittenUnit[];
} {
  const { ignition, storage, systemd } = JSON.parse(text);
  return {
    version: ignition.version,
    files: storage.files.map((file: any) => ({
      path: file.path,
      content: textOf(file.contents),
      mode: file.mode.toString(8).padStart(4, '0'),
    })),
    units: systemd.units,
  };
}

import { gunzipSync, gzipSync } from 'node:zlib';

/** Place of the operating system in the header of RFC 1952, and the value for an unknown one. */
const [SYSTEM, UNKNOWN_SYSTEM] = [9, 255];

/**
 * A text compressed with gzip, in base64. The header has no time and no operating system, so the bytes are the same on every machine with the same zlib;
 * those of Node.js 20, 22 and 24 are.
 */
export function gzipBase64(text: string): string {
  const bytes = gzipSync(text, { level: 9 });
  bytes[SYSTEM] = UNKNOWN_SYSTEM;
  return bytes.toString('base64');
}

/** @throws an error of zlib if it is something else */
export function gunzipBase64(packed: string): string {
  return gunzipSync(Buffer.from(packed, 'base64')).toString();
}

import { createHash } from 'node:crypto';

/** SHA-256 of a text, 64 hex digits: the same text has the same, on every machine. */
export function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

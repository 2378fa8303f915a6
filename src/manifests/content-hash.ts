import { createHash } from 'node:crypto';

/** A short name for a content: the same text has the same, on every machine. 64 bits, against chance and not against an attacker. */
export function contentHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

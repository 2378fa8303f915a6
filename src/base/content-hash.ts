// Deterministic: the same text gives the same hash on every machine.
import { createHash } from 'node:crypto';

/** SHA-256 of a text, 64 hex digits. */
export function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** SHA-256 of bytes, 64 hex digits. */
export function sha256OfBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

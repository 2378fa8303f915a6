import type { ProblemList } from '../base/errors.js';

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----\s([A-Za-z0-9+/=\s]+)-----END \1-----/g;

/** Whether bytes are one DER SEQUENCE of exactly their length, as every certificate is. */
function isDerSequence(bytes: Buffer): boolean {
  const [tag, length = 0] = bytes;
  if (tag !== 0x30) {
    return false;
  }
  if (length < 0x80) {
    return bytes.length === length + 2;
  }
  const digits = length & 0x7f;
  return (
    digits > 0 && digits <= 4 && bytes.length > 2 + digits && bytes.length === bytes.readUIntBE(2, digits) + 2 + digits
  );
}

/**
 * Checks a caBundle: one or more PEM certificates and nothing else, in base64. In most minors the API server stores any value, and then every call of
 * the webhook fails.
 */
export function checkCaBundle(caBundle: unknown, problems: ProblemList): void {
  const hint = "write the output of 'base64 -w0 ca.crt', or leave it out and use injectCaFrom";
  if (typeof caBundle === 'string' && caBundle.includes('-----BEGIN')) {
    problems.add('EDGE_CA_BUNDLE', 'this is PEM, and the field must be base64 of it', hint);
    return;
  }
  const compact = typeof caBundle === 'string' ? caBundle.replace(/[\r\n]/g, '') : '';
  if (compact.length % 4 !== 0 || !BASE64.test(compact)) {
    problems.add('EDGE_CA_BUNDLE', 'this is not base64', hint);
    return;
  }
  const text = Buffer.from(compact, 'base64').toString('latin1');
  const blocks = [...text.matchAll(BLOCK)].map(([, type = '', body = '']) => ({ type, body }));
  if (blocks.some(({ type }) => type.endsWith('PRIVATE KEY')) || text.includes('PRIVATE KEY-----')) {
    problems.add(
      'EDGE_CA_BUNDLE',
      'this contains a private key, which everyone who can read the object could read',
      'write only the certificate (ca.crt), and replace the key: it is no longer secret',
    );
    return;
  }
  const begins = text.split('-----BEGIN ').length - 1;
  const isWhole = blocks.length > 0 && blocks.length === begins;
  const areCertificates = blocks.every(
    ({ type, body }) => type === 'CERTIFICATE' && isDerSequence(Buffer.from(body, 'base64')),
  );
  if (!isWhole || !areCertificates) {
    problems.add('EDGE_CA_BUNDLE', 'this contains no PEM certificate, or an invalid one', hint);
  }
}

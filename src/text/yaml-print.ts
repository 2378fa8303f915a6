import { Document, visit } from 'yaml';
import { resolveScalar } from './yaml-scalars.js';

// line breaks of YAML 1.1 only, and characters that it does not allow
const UNSAFE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** Plain objects as YAML documents for Kubernetes clients: text that YAML 1.1 would read as a boolean or a number is quoted. */
export function printManifests(manifests: readonly unknown[]): string {
  return manifests.map(printed).join('---\n');
}

function printed(manifest: unknown): string {
  // eslint-disable-next-line no-restricted-syntax -- a YAML version, not a release
  const document = new Document(manifest, { version: '1.1', aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'string' && !isPrintedWell(node.value)) {
        node.type = 'QUOTE_DOUBLE';
      }
    },
  });
  return document
    .toString({ lineWidth: 0, indentSeq: false })
    .replace(UNSAFE, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** 0o7 is no number for the printer, and a block whose first line begins with white space gets no indentation indicator before a tab. */
function isPrintedWell(text: string): boolean {
  return resolveScalar(text) === undefined && text.search(UNSAFE) < 0 && !/^\s[^]*\n/.test(text);
}

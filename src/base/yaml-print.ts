import type * as Yaml from 'yaml';
import { escaped, resolveScalar } from './yaml-scalars.js';

/** Plain objects as YAML documents for Kubernetes clients: text that YAML 1.1 would read as a boolean or a number is quoted. */
export function printManifests(manifests: readonly unknown[]): string {
  return manifests.map(printed).join('---\n');
}

function printed(manifest: unknown): string {
  // loaded when it is first used: few programs print here
  const { Document, visit } = require('yaml') as typeof Yaml;
  // eslint-disable-next-line no-restricted-syntax -- a YAML version, not a release
  const document = new Document(manifest, { version: '1.1', aliasDuplicateObjects: false });
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'string' && !isPrintedWell(node.value)) {
        node.type = 'QUOTE_DOUBLE';
      }
    },
  });
  return escaped(document.toString({ lineWidth: 0, indentSeq: false }));
}

/** 0o7 is not a number for the printer, and a block that begins with white space or blank lines gets no indentation indicator before a tab. */
function isPrintedWell(text: string): boolean {
  return resolveScalar(text) === undefined && escaped(text) === text && !/^(?:\s[^]*\n|\n)/.test(text);
}

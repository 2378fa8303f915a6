import { isMerge } from './yaml-values.js';
import type { YamlNode } from './yaml-tree.js';

/** A key that a map has twice. */
export interface DuplicateKey {
  readonly path: readonly (string | number)[];
  /** Offset of the second one in the document. */
  readonly start: number;
}

/** The keys that maps of a document have twice: of these the last wins, and clients that are strict refuse them. */
export function duplicateKeys(root: YamlNode): readonly DuplicateKey[] {
  const found: DuplicateKey[] = [];
  const path: (string | number)[] = [];
  const visit = (step: string | number, node: YamlNode): void => {
    if (node.kind === 'map' || node.kind === 'list') {
      path.push(step);
      search(node);
      path.pop();
    }
  };
  const search = (node: YamlNode): void => {
    if (node.kind === 'list') {
      node.items.forEach((item, index) => visit(index, item));
    } else if (node.kind === 'map') {
      const seen = new Set<string>();
      for (const pair of node.pairs) {
        const { key, value } = pair;
        if (key.kind === 'scalar' && !isMerge(pair)) {
          if (seen.has(key.text)) {
            found.push({ path: [...path, key.text], start: key.start });
          }
          seen.add(key.text);
          visit(key.text, value);
        }
      }
    }
  };
  search(root);
  return found;
}

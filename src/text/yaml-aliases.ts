import { type Document, isAlias, isMap, isNode, isPair, isScalar, isSeq, type Pair, visit, type YAMLMap } from 'yaml';

/**
 * Makes every alias a copy of what it refers to, and every merge key the fields that it brings; no anchors are left. The document was read
 * before, so its aliases have anchors and are not too many.
 */
export function expandAliases(document: Document): void {
  document.contents = expanded(document.contents, document) as typeof document.contents;
  // only now: until here the aliases need them
  visit(document, {
    Node: (_, node) => {
      if (!isAlias(node)) {
        delete node.anchor;
      }
    },
  });
}

function expanded(node: unknown, document: Document): unknown {
  if (isAlias(node)) {
    const target = node.resolve(document);
    const copy: unknown = isNode(target) ? target.clone() : target;
    if (isNode(copy) && node.comment !== undefined && node.comment !== null) {
      copy.comment = node.comment;
    }
    return expanded(copy, document);
  }
  if (isMap(node)) {
    expandMap(node, document);
  } else if (isSeq(node)) {
    node.items = node.items.map((item) => expanded(item, document));
  }
  return node;
}

function nameOf(pair: unknown): unknown {
  return isPair(pair) ? (isScalar(pair.key) ? pair.key.value : pair.key) : undefined;
}

const isMerge = (pair: unknown): boolean => {
  const name = nameOf(pair);
  return name === '<<' || (typeof name === 'symbol' && name.description === '<<');
};

/** What a map says itself wins over what is merged into it, and the first of several maps over the others. */
function expandMap(map: YAMLMap, document: Document): void {
  const own = map.items.filter((pair) => !isMerge(pair)).map(nameOf);
  map.items = map.items.flatMap((pair): Pair[] => {
    if (!isMerge(pair)) {
      pair.value = expanded(pair.value, document);
      return [pair];
    }
    const merged = expanded(pair.value, document);
    const maps: unknown[] = isSeq(merged) ? merged.items : [merged];
    return maps.flatMap((each) =>
      isMap(each)
        ? each.items.filter((one) => {
            const isNew = !own.includes(nameOf(one));
            own.push(...(isNew ? [nameOf(one)] : []));
            return isNew;
          })
        : [],
    );
  });
}

import { type Document, isAlias, isMap, isNode, isPair, isScalar, isSeq, type Pair, visit, type YAMLMap } from 'yaml';

/**
 * Replaces every alias by a copy of its anchor's node, and every merge key by the merged fields; no anchors remain. The document was parsed before, so
 * its aliases have anchors and are not too many.
 */
export function expandAliases(document: Document): void {
  document.contents = expanded(document.contents, document) as typeof document.contents;
  // only now: the aliases needed them
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

/** Fields of the map win over merged ones, and the first merged map over the others. */
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

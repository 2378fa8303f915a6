import { YamlSyntaxError } from './yaml-reader.js';
import { YamlScanner } from './yaml-scanner.js';
import { YamlTags } from './yaml-tags.js';
import type { Token } from './yaml-token.js';
import type { AliasNode, ListNode, MapNode, ScalarNode, TakeNodes, YamlNode, YamlTree } from './yaml-tree.js';

/**
 * The nodes of the document in a text.
 *
 * @param take gets the roots, and before them the items of the list in their field `items`
 * @throws YamlSyntaxError if Kubernetes clients refuse it, or read only a part of it
 */
export function parseNodes(text: string, take?: TakeNodes): YamlTree {
  return new Parser(text, take).document();
}

/** Anchor and tag of a node. */
interface Properties {
  readonly from: number;
  readonly end: number;
  readonly anchor: string | undefined;
  readonly tag: string | undefined;
}

const NO_PROPERTIES: Partial<Properties> = {};

/** The grammar of yaml_parser_state_machine of go.yaml.in/yaml/v2 (parserc.go). */
class Parser implements YamlTree {
  public readonly roots: YamlNode[] = [];
  public readonly aliases: AliasNode[] = [];
  private readonly scanner: YamlScanner;
  private readonly anchors = new Map<string, YamlNode>();
  private hasFirstFlat: boolean | undefined;
  /** What the next node is, if it is a special one. */
  private next: 'root' | 'items' | undefined;
  /** The map with the items that are taken. */
  private owner: MapNode | undefined;
  private readonly tags = new YamlTags();

  constructor(
    text: string,
    private readonly take: TakeNodes | undefined,
  ) {
    this.scanner = new YamlScanner(text);
  }

  public get hasFlatLists(): boolean {
    return this.hasFirstFlat ?? true;
  }

  public document(): YamlTree {
    const { scanner, roots } = this;
    let isExplicit = false;
    this.skipDocumentEnds();
    while (scanner.peek().type === 'directive') {
      this.tags.define(scanner.next().value);
      isExplicit = true;
    }
    if (scanner.peek().type === 'document start') {
      scanner.next();
      isExplicit = true;
    } else if (isExplicit && scanner.peek().type !== 'stream end') {
      return this.fail('did not find expected <document start>', scanner.peek());
    }
    const { type, start } = scanner.peek();
    if (type === 'stream end' || type === 'document end' || type === 'document start' || type === 'directive') {
      if (isExplicit) {
        roots.push(this.empty(start));
      }
      return this;
    }
    do {
      this.root();
    } while (type === '{' && scanner.peek().type === '{');
    this.skipDocumentEnds();
    // clients would silently ignore it
    if (scanner.peek().type !== 'stream end') {
      this.fail('did not find expected <document start>', scanner.peek());
    }
    return this;
  }

  /** Reads a root. A map is added before its fields are read. */
  private root(): void {
    const { length } = this.roots;
    this.next = 'root';
    const node = this.node(true, false);
    this.roots[length] = node;
    this.take?.root(node, this);
    this.roots.length = this.take === undefined ? length + 1 : 1;
  }

  private skipDocumentEnds(): void {
    while (this.scanner.peek().type === 'document end') {
      this.scanner.next();
    }
  }

  private fail(message: string, { start }: Token): never {
    throw new YamlSyntaxError(message, start);
  }

  private anchored<T extends YamlNode>(node: T): T {
    if (node.anchor !== undefined) {
      this.anchors.set(node.anchor, node);
    }
    return node;
  }

  private empty(offset: number, properties?: Properties): ScalarNode {
    this.next = undefined;
    return this.scalar('plain', '', offset, offset, properties);
  }

  private scalar(
    style: ScalarNode['style'],
    text: string,
    start: number,
    end: number,
    properties: Properties | undefined,
  ): ScalarNode {
    const { from = start, anchor, tag } = properties ?? NO_PROPERTIES;
    return this.anchored({ kind: 'scalar', style, text, from, start, end, anchor, tag });
  }

  /** Anchor and tag; most nodes have none. */
  private properties(first: Token): Properties | undefined {
    const { scanner } = this;
    let end: number | undefined;
    let anchor: string | undefined;
    let tag: string | undefined;
    for (let token = first; ; token = scanner.peek()) {
      if (token.type === 'anchor' && anchor === undefined) {
        anchor = token.value;
      } else if (token.type === 'tag' && tag === undefined) {
        tag = this.tags.inFull(token);
      } else {
        return end === undefined ? undefined : { from: first.start, end, anchor, tag };
      }
      end = token.end;
      scanner.next();
    }
  }

  private node(isBlock: boolean, mayBeIndentless: boolean): YamlNode {
    const { scanner, next } = this;
    this.next = undefined;
    const first = scanner.peek();
    if (first.type === 'alias') {
      return this.alias(scanner.next());
    }
    const properties = this.properties(first);
    const token = properties === undefined ? first : scanner.peek();
    const takes = next === 'items' && properties === undefined;
    switch (token.type) {
      case 'plain':
      case 'quoted':
      case 'block':
        scanner.next();
        return this.scalar(token.type, token.value, token.start, token.end, properties);
      case '[':
        return this.flowList(this.list('flow', token, properties), takes);
      case '{':
        return this.flowMap(this.map('flow', token, properties, next === 'root'));
      case '-':
        if (mayBeIndentless) {
          this.hasFirstFlat ??= true;
          return this.blockList(this.list('block', token, properties), true, takes);
        }
        break;
      case 'block list':
        if (isBlock) {
          this.hasFirstFlat ??= mayBeIndentless ? false : undefined;
          return this.blockList(this.list('block', token, properties), false, takes);
        }
        break;
      case 'block map':
        if (isBlock) {
          return this.blockMap(this.map('block', token, properties, next === 'root'));
        }
        break;
    }
    return properties === undefined
      ? this.fail('did not find expected node content', token)
      : this.empty(properties.end, properties);
  }

  private alias(token: Token): AliasNode {
    const { value: name, start, end } = token;
    const target = this.anchors.get(name) ?? this.fail(`unknown anchor '${name}' referenced`, token);
    const alias: AliasNode = { kind: 'alias', name, target, from: start, start, end };
    this.aliases.push(alias);
    return alias;
  }

  private list(style: ListNode['style'], token: Token, properties: Properties | undefined): ListNode {
    const { start, end } = token;
    const { from = start, anchor, tag } = properties ?? NO_PROPERTIES;
    const column = style === 'block' ? token.column : 0;
    return this.anchored({ kind: 'list', style, column, items: [], from, start, end, anchor, tag });
  }

  private map(style: MapNode['style'], token: Token, properties: Properties | undefined, isRoot: boolean): MapNode {
    const { start, end } = token;
    const { from = start, anchor, tag } = properties ?? NO_PROPERTIES;
    const column = style === 'block' ? token.column : 0;
    const map: MapNode = { kind: 'map', style, column, pairs: [], from, start, end, anchor, tag };
    if (isRoot) {
      this.roots.push(map);
      this.owner = this.take !== undefined && properties === undefined ? map : undefined;
    }
    return this.anchored(map);
  }

  private blockList(list: ListNode, isIndentless: boolean, takes: boolean): ListNode {
    const { scanner } = this;
    if (!isIndentless) {
      scanner.next();
    }
    for (;;) {
      const token = scanner.peek();
      if (token.type !== '-') {
        if (!isIndentless && token.type !== 'block end') {
          this.fail("did not find expected '-' indicator", token);
        }
        if (!isIndentless) {
          scanner.next();
        }
        return list;
      }
      scanner.next();
      const { type } = scanner.peek();
      const isEmpty = type === '-' || type === 'block end' || (isIndentless && (type === 'key' || type === 'value'));
      const item = isEmpty ? this.empty(token.end) : this.node(true, false);
      this.addItem(list, item, takes);
      list.end = item.end;
    }
  }

  private addItem(list: ListNode, item: YamlNode, takes: boolean): void {
    if (takes) {
      this.take?.item(item, this);
    } else {
      list.items.push(item);
    }
  }

  /** Adds a field whose value is read next. */
  private addPair(map: MapNode, key: YamlNode, hasColon: boolean): { value: YamlNode } {
    const pair = { key, value: key, hasColon };
    map.pairs.push(pair);
    if (map === this.owner && key.kind === 'scalar' && key.text === 'items') {
      this.next = 'items';
    }
    return pair;
  }

  private blockMap(map: MapNode): MapNode {
    const { scanner } = this;
    scanner.next();
    for (;;) {
      const token = scanner.peek();
      if (token.type === 'block end') {
        scanner.next();
        return map;
      }
      if (token.type !== 'key') {
        this.fail('did not find expected key', token);
      }
      const key = this.blockPart(token);
      const colon = scanner.peek();
      const pair = this.addPair(map, key, colon.type === 'value');
      pair.value = colon.type === 'value' ? this.blockPart(colon) : this.empty(key.end);
      map.end = pair.value.end;
    }
  }

  /** A key or a value of a block map. */
  private blockPart(token: Token): YamlNode {
    const { scanner } = this;
    scanner.next();
    const { type } = scanner.peek();
    return type === 'key' || type === 'value' || type === 'block end' ? this.empty(token.end) : this.node(true, true);
  }

  /** Reads `item , item` up to a closing bracket. */
  private flowItems(close: ']' | '}', read: () => void): number {
    const { scanner } = this;
    scanner.next();
    for (let isFirst = true; ; isFirst = false) {
      if (scanner.peek().type !== close && !isFirst) {
        const comma = scanner.peek();
        if (comma.type !== ',') {
          this.fail(`did not find expected ',' or '${close}'`, comma);
        }
        scanner.next();
      }
      if (scanner.peek().type === close) {
        return scanner.next().end;
      }
      read();
    }
  }

  private flowList(list: ListNode, takes: boolean): ListNode {
    const { scanner } = this;
    list.end = this.flowItems(']', () => {
      const token = scanner.peek();
      if (token.type !== 'key') {
        this.addItem(list, this.node(false, false), takes);
        return;
      }
      const map = this.map('bare', token, undefined, false);
      this.flowPair(map, ']');
      this.addItem(list, map, takes);
    });
    return list;
  }

  private flowMap(map: MapNode): MapNode {
    const { scanner } = this;
    map.end = this.flowItems('}', () => {
      if (scanner.peek().type === 'key') {
        this.flowPair(map, '}');
      } else {
        const key = this.node(false, false);
        this.addPair(map, key, false).value = this.empty(key.end);
      }
    });
    return map;
  }

  private flowPair(map: MapNode, close: ']' | '}'): void {
    const { scanner } = this;
    const { end } = scanner.next();
    const ends = (type: string): boolean => type === ',' || type === close;
    const { type } = scanner.peek();
    const key = type === 'value' || ends(type) ? this.empty(end) : this.node(false, false);
    const colon = scanner.peek();
    const pair = this.addPair(map, key, colon.type === 'value');
    if (colon.type === 'value') {
      scanner.next();
      pair.value = ends(scanner.peek().type) ? this.empty(colon.end) : this.node(false, false);
    } else {
      pair.value = this.empty(key.end);
    }
    map.end = pair.value.end;
  }
}

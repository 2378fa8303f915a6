import { YamlSyntaxError } from './yaml-reader.js';
import { YamlScanner } from './yaml-scanner.js';
import type { Token } from './yaml-token.js';

interface Place {
  /** Offset of the anchor or tag before the node; equal to `start` without them. */
  readonly from: number;
  readonly start: number;
  end: number;
  readonly anchor?: string;
  /** In full, `tag:yaml.org,2002:str`. */
  readonly tag?: string;
}

export interface ScalarNode extends Place {
  readonly kind: 'scalar';
  readonly style: 'plain' | 'quoted' | 'block';
  readonly text: string;
}

export interface MapNode extends Place {
  readonly kind: 'map';
  /** `bare`: `[a: 1]`, a map without braces. */
  readonly style: 'block' | 'flow' | 'bare';
  readonly column: number;
  readonly pairs: YamlPair[];
}

export interface YamlPair {
  readonly key: YamlNode;
  readonly value: YamlNode;
  readonly hasColon: boolean;
}

export interface ListNode extends Place {
  readonly kind: 'list';
  readonly style: 'block' | 'flow';
  readonly column: number;
  readonly items: YamlNode[];
}

export interface AliasNode extends Place {
  readonly kind: 'alias';
  readonly name: string;
  readonly target: YamlNode;
}

export type YamlNode = ScalarNode | MapNode | ListNode | AliasNode;

export interface YamlTree {
  /** None if the text has no document; several if it is JSON, one document after the other. */
  readonly roots: readonly YamlNode[];
  readonly aliases: readonly AliasNode[];
  /** Whether the lists in maps begin in the column of their key; true if there is none. */
  readonly hasFlatLists: boolean;
}

/** The nodes of the document in a text. @throws YamlSyntaxError if Kubernetes clients refuse it, or read only a part of it */
export function parseNodes(text: string): YamlTree {
  return new Parser(text).document();
}

const NO_PLACE = { from: -1 };

interface Properties {
  readonly from: number;
  readonly end?: number;
  readonly anchor?: string;
  readonly tag?: string;
}

/** The grammar of yaml_parser_state_machine of go.yaml.in/yaml/v2 (parserc.go). */
class Parser {
  private readonly scanner: YamlScanner;
  private readonly anchors = new Map<string, YamlNode>();
  private readonly aliases: AliasNode[] = [];
  private hasFlatLists: boolean | undefined;
  private readonly handles = new Map([
    ['!', '!'],
    ['!!', 'tag:yaml.org,2002:'],
  ]);

  constructor(text: string) {
    this.scanner = new YamlScanner(text);
  }

  public document(): YamlTree {
    const { scanner, aliases } = this;
    let isExplicit = false;
    this.skipDocumentEnds();
    while (scanner.peek().type === 'directive') {
      const [, handle, prefix] = /^%TAG[ \t]+(!|!!|![\w-]+!)[ \t]+(\S+)[ \t]*$/.exec(scanner.next().value) ?? [];
      if (handle !== undefined && prefix !== undefined) {
        this.handles.set(handle, prefix);
      }
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
      return { roots: isExplicit ? [this.empty(start)] : [], aliases, hasFlatLists: true };
    }
    const roots = [this.node(true, false)];
    const isJson = type === '{';
    while (isJson && scanner.peek().type === '{') {
      roots.push(this.node(true, false));
    }
    this.skipDocumentEnds();
    // clients would silently ignore it
    if (scanner.peek().type !== 'stream end') {
      this.fail('did not find expected <document start>', scanner.peek());
    }
    return { roots, aliases, hasFlatLists: this.hasFlatLists ?? true };
  }

  private skipDocumentEnds(): void {
    while (this.scanner.peek().type === 'document end') {
      this.scanner.next();
    }
  }

  private fail(message: string, { start }: Token): never {
    throw new YamlSyntaxError(message, start);
  }

  private empty(offset: number, { from, anchor, tag }: Properties = NO_PLACE): ScalarNode {
    const place = { from: from < 0 ? offset : from, start: offset, end: offset, anchor, tag };
    return this.anchored({ kind: 'scalar', style: 'plain', text: '', ...place });
  }

  private anchored<T extends YamlNode>(node: T): T {
    if (node.anchor !== undefined) {
      this.anchors.set(node.anchor, node);
    }
    return node;
  }

  private properties(): Properties {
    const { scanner } = this;
    const from = scanner.peek().start;
    let [anchor, tag, end]: [string | undefined, string | undefined, number | undefined] = [
      undefined,
      undefined,
      undefined,
    ];
    for (;;) {
      const token = scanner.peek();
      if (token.type === 'anchor' && anchor === undefined) {
        anchor = token.value;
      } else if (token.type === 'tag' && tag === undefined) {
        tag = this.fullTag(token);
      } else {
        return { from, end, anchor, tag };
      }
      end = token.end;
      scanner.next();
    }
  }

  private fullTag(token: Token): string {
    const [, verbatim, handle = '!', suffix = ''] = /^(?:!<(.*)>|(!(?:[\w-]*!)?)(.*))$/.exec(token.value) ?? [];
    const prefix = verbatim === undefined ? this.handles.get(handle) : verbatim;
    return prefix === undefined ? this.fail('found undefined tag handle', token) : prefix + suffix;
  }

  private node(isBlock: boolean, mayBeIndentless: boolean): YamlNode {
    const { scanner } = this;
    const first = scanner.peek();
    if (first.type === 'alias') {
      const { value: name, start, end } = scanner.next();
      const target = this.anchors.get(name) ?? this.fail(`unknown anchor '${name}' referenced`, first);
      const alias: AliasNode = { kind: 'alias', name, target, from: start, start, end };
      this.aliases.push(alias);
      return alias;
    }
    const properties = this.properties();
    const token = scanner.peek();
    const { start, end } = token;
    const { from, anchor, tag } = properties;
    const place = { from, start, end, anchor, tag };
    switch (token.type) {
      case 'plain':
      case 'quoted':
      case 'block':
        scanner.next();
        return this.anchored({ kind: 'scalar', style: token.type, text: token.value, ...place });
      case '[':
        return this.flowList(place);
      case '{':
        return this.flowMap(place);
      case '-':
        if (mayBeIndentless) {
          this.hasFlatLists ??= true;
          return this.blockList(place, token.column, true);
        }
        break;
      case 'block list':
        if (isBlock) {
          this.hasFlatLists ??= mayBeIndentless ? false : undefined;
          return this.blockList(place, token.column, false);
        }
        break;
      case 'block map':
        if (isBlock) {
          return this.blockMap(place, token.column);
        }
        break;
    }
    if (anchor !== undefined || tag !== undefined) {
      return this.empty(properties.end ?? start, properties);
    }
    return this.fail('did not find expected node content', token);
  }

  private blockList(place: Place, column: number, isIndentless: boolean): ListNode {
    const { scanner } = this;
    const list: ListNode = this.anchored({ kind: 'list', style: 'block', column, items: [], ...place });
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
      list.items.push(item);
      list.end = item.end;
    }
  }

  private blockMap(place: Place, column: number): MapNode {
    const { scanner } = this;
    const map: MapNode = this.anchored({ kind: 'map', style: 'block', column, pairs: [], ...place });
    scanner.next();
    const part = (token: Token): YamlNode => {
      scanner.next();
      const { type } = scanner.peek();
      return type === 'key' || type === 'value' || type === 'block end' ? this.empty(token.end) : this.node(true, true);
    };
    for (;;) {
      const token = scanner.peek();
      if (token.type === 'block end') {
        scanner.next();
        return map;
      }
      if (token.type !== 'key') {
        this.fail('did not find expected key', token);
      }
      const key = part(token);
      const colon = scanner.peek();
      const hasColon = colon.type === 'value';
      const value = hasColon ? part(colon) : this.empty(key.end);
      map.pairs.push({ key, value, hasColon });
      map.end = value.end;
    }
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

  private flowList(place: Place): ListNode {
    const { scanner } = this;
    const list: ListNode = this.anchored({ kind: 'list', style: 'flow', column: 0, items: [], ...place });
    list.end = this.flowItems(']', () => {
      const token = scanner.peek();
      if (token.type !== 'key') {
        list.items.push(this.node(false, false));
        return;
      }
      const pair = this.flowPair(']');
      const { end } = pair.value;
      list.items.push({
        kind: 'map',
        style: 'bare',
        column: 0,
        pairs: [pair],
        from: token.start,
        start: token.start,
        end,
      });
    });
    return list;
  }

  private flowMap(place: Place): MapNode {
    const { scanner } = this;
    const map: MapNode = this.anchored({ kind: 'map', style: 'flow', column: 0, pairs: [], ...place });
    map.end = this.flowItems('}', () => {
      if (scanner.peek().type === 'key') {
        map.pairs.push(this.flowPair('}'));
      } else {
        const key = this.node(false, false);
        map.pairs.push({ key, value: this.empty(key.end), hasColon: false });
      }
    });
    return map;
  }

  private flowPair(close: ']' | '}'): YamlPair {
    const { scanner } = this;
    const { end } = scanner.next();
    const ends = (type: string): boolean => type === ',' || type === close;
    const { type } = scanner.peek();
    const key = type === 'value' || ends(type) ? this.empty(end) : this.node(false, false);
    const colon = scanner.peek();
    if (colon.type !== 'value') {
      return { key, value: this.empty(key.end), hasColon: false };
    }
    scanner.next();
    const value = ends(scanner.peek().type) ? this.empty(colon.end) : this.node(false, false);
    return { key, value, hasColon: true };
  }
}

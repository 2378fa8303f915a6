import type { AliasNode, ListNode, MapNode, ScalarNode, YamlNode } from './yaml-tree.js';
import { YamlSyntaxError } from './yaml-reader.js';
import { beginsLikeText, floatAsKey, type ResolvedScalar, resolveScalar } from './yaml-scalars.js';

const TAG = 'tag:yaml.org,2002:';

/** A YAML scalar as a type and a value; text is of type `str`. */
type Value = ResolvedScalar | { readonly type: 'str'; readonly value: string };

/**
 * A node as plain data, as sigs.k8s.io/yaml reads it: the last of several equal keys wins, and keys become text. Integers that a number cannot
 * represent exactly are what `large` makes of them.
 *
 * @throws YamlSyntaxError if Kubernetes clients refuse it
 */
export function valueOf(node: YamlNode, large: (integer: bigint) => unknown = (integer) => integer): unknown {
  return new Decoder(large).decode(node);
}

/** The name of the field that a key gives. */
export function keyOf(node: YamlNode): string {
  return new Decoder().key(node);
}

/** `<<`, if it is neither quoted nor tagged. */
export function isMerge({ key }: { readonly key: YamlNode }): boolean {
  return (
    key.kind === 'scalar' &&
    key.text === '<<' &&
    ((key.style === 'plain' && key.tag === undefined) || key.tag === '!' || key.tag === `${TAG}merge`)
  );
}

/** The maps whose fields a merge key gives; those of the first win. */
export function mergeSources({ value }: { readonly value: YamlNode }): MapNode[] {
  return (value.kind === 'list' ? value.items : [value]).map((source) => {
    const target = source.kind === 'alias' ? source.target : source;
    if (target.kind !== 'map') {
      throw new YamlSyntaxError('map merge requires map or sequence of maps as the value', source.start);
    }
    return target;
  });
}

/** The node with the value of a field, which may be in a merged map. */
export function fieldOf(map: MapNode, key: string): YamlNode | undefined {
  for (const pair of map.pairs.toReversed()) {
    if (!isMerge(pair)) {
      if (keyOf(pair.key) === key) {
        return pair.value;
      }
      continue;
    }
    for (const source of mergeSources(pair)) {
      const found = fieldOf(source, key);
      if (found !== undefined) {
        return found;
      }
    }
  }
  return undefined;
}

/** allowedAliasRatio of go.yaml.in/yaml/v2 (decode.go). */
function allowedAliasRatio(count: number): number {
  const [low, high] = [400_000, 4_000_000];
  return count <= low ? 0.99 : count >= high ? 0.1 : 0.99 - (0.89 * (count - low)) / (high - low);
}

/** The decoder of go.yaml.in/yaml/v2 (decode.go). */
class Decoder {
  private count = 0;
  private aliasCount = 0;
  private aliasDepth = 0;
  private readonly open = new Set<AliasNode>();

  constructor(private readonly large: (integer: bigint) => unknown = (integer) => integer) {}

  public decode(node: YamlNode): unknown {
    this.enter(node);
    switch (node.kind) {
      case 'alias':
        return this.through(node, (target) => this.decode(target));
      case 'list':
        return this.list(node);
      case 'map': {
        const map: Record<string, unknown> = {};
        this.into(map, node);
        return map;
      }
      case 'scalar': {
        if (isText(node)) {
          return node.text;
        }
        const { value } = scalarOf(node);
        return typeof value === 'bigint' ? this.large(value) : value;
      }
    }
  }

  public key(node: YamlNode): string {
    this.enter(node);
    if (node.kind === 'alias') {
      return this.through(node, (target) => this.key(target));
    }
    if (node.kind === 'scalar' && isText(node)) {
      return node.text;
    }
    const { type, value } = node.kind === 'scalar' ? scalarOf(node) : { type: node.kind, value: undefined };
    const isTooLarge = type === 'int' && BigInt(value as number) > 2n ** 63n - 1n;
    if (type === 'null' || type === 'map' || type === 'list' || isTooLarge) {
      throw new YamlSyntaxError(
        `a ${isTooLarge ? 'number of 64 bits' : type} cannot be the name of a field`,
        node.start,
      );
    }
    return type === 'float' ? floatAsKey(value as number) : String(value);
  }

  /** Refuses text that becomes much larger by its aliases. */
  private enter(node: YamlNode): void {
    this.count += 1;
    this.aliasCount += this.aliasDepth > 0 ? 1 : 0;
    const { count, aliasCount } = this;
    if (aliasCount > 100 && count > 1000 && aliasCount / count > allowedAliasRatio(count)) {
      throw new YamlSyntaxError('document contains excessive aliasing', node.start);
    }
  }

  private through<T>(alias: AliasNode, read: (target: YamlNode) => T): T {
    if (this.open.has(alias)) {
      throw new YamlSyntaxError(`anchor '${alias.name}' value contains itself`, alias.start);
    }
    this.open.add(alias);
    this.aliasDepth += 1;
    const value = read(alias.target);
    this.aliasDepth -= 1;
    this.open.delete(alias);
    return value;
  }

  private list(node: ListNode): unknown[] {
    return node.items.map((item) => this.decode(item));
  }

  private into(map: Record<string, unknown>, node: MapNode): void {
    for (const pair of node.pairs) {
      if (isMerge(pair)) {
        this.merge(map, pair.value);
        continue;
      }
      const key = this.key(pair.key);
      const value = this.decode(pair.value);
      if (key === '__proto__') {
        Object.defineProperty(map, key, { value, enumerable: true, configurable: true, writable: true });
      } else {
        map[key] = value;
      }
    }
  }

  /** Sets the fields of another map at this position: fields after it win, and those before it lose. */
  private merge(map: Record<string, unknown>, node: YamlNode): void {
    const sources = node.kind === 'list' ? [...node.items].reverse() : [node];
    for (const source of sources) {
      const target = source.kind === 'alias' ? source.target : source;
      if (target.kind !== 'map') {
        throw new YamlSyntaxError('map merge requires map or sequence of maps as the value', source.start);
      }
      this.enter(source);
      if (source.kind === 'alias') {
        this.through(source, () => {
          this.enter(target);
          this.into(map, target);
        });
      } else {
        this.into(map, target);
      }
    }
  }
}

/** Whether a scalar is text, as most are; not all of them are found here. */
function isText({ tag, style, text }: ScalarNode): boolean {
  return tag === undefined && (style !== 'plain' || beginsLikeText(text));
}

function scalarOf(node: ScalarNode): Value {
  const { text, tag } = node;
  if (tag === undefined) {
    return (node.style === 'plain' ? resolveScalar(text) : undefined) ?? { type: 'str', value: text };
  }
  if (tag === `${TAG}binary`) {
    return { type: 'str', value: decodedBinary(node) };
  }
  const wanted = ['bool', 'int', 'float', 'null'].find((type) => tag === TAG + type);
  if (wanted === undefined) {
    return { type: 'str', value: text };
  }
  const resolved = resolveScalar(text);
  if (wanted === 'float' && resolved?.type === 'int' && BigInt(resolved.value as number) < 2n ** 63n) {
    return { type: 'float', value: Number(resolved.value) };
  }
  if (resolved?.type !== wanted) {
    throw new YamlSyntaxError(`cannot decode ${JSON.stringify(text)} as a !!${wanted}`, node.start);
  }
  return resolved;
}

function decodedBinary({ text, start }: ScalarNode): string {
  const base64 = text.replace(/[\r\n]/g, '');
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.toString('base64') !== base64) {
    throw new YamlSyntaxError('!!binary value contains invalid base64 data', start);
  }
  return bytes.toString('utf8');
}

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

/**
 * Gets parts of a document as soon as they are read. Their nodes are not kept, unless they have an anchor: those of a list with thousands of objects need
 * 20 times the memory of its text.
 */
export interface TakeNodes {
  /**
   * Gets the items of a list in a field of a root.
   *
   * @param tree what is read so far; the last field of its last root is the one with the list
   */
  readonly item: (item: YamlNode, tree: YamlTree) => void;
  /** Gets each root when it is read, with items only where they were not taken. Only the first root is kept. */
  readonly root: (root: YamlNode, tree: YamlTree) => void;
}

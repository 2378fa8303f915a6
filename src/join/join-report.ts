import { JOIN_LABEL, MANAGED_BY } from '../kubernetes/labels.js';
import { shellCommand } from '../base/shell.js';
import { mapAt, type PlainMap } from '../base/plain-data.js';
import { readableText } from './ignition-config.js';
import { updateFile } from './published-join.js';

/** A join of a pool: one that Nodes have, or that is published. */
export interface JoinRow {
  readonly pool: string;
  /** Value of the label `edge-nodepools/join`; the end of the name of the ConfigMap. */
  readonly join: string;
  /** Names of the Nodes that have joined with it. */
  readonly nodes: readonly string[];
  /** The ConfigMap or Secret, `namespace/name`.
   * @default - the dump has none */
  readonly published?: string;
  /** Whether it is the last one that was published for the pool. */
  readonly isNewest: boolean;
  /** The parts in which it differs from the newest of the pool.
   * @default - unknown: one of the two is not in the dump */
  readonly differs?: readonly string[];
  /** Updates each of these Nodes to the newest join, because it differs only in what an update can change.
   * @default - there is nothing to update, or the Nodes have to leave and join again */
  readonly update?: string;
  /** Removes the published object, because no Node of the dump has joined with it, and a newer one is published.
   * @default - it may be needed */
  readonly removal?: string;
}

/** The joins of the Nodes of a dump. */
export interface JoinReport {
  readonly joins: readonly JoinRow[];
  /** Nodes of pools without the label: of a release of this library before it, or of another tool. */
  readonly unknown: readonly string[];
}

/** A published join. */
interface Published {
  readonly pool: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly createdAt: string;
  /** Whether its nodes are joined by yurtadm, which cannot update them. */
  readonly isYurtadm: boolean;
  /** Hash of each part; empty for a Secret. */
  readonly parts: ReadonlyMap<string, string>;
}

// as src/join/join-draft.ts writes them, in a script or quoted in a cloud-config
const PART =
  /([0-9a-f]{8}) (API server and node registration|kubelet configuration|container runtime|packages|files|commands (?:before|after) the join|machine settings)(?=['"\\\n])/g;

/**
 * Which Nodes have which join, what differs, and which published joins nobody has.
 *
 * @param objects of a dump
 * @param poolOf the pool of each Node, by name
 */
export function reportJoins(objects: readonly PlainMap[], poolOf: ReadonlyMap<string, string>): JoinReport {
  const rows = new Map<string, { pool: string; join: string; nodes: string[]; published?: Published }>();
  const rowOf = (pool: string, join: string) => {
    const row = rows.get(`${pool} ${join}`) ?? { pool, join, nodes: [] };
    rows.set(`${pool} ${join}`, row);
    return row;
  };
  const newest = new Map<string, Published>();
  for (const published of objects.flatMap(publishedOf)) {
    const { pool, name, createdAt } = published;
    rowOf(pool, name.slice(name.lastIndexOf('-') + 1)).published = published;
    if (createdAt >= (newest.get(pool)?.createdAt ?? '')) {
      newest.set(pool, published);
    }
  }
  const unknown: string[] = [];
  for (const node of objects.filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Node')) {
    const { name, labels } = mapAt(node, 'metadata') as { name: string; labels?: PlainMap };
    const [pool, join] = [poolOf.get(name), labels?.[JOIN_LABEL]];
    if (pool !== undefined && typeof join === 'string') {
      rowOf(pool, join).nodes.push(name);
    } else if (pool !== undefined) {
      unknown.push(name);
    }
  }
  return {
    joins: [...rows.values()].map(({ published, ...row }): JoinRow => {
      const last = newest.get(row.pool);
      const isNewest = published !== undefined && published === last;
      const isStale = published !== undefined && !isNewest && row.nodes.length === 0;
      return {
        ...row,
        ...(published === undefined ? {} : { published: `${published.namespace}/${published.name}` }),
        isNewest,
        ...differenceOf(published, last),
        ...updateOf(row.nodes, published, last),
        ...(isStale
          ? {
              removal: shellCommand('kubectl', '-n', published.namespace, 'delete', published.kind, published.name),
            }
          : {}),
      };
    }),
    unknown,
  };
}

function differenceOf(one: Published | undefined, other: Published | undefined): Pick<JoinRow, 'differs'> {
  return one === undefined || other === undefined || one.parts.size === 0 || other.parts.size === 0
    ? {}
    : { differs: [...other.parts].filter(([part, hash]) => one.parts.get(part) !== hash).map(([part]) => part) };
}

/** Parts that an update does not change. */
const FIXED = /^commands /;

function updateOf(
  nodes: readonly string[],
  one: Published | undefined,
  last: Published | undefined,
): Pick<JoinRow, 'update'> {
  const { differs = [] } = differenceOf(one, last);
  const canUpdate =
    nodes.length > 0 && last?.isYurtadm === false && differs.length > 0 && !differs.some((part) => FIXED.test(part));
  return canUpdate ? { update: `ssh root@NODE sh -s < join/${updateFile(last.name)}` } : {};
}

/** The texts of the joins that are published as ConfigMaps, by the value of the label of their Nodes. */
export function publishedTexts(objects: readonly PlainMap[]): ReadonlyMap<string, string> {
  return new Map(
    objects
      .filter((each) => each.kind === 'ConfigMap' && mapAt(mapAt(each, 'metadata'), 'labels')[`${MANAGED_BY}/pool`])
      .map((object) => [String(mapAt(object, 'metadata').name).replace(/^.*-/, ''), textIn(object)]),
  );
}

function textIn(object: PlainMap): string {
  return Object.values(mapAt(object, 'data'))
    .map((text) => readableText(String(text)))
    .join('\n');
}

function publishedOf(object: PlainMap): Published[] {
  const { namespace, name, creationTimestamp } = mapAt(object, 'metadata');
  const pool = mapAt(mapAt(object, 'metadata'), 'labels')[`${MANAGED_BY}/pool`];
  if ((object.kind !== 'ConfigMap' && object.kind !== 'Secret') || typeof pool !== 'string') {
    return [];
  }
  const text = object.kind === 'Secret' ? '' : textIn(object);
  return [
    {
      pool,
      kind: object.kind.toLowerCase(),
      namespace: String(namespace),
      name: String(name),
      createdAt: typeof creationTimestamp === 'string' ? creationTimestamp : '',
      isYurtadm: /^# edge-nodepools, join format .*, by yurtadm$/m.test(text),
      parts: new Map([...text.matchAll(PART)].map(([, hash = '', part = '']) => [part, hash])),
    },
  ];
}

import { isIP } from 'node:net';
import type { ProblemList } from '../../errors.js';
import { isMap } from '../kubernetes-object.js';
import { checkWholeNumber, showValue } from '../properties.js';
import { type NewEntry, withEntry, withEntryReplaced } from './edit.js';
import { indexOfPlugin } from './hosts.js';
import { type CorefileServer, type CorefileTree, linesOf, wordsOf } from './tree.js';

/**
 * How CoreDNS answers and caches on each node for itself.
 *
 * @category Prepare the cluster
 */
export interface NodeLocalCache {
  /** IP addresses to listen on, for example `169.254.20.10` and the ClusterIP of `kube-dns`. */
  readonly addresses: string[];
  /** Answers that are kept.
   * @default 9984 */
  readonly success?: number;
  /** Denials that are kept.
   * @default 9984 */
  readonly denial?: number;
}

export function checkNodeLocalCache(props: NodeLocalCache, problems: ProblemList): void {
  if (!isMap(props)) {
    problems.add('EDGE_TYPE', 'a node-local cache is a map', "write { addresses: ['169.254.20.10'] }");
    return;
  }
  const { addresses, success, denial } = props as unknown as NodeLocalCache;
  if (!Array.isArray(addresses) || addresses.length === 0) {
    problems.at('addresses').add('EDGE_MISSING', 'there is no address', "write addresses: ['169.254.20.10']");
  } else {
    addresses.forEach((address: unknown, index) => {
      if (typeof address !== 'string' || isIP(address) === 0) {
        const at = problems.at('addresses', index);
        at.add('EDGE_VALUE', `${showValue(address)} is not an IP address`, "write '169.254.20.10'");
      }
    });
  }
  checkWholeNumber(success, 1, problems.at('success'));
  checkWholeNumber(denial, 1, problems.at('denial'));
}

/** `bind` and `cache` in every server block. */
export function withNodeLocalCache(tree: CorefileTree, props: NodeLocalCache): CorefileTree {
  const { addresses, success = 9984, denial = 9984 } = props;
  const bind: NewEntry = { words: ['bind', ...addresses] };
  const cache: NewEntry = {
    words: ['cache', '30'],
    lines: [
      ['success', String(success)],
      ['denial', String(denial)],
    ],
  };
  const items = tree.items.map((item) => (item.kind === 'server' ? withPlugin(withPlugin(item, bind), cache) : item));
  return { ...tree, items };
}

/** The server with a directive as it is meant; one that says it already is left alone, with what else it says. */
function withPlugin(server: CorefileServer, wanted: NewEntry): CorefileServer {
  const index = indexOfPlugin(server, wanted.words[0] as string);
  if (index < 0) {
    const first = indexOfPlugin(server, 'errors');
    return withEntry(server, first < 0 ? 0 : first + 1, wanted);
  }
  const entry = server.entries[index] as (typeof server.entries)[number];
  const lines = linesOf(entry).map(wordsOf);
  const says = (line: readonly string[]): boolean =>
    lines.some((present) => line.every((each, position) => present[position] === each));
  const isBind = wanted.lines === undefined;
  const isFine = isBind ? wordsOf(entry).join(' ') === wanted.words.join(' ') : (wanted.lines ?? []).every(says);
  if (isFine) {
    return server;
  }
  const own = isBind ? [] : lines.filter(([name]) => !(wanted.lines ?? []).some(([replaced]) => replaced === name));
  const words = isBind ? wanted.words : wordsOf(entry);
  return withEntryReplaced(server, index, { words, lines: [...(wanted.lines ?? []), ...own] });
}

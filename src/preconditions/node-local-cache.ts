import { isIP } from 'node:net';
import type { ProblemList } from '../base/errors.js';
import { isMap } from '../base/plain-data.js';
import { showValue } from '../base/properties.js';
import { type Check, type PropertyTable, checkProperties, wholeNumber } from '../base/property-table.js';
import { type NewEntry, withArguments, withEntry, withLineReplaced } from './corefile-edits.js';
import {
  type CorefileServer,
  type CorefileTree,
  checkNotImported,
  indexOfPlugin,
  linesOf,
  placeOf,
  wordsOf,
} from './corefile-parser.js';

/**
 * Addresses and cache of NodeLocal DNSCache, whose Corefile is in the ConfigMap `kube-system/node-local-dns`.
 *
 * @category Prepare the cluster
 */
export interface NodeLocalCache {
  /** IP addresses to listen on, for example `169.254.20.10` and the ClusterIP of `kube-dns`. */
  readonly addresses: string[];
  /** Number of cached answers.
   * @default 9984 */
  readonly success?: number;
  /** Number of cached denials.
   * @default 9984 */
  readonly denial?: number;
}

const PROPERTIES: PropertyTable<NodeLocalCache> = {
  addresses: (addresses, problems) => {
    if (!Array.isArray(addresses) || addresses.length === 0) {
      problems.add('EDGE_MISSING', 'the list of addresses is empty', "write addresses: ['169.254.20.10']");
      return;
    }
    addresses.forEach((address: unknown, index) => {
      if (typeof address !== 'string' || isIP(address) === 0) {
        problems.at(index).add('EDGE_VALUE', `${showValue(address)} is not an IP address`, "write '169.254.20.10'");
      }
    });
  },
  success: wholeNumber(1),
  denial: wholeNumber(1),
};

export const checkNodeLocalCache: Check = (cache, problems) => {
  if (isMap(cache)) {
    checkProperties(cache, PROPERTIES, problems);
  } else {
    problems.add('EDGE_TYPE', 'the node-local cache must be a map', "write { addresses: ['169.254.20.10'] }");
  }
};

/** Sets `bind` and `cache` in every server block of the Corefile of NodeLocal DNSCache. */
export function withNodeLocalCache(tree: CorefileTree, props: NodeLocalCache, problems: ProblemList): CorefileTree {
  const { addresses, success = 9984, denial = 9984 } = props;
  const ofCluster = tree.items.find(
    (item): item is CorefileServer => item.kind !== 'import' && indexOfPlugin(item, 'kubernetes') >= 0,
  );
  if (ofCluster !== undefined) {
    problems.add(
      'EDGE_COREFILE',
      `${placeOf(ofCluster)} has the kubernetes plugin: this is the CoreDNS of the cluster, whose Pods do not have these addresses`,
      'edit the Corefile of NodeLocal DNSCache, in the ConfigMap kube-system/node-local-dns',
    );
    return tree;
  }
  const items = tree.items.map((item) => {
    if (item.kind !== 'server') {
      return item;
    }
    const isImported = ['bind', 'cache'].filter((plugin) => checkNotImported(tree, item, plugin, problems)).length > 0;
    return isImported ? item : withCache(withBind(item, addresses), success, denial);
  });
  return { ...tree, items };
}

function withPlugin(server: CorefileServer, added: NewEntry): CorefileServer {
  const errors = indexOfPlugin(server, 'errors');
  return withEntry(server, errors < 0 ? 0 : errors + 1, added);
}

function withBind(server: CorefileServer, addresses: readonly string[]): CorefileServer {
  const index = indexOfPlugin(server, 'bind');
  if (index < 0) {
    return withPlugin(server, { words: ['bind', ...addresses] });
  }
  const [, ...present] = wordsOf(server.entries[index] as never);
  return present.join(' ') === addresses.join(' ') ? server : withArguments(server, index, addresses);
}

/** Other options of the cache plugin do not change. */
function withCache(server: CorefileServer, success: number, denial: number): CorefileServer {
  const lines = [
    ['success', String(success)],
    ['denial', String(denial)],
  ];
  const index = indexOfPlugin(server, 'cache');
  if (index < 0) {
    return withPlugin(server, { words: ['cache', '30'], lines });
  }
  const present = linesOf(server.entries[index] as never).map(wordsOf);
  const says = (line: readonly string[]): boolean =>
    present.some((each) => line.every((wanted, position) => each[position] === wanted));
  return lines.filter((line) => !says(line)).reduce((edited, line) => withLineReplaced(edited, index, line), server);
}

import { isIP } from 'node:net';
import type { ProblemList } from '../base/errors.js';
import { isMap } from '../base/plain-data.js';
import { type Check, type PropertyTable, checkProperties } from '../base/property-table.js';
import { isDnsSubdomain } from '../kubernetes/names.js';
import { parseEndpoint } from '../cluster/api-server-endpoint.js';
import { numberAsText, showValue } from '../base/properties.js';
import { makeServer, withArguments } from './corefile-edits.js';
import {
  type CorefileServer,
  type CorefileTree,
  firstToken,
  indexOfPlugin,
  linesOf,
  placeOf,
  wordsOf,
} from './corefile-parser.js';

/**
 * A zone that is forwarded to other DNS servers, for example those of a site.
 *
 * @category Prepare the cluster
 */
export interface CorefileForwarder {
  /** The zone, without a trailing dot, for example `site-hz.example`. */
  readonly zone: string;
  /** Its DNS servers: IP addresses, each with a port if it is not 53 (`10.1.0.2`, `10.1.0.2:5353`, `[fd00::2]:5353`). */
  readonly to: string[];
  /** Port on which CoreDNS answers for the zone.
   * @default 53 */
  readonly port?: number;
}

const PROPERTIES: PropertyTable<CorefileForwarder> = {
  zone: (zone, problems) => {
    if (typeof zone !== 'string' || !isDnsSubdomain(zone)) {
      problems.add('EDGE_NAME', `${showValue(zone)} is not a DNS zone`, "write zone: 'site-hz.example'");
    }
  },
  to: (to, problems) => {
    if (!Array.isArray(to) || to.length === 0) {
      problems.add('EDGE_MISSING', 'the list of DNS servers is empty', "write to: ['10.1.0.2']");
    } else {
      to.forEach((server: unknown, index) => checkServer(server, problems.at(index)));
    }
  },
  port: (port, problems) => {
    if (port !== undefined && (typeof port !== 'number' || !Number.isInteger(port) || port < 1 || port > 65535)) {
      const text = numberAsText(port);
      problems.add(
        'EDGE_VALUE',
        text?.message ?? `${showValue(port)} is not a port`,
        text?.hint ?? 'write a number from 1 to 65535',
      );
    }
  },
};

export const checkForwarder: Check = (forwarder, problems) => {
  if (isMap(forwarder)) {
    checkProperties(forwarder, PROPERTIES, problems);
  } else {
    problems.add('EDGE_TYPE', 'a forwarder must be a map', "write { zone: 'site-hz.example', to: ['10.1.0.2'] }");
  }
};

function checkServer(server: unknown, problems: ProblemList): void {
  if (typeof server !== 'string' || !isServer(server)) {
    const hint = "write an IP address, with a port if it is not 53: '10.1.0.2' or '10.1.0.2:5353'";
    problems.add('EDGE_VALUE', `${showValue(server)} is not the address of a DNS server`, hint);
  }
}

function isServer(text: string): boolean {
  const host = parseEndpoint(text)?.host;
  return isIP(text) !== 0 || (host !== undefined && isIP(host) !== 0);
}

/** Name of a zone for comparison: without the trailing dot, in lower case. */
function zoneName(text: string): string {
  return text.replace(/\.$/, '').toLowerCase();
}

const serves = (server: CorefileServer, zone: string, port?: number): boolean =>
  server.keys.some(({ text }) => {
    const [name = '', at] = text
      .replace(/,$/, '')
      .replace(/^dns:\/\//i, '')
      .split(':');
    return zoneName(name) === zoneName(zone) && (port === undefined || Number(at ?? 53) === port);
  });

/** The zones of the kubernetes plugin: the cluster domain and its reverse zones. */
function clusterZones(tree: CorefileTree): string[] {
  return tree.items.flatMap((item) =>
    item.kind === 'import'
      ? []
      : item.entries
          .map(wordsOf)
          .filter(([name]) => name === 'kubernetes')
          .flatMap(([, ...zones]) => zones.map(zoneName)),
  );
}

/** Whether a server block for a zone would answer names of the kubernetes plugin. */
function takesCluster(tree: CorefileTree, zone: string): string | undefined {
  const wanted = zoneName(zone);
  return clusterZones(tree).find((own) => {
    const isBelow = wanted.endsWith(`.${own}`) && !own.endsWith('.arpa');
    return wanted === own || own.endsWith(`.${wanted}`) || isBelow;
  });
}

/** The Corefile with an additional server block for the zone. */
export function withForwarder(tree: CorefileTree, forwarder: CorefileForwarder, problems: ProblemList): CorefileTree {
  const { zone, to, port = 53 } = forwarder;
  const taken = takesCluster(tree, zone);
  if (taken !== undefined) {
    problems.add(
      'EDGE_COREFILE',
      `the kubernetes plugin answers for ${taken}: with a server block for ${zone}, names of Services would not resolve`,
      'write the zone of a site, outside of the cluster domain',
    );
    return tree;
  }
  const present = tree.items.find((item): item is CorefileServer => item.kind === 'server' && serves(item, zone, port));
  return present === undefined
    ? withNewServer(tree, `${zone}:${port}`, to, problems)
    : withServersOf(tree, present, forwarder, problems);
}

function withNewServer(tree: CorefileTree, key: string, to: readonly string[], problems: ProblemList): CorefileTree {
  const open = tree.items.find((item) => item.kind === 'server' && item.open === undefined);
  if (open !== undefined) {
    problems.add(
      'EDGE_COREFILE',
      `the server block ${placeOf(open as CorefileServer)} has no braces, so no other block can follow`,
      'write its plugins between { and }',
    );
    return tree;
  }
  const entries = [{ words: ['errors'] }, { words: ['cache', '30'] }, { words: ['forward', '.', ...to] }];
  const added = makeServer([key], entries, tree.items.length === 0);
  const endsLine = tree.items.length === 0 || /\n$/.test(tree.trailing);
  const [first, ...others] = added.keys;
  const keys =
    first === undefined ? [] : [{ ...first, leading: endsLine ? tree.trailing : `${tree.trailing}\n` }, ...others];
  return { items: [...tree.items, { ...added, keys }], trailing: '\n' };
}

/** Replaces the servers of an existing block. Its other plugins, comments and options do not change. */
function withServersOf(
  tree: CorefileTree,
  present: CorefileServer,
  { zone, to }: CorefileForwarder,
  problems: ProblemList,
): CorefileTree {
  const index = indexOfPlugin(present, 'forward');
  const words = index < 0 ? [] : wordsOf(present.entries[index] as never);
  if (words[1] !== '.') {
    problems.add(
      'EDGE_COREFILE',
      `the server block ${placeOf(present)} already answers for ${zone}, and does not forward all of it`,
      'write another zone, or edit that block by hand',
    );
    return tree;
  }
  if (words.slice(2).join(' ') === to.join(' ')) {
    return tree;
  }
  if (present.keys.length > 1) {
    problems.add(
      'EDGE_COREFILE',
      `the server block ${placeOf(present)} also answers for other zones, which would be forwarded to the same servers`,
      `write a separate server block for ${zone} in the Corefile`,
    );
    return tree;
  }
  const changed = withArguments(present, index, ['.', ...to]);
  return { ...tree, items: tree.items.map((item) => (item === present ? changed : item)) };
}

/** Whether a server block is one that {@link withForwarder} writes, without changes. */
function isOwn(server: CorefileServer): boolean {
  const directives = server.entries.map((entry) => [...wordsOf(entry), ...linesOf(entry).map(() => '{')].join(' '));
  const [errors, cache, forward, ...others] = directives;
  const isForward = forward?.startsWith('forward . ') === true && !forward.includes('{');
  const hasComment = [...server.entries.map(firstToken), ...(server.close === undefined ? [] : [server.close])].some(
    ({ leading }) => leading.includes('#'),
  );
  return (
    server.keys.length === 1 &&
    errors === 'errors' &&
    cache === 'cache 30' &&
    isForward &&
    others.length === 0 &&
    !hasComment
  );
}

/** The Corefile without the server block that {@link withForwarder} writes for a zone. A changed block is not removed. */
export function withoutForwarder(tree: CorefileTree, zone: string): CorefileTree {
  const index = tree.items.findIndex((item) => item.kind === 'server' && serves(item, zone) && isOwn(item));
  const removed = tree.items[index];
  if (removed === undefined || removed.kind !== 'server') {
    return tree;
  }
  const leading = (removed.keys[0]?.leading ?? '').replace(/\n$/, '');
  const [following, ...after] = tree.items.slice(index + 1);
  const before = tree.items.slice(0, index);
  if (following === undefined) {
    return { items: before, trailing: leading + tree.trailing };
  }
  // comments above it are not removed
  return {
    ...tree,
    items: [...before, leading.includes('#') ? withLeadingComment(following, leading) : following, ...after],
  };
}

function withLeadingComment(item: CorefileTree['items'][number], comment: string): CorefileTree['items'][number] {
  if (item.kind === 'import') {
    const [first, ...others] = item.entry.parts;
    const token = firstToken(item.entry);
    return first === token
      ? { ...item, entry: { parts: [{ ...token, leading: comment + token.leading }, ...others] } }
      : item;
  }
  const [key, ...others] = item.keys;
  return key === undefined ? item : { ...item, keys: [{ ...key, leading: comment + key.leading }, ...others] };
}

import { isIP } from 'node:net';
import type { ProblemList } from '../../errors.js';
import { isMap } from '../kubernetes-object.js';
import { isDnsSubdomain } from '../names.js';
import { parseEndpoint } from '../endpoint.js';
import { showValue } from '../properties.js';
import { makeServer, withEntryReplaced } from './edit.js';
import { indexOfPlugin } from './hosts.js';
import { type CorefileServer, type CorefileTree, placeOf, wordsOf } from './tree.js';

/**
 * A zone that is answered by DNS servers of its own, for example those of a site.
 *
 * @category Prepare the cluster
 */
export interface CorefileForwarder {
  /** The zone, without a dot at the end, for example `site-hz.example`. */
  readonly zone: string;
  /** Its DNS servers: IP addresses, each with a port if it is not 53 (`10.1.0.2`, `10.1.0.2:5353`, `[fd00::2]:5353`). */
  readonly to: string[];
  /** Port on which CoreDNS answers for the zone.
   * @default 53 */
  readonly port?: number;
}

export function checkForwarder(props: CorefileForwarder, problems: ProblemList): void {
  if (!isMap(props)) {
    problems.add('EDGE_TYPE', 'a forwarder is a map', "write { zone: 'site-hz.example', to: ['10.1.0.2'] }");
    return;
  }
  const { zone, to, port } = props as unknown as CorefileForwarder;
  if (typeof zone !== 'string' || !isDnsSubdomain(zone)) {
    problems.at('zone').add('EDGE_NAME', `${showValue(zone)} is not a DNS zone`, "write zone: 'site-hz.example'");
  }
  if (!Array.isArray(to) || to.length === 0) {
    problems.at('to').add('EDGE_MISSING', 'there is no DNS server', "write to: ['10.1.0.2']");
  } else {
    to.forEach((server: unknown, index) => {
      if (typeof server !== 'string' || !isServer(server)) {
        const hint = "write an IP address, with a port if it is not 53: '10.1.0.2' or '10.1.0.2:5353'";
        problems.at('to', index).add('EDGE_VALUE', `${showValue(server)} is not the address of a DNS server`, hint);
      }
    });
  }
  if (port !== undefined && (typeof port !== 'number' || !Number.isInteger(port) || port < 1 || port > 65535)) {
    problems.at('port').add('EDGE_VALUE', `${showValue(port)} is not a port`, 'write a number from 1 to 65535');
  }
}

function isServer(text: string): boolean {
  const host = parseEndpoint(text)?.host;
  return isIP(text) !== 0 || (host !== undefined && isIP(host) !== 0);
}

const serves = (server: CorefileServer, zone: string, port?: number): boolean =>
  server.keys.some(({ text }) => {
    const [name, at] = text
      .replace(/,$/, '')
      .replace(/^dns:\/\//, '')
      .split(':');
    return name?.replace(/\.$/, '') === zone && (port === undefined || Number(at ?? 53) === port);
  });

/** The Corefile with a server block for the zone, at its end. */
export function withForwarder(tree: CorefileTree, forwarder: CorefileForwarder, problems: ProblemList): CorefileTree {
  const { zone, to, port = 53 } = forwarder;
  const forward = { words: ['forward', '.', ...to] };
  const present = tree.items.find((item): item is CorefileServer => item.kind === 'server' && serves(item, zone, port));
  if (present === undefined) {
    const open = tree.items.find((item) => item.kind === 'server' && item.open === undefined);
    if (open !== undefined) {
      problems.add(
        'EDGE_COREFILE',
        `the server block ${placeOf(open as CorefileServer)} has no braces and reaches to the end of the file`,
        'write its plugins between { and }, then another block can follow',
      );
      return tree;
    }
    const entries = [{ words: ['errors'] }, { words: ['cache', '30'] }, forward];
    const added = makeServer([`${zone}:${port}`], entries, tree.items.length === 0);
    const endsLine = tree.items.length === 0 || /\n$/.test(tree.trailing);
    const [first, ...others] = added.keys;
    const keys =
      first === undefined ? [] : [{ ...first, leading: endsLine ? tree.trailing : `${tree.trailing}\n` }, ...others];
    return { items: [...tree.items, { ...added, keys }], trailing: '\n' };
  }
  const index = indexOfPlugin(present, 'forward');
  const words = index < 0 ? [] : wordsOf(present.entries[index] as never);
  if (words[1] !== '.') {
    problems.add(
      'EDGE_COREFILE',
      `the server block ${placeOf(present)} answers for ${zone} already, and does not forward all of it`,
      'choose another zone, or edit that block by hand',
    );
    return tree;
  }
  if (words.slice(2).join(' ') === to.join(' ')) {
    return tree;
  }
  const changed = withEntryReplaced(present, index, forward);
  return { ...tree, items: tree.items.map((item) => (item === present ? changed : item)) };
}

/** The Corefile without the server block of a zone. */
export function withoutForwarder(tree: CorefileTree, zone: string): CorefileTree {
  const index = tree.items.findIndex(
    (item) => item.kind === 'server' && serves(item, zone) && indexOfPlugin(item, 'forward') >= 0,
  );
  const removed = tree.items[index];
  if (removed === undefined || removed.kind !== 'server') {
    return tree;
  }
  const leading = (removed.keys[0]?.leading ?? '').replace(/\n$/, '');
  const isLast = index === tree.items.length - 1;
  return {
    items: tree.items.filter((item) => item !== removed),
    trailing: isLast ? leading + tree.trailing : tree.trailing,
  };
}

import type { ProblemList } from '../base/errors.js';
import { isMap } from '../base/plain-data.js';
import { type Check, checkProperties, type PropertyTable } from '../base/property-table.js';
import { showValue } from '../base/properties.js';
import { withArguments, withEntry, withLineReplaced, withoutEntry } from './edit.js';
import { checkNotImported } from './imports.js';
import { indexOfPlugin } from './plugins.js';
import { type CorefileTree, linesOf, lineOf, placeOf, wordsOf } from './tree.js';

/**
 * A hosts file that CoreDNS reads.
 *
 * @category Prepare the cluster
 */
export interface CorefileHosts {
  /** Path of the file in the container of CoreDNS, for example `/etc/edge/tunnel-nodes`. */
  readonly file: string;
  /** How often CoreDNS checks the file for changes, as a Go duration.
   * @default 300ms */
  readonly reload?: string;
}

/** A Go duration that is not negative, for example `300ms` or `1m30s`. */
const DURATION = /^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/;

const PROPERTIES: PropertyTable<CorefileHosts> = {
  file: (file, problems) => {
    if (file === undefined) {
      problems.add('EDGE_MISSING', 'file is required', "write file: '/etc/edge/tunnel-nodes'");
    } else if (typeof file !== 'string' || !/^\/[^\s"{}#]+$/.test(file)) {
      const hint = "write an absolute path without spaces and braces, '/etc/edge/tunnel-nodes'";
      problems.add('EDGE_VALUE', `${showValue(file)} is not a path in the container`, hint);
    }
  },
  reload: (reload, problems) => {
    if (reload !== undefined && (typeof reload !== 'string' || !DURATION.test(reload))) {
      problems.add('EDGE_VALUE', `${showValue(reload)} is not a duration`, "write '300ms' or '1s'");
    }
  },
};

export const checkHosts: Check = (hosts, problems) => checkProperties(isMap(hosts) ? hosts : {}, PROPERTIES, problems);

/** Adds the hosts plugin before every `kubernetes` plugin. */
export function withHosts(tree: CorefileTree, hosts: CorefileHosts, problems: ProblemList): CorefileTree {
  const { file, reload = '300ms' } = hosts;
  let found = 0;
  const items = tree.items.map((item) => {
    if (item.kind !== 'server' || indexOfPlugin(item, 'kubernetes') < 0) {
      return item;
    }
    found += 1;
    if (checkNotImported(tree, item, 'hosts', problems)) {
      return item;
    }
    const present = indexOfPlugin(item, 'hosts');
    if (present < 0) {
      const lines = [['reload', reload], ['fallthrough']];
      return withEntry(item, indexOfPlugin(item, 'kubernetes'), { words: ['hosts', file], lines });
    }
    const entry = item.entries[present] as (typeof item.entries)[number];
    if (wordsOf(entry)[1] !== file) {
      const other = wordsOf(entry)[1] ?? 'inline names';
      problems.add(
        'EDGE_COREFILE',
        `line ${lineOf(item, present)}: the server block ${placeOf(item)} already has a hosts plugin with ${other}, and CoreDNS allows one per block`,
        `add the names to ${other}, or use withForwarder to add a separate server block`,
      );
      return item;
    }
    // with zones after the file, names of nodes in other zones are not answered
    const whole = isOfAllZones(wordsOf(entry).slice(2)) ? item : withArguments(item, present, [file]);
    // without fallthrough, no other name is answered, not even those of Services; with zones after it, only those fall through
    const falls = linesOf(entry)
      .map(wordsOf)
      .some(([name, ...zones]) => name === 'fallthrough' && isOfAllZones(zones));
    return falls ? whole : withLineReplaced(whole, present, ['fallthrough']);
  });
  if (found === 0) {
    problems.add(
      'EDGE_COREFILE',
      'no server block has the kubernetes plugin: this is not the Corefile of a cluster, or the plugin is imported',
      'write the Corefile that contains the kubernetes plugin',
    );
  }
  return { ...tree, items };
}

const isOfAllZones = (zones: readonly string[]): boolean => zones.length === 0 || zones.includes('.');

/** Options of the hosts plugin. Other lines in its block are names. */
const OWN_LINES = ['reload', 'fallthrough', 'ttl', 'no_reverse'];

/** The Corefile without the hosts plugin with a file. A plugin that also contains names is not removed. */
export function withoutHosts(tree: CorefileTree, file: string): CorefileTree {
  const items = tree.items.map((item) => {
    if (item.kind !== 'server') {
      return item;
    }
    const index = item.entries.findIndex((entry) => {
      const [name, first] = wordsOf(entry);
      const isOwn = linesOf(entry).every((line) => OWN_LINES.includes(wordsOf(line)[0] ?? ''));
      return name === 'hosts' && first === file && isOwn;
    });
    return index < 0 ? item : withoutEntry(item, index);
  });
  return { ...tree, items };
}

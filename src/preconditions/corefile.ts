import { MADE, checkFactory } from '../base/factory.js';
import { whatIs } from '../base/properties.js';
import type * as Diff from 'diff';
import { ProblemList } from '../base/errors.js';
import { type CorefileForwarder, checkForwarder, withForwarder, withoutForwarder } from './forwarders.js';
import { type CorefileHosts, checkHosts, withHosts, withoutHosts } from './corefile-edits.js';
import { type NodeLocalCache, checkNodeLocalCache, withNodeLocalCache } from './node-local-cache.js';
import { type CorefileTree, parseCorefile, printTree, wordsOf } from './corefile-parser.js';

/**
 * One server block of a {@link Corefile}.
 *
 * @category Prepare the cluster
 */
export interface CorefileServerBlock {
  /** Its addresses as in the text, for example `.:53`. */
  readonly addresses: readonly string[];
  /** Its first line, from 1; 0 for a block that was added by an edit. */
  readonly line: number;
  /** Its directives in order, each with its arguments: `['forward', '.', '/etc/resolv.conf']`. Imports have the name `import`. */
  readonly directives: readonly (readonly string[])[];
}

/** Changed lines up to which the shortest diff is looked for: that takes time with the square of them. Edits of this library change far fewer. */
const MOST_CHANGES = 1000;

/** A diff that removes every line, and adds every line. */
function wholeDiff(before: string, after: string): string {
  const [removed, added] = [linesOf(before, '-'), linesOf(after, '+')];
  const sides = `-${rangeOf(before)} +${rangeOf(after)}`;
  return ['--- a/Corefile', '+++ b/Corefile', `@@ ${sides} @@`, ...removed, ...added, ''].join('\n');
}

function linesOf(text: string, sign: string): string[] {
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  return [
    ...lines.map((line) => `${sign}${line}`),
    ...(last === '' ? [] : [`${sign}${last}`, '\\ No newline at end of file']),
  ];
}

/** First line and number of lines, as in a hunk. */
function rangeOf(text: string): string {
  const count = text.split('\n').length - (text === '' || text.endsWith('\n') ? 1 : 0);
  return count === 0 ? '0,0' : `1,${count}`;
}

/**
 * A Corefile, the configuration of CoreDNS, parsed with the grammar of CoreDNS. Edits preserve comments, order, indentation and unknown plugins. A Corefile
 * that is parsed and printed has the same bytes. It is immutable: edits return a new one.
 *
 * @category Prepare the cluster
 */
export class Corefile {
  /**
   * Parses a Corefile.
   *
   * @param text the whole text, for example `data.Corefile` of the ConfigMap `kube-system/coredns`
   * @throws {@link EdgeError} with EDGE_COREFILE (with line and column) or EDGE_TYPE
   */
  public static parse(text: string): Corefile {
    const problems = new ProblemList();
    if (typeof text === 'string' && /^kind: *ConfigMap\b|^ *"kind": *"ConfigMap"/m.test(text)) {
      problems.add(
        'EDGE_COREFILE',
        'this is a ConfigMap, and not the Corefile in it',
        'give the text of data.Corefile',
      );
      problems.throwIfAny('Corefile');
    }
    const corefile = readCorefile(text, problems);
    problems.throwIfAny('Corefile');
    return corefile as Corefile;
  }

  /** A Corefile that is parsed already. @internal */
  public static of(tree: CorefileTree): Corefile {
    return new Corefile(MADE, tree);
  }

  private constructor(
    made: typeof MADE,
    private readonly tree: CorefileTree,
  ) {
    checkFactory(made, 'Corefile', 'Corefile.parse(text)');
  }

  /** Its server blocks, without snippets. */
  public get serverBlocks(): readonly CorefileServerBlock[] {
    return this.tree.items.flatMap((item) =>
      item.kind === 'server'
        ? [
            {
              addresses: item.keys.map(({ text }) => text.replace(/,$/, '')),
              line: item.keys[0]?.line ?? 0,
              directives: item.entries.map(wordsOf),
            },
          ]
        : [],
    );
  }

  /**
   * Adds the hosts plugin with a file before the `kubernetes` plugin, in each server block that has the latter, so that names in the file come first.
   * Idempotent: a hosts plugin with this file gets a missing `fallthrough`, and loses zones that exclude names of nodes.
   *
   * @param props the file and its options
   * @throws {@link EdgeError} with EDGE_COREFILE if a block has a hosts plugin with another file (CoreDNS allows one per block), or imports one with a snippet,
   * or if no block has the kubernetes plugin; EDGE_VALUE, EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  public withHosts(props: CorefileHosts): Corefile {
    return this.edited('withHosts', (problems) => {
      checkHosts(props, problems);
      return problems.problems.length === 0 ? withHosts(this.tree, props, problems) : this.tree;
    });
  }

  /**
   * Removes the hosts plugin with a file, unless the plugin also contains names.
   * @param file path of the file, for example `/etc/edge/tunnel-nodes`
   * @throws {@link EdgeError} with EDGE_TYPE
   */
  public withoutHosts(file: string): Corefile {
    return this.edited('withoutHosts', (problems) =>
      isText(file, "write the path of the file: '/etc/edge/tunnel-nodes'", problems)
        ? withoutHosts(this.tree, file)
        : this.tree,
    );
  }

  /**
   * Forwards the names of a zone to other DNS servers, for example the names of a site to the server of its pool. Idempotent: in a server block with only this
   * address the servers are replaced. Zones are compared without case.
   *
   * @param props the zone and its servers
   * @throws {@link EdgeError} with EDGE_COREFILE if a server block with the same address does not only forward, or also answers for other zones, or if the zone
   * contains names that the kubernetes plugin answers; EDGE_NAME, EDGE_VALUE, EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  public withForwarder(props: CorefileForwarder): Corefile {
    return this.edited('withForwarder', (problems) => {
      checkForwarder(props, problems);
      return problems.problems.length === 0 ? withForwarder(this.tree, props, problems) : this.tree;
    });
  }

  /**
   * Removes the server block that {@link Corefile.withForwarder} adds for a zone, unless the block has other plugins.
   * @param zone the zone, for example `site-hz.example`
   * @throws {@link EdgeError} with EDGE_TYPE
   */
  public withoutForwarder(zone: string): Corefile {
    return this.edited('withoutForwarder', (problems) =>
      isText(zone, "write the zone: 'site-hz.example'", problems) ? withoutForwarder(this.tree, zone) : this.tree,
    );
  }

  /**
   * Sets the plugins `bind` and `cache` in every server block of the Corefile of NodeLocal DNSCache (ConfigMap `kube-system/node-local-dns`), so that it
   * answers only on node-local addresses, and caches. Idempotent. Not for the CoreDNS of the cluster.
   *
   * @param props the addresses, and the sizes of the cache
   * @throws {@link EdgeError} with EDGE_COREFILE if a block has the kubernetes plugin, or imports a snippet with one of the two plugins; EDGE_VALUE, EDGE_TYPE,
   * EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  public withNodeLocalCache(props: NodeLocalCache): Corefile {
    return this.edited('withNodeLocalCache', (problems) => {
      checkNodeLocalCache(props, problems);
      return problems.problems.length === 0 ? withNodeLocalCache(this.tree, props, problems) : this.tree;
    });
  }

  /**
   * Whether a server block has a directive, for example the hosts plugin with a file.
   * @param words name and first arguments of the directive
   */
  public has(...words: string[]): boolean {
    return this.serverBlocks.some(({ directives }) =>
      directives.some((directive) => words.every((wanted, index) => directive[index] === wanted)),
    );
  }

  /**
   * The differences to another Corefile, as a unified diff; empty if there are none.
   * @param after the other Corefile
   * @throws {@link EdgeError} with EDGE_TYPE
   */
  public diff(after: Corefile): string {
    if (!((after as unknown) instanceof Corefile)) {
      const problems = new ProblemList();
      problems.add('EDGE_TYPE', `the other Corefile is ${whatIs(after)}`, 'write Corefile.parse(text)');
      problems.throwIfAny('Corefile.diff');
    }
    const [before, changed] = [this.toString(), after.toString()];
    if (before === changed) {
      return '';
    }
    // loaded when it is first used: few programs show a diff
    const { createTwoFilesPatch, FILE_HEADERS_ONLY } = require('diff') as typeof Diff;
    const options = { context: 3, headerOptions: FILE_HEADERS_ONLY, maxEditLength: MOST_CHANGES };
    const diff = createTwoFilesPatch('a/Corefile', 'b/Corefile', before, changed, undefined, undefined, options);
    return diff ?? wholeDiff(before, changed);
  }

  /** The whole text. */
  public toString(): string {
    return printTree(this.tree);
  }

  private edited(method: string, edit: (problems: ProblemList) => CorefileTree): Corefile {
    const problems = new ProblemList();
    const tree = edit(problems);
    problems.throwIfAny(`Corefile.${method}`);
    return Corefile.of(tree);
  }
}

function isText(value: unknown, hint: string, problems: ProblemList): value is string {
  if (typeof value !== 'string') {
    problems.add('EDGE_TYPE', `this must be text, it is ${whatIs(value)}`, hint);
  }
  return typeof value === 'string';
}

/** Parses a Corefile; syntax errors are problems. */
export function readCorefile(text: unknown, problems: ProblemList): Corefile | undefined {
  if (typeof text !== 'string') {
    problems.add('EDGE_TYPE', `a Corefile must be text, this is ${whatIs(text)}`, 'write the text at data.Corefile');
    return undefined;
  }
  const tree = parseCorefile(text, problems);
  return tree === undefined ? undefined : Corefile.of(tree);
}

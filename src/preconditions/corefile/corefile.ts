import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { ProblemList } from '../../errors.js';
import { type CorefileForwarder, checkForwarder, withForwarder, withoutForwarder } from './forwarders.js';
import { type CorefileHosts, checkHosts, withHosts, withoutHosts } from './hosts.js';
import { checkNodeLocalCache, type NodeLocalCache, withNodeLocalCache } from './node-local-cache.js';
import { parseCorefile } from './parser.js';
import { type CorefileTree, printTree, wordsOf } from './tree.js';

/**
 * One server block of a {@link Corefile}.
 *
 * @category Prepare the cluster
 */
export interface CorefileServerBlock {
  /** Its addresses as they stand there, for example `.:53`. */
  readonly addresses: readonly string[];
  /** Line on which it begins, from 1; 0 for one that was added. */
  readonly line: number;
  /** Its directives in their order, each with its arguments: `['forward', '.', '/etc/resolv.conf']`. Imports are named `import`. */
  readonly directives: readonly (readonly string[])[];
}

/**
 * A Corefile: the configuration of CoreDNS, read by CoreDNS' own grammar. Every edit keeps comments, order, indentation and everything that it
 * does not know; a Corefile that is read and printed is the same text, byte for byte. Immutable: edits give a new one.
 *
 * @category Prepare the cluster
 */
export class Corefile {
  /**
   * Reads a Corefile.
   *
   * @param text the whole text, for example `data.Corefile` of the ConfigMap `kube-system/coredns`
   * @throws {@link EdgeError} with EDGE_COREFILE (with line and column) or EDGE_TYPE
   */
  public static parse(text: string): Corefile {
    const problems = new ProblemList();
    const corefile = readCorefile(text, problems);
    problems.throwIfAny('Corefile');
    return corefile as Corefile;
  }

  /** @internal */
  public constructor(private readonly tree: CorefileTree) {}

  /** Its server blocks; snippets are not among them. */
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
   * Lets CoreDNS answer from a hosts file before it asks the API server: the hosts plugin before `kubernetes`, in each server block that has the
   * latter. Idempotent. In a block that has a hosts plugin for the same file only a missing `fallthrough` is added, and zones that would leave names of
   * nodes out go.
   *
   * @param props the file and how it is read
   * @throws {@link EdgeError} with EDGE_COREFILE where a block has a hosts plugin for another file (CoreDNS takes one for each block), or imports one
   * with a snippet, or no block has the kubernetes plugin; EDGE_VALUE, EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  public withHosts(props: CorefileHosts): Corefile {
    return this.edited('withHosts', (problems) => {
      checkHosts(props, problems);
      return problems.problems.length === 0 ? withHosts(this.tree, props, problems) : this.tree;
    });
  }

  /**
   * Takes the hosts plugin for a file away again. One that holds names besides the file stays.
   * @param file the file, `/etc/edge/tunnel-nodes`
   */
  public withoutHosts(file: string): Corefile {
    return new Corefile(withoutHosts(this.tree, file));
  }

  /**
   * Forwards the names of one zone to DNS servers of their own, for example the names of a site to the server of its pool. Idempotent; a server
   * block of the same address alone that forwards elsewhere gets the new servers, and keeps everything else. Zones are compared as DNS does, without case.
   *
   * @param props the zone and its servers
   * @throws {@link EdgeError} with EDGE_COREFILE where a server block of the same address does something else, or answers for other zones too, and
   * where the zone would take names of the cluster from the kubernetes plugin; EDGE_NAME, EDGE_VALUE, EDGE_TYPE,
   * EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  public withForwarder(props: CorefileForwarder): Corefile {
    return this.edited('withForwarder', (problems) => {
      checkForwarder(props, problems);
      return problems.problems.length === 0 ? withForwarder(this.tree, props, problems) : this.tree;
    });
  }

  /**
   * Takes the server block of a forwarder away again, as {@link Corefile.withForwarder} writes it. A block with more in it stays.
   * @param zone the zone, `site-hz.example`
   */
  public withoutForwarder(zone: string): Corefile {
    return new Corefile(withoutForwarder(this.tree, zone));
  }

  /**
   * For the Corefile of NodeLocal DNSCache (kubernetes cluster/addons/dns/nodelocaldns; the ConfigMap `kube-system/node-local-dns`): answers on
   * node-local addresses only, and caches: `bind` and `cache` in every server block. What else these plugins say stays. Idempotent. Not for the CoreDNS
   * of the cluster, whose Pods do not have such addresses.
   *
   * @param props the addresses, and sizes of the cache
   * @throws {@link EdgeError} with EDGE_COREFILE where a block has the kubernetes plugin, or imports a snippet with one of the two plugins;
   * EDGE_VALUE, EDGE_TYPE, EDGE_MISSING or EDGE_UNKNOWN_PROPERTY
   */
  public withNodeLocalCache(props: NodeLocalCache): Corefile {
    return this.edited('withNodeLocalCache', (problems) => {
      checkNodeLocalCache(props, problems);
      return problems.problems.length === 0 ? withNodeLocalCache(this.tree, props, problems) : this.tree;
    });
  }

  /**
   * Whether a server block has a directive, for example the hosts plugin with a file.
   * @param words name and arguments with which the directive begins
   */
  public has(...words: string[]): boolean {
    return this.serverBlocks.some(({ directives }) =>
      directives.some((directive) => words.every((wanted, index) => directive[index] === wanted)),
    );
  }

  /**
   * What another Corefile changes, as a unified diff; empty when nothing.
   * @param after the other one
   */
  public diff(after: Corefile): string {
    const [before, changed] = [this.toString(), after.toString()];
    const options = { context: 3, headerOptions: FILE_HEADERS_ONLY };
    return before === changed
      ? ''
      : createTwoFilesPatch('a/Corefile', 'b/Corefile', before, changed, undefined, undefined, options);
  }

  /** The whole text. */
  public toString(): string {
    return printTree(this.tree);
  }

  private edited(method: string, edit: (problems: ProblemList) => CorefileTree): Corefile {
    const problems = new ProblemList();
    const tree = edit(problems);
    problems.throwIfAny(`Corefile.${method}`);
    return new Corefile(tree);
  }
}

/** Reads a Corefile; reports what cannot be read. */
export function readCorefile(text: unknown, problems: ProblemList): Corefile | undefined {
  if (typeof text !== 'string') {
    problems.add('EDGE_TYPE', `a Corefile is text, this is ${typeof text}`, 'give the text at data.Corefile');
    return undefined;
  }
  const tree = parseCorefile(text, problems);
  return tree === undefined ? undefined : new Corefile(tree);
}

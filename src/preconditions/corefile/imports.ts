import type { ProblemList } from '../../errors.js';
import { indexOfPlugin } from './plugins.js';
import { type CorefileServer, type CorefileTree, placeOf, wordsOf } from './tree.js';

/** The snippets of a file by name, without the parentheses. */
function snippetsOf(tree: CorefileTree): Map<string, CorefileServer> {
  return new Map(
    tree.items.flatMap((item): [string, CorefileServer][] =>
      item.kind === 'snippet' ? [[(item.keys[0]?.text ?? '').slice(1, -1), item]] : [],
    ),
  );
}

/** Whether a server block gets a plugin by importing a snippet of the same file. What an imported file holds cannot be seen. */
function isImported(tree: CorefileTree, server: CorefileServer, plugin: string, seen: readonly string[] = []): boolean {
  const snippets = snippetsOf(tree);
  return server.entries.map(wordsOf).some(([name, from = '']) => {
    const snippet = name === 'import' && !seen.includes(from) ? snippets.get(from) : undefined;
    return (
      snippet !== undefined &&
      (indexOfPlugin(snippet, plugin) >= 0 || isImported(tree, snippet, plugin, [...seen, from]))
    );
  });
}

/** Reports a plugin that a server block would get a second time. */
export function checkNotImported(
  tree: CorefileTree,
  server: CorefileServer,
  plugin: string,
  problems: ProblemList,
): boolean {
  const found = isImported(tree, server, plugin);
  if (found) {
    problems.add(
      'EDGE_COREFILE',
      `the server block ${placeOf(server)} imports a snippet that has the plugin ${plugin} already`,
      'edit the snippet by hand, or write its plugins into the server block',
    );
  }
  return found;
}

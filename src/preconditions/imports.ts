import type { ProblemList } from '../base/errors.js';
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

/** Whether a server block imports a snippet of the same file with a plugin. The content of imported files is unknown. */
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

/** Checks that a server block does not import a plugin that is to be added. */
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
      `the server block ${placeOf(server)} imports a snippet that already has the plugin ${plugin}`,
      'edit the snippet by hand, or write its plugins into the server block',
    );
  }
  return found;
}

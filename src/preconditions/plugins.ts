import { type CorefileServer, wordsOf } from './tree.js';

/** Index of the first directive of a plugin in a server block or snippet; -1 if there is none. */
export function indexOfPlugin(server: CorefileServer, plugin: string): number {
  return server.entries.findIndex((entry) => wordsOf(entry)[0] === plugin);
}

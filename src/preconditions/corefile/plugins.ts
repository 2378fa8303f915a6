import { type CorefileServer, wordsOf } from './tree.js';

/** Position of the first directive of a plugin in a server block or snippet; below 0 where there is none. */
export function indexOfPlugin(server: CorefileServer, plugin: string): number {
  return server.entries.findIndex((entry) => wordsOf(entry)[0] === plugin);
}

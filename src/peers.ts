import { createRequire } from 'node:module';

/**
 * Says what to install where an entry of this package needs a package that is an optional peer, instead of the loader's own error, which names
 * a file of this library. Nothing is loaded.
 *
 * @internal
 */
export function requirePeers(entry: string, names: readonly string[]): readonly string[] {
  const missing = names.filter((name) => !isInstalled(name));
  if (missing.length > 0) {
    throw new Error(
      `${entry} needs ${names.join(' and ')}, and ${missing.join(' and ')} can not be found. Write: npm install ${names.join(' ')}`,
    );
  }
  return names;
}

function isInstalled(name: string): boolean {
  try {
    createRequire(__filename).resolve(name);
    return true;
  } catch {
    return false;
  }
}

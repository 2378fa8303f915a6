import { createRequire } from 'node:module';

/**
 * Throws an error that names the missing optional peer dependencies of an entry point and how to install them. Otherwise the module loader
 * would fail with the path of a file of this library. Loads nothing.
 */
export function requirePeers(entry: string, names: readonly string[]): readonly string[] {
  const missing = names.filter((name) => !isInstalled(name));
  if (missing.length > 0) {
    throw new Error(
      `${entry} needs ${names.join(' and ')}, and ${missing.join(' and ')} cannot be found. Run: npm install ${names.join(' ')}`,
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

import { posix } from 'node:path';
import { ProblemList } from '../base/errors.js';
import { isMap } from '../base/plain-data.js';
import { parseNodes } from '../base/yaml-nodes.js';
import { objectsFromYaml } from '../base/yaml-text.js';
import { valueOf } from '../base/yaml-values.js';
import { listAt, mapsIn } from '../kubernetes/field-values.js';
import type { ManifestFile } from './check-settings.js';
import { poolNames } from './fleet.js';

/** A file of another tool, of which manifests are made. */
export interface ToolFile {
  readonly what: string;
  /** The command that prints manifests of its folder. */
  readonly makes: (folder: string) => string;
}

/** Files of other tools in a folder of manifests: how each is known, and what makes manifests of it. */
const OF_TOOLS: readonly (ToolFile & { readonly isOne: (file: ManifestFile) => boolean })[] = [
  {
    isOne: ({ path, text }) =>
      /(^|\/)kustomization\.ya?ml$/.test(path) || /^apiVersion:\s*["']?kustomize\.config\.k8s\.io\//m.test(text),
    what: 'a Kustomization',
    makes: (folder) => `kubectl kustomize ${folder}`,
  },
  {
    isOne: ({ path, text }) =>
      /(^|\/)(docker-)?compose(\.[\w-]+)?\.ya?ml$/.test(path) ||
      (/^services:[ \t]*$/m.test(text) && !/^(kind|apiVersion):/m.test(text)),
    what: 'a file of Docker Compose, not a manifest',
    makes: () => 'kompose convert --stdout',
  },
  {
    isOne: ({ path, text }) => /(^|\/)Chart\.ya?ml$/.test(path) && /^apiVersion:\s*v[12]\s*$/m.test(text),
    what: 'a chart of Helm',
    makes: (folder) => `helm template NAME ${folder}`,
  },
];

/** A file with operations of a JSON patch, `[{ op, path, … }]`. */
function isJsonPatch(text: string): boolean {
  // few files need to be read for it
  if (!/\bop["']?:/.test(text)) {
    return false;
  }
  try {
    const [list, ...others] = parseNodes(text).roots.map((root) => valueOf(root));
    const isOperation = (item: unknown): boolean =>
      isMap(item) && typeof item.op === 'string' && typeof item.path === 'string';
    return others.length === 0 && Array.isArray(list) && list.length > 0 && list.every(isOperation);
  } catch {
    return false;
  }
}

/** The files that a Kustomization names as patches. */
function patchesOf({ path, text }: ManifestFile): string[] {
  const kustomizations = objectsFromYaml(text, new ProblemList(), 'rounded') ?? [];
  const named = kustomizations.flatMap((object) => [
    ...['patches', 'patchesJson6902'].flatMap((field) => mapsIn(object, field).map(([, patch]) => patch.path)),
    ...listAt(object, 'patchesStrategicMerge'),
  ]);
  return named.filter((each) => typeof each === 'string').map((each) => posix.join(posix.dirname(path), each));
}

/**
 * The files without the patches of kustomize, which are no objects of a cluster, and what to say of these.
 *
 * @param pathOf path of a file, by which it is named
 */
export function withoutPatches<File extends ManifestFile>(
  files: readonly File[],
  pathOf: (path: string) => string,
): { readonly manifests: readonly File[]; readonly notes: readonly string[] } {
  const named = new Set(files.filter((file) => OF_TOOLS[0]?.isOne(file)).flatMap(patchesOf));
  const isPatch = ({ path, text }: File): boolean => named.has(path) || isJsonPatch(text);
  const patches = files.filter(isPatch);
  return {
    manifests: patches.length === 0 ? files : files.filter((file) => !patches.includes(file)),
    notes:
      patches.length === 0
        ? []
        : [`not read: ${poolNames(patches.map(({ path }) => pathOf(path)))} (patches of kustomize, no objects)`],
  };
}

/** What to say of the files of which nothing is checked, one line for each kind. */
export function uncheckedNotes(files: readonly ManifestFile[]): string[] {
  return OF_TOOLS.flatMap(({ isOne, what, makes }) => {
    const paths = files.filter(isOne).map(({ path }) => path);
    return paths.length === 0
      ? []
      : [
          `not checked: ${poolNames(paths)} (${what}); to check what it makes: ${makes('FOLDER')} | npx edge-nodepools check -`,
        ];
  });
}

/** What a file is, if it is one of another tool. */
export function toolOf(file: ManifestFile): ToolFile | undefined {
  return OF_TOOLS.find(({ isOne }) => isOne(file));
}

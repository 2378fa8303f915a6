import type { ManifestFile } from './check-settings.js';

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

/** What to say of the files of which nothing is checked, one line for each kind. */
export function uncheckedNotes(files: readonly ManifestFile[]): string[] {
  return OF_TOOLS.flatMap(({ isOne, what, makes }) => {
    const paths = files.filter(isOne).map(({ path }) => path);
    const shown = paths.slice(0, 3).join(', ') + (paths.length > 3 ? ` and ${paths.length - 3} more` : '');
    return paths.length === 0
      ? []
      : [`not checked: ${shown} (${what}); to check what it makes: ${makes('FOLDER')} | npx edge-nodepools check -`];
  });
}

/** What a file is, if it is one of another tool. */
export function toolOf(file: ManifestFile): ToolFile | undefined {
  return OF_TOOLS.find(({ isOne }) => isOne(file));
}

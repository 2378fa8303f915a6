import type { ManifestFile } from './check-settings.js';

/** Files of other tools in a folder of manifests, of which nothing is checked: how each is known, and what makes manifests of it. */
const OF_TOOLS: readonly {
  readonly isOne: (file: ManifestFile) => boolean;
  readonly what: string;
  readonly hint: string;
}[] = [
  {
    isOne: ({ path, text }) =>
      /(^|\/)kustomization\.ya?ml$/.test(path) || /^apiVersion:\s*["']?kustomize\.config\.k8s\.io\//m.test(text),
    what: 'a Kustomization',
    hint: 'to check what it makes: kubectl kustomize FOLDER | npx edge-nodepools check -',
  },
  {
    isOne: ({ path, text }) =>
      /(^|\/)(docker-)?compose(\.[\w-]+)?\.ya?ml$/.test(path) ||
      (/^services:[ \t]*$/m.test(text) && !/^(kind|apiVersion):/m.test(text)),
    what: 'a file of Docker Compose, not a manifest',
    hint: 'kompose convert makes manifests of it',
  },
  {
    isOne: ({ path, text }) => /(^|\/)Chart\.ya?ml$/.test(path) && /^apiVersion:\s*v[12]\s*$/m.test(text),
    what: 'a chart of Helm',
    hint: 'to check what it makes: helm template NAME FOLDER | npx edge-nodepools check -',
  },
];

/** What to say of the files of which nothing is checked, one line for each kind. */
export function uncheckedNotes(files: readonly ManifestFile[]): string[] {
  return OF_TOOLS.flatMap(({ isOne, what, hint }) => {
    const paths = files.filter(isOne).map(({ path }) => path);
    const shown = paths.slice(0, 3).join(', ') + (paths.length > 3 ? ` and ${paths.length - 3} more` : '');
    return paths.length === 0 ? [] : [`not checked: ${shown} (${what}); ${hint}`];
  });
}

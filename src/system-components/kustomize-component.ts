import { mapAt, type PlainMap } from '../base/plain-data.js';
import { compute } from '../base/unknown.js';
import { printManifests } from '../base/yaml-print.js';

/** A file of a kustomize component. */
export interface KustomizeFile {
  readonly fileName: string;
  readonly content: string;
}

/**
 * Partial objects as a kustomize component: a kustomization of kind Component, and a patch for each workload. Each patch has a target, so a patch without a
 * matching workload has no effect (without a target, kustomize would fail).
 */
export function kustomizeComponent(partials: readonly PlainMap[]): KustomizeFile[] {
  const patches = partials.map((partial) => {
    const { name, namespace } = mapAt(partial, 'metadata');
    // a target is a regular expression
    const exactly = (word: unknown): string => compute(word, (known) => String(known).replace(/\./g, '\\.'));
    return {
      fileName: compute([partial.kind, namespace, name], (words) => `${words.join('-')}.yaml`.toLowerCase()),
      target: { kind: partial.kind, name: exactly(name), namespace: exactly(namespace) },
      partial,
    };
  });
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1alpha1',
    kind: 'Component',
    patches: patches.map(({ fileName, target }) => ({ path: fileName, target })),
  };
  return [
    { fileName: 'kustomization.yaml', content: compute(kustomization, (object) => printManifests([object])) },
    ...patches.map(({ fileName, partial }) => ({
      fileName,
      content: compute(partial, (object) => printManifests([object])),
    })),
  ];
}

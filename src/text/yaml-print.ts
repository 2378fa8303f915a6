import { stringify } from 'yaml';

/** Plain objects as YAML documents for Kubernetes clients: text that YAML 1.1 would read as a boolean or a number is quoted. */
export function printManifests(manifests: readonly unknown[]): string {
  return manifests
    .map((manifest) =>
      stringify(manifest, {
        // eslint-disable-next-line no-restricted-syntax -- a YAML version, not a release
        version: '1.1',
        lineWidth: 0,
        indentSeq: false,
        aliasDuplicateObjects: false,
      }),
    )
    .join('---\n');
}

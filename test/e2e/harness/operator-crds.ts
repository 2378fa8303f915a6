import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { objectsIn } from './openyurt.js';
import { sourcesOf } from './tool.js';

/** Modules of operators, of which nothing is built, and where their CustomResourceDefinitions are. */
const SOURCES = {
  'prometheus-operator-0.85': 'example/prometheus-operator-crd',
  'eck-3.5': 'config/crds/v1/resources',
  'external-snapshotter-8.7': 'client/config/crd',
  'cluster-api-1.13': 'config/crd/bases',
  'cluster-api-openstack-0.14': 'config/crd/bases',
  'cert-manager-1.21': 'deploy/crds',
} as const;

/**
 * CustomResourceDefinitions of an operator, from its own module.
 *
 * @param plurals which ones
 */
export function operatorCrds(module: keyof typeof SOURCES, ...plurals: readonly string[]): any[] {
  const root = sourcesOf({ name: module, module, package: '' });
  // a client is a module of its own, below the repository
  const folder = join(root, ...SOURCES[module].replace(/^client\//, '').split('/'));
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .filter((file) => plurals.some((plural) => file.endsWith(`_${plural}.yaml`)))
    .flatMap((file) => objectsIn(readFileSync(join(folder, file), 'utf8')))
    .map(({ apiVersion, kind, metadata: { name, annotations }, spec }) => ({
      apiVersion,
      kind,
      metadata: { name, annotations },
      // there is no conversion webhook here
      spec: { ...spec, conversion: { strategy: 'None' } },
    }));
}

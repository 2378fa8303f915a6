import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { sourcesOf, yurtManagerTool } from './tool.js';

/** All objects in a YAML text; those of a List one by one, as kubectl applies them. */
export function objectsIn(text: string): any[] {
  return parseAllDocuments(text)
    .map((document): any => document.toJS())
    .filter((object) => object !== null && object !== undefined)
    .flatMap((object) => (object.kind === 'List' ? object.items : [object]));
}

/** The folder of the chart of a release, as it is in its module. */
export function chartFolder(release: string): string {
  return join(sourcesOf(yurtManagerTool(release)), 'charts', 'yurt-manager');
}

/**
 * The CustomResourceDefinitions of an OpenYurt release, from its own module.
 *
 * @param withoutConversion for control planes without yurt-manager, which serves the conversion webhook
 */
export function openYurtCrds(release: string, withoutConversion: boolean): any[] {
  const folder = join(chartFolder(release), 'crds');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .flatMap((file) => objectsIn(readFileSync(join(folder, file), 'utf8')))
    .map((crd) => {
      const { conversion, ...spec } = crd.spec;
      const keeps = !withoutConversion && conversion !== undefined;
      return {
        apiVersion: crd.apiVersion,
        kind: crd.kind,
        metadata: { name: crd.metadata.name, annotations: crd.metadata.annotations },
        spec: keeps ? crd.spec : { ...spec, conversion: { strategy: 'None' } },
      };
    });
}

/**
 * What the chart of a release installs in addition to the program: ServiceAccounts, RBAC, the empty Secret for certificates, and the webhooks.
 * Only the namespace is rendered.
 */
export function chartObjects(release: string, namespace = 'kube-system'): any[] {
  const folder = join(chartFolder(release), 'templates');
  return (
    ['yurt-manager.yaml', 'yurt-manager-auto-generated.yaml']
      .flatMap((file) => readFileSync(join(folder, file), 'utf8').split(/^---$/m))
      .filter((text) => !/^kind: (Deployment|Service)$/m.test(text))
      .map((text) => text.replace(/\{\{ \.Release\.Namespace \}\}/g, namespace))
      // the remaining templates are labels of the chart, which nothing here reads
      .map((text) => text.replace(/^.*\{\{.*\}\}.*\n/gm, ''))
      .flatMap(objectsIn)
  );
}

/** The two webhook configurations among other objects. */
export const isWebhookConfiguration = ({ kind }: any): boolean => /WebhookConfiguration$/.test(kind as string);

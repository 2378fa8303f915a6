import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'cdk8s';
import { type KubernetesObject, manifestsOf } from 'edge-nodepools';
import { addFleet } from './fleet';

// What was imported. When the program is to make something else, change or remove this file and its test.
const imported = JSON.parse(readFileSync(join(__dirname, 'imported.json'), 'utf8')) as KubernetesObject[];

const nameOf = ({ apiVersion, kind, metadata }: KubernetesObject): string =>
  [apiVersion, kind, metadata?.namespace, metadata?.name].join(' ');

const sorted = (objects: KubernetesObject[]): KubernetesObject[] =>
  [...objects].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));

it('makes what was imported, object by object', () => {
  const made = [addFleet].flatMap((add) => {
    const app = new App();
    add(app);
    return manifestsOf(app);
  });
  expect(sorted(made)).toEqual(sorted(imported));
});

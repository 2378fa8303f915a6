import { readFileSync } from 'node:fs';
import { OBJECT_FIELDS } from '../../src/kubernetes/object-fields.js';
import { fieldsOfType, typeOfKind } from '../../src/kubernetes/workload-fields.js';
import { nearMiss } from '../../src/validation/properties.js';

describe('the fields of', () => {
  const types = readFileSync(require.resolve('@pulumi/kubernetes/types/input.d.ts'), 'utf8');
  const interfaces = new Map(
    [...types.matchAll(/^ {8}interface (\w+) \{\n([^]*?)^ {8}\}/gm)].map(([, name, body]) => [
      name as string,
      [...(body as string).matchAll(/^ {12}(\w+)\??:/gm)].map(([, field]) => field as string),
    ]),
  );
  // the type of this name is in another group
  const OTHERS = ['ResourceClaim'];

  it('every type are all that Pulumi knows of it', () => {
    const names = Object.keys(OBJECT_FIELDS).filter((name) => interfaces.has(name) && !OTHERS.includes(name));
    expect(names.length).toBeGreaterThan(100);
    const missing = names.flatMap((name) =>
      (interfaces.get(name) ?? [])
        .filter((field) => !fieldsOfType(name).has(field) && !['status', 'managedFields'].includes(field))
        .map((field) => `${name}.${field}`),
    );
    // those that Kubernetes had before 1.27
    expect(missing.sort()).toEqual([
      'DaemonSetSpec.templateGeneration',
      'DeploymentSpec.rollbackTo',
      'EphemeralVolumeSource.readOnly',
      'ObjectMeta.clusterName',
      'PodResourceClaim.source',
      // alpha in 1.35 only
      'PodSpec.workloadRef',
    ]);
  });

  it('a type do not look like another one misspelt, so that a field of a newer minor does not either', () => {
    const near = Object.keys(OBJECT_FIELDS).flatMap((name) => {
      const fields = [...fieldsOfType(name).keys()];
      return fields
        .filter(
          (field) =>
            nearMiss(
              field,
              fields.filter((other) => other !== field),
            ) !== undefined,
        )
        .map((field) => `${name}.${field}`);
    });
    expect(near).toEqual(['Affinity.nodeAffinity', 'Affinity.podAffinity', 'Volume.iscsi']);
  });

  it('every type that a field has are listed', () => {
    const listed = (name: string): boolean => [...fieldsOfType(name).keys()].join() !== '';
    const kinds = ['YurtAppSet', 'YurtAppDaemon', 'YurtStaticSet'].map((kind) =>
      typeOfKind(`${kind}.apps.openyurt.io`),
    );
    const seen = new Set<string>();
    const visit = (name: string): void => {
      if (!seen.has(name)) {
        seen.add(name);
        [...fieldsOfType(name).values()].forEach((of) => (of === undefined ? undefined : visit(of)));
      }
    };
    [...Object.keys(OBJECT_FIELDS), ...(kinds as string[])].forEach(visit);
    expect([...seen].filter((name) => !listed(name))).toEqual([]);
  });
});

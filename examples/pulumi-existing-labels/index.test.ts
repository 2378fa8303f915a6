import * as pulumi from '@pulumi/pulumi';
import { Testing } from 'cdk8s';
import { manifestsOf } from 'edge-nodepools';
import { DepotsChart } from '../existing-labels/chart.js';
import type * as Program from './index.js';

type Manifest = Record<string, any>;

const key = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;

const byKey = (manifests: Manifest[]): Record<string, Manifest> =>
  Object.fromEntries(manifests.map((manifest) => [key(manifest), manifest]));

describe('pulumi-existing-labels', () => {
  const objects: Manifest[] = [];
  let exported: readonly [unknown, string];

  beforeAll(async () => {
    await pulumi.runtime.setMocks({
      newResource: ({ type, name, inputs }) => {
        if (type.startsWith('kubernetes:')) {
          const { annotations = {}, ...metadata } = inputs.metadata;
          const others = Object.entries(annotations as object).filter(([one]) => !one.startsWith('pulumi.com/'));
          objects.push({
            ...inputs,
            metadata: { ...metadata, ...(others.length > 0 ? { annotations: Object.fromEntries(others) } : {}) },
          });
        }
        return { id: name, state: inputs };
      },
      call: ({ inputs }) => inputs,
    });
    const { joinLabels, excluded } = jest.requireActual<typeof Program>('./index.js');
    exported = await new Promise((resolve) => pulumi.all([joinLabels, excluded]).apply(resolve));
    await pulumi.runtime.disconnect();
  });

  const app = Testing.app();
  const { systemComponents } = new DepotsChart(app, 'depots');

  it('creates the same objects as the cdk8s example', () => {
    expect(byKey(objects)).toEqual(byKey(manifestsOf(app)));
  });

  it('exports the labels of nodes, and the report as the same table', () => {
    expect(exported).toEqual([{ 'rail.example/depot': 'north' }, String(systemComponents.report)]);
  });
});

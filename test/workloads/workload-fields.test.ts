import { readFileSync } from 'node:fs';
import { OBJECT_FIELDS } from '../../src/kubernetes/object-fields.js';
import { fieldsOfType, typeOfKind } from '../../src/kubernetes/workload-fields.js';
import { nearMiss } from '../../src/base/properties.js';
import { joinPath, ProblemList } from '../../src/base/errors.js';
import { checkShape } from '../../src/workloads/workload-shape.js';
import { acceptedOfCheck, acceptedValues, refusedOfCheck, refusedShapes } from './refused-values.js';
import { Testing } from 'cdk8s';
import { EdgeCluster, HostNetworkNodePool, HostNetworkWorkload, type HostNetworkWorkloadProps } from 'edge-nodepools';
import { daemonSet, deployment } from '../bad-inputs/case.js';

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

describe('values that are known later', () => {
  /** As an Output, or a token of cdk8s. */
  class Later {}

  type Path = (string | number)[];

  function placesIn(value: unknown, path: Path = []): Path[] {
    const inner =
      typeof value === 'object' && value !== null
        ? Object.entries(value).flatMap(([field, part]) =>
            placesIn(part, [...path, Array.isArray(value) ? Number(field) : field]),
          )
        : [];
    return [...(path.length === 0 ? [] : [path]), ...inner];
  }

  function toldOf(object: any, unknown: readonly string[] = []): string[] {
    const problems = new ProblemList('', [], unknown);
    checkShape(object, [], problems);
    // whether a selector selects labels that are Outputs is asked by their own class
    const others = problems.problems.filter(({ path }) => path !== 'spec.selector');
    return others.map(({ code, path }) => `${code} ${path}`);
  }

  it('a value that is not known yet is never the reason of a problem, wherever it is', () => {
    const wrong: string[] = [];
    let places = 0;
    for (const [what, workload] of [...acceptedValues, ...acceptedOfCheck, ...refusedShapes, ...refusedOfCheck]) {
      const plain = JSON.stringify(workload);
      const told = new Set(toldOf(JSON.parse(plain)));
      for (const path of placesIn(JSON.parse(plain))) {
        const copy = JSON.parse(plain);
        const parent = path.slice(0, -1).reduce((part: any, step) => part[step], copy);
        parent[path.at(-1) as string] = new Later();
        const at = path.reduce<string>(joinPath, '');
        wrong.push(...toldOf(copy, [at]).flatMap((each) => (told.has(each) ? [] : [`${what}: ${at}: ${each}`])));
        places++;
      }
    }
    expect(wrong).toEqual([]);
    expect(places).toBeGreaterThan(5000);
  });
});

/** A rollout that goes on while nodes are unreachable must not stop everything when none is. */
describe('a rollout', () => {
  function warnings(workload: any, props: Partial<HostNetworkWorkloadProps>, expectedNodes?: number): string[] {
    const chart = Testing.chart();
    const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34', yurthub: true });
    const pool = new HostNetworkNodePool(chart, 'hz', {
      ...{ cluster, poolName: 'hz' },
      ...(expectedNodes === undefined ? {} : { expectedNodes }),
    });
    return new HostNetworkWorkload(chart, 'x', { pool, workload, ...props }).warnings
      .filter(({ code }) => code === 'EDGE_ROLLOUT')
      .map(({ path, message, hint }) => `${path}: ${message}: ${hint}`);
  }
  const sized = (replicas: number): any => deployment({}, { replicas });

  it.each<
    [
      what: string,
      workload: any,
      props: Partial<HostNetworkWorkloadProps>,
      nodes: number | undefined,
      expected: RegExp | undefined,
    ]
  >([
    [
      'DaemonSet, 9 of 4',
      daemonSet(),
      { rollout: 'rolling', nodesAway: 9 },
      4,
      /^nodesAway: nodesAway 9 is more than the 4 nodes: write nodesAway: 2 or less/,
    ],
    [
      'DaemonSet, 4 of 4',
      daemonSet(),
      { rollout: 'rolling', nodesAway: 4 },
      4,
      /^nodesAway: every update stops .* all 4 nodes/,
    ],
    ['DaemonSet, 3 of 4', daemonSet(), { rollout: 'rolling', nodesAway: 3 }, 4, /write nodesAway: 2 or less/],
    ['DaemonSet, 2 of 4', daemonSet(), { rollout: 'rolling', nodesAway: 2 }, 4, undefined],
    [
      'DaemonSet, the default of 2',
      daemonSet(),
      { rollout: 'rolling' },
      2,
      /^rollout: every update stops .*write nodesAway: 0,/,
    ],
    ['DaemonSet, one node', daemonSet(), { rollout: 'rolling', nodesAway: 0 }, 1, undefined],
    ['DaemonSet, nodes not known', daemonSet(), { rollout: 'rolling', nodesAway: 9 }, undefined, undefined],
    [
      'advanced-rolling, 4 of 4',
      daemonSet(),
      { rollout: 'advanced-rolling', nodesAway: 4 },
      4,
      /write nodesAway: 3 or less/,
    ],
    ['advanced-rolling, 100%', daemonSet(), { rollout: 'advanced-rolling', nodesAway: '100%' }, 4, /all 4 nodes/],
    ['advanced-rolling, 3 of 4', daemonSet(), { rollout: 'advanced-rolling', nodesAway: 3 }, 4, undefined],
    ['ota', daemonSet(), { rollout: 'ota' }, 2, undefined],
    [
      'Deployment, 2 of 2 Pods',
      sized(2),
      { rollout: 'rolling', nodesAway: 1 },
      4,
      /^nodesAway: maxUnavailable 2 of 2 Pods.*write nodesAway: 0, or at least 3 at spec\.replicas$/,
    ],
    ['Deployment, 2 of 3 Pods', sized(3), { rollout: 'rolling', nodesAway: 1 }, 4, undefined],
    [
      'Deployment, 3 of 3 Pods',
      sized(3),
      { rollout: 'rolling', nodesAway: 2 },
      4,
      /write nodesAway: 1 or less, or at least 4/,
    ],
    ['Deployment, one Pod', sized(1), { rollout: 'rolling', nodesAway: 1 }, 4, undefined],
    ['Deployment, 9 of 4 nodes', sized(20), { rollout: 'rolling', nodesAway: 9 }, 4, /9 is more than the 4 nodes/],
    ['no rollout', sized(2), {}, 4, undefined],
  ])('%s', (_, workload, props, nodes, expected) => {
    const found = warnings(workload, props, nodes);
    expect(found).toHaveLength(expected === undefined ? 0 : 1);
    expect(found.join()).toMatch(expected ?? /^$/);
  });
});

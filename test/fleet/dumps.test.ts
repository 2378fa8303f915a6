/** What `diff` compares of a dump: what the manifests write, and what people wrote. */
import { fleetMoves, type FleetMoves } from '../../src/fleet/fleet-moves.js';
import { movesText } from '../../src/fleet/moves-text.js';
import { fleetLabelsOf } from '../../src/fleet/node.js';

/** What the API server adds to a container. */
const SERVER = {
  imagePullPolicy: 'IfNotPresent',
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  resources: {},
};
const POD_SERVER = {
  restartPolicy: 'Always',
  dnsPolicy: 'ClusterFirst',
  schedulerName: 'default-scheduler',
  securityContext: {},
  terminationGracePeriodSeconds: 30,
};
const WEB = { name: 'web', image: 'web:1' };
const SIDE = { name: 'side', image: 'side:1' };

const written = (containers: object[], spec: object = {}): any => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { template: { spec: { containers, ...spec } } },
});

/** A Deployment as the API server prints it. */
function live(containers: object[], spec: object = {}, metadata: object = {}): any {
  const object = written(
    containers.map((each) => ({ ...SERVER, ...each })),
    { ...POD_SERVER, ...spec },
  );
  return {
    ...object,
    metadata: { ...object.metadata, uid: '1', ...metadata },
    spec: { ...object.spec, replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 },
  };
}

const between = (before: object, after: object): FleetMoves =>
  fleetMoves({ manifests: [before as any] }, { manifests: [after as any] }, fleetLabelsOf({}));
const pathsOf = ({ workloads }: FleetMoves): string[] =>
  workloads.flatMap(({ fields }) => fields.map(({ path }) => path.replace('spec.template.spec.', '')));
const unknownOf = ({ unknown }: FleetMoves): string[] =>
  unknown.flatMap(({ fields }) => fields.map((path) => path.replace('spec.template.spec.', '')));

describe('a dump and manifests', () => {
  it.each<[what: string, live: object, written: object, paths: string[], unknown: string[]]>([
    ['the same', live([WEB, SIDE]), written([WEB, SIDE]), [], []],
    ['a container more', live([WEB]), written([WEB, SIDE]), ['containers[name=side]'], []],
    ['a container less', live([WEB, SIDE]), written([SIDE]), ['containers[name=web]'], []],
    [
      'a container before the other, with another image',
      live([WEB]),
      written([SIDE, { ...WEB, image: 'web:2' }]),
      ['containers[name=web].image', 'containers[name=side]'],
      [],
    ],
    [
      'limits that nobody writes any more',
      live([{ ...WEB, resources: { limits: { cpu: '1' } } }]),
      written([WEB]),
      [],
      ['containers[name=web].resources'],
    ],
    [
      'a time that is no default',
      live([WEB], { terminationGracePeriodSeconds: 60 }),
      written([WEB]),
      [],
      ['terminationGracePeriodSeconds'],
    ],
    ['what the API server never adds', live([WEB], { nodeSelector: { a: 'b' } }), written([WEB]), ['nodeSelector'], []],
  ])('%s', (_, before, after, paths, unknown) => {
    expect(pathsOf(between(before, after)).sort()).toEqual([...paths].sort());
    expect(unknownOf(between(before, after))).toEqual(unknown);
    expect(pathsOf(between(after, before)).sort()).toEqual([...paths].sort());
    expect(movesText(between(before, after)).includes('? Deployment shop/web')).toBe(unknown.length > 0);
  });

  it('decide by the managers of the fields, where the dump has them', () => {
    const limits = { ...WEB, resources: { limits: { cpu: '1' } } };
    const owned = (manager: string, fields: object): object => ({
      manager,
      operation: manager === 'kube-controller-manager' ? 'Update' : 'Apply',
      fieldsV1: {
        'f:spec': {
          'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"web"}': { '.': {}, 'f:name': {}, ...fields } } } },
        },
      },
    });
    const ofLimits = { 'f:resources': { 'f:limits': { 'f:cpu': {} } } };
    const dump = (...managedFields: object[]): object => live([limits], {}, { managedFields });
    const image = owned('kubectl', { 'f:image': {} });
    const people = between(dump(image, owned('kubectl-set', ofLimits)), written([WEB]));
    expect([pathsOf(people), unknownOf(people)]).toEqual([['containers[name=web].resources'], []]);
    const controllers = between(dump(image, owned('kube-controller-manager', ofLimits)), written([WEB]));
    expect([pathsOf(controllers), unknownOf(controllers)]).toEqual([[], []]);
  });

  it('of a bare Pod compare nothing that admission and the scheduler add', () => {
    const token = { name: 'kube-api-access-x', projected: { sources: [] } };
    const of = (spec: any, metadata: object = {}): any => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'bare', namespace: 'shop', ...metadata },
      spec,
    });
    const own = {
      containers: [{ ...WEB, volumeMounts: [{ name: 'd', mountPath: '/d' }] }],
      volumes: [{ name: 'd', emptyDir: {} }],
      tolerations: [{ operator: 'Exists' }],
    };
    const dump = of(
      {
        ...POD_SERVER,
        nodeName: 'a',
        containers: [
          {
            ...SERVER,
            ...WEB,
            volumeMounts: [
              { name: 'd', mountPath: '/d' },
              { name: token.name, mountPath: '/var/run' },
            ],
          },
        ],
        volumes: [...own.volumes, token],
        tolerations: [
          { operator: 'Exists' },
          { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
        ],
      },
      { uid: '1' },
    );
    expect(pathsOf(between(dump, of(own)))).toEqual([]);
    expect(pathsOf(between(dump, of({ ...own, priority: 5 })))).toEqual(['spec.priority']);
  });
});

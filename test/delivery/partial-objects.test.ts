import { ProblemList } from '../../src/errors.js';
import { heldPartial } from '../../src/delivery/partial-objects.js';
import { NAMES } from './shops.js';

const EXCLUDED = { key: 'nodepool.openyurt.io/hostnetwork', operator: 'NotIn', values: ['true'] };
const LINUX = { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] };

/** A partial object of a component that ships an affinity, or none. */
const partial = (shipsOwn: boolean): any => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'a', namespace: 'b' },
  spec: {
    template: {
      spec: {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [...(shipsOwn ? [LINUX] : []), EXCLUDED] }],
            },
          },
        },
      },
    },
  },
});

/** Seen with the real controllers: by engine, installer and whether the component ships an affinity. */
const HOLDS: Record<string, Record<string, [withOwn: boolean, without: boolean]>> = {
  'argo-cd': { kubeadm: [true, true], helm: [true, true], kubectl: [false, false], serverSide: [false, true] },
  flux: { kubeadm: [true, true], helm: [true, true], kubectl: [true, true], serverSide: [false, true] },
};

describe.each(NAMES)('the partial object of a component with %s', (engine) => {
  it.each(Object.entries(HOLDS[engine] ?? {}))(
    'that %s has installed holds as it was seen',
    (installedBy, expected) => {
      const held = [true, false].map((shipsOwn) => {
        const problems = new ProblemList();
        const components: any = { 'DaemonSet b/a': { installedBy, selector: { app: 'a' } } };
        const object = heldPartial(partial(shipsOwn), engine, components, problems);
        expect(problems.problems.map(({ code }) => code)).toEqual(object === undefined ? ['EDGE_STRATEGY'] : []);
        return object !== undefined;
      });
      expect(held).toEqual(expected);
    },
  );

  it('is refused if it is not known what has installed it', () => {
    const problems = new ProblemList();
    expect(heldPartial(partial(false), engine, {}, problems)).toBeUndefined();
    expect(problems.problems.map(({ code }) => code)).toEqual(['EDGE_MISSING']);
  });
});

it('Flux needs the selector of a component, which only those of kubeadm have in all releases', () => {
  const problems = new ProblemList();
  expect(heldPartial(partial(false), 'flux', { 'DaemonSet b/a': { installedBy: 'helm' } }, problems)).toBeUndefined();
  expect(problems.problems.map(({ code }) => code)).toEqual(['EDGE_MISSING']);
});

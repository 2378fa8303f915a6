import { differences } from './chart.js';

describe('upgrade', () => {
  const { created, deleted, changed } = differences();

  it('writes the pool in the new version of its API, and replaces no Pod', () => {
    expect(changed.map(({ object, versions }) => [object, versions?.[1]])).toContainEqual([
      'NodePool stations',
      'apps.openyurt.io/v1beta2',
    ]);
    expect(changed.filter(({ rollsOut }) => rollsOut)).toEqual([]);
  });

  it('gains policies with Kubernetes 1.30, and loses nothing that guards the fleet', () => {
    expect(created.filter((object) => object.startsWith('ValidatingAdmissionPolicy '))).not.toEqual([]);
    expect(deleted).toEqual([]);
  });
});

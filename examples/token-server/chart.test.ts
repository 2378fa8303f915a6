import { Testing } from 'cdk8s';
import { MACHINES, ShopsChart, TokenServerChart } from './chart.js';

type Manifest = Record<string, any>;

describe('token-server', () => {
  const app = Testing.app();
  const objects: Manifest[] = Testing.synth(new TokenServerChart(app, 'token-server'));
  const of = (kind: string): Manifest => objects.find((object) => object.kind === kind) as Manifest;

  it('can create Secrets in kube-system, and nothing else', () => {
    expect(of('Role').metadata.namespace).toBe('kube-system');
    expect(of('Role').rules).toEqual([{ apiGroups: [''], resources: ['secrets'], verbs: ['create'] }]);
    expect(objects.filter(({ kind }) => (kind as string).startsWith('Cluster'))).toEqual([]);
  });

  it('has the list of the machines, and runs on no host-network node', () => {
    expect(of('ConfigMap').data.machines.trim().split('\n')).toEqual(MACHINES);
    const { affinity } = of('Deployment').spec.template.spec;
    expect(JSON.stringify(affinity)).toContain('nodepool.openyurt.io/hostnetwork');
  });

  it('joins machines with a token that is in no file', () => {
    const { join } = new ShopsChart(app, 'shops');
    expect(join.script).toMatch(/^token_command=.* https:\/\/tokens\.shops\.example:30443\/token'/m);
    expect(join.joinConfiguration).toMatchObject({
      discovery: { bootstrapToken: { token: 'token0.placeholder00000' } },
    });
  });
});

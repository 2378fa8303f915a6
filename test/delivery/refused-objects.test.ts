import { ApiObject, Chart } from 'cdk8s';
import { flux } from 'edge-nodepools/delivery';
import { delivery, type EngineName, NAMES, problemsOf, synth } from './shops.js';

describe('objects that are refused', () => {
  const of = (
    engine: EngineName,
    object: ConstructorParameters<typeof ApiObject>[2],
    props = {},
  ): { code: string; path: string }[] =>
    problemsOf(() =>
      synth((app) => {
        const chart = new Chart(app, 'lab');
        new ApiObject(chart, 'object', object);
        delivery(app, engine, ['lab'], { chart: () => chart, props });
      }),
    );
  const secret = (more: object): any => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'a', namespace: 'b' },
    ...more,
  });
  const encrypted = secret({ data: { key: 'ENC[AES256_GCM,data:x,type:str]' }, sops: { version: '3.9.0' } });

  it.each<[string, any, string[]]>([
    ['a Secret with values', secret({ stringData: { password: 'x' } }), ['EDGE_SECRET']],
    ['a Secret of SOPS without its keys', encrypted, ['EDGE_SECRET']],
    ['a Secret that only says sops', secret({ data: { key: 'eA==' }, sops: {} }), ['EDGE_SECRET']],
    ['a Secret without values', secret({}), []],
    [
      'a sealed Secret',
      {
        apiVersion: 'bitnami.com/v1alpha1',
        kind: 'SealedSecret',
        metadata: { name: 'a' },
        spec: { encryptedData: { a: 'b' } },
      },
      [],
    ],
    [
      'a token in a ConfigMap',
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a' },
        data: { join: 'token: abcdef.0123456789abcdef' },
      },
      ['EDGE_SECRET'],
    ],
    [
      'a published join, whose machine reads the token',
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a' },
        data: { join: 'token: "token0.placeholder00000"' },
      },
      [],
    ],
  ])('%s', (_, object, codes) => {
    NAMES.forEach((engine) => expect(of(engine, object).map(({ code }) => code)).toEqual(codes));
  });

  it('but not a Secret of SOPS that Flux decrypts', () => {
    expect(of('flux', encrypted, { engine: flux({ sopsSecretName: 'sops-age' }) })).toEqual([]);
  });

  it('a workload that Argo CD would create before the policies', () => {
    const at = (wave: string): any => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', annotations: { 'argocd.argoproj.io/sync-wave': wave } },
    });
    expect(of('argo-cd', at('-10')).map(({ code }) => code)).toEqual(['EDGE_CONTRADICTION']);
    expect(of('argo-cd', at('-8'))).toEqual([]);
    expect(of('flux', at('-10'))).toEqual([]);
  });
});

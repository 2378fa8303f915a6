import { App, Chart, Testing } from 'cdk8s';
import { BootstrapToken, EdgeWarnings, JoinToken } from 'edge-nodepools';
import { untyped } from '../bad-inputs/case.js';

const TOKEN = 'abcdef.0123456789abcdef';

describe('BootstrapToken', () => {
  const expiring = (hours: number): string => `${new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 19)}Z`;
  const declare = (expiration: string, props: object = {}) => {
    const app = new App();
    EdgeWarnings.setMode(app, 'silent');
    const chart = new Chart(app, 'tokens');
    const token = new BootstrapToken(chart, 'token', untyped({ token: JoinToken.inline(TOKEN), expiration, ...props }));
    return { token, objects: Testing.synth(chart), warnings: EdgeWarnings.of(app) };
  };

  it('is the Secret that kubeadm creates, with the usages and the group that a node needs', () => {
    const expiration = expiring(1);
    const { token, objects, warnings } = declare(expiration, { description: 'nodes of hangzhou' });
    expect(token.secretName).toBe('bootstrap-token-abcdef');
    expect(objects).toEqual([
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: 'bootstrap-token-abcdef',
          namespace: 'kube-system',
          labels: { 'app.kubernetes.io/managed-by': 'edge-nodepools', 'edge-nodepools/manifest-format': '1' },
        },
        type: 'bootstrap.kubernetes.io/token',
        stringData: {
          'token-id': 'abcdef',
          'token-secret': '0123456789abcdef',
          expiration,
          'usage-bootstrap-signing': 'true',
          'usage-bootstrap-authentication': 'true',
          'auth-extra-groups': 'system:bootstrappers:kubeadm:default-node-token',
          description: 'nodes of hangzhou',
        },
      },
    ]);
    expect(warnings).toEqual([]);
  });

  it('accepts an expiration from toISOString()', () => {
    const expiration = new Date(Date.now() + 3_600_000).toISOString();
    expect(declare(expiration).objects[0].stringData.expiration).toBe(expiration);
  });

  it('warns about a token that is valid for long, forever, or no longer', () => {
    for (const expiration of [expiring(48), 'never', '2020-01-31T12:00:00Z']) {
      expect(declare(expiration).warnings.map(({ code }) => code)).toEqual(['EDGE_TOKEN_TTL']);
    }
    expect(declare('never').objects[0].stringData.expiration).toBeUndefined();
  });
});

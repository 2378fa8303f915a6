import type { EdgeCluster } from '../../cluster/edge-cluster.js';
import { OPENYURT_RELEASES } from '../../cluster/openyurt-releases.js';

/** A text as a literal of TypeScript. */
export function literal(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replace(/\\"/g, '"').replace(/'/g, "\\'")}'`;
}

/** Lines, each indented. */
export function indented(text: string, indent: string): string {
  return text.replace(/^(?=.)/gm, indent);
}

/** Whether nodes of the project can join: a join needs the address of the API server and the hash of its CA. */
export function canJoin({ apiServer, caCertHashes }: EdgeCluster): boolean {
  return apiServer !== undefined && caCertHashes.length > 0;
}

/** The declaration of the cluster. */
export function clusterText(cluster: EdgeCluster): string {
  const { apiServer, caCertHashes, openYurt, kubernetes } = cluster;
  // from this release on, yurt-manager installs it on every node of an Edge pool
  const hasYurthub = OPENYURT_RELEASES.some(({ release, convertsNodes }) => release === openYurt && convertsNodes);
  return [
    'EdgeCluster.of({',
    `  openYurt: ${literal(openYurt)},`,
    `  kubernetes: ${literal(kubernetes)},`,
    ...(hasYurthub ? ['  yurthub: true,'] : []),
    ...(canJoin(cluster)
      ? [
          '  // kubeadm token create --print-join-command prints both',
          `  apiServer: ${literal(String(apiServer))},`,
          `  caCertHashes: [${caCertHashes.map(literal).join(', ')}],`,
        ]
      : []),
    '});',
  ].join('\n');
}

/** Answers with the name of its host. */
export const HELLO = `{
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'hello', namespace: 'default' },
  spec: {
    selector: { matchLabels: { app: 'hello' } },
    template: {
      metadata: { labels: { app: 'hello' } },
      spec: {
        automountServiceAccountToken: false,
        containers: [
          {
            name: 'hello',
            image: 'registry.k8s.io/e2e-test-images/agnhost:2.53',
            args: ['serve-hostname', '--port=9110'],
            ports: [{ containerPort: 9110 }],
          },
        ],
      },
    },
  },
}`;

export const WEB = `{
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        containers: [
          {
            name: 'web',
            image: 'registry.k8s.io/e2e-test-images/agnhost:2.53',
            args: ['serve-hostname', '--port=8080'],
            ports: [{ containerPort: 8080 }],
          },
        ],
      },
    },
  },
}`;

/** What the test of a project claims of its `pools` and `objects`. */
export const CLAIMS = `  const named = (names: string[]) => objects.filter(({ metadata }) => names.includes(String(metadata?.name)));
  const allBut = (some: readonly object[]) => objects.filter((object) => !some.includes(object));

  it('runs on host-network nodes only what is declared for them', () => {
    for (const { pool, workloads } of pools) {
      expect(named(workloads)).toLandOn(pool);
      expect(allBut(named(workloads))).toBeExcludedFrom(pool);
    }
  });

  it('runs everything else on other nodes', () => {
    const hostNetwork = named(pools.flatMap(({ workloads }) => workloads));
    expect(allBut(hostNetwork)).toLandOn(worker);
    expect(hostNetwork).toBeExcludedFrom(worker);
  });
`;

import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { watchesInitialEvents } from '../cluster/kubelet-capabilities.js';
import { OPENYURT_RELEASES } from '../cluster/openyurt-releases.js';

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

/** Whether the nodes have yurthub: yurt-manager of newer releases installs it on every node of an Edge pool. */
function hasYurthub({ openYurt }: EdgeCluster): boolean {
  return OPENYURT_RELEASES.some(({ release, conversion }) => release === openYurt && conversion !== undefined);
}

/** What a join of nodes with yurthub says of kubelet, in lines of their own: nothing for a kubelet that asks yurthub as it always did. */
export function kubeletText(cluster: EdgeCluster, indent: string): string {
  return hasYurthub(cluster) && watchesInitialEvents(cluster)
    ? `${indent}// so that Pods come back after a reboot without an API server: yurthub does not answer such a watch
${indent}kubeletConfiguration: { featureGates: { WatchListClient: false } },
`
    : '';
}

/** The declaration of the cluster. */
export function clusterText(cluster: EdgeCluster): string {
  const { apiServer, caCertHashes, openYurt, kubernetes } = cluster;
  return [
    'EdgeCluster.of({',
    `  openYurt: ${literal(openYurt)},`,
    `  kubernetes: ${literal(kubernetes)},`,
    ...(hasYurthub(cluster) ? ['  yurthub: true,'] : []),
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
export const CLAIMS = `  const named = (names: string[]) => {
    expect(objects.map(({ metadata }) => metadata?.name)).toEqual(expect.arrayContaining(names));
    return objects.filter(({ metadata }) => names.includes(String(metadata?.name)));
  };
  const allBut = (some: readonly object[]) => objects.filter((object) => !some.includes(object));

  it('runs on host-network nodes only what is declared for them', () => {
    for (const { pool, workloads } of pools) {
      // a pool may have none yet
      if (workloads.length > 0) {
        expect(named(workloads)).toLandOn(pool);
      }
      expect(allBut(named(workloads))).toBeExcludedFrom(pool);
    }
  });

  it('runs everything else on other nodes', () => {
    const hostNetwork = named(pools.flatMap(({ workloads }) => workloads));
    expect(allBut(hostNetwork)).toLandOn(worker);
    if (hostNetwork.length > 0) {
      expect(hostNetwork).toBeExcludedFrom(worker);
    }
  });
`;

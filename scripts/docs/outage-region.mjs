// The table of docs/offline.md: each outage of docs/outages.json with each setting, as simulateOutage predicts it. Test `outages` asks the real controllers.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../install.mjs';
import { source } from '../source.mjs';
import { table } from './text.mjs';

const SITES = ['site-1', 'site-2', 'site-3'];
const NODES = 4;
const UNREACHABLE = { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' };

/** What the settings are for the controllers: a kind, and tolerations. */
const SETTINGS = [
  ["Deployment, `'default'`", 'Deployment', undefined],
  ["Deployment, `'2h'`", 'Deployment', [{ ...UNREACHABLE, tolerationSeconds: 7200 }]],
  ["Deployment, `'forever'`", 'Deployment', [UNREACHABLE]],
  ['StatefulSet', 'StatefulSet', undefined],
  ['DaemonSet, static Pod', 'DaemonSet', undefined],
];

export function outagesRegion() {
  const { simulateOutage } = source('fleet/simulate-outage.ts');
  const { rangeText, countText } = source('fleet/outage-text.ts');
  const cellOf = ({ outcome, evicted, evictedAt, doubled, then }) => {
    if (outcome === 'stays') {
      return 'stays';
    }
    const what = `${countText(evicted)} evicted, ${rangeText(evictedAt)}`;
    return `${what}; ${doubled ? 'run twice' : then === 'waits for the same Node' ? 'wait for their node' : 'wait for a node'}`;
  };
  const rows = JSON.parse(readFileSync(join(root, 'docs', 'outages.json'), 'utf8')).map(({ outage, ...given }) => {
    const { zones, workloads } = simulateOutage(documentedFleet(), { ...given, kubernetes: '1.36', otherNodes: 0 });
    const tainted = zones.map((zone) => countText(zone.tainted));
    return [outage, given.zones, [...new Set(tainted)].join(', '), ...workloads.map(cellOf)];
  });
  return table(['outage', 'zones', 'nodes tainted', ...SETTINGS.map(([name]) => name)], rows);
}

/** The nodes of three sites, with two Pods of each workload, and one of the DaemonSet on each node: a dump, of which nothing is unknown.
 * @param seconds what DefaultTolerationSeconds adds */
export function documentedFleet(seconds = 300) {
  const nodes = SITES.flatMap((site) =>
    Array.from({ length: NODES }, (_, index) => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name: `${site}-${index + 1}`,
        labels: { 'apps.openyurt.io/nodepool': site, 'kubernetes.io/os': 'linux' },
      },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    })),
  );
  const workloads = SETTINGS.flatMap(([, kind, tolerations], index) => {
    const podSpec = {
      hostNetwork: true,
      containers: [{ name: 'main', image: 'main', ports: [{ containerPort: 8080 + index, hostPort: 8080 + index }] }],
      ...(tolerations === undefined ? {} : { tolerations }),
    };
    const name = `w${index}`;
    const workload = {
      apiVersion: 'apps/v1',
      kind,
      metadata: { name, namespace: 'site' },
      spec: { replicas: 2 * SITES.length, template: { metadata: { labels: { app: name } }, spec: podSpec } },
    };
    const on = kind === 'DaemonSet' ? nodes : nodes.filter(({ metadata }) => /-[12]$/.test(metadata.name));
    return [workload, ...on.map(({ metadata }) => podOn(metadata.name, workload, podSpec, seconds))];
  });
  return [...nodes, ...workloads];
}

/** A Pod as the API server stores it: with the tolerations of DefaultTolerationSeconds, or of the controller of DaemonSets. */
function podOn(nodeName, { apiVersion, kind, metadata: { name, namespace } }, podSpec, tolerationSeconds) {
  const seconds = kind === 'DaemonSet' ? {} : { tolerationSeconds };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${name}-${nodeName}`,
      namespace,
      ownerReferences: [{ apiVersion, kind, name, controller: true }],
    },
    spec: { tolerations: [{ ...UNREACHABLE, ...seconds }], ...podSpec, nodeName },
    status: { phase: 'Running' },
  };
}

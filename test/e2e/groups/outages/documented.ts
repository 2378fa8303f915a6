import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Outage, simulateOutage } from 'edge-nodepools/checks';
import type { Proof } from '../../harness/group.js';
import {
  type JudgedFlags,
  type JudgedNode,
  nodeLifecycleJudge,
  runNodeLifecycle,
} from '../../harness/node-lifecycle-judge.js';

const ROOT = resolve(__dirname, '..', '..', '..', '..');
const FLAGS: JudgedFlags = {
  nodeMonitorPeriod: 1,
  nodeMonitorGracePeriod: 5,
  nodeEvictionRate: 1,
  secondaryNodeEvictionRate: 0.1,
  unhealthyZoneThreshold: 0.55,
  largeClusterSizeThreshold: 50,
};
/** In the place of the 300 s that Kubernetes adds. */
const SECONDS = 3;
const UNREACHABLE = { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' };

/** A row of the table in docs/offline.md. */
type Documented = Pick<Outage, 'down' | 'for' | 'zones'> & { readonly outage: string };

/** The ends of the table on the scale of FLAGS: before and after the Pods of the first Node are evicted. */
const ENDS: Readonly<Record<string, number>> = { '5m': 7, '10m': 25 };

/** The table of docs/offline.md, row by row: how many Pods the real controllers evict. */
export async function judgeDocumented(proof: Proof, minor: '1.30' | '1.36'): Promise<void> {
  const rows = JSON.parse(readFileSync(resolve(ROOT, 'docs', 'outages.json'), 'utf8')) as Documented[];
  const { documentedFleet } = (await import(
    pathToFileURL(resolve(ROOT, 'scripts', 'docs', 'outage-region.mjs')).href
  )) as { documentedFleet: (seconds?: number) => any[] };
  const fleet = documentedFleet(SECONDS);
  await Promise.all(
    rows.map(async ({ outage, down, zones, for: ends }) => {
      const back = ends === undefined ? undefined : (ENDS[String(ends)] as number);
      const until = back === undefined ? {} : { for: `${back}s` };
      const given = { down, zones, ...until, kubernetes: minor, otherNodes: 0, flags: FLAGS };
      const { workloads } = simulateOutage(fleet, given);
      const foretold = workloads[0]?.evicted ?? { min: -1, max: -1 };
      const isAway = ({ name, site }: { name: string; site: string }): boolean =>
        (down.nodes ?? []).includes(name) || (down.pools ?? []).includes(site);
      const nodes = fleet
        .filter(({ kind }) => kind === 'Node')
        .map(({ metadata }): JudgedNode => {
          const site = metadata.labels['apps.openyurt.io/nodepool'] as string;
          const hasDefault = /-[12]$/.test(metadata.name as string);
          return {
            name: metadata.name as string,
            labels: zones === 'pool' ? { 'topology.kubernetes.io/zone': site } : {},
            silent: isAway({ name: metadata.name as string, site }),
            ...(back === undefined ? {} : { back }),
            // a Pod as by default on the first two Nodes of a site, one that stays for ever on the others
            tolerations: [{ ...UNREACHABLE, ...(hasDefault ? { tolerationSeconds: SECONDS } : {}) }],
          };
        });
      const seen = await runNodeLifecycle(nodeLifecycleJudge(minor), nodes, FLAGS, 30);
      const evicted = seen.nodes.filter((node) => node.evicted !== undefined).map(({ name }) => name);
      const [some, ever] = [
        evicted.filter((name) => /-[12]$/.test(name)),
        evicted.filter((name) => /-[34]$/.test(name)),
      ];
      const what = `Kubernetes ${minor}, docs/offline.md: ${outage}, zones ${zones}`;
      proof.that(
        `${what}: ${foretold.min} to ${foretold.max} evicted by default`,
        some.length >= foretold.min && some.length <= foretold.max,
        some,
      );
      proof.same(`${what}: none that stays for ever`, ever, []);
    }),
  );
}

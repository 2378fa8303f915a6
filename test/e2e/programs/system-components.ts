// Excludes components of a running cluster from host-network nodes. E2E_SETTINGS contains what the tests vary.
import { EdgeCluster, EdgeSystemComponents, ExclusionStrategy, SystemComponent } from 'edge-nodepools/pulumi';

export interface SystemComponentsSettings {
  readonly strategy?: ExclusionStrategy | ExclusionStrategy[];
  /** Short names. */
  readonly exclude: string[];
  readonly policyName?: string;
  readonly force?: boolean;
}

const settings = JSON.parse(process.env.E2E_SETTINGS ?? '{}') as SystemComponentsSettings;
const known = [SystemComponent.KUBE_PROXY, SystemComponent.COREDNS, SystemComponent.FLANNEL];

const { report } = new EdgeSystemComponents('components', {
  cluster: EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' }),
  exclude: known.filter(({ name }) => settings.exclude.includes(name)),
  strategy: settings.strategy ?? ExclusionStrategy.SERVER_SIDE_APPLY,
  policyName: settings.policyName,
  force: settings.force,
});

export const excluded = report.apply((rows) => rows.map(({ workload }) => workload));

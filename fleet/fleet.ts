import type { App } from 'cdk8s';
import { WebChart } from './apps/web';
import { ClusterRolesChart } from './cluster/cluster-roles';
import { CrdNodepoolsAppsOpenyurtIoChart } from './cluster/crds/nodepools-apps-openyurt-io';
import { NodesChart } from './cluster/nodes';
import { KubeSystemKubeProxyChart } from './namespaces/kube-system/kube-proxy';
import { KubeSystemOtherChart } from './namespaces/kube-system/other';
import { KubeSystemYurtManagerChart } from './namespaces/kube-system/yurt-manager';
import { PoolsChart } from './pools';

/** Everything that was imported: a chart for each application. */
export function addFleet(app: App): void {
  new PoolsChart(app, 'pools');
  new WebChart(app, 'web');
  new ClusterRolesChart(app, 'cluster-roles');
  new NodesChart(app, 'nodes');
  new CrdNodepoolsAppsOpenyurtIoChart(app, 'crd-nodepools-apps-openyurt-io');
  new KubeSystemKubeProxyChart(app, 'kube-system-kube-proxy');
  new KubeSystemOtherChart(app, 'kube-system-other');
  new KubeSystemYurtManagerChart(app, 'kube-system-yurt-manager');
}

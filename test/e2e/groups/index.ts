import type { Group } from '../harness/group.js';
import { accepted } from './manifests/accepted.js';
import { imported } from './manifests/imported.js';
import { importedPulumi } from './manifests/imported-pulumi.js';
import { bareMachine } from './join/bare-machine.js';
import { conversion } from './join/conversion.js';
import { cloudInit } from './join/cloud-init.js';
import { ignition } from './join/ignition.js';
import { ignitionFiles } from './join/ignition-boots.js';
import { dnf } from './join/dnf.js';
import { installers } from './join/installers.js';
import { seeds } from './join/seeds.js';
import { podsAppliedAgain } from './admission/applied-again.js';
import { admission } from './admission/admission.js';
import { besideWebhooks } from './admission/webhooks-down.js';
import { corefile } from './preconditions/corefile.js';
import { delivery } from './system-components/delivery.js';
import { argoCd } from './delivery/argo-cd.js';
import { flux } from './delivery/flux.js';
import { edgeNode } from './workloads/edge-node.js';
import { nodeAccess } from './workloads/node-access.js';
import { excluded } from './workloads/excluded.js';
import { helmHooks } from './workloads/helm-hooks.js';
import { yurtSets } from './workloads/yurt-sets.js';
import { gettingStarted } from './getting-started/getting-started.js';
import { newProjects } from './getting-started/new-projects.js';
import { etcd } from './control-plane/etcd.js';
import { etcdFaults } from './control-plane/etcd-faults.js';
import { qos } from './control-plane/qos.js';
import { faults } from './manifests/faults.js';
import { join } from './join/join.js';
import { joinTokens } from './join/tokens.js';
import { servingCertificates } from './join/serving-certificates.js';
import { joinFullDisk } from './join/full-disk.js';
import { joinSystemd } from './join/systemd.js';
import { packages } from './join/packages.js';
import { registries } from './join/registries.js';
import { joins } from './pools/joins.js';
import { autonomy } from './outages/autonomy.js';
import { outages } from './outages/outages.js';
import { reboot } from './outages/reboot.js';
import { rebootYurthub } from './outages/reboot-yurthub.js';
import { ownership } from './system-components/ownership.js';
import { placementPage } from './placement/page.js';
import { placement } from './placement/placement.js';
import { pulumi } from './pulumi/pulumi.js';
import { pulumiLanguages } from './pulumi/languages.js';
import { pulumiPages } from './pulumi/pages.js';
import { preconditionPrograms } from './preconditions/precondition-programs.js';
import { preconditions } from './preconditions/preconditions.js';
import { randomPlacement } from './placement/random.js';
import { judgedPlacement } from './placement/judged.js';
import { stored } from './pools/stored.js';
import { systemPolicy } from './system-components/system-policy.js';
import { kuryr } from './openstack/kuryr.js';
import { machines } from './openstack/machines.js';
import { storage } from './openstack/storage.js';
import { controlPlanes } from './upgrades/control-planes.js';
import { upgrades } from './upgrades/upgrades.js';
import { upgradesByHelm } from './upgrades/by-helm.js';
import { upgradesBack } from './upgrades/ways-back.js';
import { webhooks } from './webhooks/webhooks.js';
import { yamlReading } from './yaml/reading.js';

/** All groups, in the order in which they run; those whose programs are still being built come later. */
export const groups: readonly Group[] = [
  yamlReading,
  accepted,
  imported,
  importedPulumi,
  stored,
  joins,
  upgrades,
  upgradesBack,
  upgradesByHelm,
  controlPlanes,
  webhooks,
  conversion,
  excluded,
  yurtSets,
  placement,
  outages,
  autonomy,
  randomPlacement,
  judgedPlacement,
  placementPage,
  ownership,
  delivery,
  flux,
  argoCd,
  helmHooks,
  systemPolicy,
  admission,
  podsAppliedAgain,
  besideWebhooks,
  pulumi,
  pulumiPages,
  pulumiLanguages,
  edgeNode,
  reboot,
  rebootYurthub,
  cloudInit,
  seeds,
  ignition,
  ignitionFiles,
  join,
  joinTokens,
  servingCertificates,
  nodeAccess,
  joinFullDisk,
  joinSystemd,
  packages,
  registries,
  bareMachine,
  installers,
  dnf,
  gettingStarted,
  newProjects,
  etcd,
  etcdFaults,
  faults,
  corefile,
  preconditionPrograms,
  preconditions,
  storage,
  machines,
  kuryr,
  qos,
];

import { resolve } from 'node:path';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import { PulumiProject } from '../../harness/pulumi-project.js';
import type { AddOnsSettings } from '../../programs/add-ons.js';
import { isExcluded } from '../system-components/excluded-component.js';

const LOGGING = `
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: log-shipper
  namespace: add-ons
spec:
  selector:
    matchLabels: { app: log-shipper }
  template:
    metadata:
      labels: { app: log-shipper }
    spec:
      containers:
        - { name: log-shipper, image: registry.example/log-shipper:1 }
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: log-shipper
  namespace: add-ons
data:
  to: logs.logging.svc
---
apiVersion: v1
kind: Secret
metadata:
  name: log-shipper
  namespace: add-ons
stringData:
  password: canary-7f3a
`;

/** A transform on third-party charts: children that only the engine knows. */
export async function addOns(plane: ControlPlane, proof: Proof): Promise<void> {
  await plane.ensureNamespace('add-ons');
  const project = new PulumiProject(plane.folder, 'add-ons', plane.kubeconfig);
  const chart = resolve(__dirname, '../../../../examples/helm-and-include/charts/agent');
  const settings: AddOnsSettings = { chart, yaml: LOGGING };
  const up = project.up(settings);
  proof.same('add-ons: the first up succeeds', up.status, 0);
  const workloads: readonly (readonly [string, string])[] = [
    ['daemonsets', 'agent-node'],
    ['deployments', 'agent-server'],
    ['daemonsets', 'log-shipper'],
  ];
  for (const [resource, name] of workloads) {
    const { body } = await plane.api.send('GET', `/apis/apps/v1/namespaces/add-ons/${resource}/${name}`);
    proof.that(`add-ons: ${name} is excluded by the transform`, isExcluded(body), body.spec);
    const { annotations } = body.spec.template.metadata;
    proof.same(`add-ons: ${name} is annotated`, annotations['apps.openyurt.io/exclude-host-network-pool'], 'true');
  }
  const configMap = await plane.api.send('GET', '/api/v1/namespaces/add-ons/configmaps/log-shipper');
  proof.same('add-ons: other objects are unchanged', configMap.body.data, { to: 'logs.logging.svc' });
  for (const name of ['log-shipper', 'login']) {
    const secret = await plane.api.send('GET', `/api/v1/namespaces/add-ons/secrets/${name}`);
    proof.same(`add-ons: and so is the Secret ${name}`, secret.status, 200);
  }
  const again = project.up(settings, ['--expect-no-changes']);
  proof.that('add-ons: a second up changes nothing', again.status === 0, again.said);
  const refresh = project.refresh(settings, ['--expect-no-changes']);
  proof.that('add-ons: a refresh finds nothing changed', refresh.status === 0, refresh.said);
  const destroy = project.destroy(settings);
  proof.that('add-ons: destroy succeeds', destroy.status === 0, destroy.said);
  proof.same('add-ons: no state remains', project.state(), []);
}

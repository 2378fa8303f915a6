import { App, Chart, Testing } from 'cdk8s';
import { EdgeCluster, EdgeWarnings, OpenYurtWebhooks, type OpenYurtWebhooksProps } from 'edge-nodepools';
import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';

/** The field manager that applies our objects. */
export const MANAGER = 'edge-nodepools';

/** The flags with which the harness runs yurt-manager. */
export const AS_IT_RUNS = { controllers: ['nodepool'] };

/** The objects of constructs. */
export function synthesized(fill: (chart: Chart) => void): any[] {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const chart = new Chart(app, 'webhooks');
  fill(chart);
  return Testing.synth(chart);
}

/** Our configurations of a release. */
export function ours(openYurt: string, kubernetes: string, props: Partial<OpenYurtWebhooksProps> = {}): any[] {
  const cluster = EdgeCluster.of({ openYurt, kubernetes });
  return synthesized((chart) => new OpenYurtWebhooks(chart, 'openyurt', { cluster, ...props }));
}

/** Our configurations of OpenYurt 1.7, for the yurt-manager of the harness. */
export const of17 = (props: Partial<OpenYurtWebhooksProps> = {}): any[] =>
  ours('1.7', '1.34', { ...AS_IT_RUNS, ...props });

/** The configurations as they are stored. */
export async function storedIn({ api }: ControlPlane): Promise<any[]> {
  const paths = ['mutating', 'validating'].map(
    (type) =>
      `/apis/admissionregistration.k8s.io/v1/${type}webhookconfigurations/yurt-manager-${type}-webhook-configuration`,
  );
  return Promise.all(paths.map((path) => api.must('GET', path)));
}

export const named = (configurations: readonly any[], name: string): any =>
  configurations.flatMap(({ webhooks }) => webhooks ?? []).find((webhook) => webhook.name === name);
export const namesIn = (configurations: readonly any[]): string[] =>
  configurations.flatMap(({ webhooks }) => (webhooks ?? []).map(({ name }: any) => name as string));

/** Removes the caBundle of a webhook; when it is written again, yurt-manager has processed all earlier writes. */
export async function lookedAt(plane: ControlPlane, what: string, proof: Proof): Promise<void> {
  for (const configuration of await storedIn(plane)) {
    await plane.api.must(
      'PATCH',
      await plane.api.pathOf(configuration),
      [{ op: 'remove', path: '/webhooks/0/clientConfig/caBundle' }],
      {
        contentType: 'application/json-patch+json',
      },
    );
  }
  await proof.eventually(`${what}: yurt-manager writes caBundle where it is missing`, async () =>
    (await storedIn(plane)).every(({ webhooks }) =>
      webhooks.every(({ clientConfig }: any) => clientConfig.caBundle !== undefined),
    ),
  );
}

/** Applies our configurations, server-side. */
export async function apply(plane: ControlPlane, objects: readonly any[], force = false): Promise<any[]> {
  return plane.apply(objects, MANAGER, force ? { force } : {});
}

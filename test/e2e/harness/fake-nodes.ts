import type { ApiClient } from './api-client.js';

/** A taint of a fake node. */
interface NodeTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** Nodes without a kubelet: enough for the scheduler and the DaemonSet controller, which then bind Pods to them that never start. */
export class FakeNodes {
  constructor(private readonly api: ApiClient) {}

  /** Creates a Ready node with a capacity of 110 Pods. Returns the stored object. */
  public async fake(
    name: string,
    labels: Readonly<Record<string, string>> = {},
    taints: readonly NodeTaint[] = [],
  ): Promise<any> {
    const created = await this.register({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name,
        labels: {
          'kubernetes.io/os': 'linux',
          'kubernetes.io/arch': 'amd64',
          'kubernetes.io/hostname': name,
          ...labels,
        },
      },
      ...(taints.length > 0 ? { spec: { taints } } : {}),
    });
    const room = { cpu: '64', memory: '256Gi', 'ephemeral-storage': '1Ti', pods: '110' };
    const time = new Date().toISOString();
    await this.api.must(
      'PATCH',
      `/api/v1/nodes/${name}/status`,
      {
        status: {
          capacity: room,
          allocatable: room,
          conditions: [
            {
              type: 'Ready',
              status: 'True',
              reason: 'Fake',
              message: 'fake',
              lastHeartbeatTime: time,
              lastTransitionTime: time,
            },
          ],
        },
      },
      { contentType: 'application/merge-patch+json' },
    );
    return created;
  }

  /** yurt-manager reads pools from a cache with a short delay; a kubelet retries, too. */
  private async register(node: unknown): Promise<any> {
    for (let attempt = 1; ; attempt++) {
      const { status, body } = await this.api.send('POST', '/api/v1/nodes', node);
      if (status < 300) {
        return body;
      }
      if (status !== 404 || attempt === 25) {
        throw new Error(`POST /api/v1/nodes: ${status} ${body.message}`);
      }
      await new Promise((done) => setTimeout(done, 200));
    }
  }

  public async get(name: string): Promise<any> {
    return this.api.must('GET', `/api/v1/nodes/${name}`);
  }

  public async delete(name: string): Promise<void> {
    await this.api.must('DELETE', `/api/v1/nodes/${name}`);
  }
}

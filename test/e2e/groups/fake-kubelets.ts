import type { ApiClient } from '../harness/api-client.js';

const READY = ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({ type, status: 'True' }));

/** Stand in for the kubelets of fake nodes: bound Pods become Ready, deleted ones go away. Without that no rollout ever ends. */
export class FakeKubelets {
  private stopped = false;
  private readonly loop: Promise<void>;

  constructor(private readonly api: ApiClient) {
    this.loop = this.run();
  }

  /** Ends their work; to be called before the API server is stopped. */
  public async stop(): Promise<void> {
    this.stopped = true;
    await this.loop;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      // what fails now (a Pod that is gone by then) is tried again in the next round
      await this.round().catch(() => undefined);
      await new Promise((done) => setTimeout(done, 100));
    }
  }

  private async round(): Promise<void> {
    const { items } = await this.api.must('GET', '/api/v1/pods');
    await Promise.all(items.map((pod: any) => this.tend(pod)));
  }

  private async tend({ metadata, spec, status }: any): Promise<void> {
    const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;
    if (metadata.deletionTimestamp !== undefined) {
      await this.api.send('DELETE', path, { gracePeriodSeconds: 0 });
    } else if (spec.nodeName !== undefined && status.phase === 'Pending') {
      const running = { status: { phase: 'Running', conditions: READY } };
      await this.api.send('PATCH', `${path}/status`, running, {
        contentType: 'application/strategic-merge-patch+json',
      });
    }
  }
}

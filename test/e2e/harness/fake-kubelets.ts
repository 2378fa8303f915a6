import type { ApiClient } from './api-client.js';

const READY = ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({ type, status: 'True' }));

/** Simulates the kubelets of fake nodes: bound Pods become Ready, those of Jobs succeed, deleted ones are removed. Without it no rollout ends. */
export class FakeKubelets {
  private stopped = false;
  private readonly loop: Promise<void>;

  private readonly seen = new Map<string, number>();

  /** @param startMilliseconds how long a Pod takes until it is Ready */
  constructor(
    private readonly api: ApiClient,
    private readonly startMilliseconds = 0,
  ) {
    this.loop = this.run();
  }

  /** Stops; to be called before the API server is stopped. */
  public async stop(): Promise<void> {
    this.stopped = true;
    await this.loop;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      // a failure (a Pod that no longer exists) is retried in the next round
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
      const since = this.seen.get(metadata.uid) ?? Date.now();
      this.seen.set(metadata.uid, since);
      if (Date.now() - since < this.startMilliseconds) {
        return;
      }
      // what is not restarted has done its work
      const phase = spec.restartPolicy === 'Always' ? 'Running' : 'Succeeded';
      await this.api.send(
        'PATCH',
        `${path}/status`,
        { status: { phase, conditions: READY } },
        {
          contentType: 'application/strategic-merge-patch+json',
        },
      );
    }
  }
}

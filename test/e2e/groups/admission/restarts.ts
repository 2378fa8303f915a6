import type { ControlPlane } from '../../harness/control-plane.js';
import type { Proof } from '../../harness/group.js';
import { LABEL, MEMBERSHIP } from './requests.js';

/** What became of the nodes that registered while the API server was restarted. */
interface Registrations {
  labelled: number;
  unlabelled: number;
  /** The connection was refused or broken: no API server was there. */
  unanswered: number;
  readonly refusals: Map<string, number>;
}

/** A node of the host-network pool registers every 10 ms, until the returned function is called. */
function register(plane: ControlPlane, seen: Registrations): () => Promise<void> {
  const body = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'restart', labels: { [MEMBERSHIP]: 'hz' } } };
  const sent = new Set<Promise<void>>();
  const one = async (): Promise<void> => {
    try {
      const { status, body: answer } = await plane.api.send('POST', '/api/v1/nodes', body, {
        query: { dryRun: 'All' },
      });
      if (status !== 201) {
        const refusal = `${status} ${answer.message ?? JSON.stringify(answer)}`;
        seen.refusals.set(refusal, (seen.refusals.get(refusal) ?? 0) + 1);
      } else if (answer.metadata.labels[LABEL] === 'true') {
        seen.labelled++;
      } else {
        seen.unlabelled++;
      }
    } catch {
      seen.unanswered++;
    }
  };
  const timer = setInterval(() => {
    const request = one();
    sent.add(request);
    void request.then(() => sent.delete(request));
  }, 10);
  return async () => {
    clearInterval(timer);
    await Promise.all(sent);
  };
}

/** The API server is restarted while nodes register: every one that it answers gets the label. E2E_RESTARTS sets how often, 2 by default. */
export async function restarts(plane: ControlPlane, name: string, proof: Proof): Promise<void> {
  const count = Number(process.env.E2E_RESTARTS ?? 2);
  const seen: Registrations = { labelled: 0, unlabelled: 0, unanswered: 0, refusals: new Map() };
  const stop = register(plane, seen);
  for (let restart = 0; restart < count; restart++) {
    // as in a power cycle
    await plane.restartApiServer('SIGKILL');
    await new Promise((done) => setTimeout(done, 3000));
  }
  await stop();
  const { labelled, unlabelled, unanswered, refusals } = seen;
  proof.note(
    `${name}: ${count} restarts: ${labelled} nodes with the label, ${unlabelled} without, ${unanswered} not answered`,
  );
  proof.same(`${name}: no node registers without the label while the API server restarts`, unlabelled, 0);
  proof.same(`${name}: no node is refused while the API server restarts`, [...refusals], []);
  proof.that(`${name}: nodes registered before and after each restart`, labelled > count * 100, String(labelled));
}

import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { argoCd as argoCdEngine } from 'edge-nodepools/delivery';
import { ARGO_CD_NAMESPACE } from '../../harness/argo-cd.js';
import { inShell } from '../../harness/kubectl.js';
import type { ArgoCdShops } from './argo-cd-shops.js';
import { MANY, many, SITE_NAMES, SITES } from './many-sites.js';
import { certificateOf, synthesized } from './shop-clusters.js';

const SET = `/apis/argoproj.io/v1alpha1/namespaces/${ARGO_CD_NAMESPACE}/applicationsets/${MANY}`;

/** Sites whose cluster answers: each is a cluster to Argo CD, which holds its objects. Of the others nobody listens at the address. */
const ONLINE = Math.min(SITES, Number(process.env.E2E_ONLINE_SITES ?? 20));

/** Addresses of one API server: Argo CD takes two clusters with one address for the same cluster. */
async function addresses(port: number): Promise<{ of: (index: number) => string; server: Server }> {
  const server = createServer((socket) => {
    const there = connect(port, '127.0.0.1');
    socket.on('error', () => there.destroy());
    there.on('error', () => socket.destroy());
    socket.pipe(there).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const { port: own } = server.address() as AddressInfo;
  const of = (index: number): string =>
    `https://127.1.${Math.floor(index / 200)}.${(index % 200) + 1}:${index < ONLINE ? own : 1}`;
  return { of, server };
}

/** How long many sites take, how large the ApplicationSet is, and how much memory they need. */
export async function manySites(shops: ArgoCdShops): Promise<void> {
  const { of, server } = await addresses(shops.planes.beijing.port);
  try {
    await deliver(shops, of);
  } finally {
    server.close();
  }
}

async function deliver(shops: ArgoCdShops, addressOf: (index: number) => string): Promise<void> {
  const { proof, argoCd, planes, git } = shops;
  const { headquarters, beijing } = planes;
  const tlsClientConfig = { caData: certificateOf(beijing), serverName: '127.0.0.1' };
  await headquarters.apply(
    SITE_NAMES.map((name, index) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: `cluster-${name}`,
        namespace: ARGO_CD_NAMESPACE,
        labels: { 'argocd.argoproj.io/secret-type': 'cluster' },
      },
      stringData: {
        name,
        server: addressOf(index),
        config: JSON.stringify({ bearerToken: 'admin-token', tlsClientConfig }),
      },
    })),
  );
  const synth = Date.now();
  const outdir = synthesized(
    shops,
    many(argoCdEngine(), (name) => ({ name })),
  );
  const synthSeconds = (Date.now() - synth) / 1000;
  const commit = git.commit(`${MANY}.git`, outdir, MANY);
  const begin = Date.now();
  inShell(headquarters, `kubectl apply --server-side -f ${outdir}/argo-cd/`);
  await proof.eventually(
    `${SITES} sites have an Application, and ${ONLINE} with a cluster that answers are delivered`,
    async () => {
      const states = (await argoCd.states()).filter(({ name }) => name.startsWith(`${MANY}-`));
      const delivered = states.filter(
        ({ sync, phase, compared }) => sync === 'Synced' && phase === 'Succeeded' && compared === commit,
      );
      return states.length === SITES && delivered.length === ONLINE;
    },
    3600,
  );
  const set = JSON.stringify(await headquarters.api.must('GET', SET));
  proof.note(
    `${SITES} sites, ${ONLINE} online: synth ${synthSeconds} s, delivered in ${Math.round((Date.now() - begin) / 1000)} s, ApplicationSet ${set.length} bytes, memory at its highest, MiB: ${JSON.stringify(argoCd.peakMemory())}`,
  );
}

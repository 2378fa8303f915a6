import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Corefile } from 'edge-nodepools';
import { CLUSTER_COREFILES } from '../../../corpus/corefiles.js';
import { type ControlPlane, type ControlPlaneProps, toolsOf } from '../../harness/control-plane.js';
import { COREDNS, CoreDns } from '../../harness/coredns.js';
import type { Group, Proof } from '../../harness/group.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { objectsIn } from '../../harness/openyurt.js';
import { sourcesOf } from '../../harness/tool.js';
import { KUBEADM, KubeadmAddOns } from '../../harness/kubeadm-add-ons.js';
import { kubeadmsCoreDns } from './kubeadm-templates.js';

const PROPS: ControlPlaneProps = { kubernetes: '1.36' };
const HOSTS = '/etc/edge/tunnel-nodes';

/** Every file below a folder with a matching name. */
function filesBelow(folder: string, fits: RegExp): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && fits.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** The Corefiles in the documentation and tests of CoreDNS, from its module. */
function corefilesOfCoreDns(): { readonly text: string; readonly from: string }[] {
  const folder = sourcesOf(COREDNS);
  const pages = filesBelow(folder, /\.md$/).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^~~~ *(?:corefile|txt)?\n([^]*?)^~~~/gm)].map(([, text]) => ({
      text: text as string,
      from: file.slice(folder.length + 1),
    })),
  );
  // Go concatenates texts with values; each value is replaced by a word
  const literal = /(?:[cC]orefile\w*|input) *:?= *(`[^`]*`(?:\s*\+\s*[^`;]+?\+\s*`[^`]*`)*)/g;
  const tests = filesBelow(folder, /_test\.go$/).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(literal)].map(([, text]) => ({
      text: (text as string).replace(/`\s*\+[^`]*\+\s*`/g, 'value').slice(1, -1),
      from: file.slice(folder.length + 1),
    })),
  );
  return [...pages, ...tests].filter(({ text }) => text.trim() !== '');
}

function roundTrips(proof: Proof): void {
  const corefiles = corefilesOfCoreDns();
  proof.that('CoreDNS brings at least 300 Corefiles', corefiles.length >= 300, String(corefiles.length));
  let refused = 0;
  for (const { text, from } of corefiles) {
    try {
      const printed = Corefile.parse(text).toString();
      proof.same(`a Corefile of ${from} is printed unchanged`, printed, text);
    } catch (error) {
      // the documentation also shows incomplete directives
      refused += 1;
      const message = (error as Error).message;
      proof.that(`an error in ${from} has its position`, /line \d+, column \d+/.test(message), message);
    }
  }
  proof.note(`${corefiles.length} Corefiles of CoreDNS, ${refused} refused`);
  proof.that('only incomplete ones are refused', refused <= 5, `${refused} of ${corefiles.length}`);
}

/** The real CoreDNS also refuses a text that we refuse. */
async function agrees(plane: ControlPlane, proof: Proof): Promise<void> {
  const texts = [
    '.:53 {\n    errors\n',
    '. { whoami }\n',
    '.:53 {\n    import\n}\n',
    '(a) {\n}\n(a) {\n}\n. {\n}\n',
    'a:5301, {\n}\n',
  ];
  for (const [index, text] of texts.entries()) {
    const ours = refusalOf(text);
    const theirs = await CoreDns.start(`refused-${index}`, plane.folder, () => text).then(
      async (server) => server.stop(),
      (error: Error) => error.message,
    );
    proof.that(`both refuse ${JSON.stringify(text)}`, ours !== undefined && typeof theirs === 'string', [ours, theirs]);
  }
}

function refusalOf(text: string): string | undefined {
  try {
    Corefile.parse(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** A Corefile of a cluster, changed to run here: on loopback, with free ports, and with the API server of this test. */
function runnable(
  text: string,
  hosts: string,
  kubeconfig: string,
  upstream: number,
  [dns, health, ready, metrics]: readonly [number, number, number, number],
): string {
  const api = `kubeconfig ${kubeconfig} e2e`;
  return text
    .replaceAll(':53', `:${dns}`)
    .replaceAll(HOSTS, hosts)
    .replaceAll('/etc/resolv.conf', `127.0.0.1:${upstream}`)
    .replace(/^(\ufeff?[^\s#(][^\n]*)\{([^\n]*)$/gm, '$1{$2\n    bind 127.0.0.1')
    .replace(/^(\s*)health\b/m, `$1health 127.0.0.1:${health}`)
    .replace(/^(\s*)ready\b/m, `$1ready 127.0.0.1:${ready}`)
    .replace(/prometheus :9153/, `prometheus 127.0.0.1:${metrics}`)
    .replace(/^(\s*)loop\b.*$/m, '')
    .replace(/^(\s*kubernetes\b[^\n{]*)\{/m, `$1{\n    ${api}`)
    .replace(/^(\s*kubernetes\b[^\n{]*)$/m, `$1 {\n    ${api}\n    }`);
}

/** Corefiles without other dependencies: certificates, files to import, services of other plugins. */
const RUNNABLE = [
  'kubeadm up to 1.31',
  'kubeadm from 1.32 on',
  'OpenYurt documents, log plugin before',
  'yurtadm, tabs',
  'EKS',
  'a stub domain',
  'comments everywhere',
  'a comment glued to a word',
  'a snippet',
  'CRLF',
  'no line break at the end',
  'byte order mark',
  'blank lines and trailing spaces',
  'rewrites for an old domain',
  'autopath and pods verified',
];

async function answers(plane: ControlPlane, proof: Proof, rendered: string): Promise<void> {
  const hosts = join(plane.folder, 'tunnel-nodes');
  writeFileSync(hosts, '10.20.30.40 edge-1.example\n');
  const { spec } = await plane.api.must('POST', '/api/v1/namespaces/default/services', {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web' },
    spec: { ports: [{ port: 80 }], selector: { app: 'web' } },
  });
  const upstream = await CoreDns.start(
    'upstream',
    plane.folder,
    () => '. {\n    bind 127.0.0.1\n    hosts {\n        10.99.0.1 nas.site-hz.example\n    }\n}\n',
  );
  const shapes = [
    ['kubeadm 1.36, rendered', rendered],
    ...RUNNABLE.map((name) => [name, CLUSTER_COREFILES[name] as string]),
  ];
  for (const [index, [name, text]] of (shapes as [string, string][]).entries()) {
    const before = Corefile.parse(text);
    const after = before
      .withHosts({ file: HOSTS })
      .withForwarder({ zone: 'site-hz.example', to: [`127.0.0.1:${upstream.port}`] });
    const start = (which: Corefile, suffix: string): Promise<CoreDns> =>
      CoreDns.start(`coredns-${index}${suffix}`, plane.folder, (ports) =>
        runnable(which.toString(), hosts, plane.kubeconfig, upstream.port, ports),
      );
    const server = await start(after, '');
    const service = (): Promise<string[] | string> => server.addresses('web.default.svc.cluster.local');
    await proof.eventually(
      `${name}: a Service still reaches the kubernetes plugin`,
      async () => String(await service()) === spec.clusterIP,
    );
    proof.same(`${name}: a name of the tunnel comes from the hosts file`, await server.addresses('edge-1.example'), [
      '10.20.30.40',
    ]);
    proof.same(`${name}: a name of the site comes from its server`, await server.addresses('nas.site-hz.example'), [
      '10.99.0.1',
    ]);
    await server.stop();
    const back = after.withoutForwarder('site-hz.example').withoutHosts(HOSTS);
    proof.same(`${name}: the rollback has the same plugins`, back.serverBlocks, before.serverBlocks);
    if (index < 2) {
      const old = await start(back, '-back');
      proof.that(
        `${name}: after the rollback the tunnel is not answered`,
        typeof (await old.addresses('edge-1.example')) === 'string',
      );
      await old.stop();
    }
  }
  const ofCluster = await CoreDns.start('of-the-cluster', plane.folder, (ports) =>
    runnable(rendered, hosts, plane.kubeconfig, upstream.port, ports),
  );
  // as in NodeLocal DNSCache: the cluster domain from its CoreDNS, everything else from another server
  const server = await CoreDns.start('node-local', plane.folder, ([dns]) =>
    Corefile.parse(
      `cluster.local:${dns} {\n    errors\n    forward . 127.0.0.1:${ofCluster.port} {\n        force_tcp\n    }\n}\n` +
        `.:${dns} {\n    cache 30\n    forward . 127.0.0.1:${upstream.port}\n}\n`,
    )
      .withNodeLocalCache({ addresses: ['127.0.0.1'] })
      .toString(),
  );
  await proof.eventually(
    'node-local: a Service is answered',
    async () => String(await server.addresses('web.default.svc.cluster.local')) === spec.clusterIP,
  );
  proof.same('node-local: and the others too', await server.addresses('nas.site-hz.example'), ['10.99.0.1']);
  await server.stop();
  await ofCluster.stop();
  await upstream.stop();
}

export const corefile: Group = {
  name: 'corefile',
  claim:
    'every Corefile of CoreDNS and kubeadm is printed byte for byte; CoreDNS loads each edited one, and answers names of the tunnel from the hosts file, names of a site from its server, and Services from the API server as before',
  programs: 'CoreDNS 1.14, kubeadm and kube-apiserver 1.36',
  tools: [...toolsOf(PROPS), KUBEADM, COREDNS],
  run: async (proof) => {
    roundTrips(proof);
    await onControlPlane(PROPS, proof, async (plane) => {
      const addOns = new KubeadmAddOns(plane.folder);
      const printed = addOns.printed('coredns');
      const rendered = objectsIn(printed).find(({ kind }) => kind === 'ConfigMap').data.Corefile as string;
      proof.same("kubeadm's Corefile is printed unchanged", Corefile.parse(rendered).toString(), rendered);
      kubeadmsCoreDns(proof, addOns);
      await agrees(plane, proof);
      await answers(plane, proof, rendered);
    });
  },
};

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Chart, Testing } from 'cdk8s';
import { EdgeCluster } from 'edge-nodepools';
import { KuryrKubernetes, type KuryrKubernetesProps } from 'edge-nodepools/control-plane';
import { KURYR } from '../../../bad-inputs/kuryr.js';
import { type ControlPlane, toolsOf } from '../../harness/control-plane.js';
import type { Group, Proof } from '../../harness/group.js';
import { kuryrPrograms, READ_CONF } from '../../harness/kuryr.js';
import { NeutronStandIn } from '../../harness/neutron.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { Program } from '../../harness/program.js';
import { pathOf, type Tool } from '../../harness/tool.js';

const PLANE = { kubernetes: '1.36', scheduler: true, controllers: ['daemonset-controller'] };
const CNI_LIST: Tool = { name: 'cni-list', module: 'cni-1.3', package: '.' };
const PODS = '/api/v1/namespaces/default/pods';
const PORTS = '/apis/openstack.org/v1/namespaces/default/kuryrports';
const HOST_NETWORK = 'nodepool.openyurt.io/hostnetwork';

/** Passwords with what has a meaning in the format, or looks as if it had. */
const PASSWORDS = [
  'a$b${c}$$',
  String.raw`a\$b`,
  '"quoted"',
  " ' blank ' ",
  '\\',
  'a=b:c#d;e',
  '%(x)s',
  '${neutron.auth_url}',
  '[a]',
  'é漢',
];

const objectsOf = (props: Partial<KuryrKubernetesProps>): any[] => {
  const chart = new Chart(new App(), 'chart');
  new KuryrKubernetes(chart, 'kuryr', { ...KURYR, inManifest: true, ...props });
  return Testing.synth(chart);
};

/** Writes what is mounted into the controller. */
function mounted(folder: string, objects: readonly any[]): void {
  mkdirSync(folder, { recursive: true });
  const of = (kind: string): any => objects.find((object) => object.kind === kind);
  for (const [name, content] of Object.entries<string>({ ...of('ConfigMap').data, ...of('Secret').stringData })) {
    writeFileSync(join(folder, name), content, { mode: 0o600 });
  }
}

/** Kuryr's own options, oslo.config and keystoneauth read what was written. */
function isRead(folder: string, programs: string, proof: Proof): void {
  const nested = {
    vifDriver: 'nested-vlan' as const,
    workerSubnets: [KURYR.podSubnet],
    linkInterface: 'eth1',
    pool: { min: 2, max: 20, batch: 4 },
    caCertificates: '-----BEGIN CERTIFICATE-----',
  };
  PASSWORDS.forEach((secret, index) => {
    const user = { userName: `${secret}-user`, domainName: 'Default', projectName: 'k8s', password: secret };
    const keystone = {
      authUrl: 'https://keystone.example/v3',
      ...(index % 2 === 0 ? { password: user, region: 'RegionOne' } : { applicationCredential: { id: 'one', secret } }),
    };
    const at = join(folder, `conf-${index}`);
    mounted(at, objectsOf({ keystone, ...(index % 3 === 0 ? nested : {}) }));
    const { stdout, stderr } = spawnSync(join(programs, 'python'), [READ_CONF, at], { encoding: 'utf8' });
    const { read, unknown, auth } = JSON.parse(stdout === '' ? '{}' : stdout);
    proof.same(`conf ${index}: kuryr knows every option`, unknown, []);
    proof.same(
      `conf ${index}: the secret is read as it was given`,
      [read?.['neutron.password'] ?? read?.['neutron.application_credential_secret'], auth],
      [secret, `keystoneauth1.identity.${index % 2 === 0 ? 'generic.password' : 'v3.application_credential'}`],
    );
    proof.same(
      `conf ${index}: only the handlers for addresses are on, and certificates are verified`,
      [read?.['kubernetes.enabled_handlers'], read?.['kubernetes.ssl_verify_server_crt']],
      [['vif', 'kuryrport'], true],
    );
    if (stdout === '') {
      proof.note(stderr.slice(-2000));
    }
  });
}

/** The parser of container runtimes reads the list of plugins. */
function isCniList(folder: string, proof: Proof): void {
  const { stdout, stderr } = spawnSync(pathOf(CNI_LIST), [join(folder, 'conf-0', 'kuryr.conflist.template')], {
    encoding: 'utf8',
  });
  proof.same(
    'the list of plugins is one of CNI, with portmap behind kuryr',
    stdout === '' ? stderr : JSON.parse(stdout),
    {
      cniVersion: '0.3.1',
      name: 'kuryr',
      plugins: [{ type: 'kuryr-cni' }, { type: 'portmap', capabilities: { portMappings: true } }],
    },
  );
}

const pod = (name: string, nodeName: string, more: object = {}): any => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { nodeName, automountServiceAccountToken: false, containers: [{ name, image: name }], ...more },
});

/** The controller itself, with its account, its configuration and its definition. */
async function atWork(plane: ControlPlane, programs: string, neutron: NeutronStandIn, proof: Proof): Promise<void> {
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34', apiServer: `127.0.0.1:${plane.port}` });
  const keystone = { authUrl: 'https://keystone.example/v3', applicationCredential: { id: 'one', secret: 'two' } };
  const objects = objectsOf({ cluster, keystone });
  await plane.applyCrds(objects.filter(({ kind }) => kind === 'CustomResourceDefinition'));
  const generations = (list: readonly any[]): unknown => list.map(({ metadata }) => metadata.generation);
  const stored = generations(await plane.apply(objects));
  proof.same(
    'applied a second time, with its definition, changes nothing',
    generations(await plane.apply(objects)),
    stored,
  );
  const account = '/api/v1/namespaces/kube-system/serviceaccounts/kuryr-controller/token';
  const { status } = await plane.api.must('POST', account, { spec: {} });
  const folder = join(plane.folder, 'controller');
  mounted(folder, objects);
  writeFileSync(join(folder, 'token'), status.token, { mode: 0o600 });
  const certificate = join(plane.folder, 'certs-kube-apiserver', 'apiserver.crt');
  // the account is not where it is in a Pod, and the stand-in of Keystone has no TLS
  writeFileSync(
    join(folder, 'test.conf'),
    `[kubernetes]\ntoken_file = ${join(folder, 'token')}\nssl_ca_crt_file = ${certificate}\n[neutron]\nauth_url = ${neutron.url}/v3\n`,
  );
  const controller = new Program({
    name: 'kuryr-k8s-controller',
    command: join(programs, 'python'),
    args: [join(programs, 'kuryr-k8s-controller'), '--config-dir', folder],
    logs: join(plane.folder, 'logs'),
    // a proxy, or certificates of this machine, would be used in place of those of the configuration
    env: { PATH: process.env.PATH, HOME: plane.folder },
  });
  try {
    await plane.nodes.fake('regular', {});
    await plane.nodes.fake('edge', { [HOST_NETWORK]: 'true' });
    await plane.apply([pod('web', 'regular'), pod('agent', 'regular', { hostNetwork: true })]);
    const port = async (): Promise<any> => (await plane.api.send('GET', `${PORTS}/web`)).body;
    await proof.eventually(
      'the real controller makes a KuryrPort for a Pod',
      async () => (await port()).spec?.podNodeName === 'regular',
      60,
    );
    const { metadata } = await plane.api.must('GET', `${PODS}/web`);
    proof.same('the Pod waits for it when it is deleted', metadata.finalizers, ['kuryr.openstack.org/pod-finalizer']);
    const { items } = await plane.api.must('GET', PORTS);
    proof.same(
      'a host-network Pod gets none',
      items.map((each: any) => each.metadata.name),
      ['web'],
    );
    await proof.eventually(
      'the port that it has made is in the status of the KuryrPort, which is stored with it',
      async () => JSON.stringify((await port()).status?.vifs ?? {}).includes('10.1.0.7'),
      60,
    );
    const [login] = neutron.logins;
    proof.same('it authenticates with what is in the Secret', login.identity.application_credential, {
      id: 'one',
      secret: 'two',
    });
    const [asked, ...others] = neutron.ports;
    proof.same(
      'it asks for one port, in the project, subnet and security groups of KuryrKubernetes',
      [asked?.project_id, asked?.fixed_ips, asked?.security_groups, others.length],
      [KURYR.project, [{ subnet_id: KURYR.podSubnet }], KURYR.podSecurityGroups, 0],
    );
    proof.that(
      'nothing is forbidden to it',
      !/K8sForbidden|is forbidden/.test(readFileSync(controller.logFile, 'utf8')),
      controller.tail(40),
    );
  } finally {
    await controller.stop('SIGKILL');
  }
  await proof.eventually('the daemon is on the regular node only', async () => {
    const { items } = await plane.api.must('GET', '/api/v1/namespaces/kube-system/pods?labelSelector=app%3Dkuryr-cni');
    return items.length === 1 && items[0].spec.nodeName === 'regular';
  });
}

export const kuryr: Group = {
  name: 'kuryr',
  claim:
    'kuryr-kubernetes itself knows every option that KuryrKubernetes writes, and reads passwords with special characters as they were given; libcni reads its list of plugins; its controller, with the account and the resource definition of KuryrKubernetes, makes a KuryrPort for a Pod of a regular node and none for a host-network Pod, asks for its port in the right project, subnet and security group, and nothing is forbidden to it; its daemon is not on the host-network node. Keystone and Neutron are fakes that answer everything: no Pod gets an address',
  programs:
    'kuryr-kubernetes 10.0.0 (its last release), oslo.config 10.7, libcni 1.3; kube-apiserver, kube-scheduler and kube-controller-manager 1.36',
  tools: [...toolsOf(PLANE), CNI_LIST],
  needs: ['linux', 'kuryr'],
  run: async (proof) => {
    const programs = kuryrPrograms();
    await onControlPlane(PLANE, proof, async (plane) => {
      isRead(plane.folder, programs, proof);
      isCniList(plane.folder, proof);
      const neutron = await NeutronStandIn.start();
      try {
        await atWork(plane, programs, neutron, proof);
      } finally {
        neutron.stop();
      }
    });
  },
};

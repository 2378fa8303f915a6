import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { App, Chart } from 'cdk8s';
import { EdgeCluster, EdgePreconditions, EdgeWarnings, type Precondition } from 'edge-nodepools';
import { CONTROLLER_NAMES } from '../../../../src/preconditions/kube-controllers.js';
import { CONFIG_CONF, kubeProxyConfigMap } from '../../../corpus/kube-system.js';
import { type ControlPlane, type ControlPlaneProps, toolsOf } from '../../harness/control-plane.js';
import type { Group, Proof } from '../../harness/group.js';
import { onControlPlane } from '../../harness/on-control-plane.js';
import { objectsIn } from '../../harness/openyurt.js';
import { Program } from '../../harness/program.js';
import { kubernetesTool, pathOf, type Tool } from '../../harness/tool.js';
import { KUBEADM, KubeadmAddOns } from '../../harness/kubeadm-add-ons.js';

const PROPS: ControlPlaneProps = { kubernetes: '1.36' };

const KUBE_PROXY: Tool = {
  name: 'kube-proxy',
  module: 'kubernetes-proxy-1.36',
  package: 'k8s.io/kubernetes/cmd/kube-proxy',
};
const CONTROLLER_MANAGER = kubernetesTool('kube-controller-manager', '1.36');

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): { ok: boolean; said: string } {
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    env: { ...process.env, ...env },
    timeout: 60_000,
  });
  return { ok: status === 0, said: stdout + stderr };
}

/** A configuration of kubeadm, to be edited. */
const configuration = (version: 'v1beta3' | 'v1beta4'): string => `apiVersion: kubeadm.k8s.io/${version}
kind: InitConfiguration
localAPIEndpoint: { advertiseAddress: 192.0.2.10, bindPort: 6443 }
nodeRegistration: { name: control, criSocket: "unix:///nonexistent.sock" }
---
# of the platform team
apiVersion: kubeadm.k8s.io/${version}
kind: ClusterConfiguration
kubernetesVersion: v1.36.2
networking: { serviceSubnet: 10.0.0.0/24, podSubnet: 10.244.0.0/16 }
controllerManager:
  extraArgs:
${version === 'v1beta3' ? '    bind-address: 0.0.0.0' : '  - name: bind-address\n    value: 0.0.0.0'} # for the metrics
`;

/** The static Pod that kubeadm writes. */
function staticPod(folder: string, config: string): string {
  const out = mkdtempSync(join(folder, 'static-pod-'));
  const args = ['init', 'phase', 'control-plane', 'controller-manager', '--dry-run', `--config=${config}`];
  const { ok, said } = run(pathOf(KUBEADM), args, { KUBEADM_INIT_DRYRUN_DIR: out });
  if (!ok) {
    throw new Error(said);
  }
  return readFileSync(join(out, 'kube-controller-manager.yaml'), 'utf8');
}

/** The static Pod that kubeadm writes by default. */
export function plainStaticPod(folder: string): string {
  const config = join(folder, 'plain.yaml');
  writeFileSync(config, configuration('v1beta4'));
  return staticPod(folder, config);
}

/** The command of the static Pod that kubeadm writes. */
function rendered(folder: string, config: string): string[] {
  const [pod] = objectsIn(staticPod(folder, config));
  return pod.spec.containers[0].command as string[];
}

function filesOf(folder: string, props: object): (name: string) => string {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  const cluster = EdgeCluster.of({ openYurt: '1.5', kubernetes: '1.36' });
  const { report } = new EdgePreconditions(new Chart(app, 'c'), 'kcm', {
    cluster,
    only: ['kubeControllerManager'],
    kubeControllerManager: props,
  });
  const base = mkdtempSync(join(folder, 'controllers-'));
  for (const { path, content } of (report[0] as Precondition).files) {
    const file = join(base, ...path.split('/'));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return (name) => join(base, name);
}

/** Starts the real program with `--controllers`, and returns from its log what runs. */
async function whatRuns(
  plane: ControlPlane,
  name: string,
  flags: readonly string[],
): Promise<{ lifecycle: boolean; daemonSets: boolean; signer: boolean }> {
  const logs = mkdtempSync(join(plane.folder, 'kcm-'));
  const program = new Program({
    name,
    command: pathOf(CONTROLLER_MANAGER),
    args: [`--kubeconfig=${plane.kubeconfig}`, '--leader-elect=false', '--secure-port=0', '-v=1', ...flags],
    logs,
  });
  const log = (): string => readFileSync(program.logFile, 'utf8');
  const started = (controller: string): boolean =>
    new RegExp(`"Controller starting\\.\\.\\." controller="${controller}"`).test(log());
  await program.ready(() => Promise.resolve(started('ttl-after-finished-controller')), 60);
  // controllers start in any order; a moment later all have started
  await new Promise((done) => setTimeout(done, 2000));
  const seen = {
    lifecycle: started('node-lifecycle-controller'),
    daemonSets: started('daemonset-controller'),
    signer: started('bootstrap-signer-controller'),
  };
  await program.stop();
  return seen;
}

async function controllers(plane: ControlPlane, proof: Proof): Promise<void> {
  const { said } = run(pathOf(CONTROLLER_MANAGER), ['--help']);
  const known = /All controllers: ([^\n]*)/.exec(said)?.[1]?.trim().split(', ') ?? [];
  proof.that('kube-controller-manager lists its controllers', known.length > 40, known);
  proof.same(
    'we know all of them',
    known.filter((name) => !CONTROLLER_NAMES.includes(name)),
    [],
  );

  const plain = join(plane.folder, 'plain.yaml');
  writeFileSync(plain, configuration('v1beta4'));
  const flagsOf = (command: readonly string[]): string[] => command.filter((word) => word.startsWith('--controllers='));
  const before = rendered(plane.folder, plain);
  const ways: [string, string[]][] = [['as kubeadm has it', before]];
  for (const version of ['v1beta3', 'v1beta4'] as const) {
    const file = filesOf(plane.folder, { clusterConfiguration: configuration(version) })(
      'kubeadm/cluster-configuration.yaml',
    );
    const validated = run(pathOf(KUBEADM), ['config', 'validate', '--config', file, '--allow-deprecated-api']);
    proof.that(`kubeadm accepts the ClusterConfiguration of ${version}`, validated.ok, validated.said);
    ways.push([`by ClusterConfiguration ${version}`, rendered(plane.folder, file)]);
  }
  const patches = filesOf(plane.folder, {})('kubeadm-patches');
  const patched = join(plane.folder, 'patched.yaml');
  writeFileSync(patched, configuration('v1beta4').replace('---', `patches: { directory: ${patches} }\n---`));
  ways.push(['by patch', rendered(plane.folder, patched)]);
  for (const [way, command] of ways) {
    const rest = command.filter((word) => !word.startsWith('--controllers='));
    proof.same(
      `${way}: nothing else changes`,
      rest,
      before.filter((word) => !word.startsWith('--controllers=')),
    );
    const seen = await whatRuns(plane, 'kube-controller-manager-tried', flagsOf(command));
    const expected = { lifecycle: way === 'as kubeadm has it', daemonSets: true, signer: true };
    proof.same(`${way}: only the node lifecycle controller is off`, seen, expected);
  }
}

/** The real kube-proxy reads a configuration, adds its defaults, and writes the result. */
function understood(plane: ControlPlane, name: string, text: string): any {
  const folder = mkdtempSync(join(plane.folder, 'proxy-'));
  writeFileSync(join(folder, 'config.conf'), text);
  const out = join(folder, 'understood.yaml');
  const { ok, said } = run(pathOf(KUBE_PROXY), [`--config=${join(folder, 'config.conf')}`, `--write-config-to=${out}`]);
  if (!ok) {
    throw new Error(`${name}: ${said}`);
  }
  return objectsIn(readFileSync(out, 'utf8'))[0];
}

function proxyConfigs(plane: ControlPlane, proof: Proof): void {
  const printed = new KubeadmAddOns(plane.folder).printed('kube-proxy');
  const ofKubeadm = objectsIn(printed).find(({ kind }) => kind === 'ConfigMap').data['config.conf'] as string;
  const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.36' });
  const texts = {
    "kubeadm's": ofKubeadm,
    'one with comments': CONFIG_CONF.replace("aFieldOfTomorrow: 'yes'\n", ''),
    'one in braces': ofKubeadm.replace(
      /clientConnection:\n( {2}.*\n)+/,
      'clientConnection: {kubeconfig: /a, qps: 5}\n',
    ),
    'one with nothing but the kubeconfig': ofKubeadm.replace(
      /clientConnection:\n( {2}.*\n)+/,
      'clientConnection:\n  kubeconfig: /a\n',
    ),
  };
  for (const [name, text] of Object.entries(texts)) {
    const before = understood(plane, name, text);
    for (const mode of ['comment', 'remove'] as const) {
      const app = new App();
      EdgeWarnings.setMode(app, 'silent');
      const { report } = new EdgePreconditions(new Chart(app, 'c'), 'proxy', {
        cluster,
        guide: 'tunnel',
        only: ['kubeProxy'],
        kubeProxy: { mode, configMap: kubeProxyConfigMap(text) },
      });
      const edited = (report[0]?.steps[0]?.manifests[0] as any).data['config.conf'] as string;
      const after = understood(plane, name, edited);
      proof.same(`kube-proxy reads ${name}, ${mode}: without kubeconfig`, after.clientConnection.kubeconfig, '');
      after.clientConnection.kubeconfig = before.clientConnection.kubeconfig;
      proof.same(`kube-proxy reads ${name}, ${mode}: everything else unchanged`, after, before);
    }
  }
}

export const preconditionPrograms: Group = {
  name: 'precondition-programs',
  claim:
    'kubeadm accepts each ClusterConfiguration and patch, kube-controller-manager then runs without its node lifecycle controller and with all others, and kube-proxy reads each edited configuration without other changes',
  programs: 'kubeadm, kube-controller-manager, kube-proxy and kube-apiserver 1.36',
  tools: [...toolsOf(PROPS), KUBEADM, KUBE_PROXY, CONTROLLER_MANAGER],
  run: async (proof) => {
    await onControlPlane(PROPS, proof, async (plane) => {
      proxyConfigs(plane, proof);
      await controllers(plane, proof);
    });
  },
};

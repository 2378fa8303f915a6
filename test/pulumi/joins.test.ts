/** @jest-environment ./test/pulumi/rejections-environment.cjs */
import * as pulumi from '@pulumi/pulumi';
import { App, Chart } from 'cdk8s';
import * as constructs from 'edge-nodepools';
import * as components from 'edge-nodepools/pulumi';
import {
  EdgeCluster,
  HostNetworkNodePool,
  NodeJoin,
  EdgePreconditions,
  type EdgePreconditionsArgs,
} from 'edge-nodepools/pulumi';
import { record, objectsIn, type Recording, recordRefusal } from './recorded.js';
import { EdgeError, EdgePreconditions as Construct } from 'edge-nodepools';
import {
  CONFIG_CONF,
  COREFILE,
  corednsConfigMap,
  corednsDeployment,
  kubeDns,
  kubeProxyConfigMap,
  kubeProxyDaemonSet,
  staticPod,
} from '../corpus/kube-system.js';

/** A node of a Cloud pool joins as a cloud node, in both bindings: its pool has the type. */
const token = constructs.JoinToken.fromFile('/var/lib/edge/join-token');

const clusterOf = (openYurt: string, kubernetes: string): any => ({
  openYurt,
  kubernetes,
  apiServer: '10.0.0.1:6443',
  caCertHashes: [`sha256:${'0'.repeat(64)}`],
});

function synthesized(release: any, type: any, options: object): string {
  const chart = new Chart(new App(), 'chart');
  constructs.EdgeWarnings.setMode(chart, 'silent');
  const cluster = constructs.EdgeCluster.of(release);
  const pool = new constructs.RegularNodePool(chart, 'pool', { cluster, poolName: 'office', type });
  return new constructs.NodeJoin(chart, 'join', { pool, token, ...options }).userData;
}

async function declared(release: any, type: any, options: object): Promise<string> {
  let userData = '';
  const { errors } = await record(() => {
    const cluster = components.EdgeCluster.of(release);
    const pool = new components.RegularNodePool('pool', { cluster, poolName: 'office', type });
    new components.NodeJoin('join', { pool, token, ...options }).userData.apply((text) => (userData = text));
  });
  expect(errors).toEqual([]);
  return userData;
}

describe('a join to a Cloud pool', () => {
  const yurtadm = { via: 'yurtadm' as const };

  it.each<[string, any, object, string, string]>([
    ['by yurtadm of OpenYurt 1.6', clusterOf('1.6', '1.30'), yurtadm, '--node-type=cloud', '--node-type=edge'],
    ['by default of OpenYurt 1.7', clusterOf('1.7', '1.34'), {}, ', by kubeadm', ', by label-driven'],
  ])('%s is that of the construct', async (_, release, options, ofCloud, ofEdge) => {
    for (const [type, expected, other] of [
      ['Cloud', ofCloud, ofEdge],
      ['Edge', ofEdge, ofCloud],
    ]) {
      const userData = synthesized(release, type, options);
      expect(userData).toContain(expected);
      expect(userData).not.toContain(other);
      expect(await declared(release, type, options)).toBe(userData);
      expect(await declared(release, pulumi.output(type), options)).toBe(userData);
    }
  });
});

/** A join with Outputs in what a bare machine is given. */
const CLUSTER: any = {
  openYurt: '1.7',
  kubernetes: '1.34',
  apiServer: '10.0.0.1:6443',
  caCertHashes: [`sha256:${'ab'.repeat(32)}`],
};
const TEXTS = ['userData', 'files', 'joinConfiguration', 'contentHash', 'leaveScript', 'updateScript'] as const;

function expected(props: any): object {
  const chart = new Chart(new App(), 'chart');
  constructs.EdgeWarnings.setMode(chart, 'silent');
  const cluster = constructs.EdgeCluster.of(CLUSTER);
  const pool = constructs.HostNetworkNodePool.fromPoolName(chart, 'pool', { cluster, poolName: 'hz' });
  const join: any = new constructs.NodeJoin(chart, 'it', { pool, token, ...props });
  return Object.fromEntries(TEXTS.map((name) => [name, join[name]]));
}

async function made(props: any): Promise<object> {
  let texts = {};
  const { errors } = await record(async () => {
    const pool = HostNetworkNodePool.fromPoolName({ cluster: EdgeCluster.of(CLUSTER), poolName: 'hz' });
    const join: any = new NodeJoin('it', { pool, token, ...props });
    texts = Object.fromEntries(await Promise.all(TEXTS.map(async (name) => [name, await join[name].promise(true)])));
  });
  expect(errors).toEqual([]);
  return texts;
}

const crio = {
  runtime: 'cri-o',
  sandboxImage: { imageRepository: 'registry.example' },
  packages: { manager: 'dnf', version: '1.34.2', folder: '/srv/rpm', runtime: { name: 'cri-o', version: '1.34.1' } },
  machineSettings: {
    systemdCgroup: false,
    registries: [{ registry: 'docker.io', mirrors: ['https://mirror.example'] }],
  },
};
const containerd = {
  runtime: 'containerd',
  sandboxImage: 'kubeadm',
  packages: { manager: 'apt', version: '1.34.2', runtime: { name: 'containerd.io', version: '1.7.27' } },
};

describe('packages, mirrors and the sandbox image of a join', () => {
  it.each([
    ['CRI-O', crio],
    ['containerd', containerd],
  ])('with %s may be Outputs, as a whole and in part', async (_, props) => {
    const { packages, sandboxImage, runtime } = props;
    const wanted = expected(props);
    for (const late of [
      { packages: pulumi.output(packages) },
      { packages: { ...packages, version: pulumi.output(packages.version) } },
      { packages: { ...packages, runtime: pulumi.output(packages.runtime) } },
      { packages: { ...packages, runtime: { ...packages.runtime, name: pulumi.output(packages.runtime.name) } } },
      { sandboxImage: pulumi.output(sandboxImage) },
      {
        sandboxImage:
          typeof sandboxImage === 'string' ? sandboxImage : { imageRepository: pulumi.output('registry.example') },
      },
      { runtime: pulumi.output(runtime) },
    ]) {
      expect(await made({ ...props, ...late })).toEqual(wanted);
    }
  });
});

describe('documents of the cluster as Outputs', () => {
  const cluster = EdgeCluster.of({ openYurt: '1.5', kubernetes: '1.28' });
  const forwarders = [{ zone: 'site-hz.example', to: ['10.1.0.2'] }];

  /** An Output that is unknown in a preview. */
  function unknown(): any {
    const known = Promise.resolve(false);
    return new (pulumi.Output as any)(new Set(), Promise.resolve(undefined), known, known, Promise.resolve(new Set()));
  }

  /** The resources and outputs of a component. */
  async function made(
    args: EdgePreconditionsArgs,
  ): Promise<{ recording: Recording; inputs: any[]; report: any[]; artifacts: any[]; commands: string[] }> {
    let attributes: any = {};
    const recording = await record(async () => {
      const { report, artifacts, commands } = new EdgePreconditions('it', args);
      attributes = await (pulumi.output({ report, artifacts, commands }) as any).promise();
    });
    return { recording, inputs: objectsIn(recording).map(({ inputs }) => inputs), ...attributes };
  }

  describe('a Corefile that is an Output', () => {
    const args = (text: string): EdgePreconditionsArgs => ({
      cluster,
      only: ['corefile'],
      corefile: { corefile: pulumi.output(text), forwarders },
    });

    it('is edited when it is known, and idempotent: the patch of an edited text has the same text', async () => {
      const first = await made(args(COREFILE));
      const edited = first.inputs[0].data.Corefile as string;
      expect(edited.startsWith(COREFILE.trimEnd())).toBe(true);
      expect(edited).toContain('site-hz.example:53 {');
      expect(first.artifacts.map(({ path }) => path)).toContain('preconditions/it/apply/coredns/Corefile.diff');
      const second = await made(args(edited));
      // the arguments that the state remembers, too
      expect(second.recording.resources.map(({ wire }) => wire)).toEqual(
        first.recording.resources.map(({ wire }) => wire),
      );
      // nothing to do, and nothing to revert
      expect([second.artifacts, second.report[0].steps]).toEqual([[], []]);
    });

    it('causes a restart only without the reload plugin', async () => {
      expect((await made(args(COREFILE))).commands).toEqual([]);
      expect((await made(args(COREFILE.replace('    reload\n', '')))).commands).toHaveLength(1);
    });

    it('is refused when it is known, at its property', async () => {
      const shown = await recordRefusal(() => new EdgePreconditions('it', args('.:53 {\n')));
      expect(shown).toMatch(/EDGE_COREFILE +corefile\.corefile: line 1, column 6/);
      // with the edits only, the whole Corefile would be replaced
      const empty = await recordRefusal(() => new EdgePreconditions('it', args('')));
      expect(empty).toMatch(/EDGE_COREFILE +corefile\.corefile: it is empty/);
    });
  });

  describe('whole parts of objects', () => {
    const all: EdgePreconditionsArgs = {
      cluster,
      guide: 'tunnel',
      kubeControllerManager: { staticPod: staticPod() },
      corefile: { configMap: corednsConfigMap() },
      coreDnsService: { service: kubeDns() },
      coreDnsDaemonSet: { deployment: corednsDeployment() },
      kubeProxy: { configMap: kubeProxyConfigMap(), daemonSet: kubeProxyDaemonSet(), verbosity: 6 },
    };
    const late = (wrap: (value: any) => any): EdgePreconditionsArgs => ({
      ...all,
      kubeControllerManager: { staticPod: wrap(staticPod()) },
      corefile: { configMap: { ...corednsConfigMap(), data: wrap({ Corefile: COREFILE }) } },
      coreDnsService: { service: { ...kubeDns(), spec: wrap(kubeDns().spec) }, within: wrap('pool') },
      coreDnsDaemonSet: { deployment: { ...corednsDeployment(), spec: wrap(corednsDeployment().spec) } },
      kubeProxy: {
        configMap: { ...kubeProxyConfigMap(), data: wrap({ 'config.conf': CONFIG_CONF }) },
        daemonSet: { ...kubeProxyDaemonSet(), spec: wrap(kubeProxyDaemonSet().spec) },
        verbosity: wrap(6),
        mode: wrap('comment'),
      },
    });

    it('have the same result as plain ones', async () => {
      const [one, other] = [await made(all), await made(late((value) => pulumi.output(value)))];
      expect(one.inputs).toHaveLength(6);
      expect(other.inputs).toEqual(one.inputs);
      expect([other.report, other.artifacts, other.commands]).toEqual([one.report, one.artifacts, one.commands]);
      expect(other.recording.errors).toEqual([]);
    });

    it('create the same resources while they are unknown', async () => {
      const names = (recording: Recording): string[] => objectsIn(recording).map(({ type, name }) => `${type} ${name}`);
      const preview = await record(() => void new EdgePreconditions('it', late(unknown)), true);
      expect(names(preview).sort()).toEqual(names((await made(all)).recording).sort());
    });
  });

  describe('properties that determine which resources exist', () => {
    const late = (value: unknown): any => pulumi.output(value);

    it.each<[string, Partial<EdgePreconditionsArgs>]>([
      ['only', { only: late(['corefile']) }],
      ['guide', { guide: late('tunnel') }],
      ['corefile', { corefile: late({}) }],
      ['kubeProxy.apply', { kubeProxy: { apply: late(true), configMap: kubeProxyConfigMap() } }],
      ['corefile.proxyNames', { corefile: { corefile: COREFILE, proxyNames: late('raven') } }],
      ['corefile.forwarders', { corefile: { corefile: COREFILE, forwarders: late([]) } }],
      ['corefile.configMap', { corefile: { apply: true, configMap: late(corednsConfigMap()) } }],
      [
        'coreDnsDaemonSet.deployment.metadata',
        { coreDnsDaemonSet: { apply: true, deployment: { ...corednsDeployment(), metadata: late({}) } } },
      ],
      ['coreDnsService.topology', { coreDnsService: { topology: late('annotation') } }],
    ])('%s must be plain', async (path, args) => {
      let problems: unknown;
      await record(() => {
        try {
          new EdgePreconditions('it', { cluster, ...args });
        } catch (error) {
          problems = (error as pulumi.InputPropertiesError).errors;
        }
      });
      expect(problems).toEqual([
        { propertyPath: path, reason: expect.stringMatching(/^EDGE_KNOWN_LATER: must be a plain value/) },
      ]);
    });

    it('is refused with its own code if it is wrong', () => {
      const wrong = (): unknown =>
        new Construct(new Chart(new App(), 'chart'), 'it', { cluster, only: ['corefile'], corefile: { forwarders } });
      expect(wrong).toThrow(EdgeError);
    });
  });
});

/**
 * Documents of the cluster as Outputs.
 *
 * @jest-environment ./test/pulumi/rejections-environment.cjs
 */
import * as pulumi from '@pulumi/pulumi';
import { EdgeError, EdgePreconditions as Construct } from 'edge-nodepools';
import { EdgeCluster, EdgePreconditions, type EdgePreconditionsArgs } from 'edge-nodepools/pulumi';
import { App, Chart } from 'cdk8s';
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
import { objectsIn, record, type Recording, recordRefusal } from './recorded.js';

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

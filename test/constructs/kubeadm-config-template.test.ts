import { Testing } from 'cdk8s';
import { JoinToken, KubeadmConfigTemplate, type NodeJoinProps, NodeReservation } from 'edge-nodepools';
import { declareJoin } from '../properties/join-arbitraries.js';

const on = (kubernetes: string, props: Partial<NodeJoinProps> = {}) =>
  declareJoin({ openYurt: 'none', kubernetes, via: props.via }, JoinToken.fromFile('/var/lib/edge/join-token'), props);

describe('KubeadmConfigTemplate', () => {
  const declare = (version: 'v1beta1' | 'v1beta2', kubernetes = '1.34', props: object = {}) => {
    const { chart, pool } = on(kubernetes);
    const template = new KubeadmConfigTemplate(chart, 'template', {
      pool,
      version,
      reservation: NodeReservation.preset('edge-small'),
      kubeletExtraArgs: { 'max-pods': '30' },
      files: [{ path: '/etc/motd', content: '{{ edge }}\n' }],
      preJoinCommands: [['echo', "it's"]],
      postJoinCommands: ['true'],
      ...props,
    });
    const object = Testing.synth(chart).find(({ kind }) => kind === 'KubeadmConfigTemplate');
    return { template, object, spec: object.spec.template.spec };
  };

  it.each(['v1beta1', 'v1beta2'] as const)('%s: arguments in its format, files, and no token', (version) => {
    const { object, spec, template } = declare(version);
    expect(object.apiVersion).toBe(`bootstrap.cluster.x-k8s.io/${version}`);
    expect(object.metadata.name).toBe(template.templateName);
    expect(template.templateName).toMatch(/^beijing-join-[0-9a-f]{10}$/);
    const labels = 'apps.openyurt.io/nodepool=beijing,nodepool.openyurt.io/hostnetwork=true';
    expect(spec.joinConfiguration.nodeRegistration.kubeletExtraArgs).toEqual(
      version === 'v1beta1'
        ? { 'node-labels': labels, 'max-pods': '30' }
        : [
            { name: 'node-labels', value: labels },
            { name: 'max-pods', value: '30' },
          ],
    );
    expect(spec.joinConfiguration.patches).toEqual({ directory: '/etc/kubernetes/patches' });
    expect(spec.files.map(({ path }: any) => path)).toEqual([
      '/etc/cni/net.d/0-loopback.conflist',
      '/etc/kubernetes/patches/kubeletconfiguration0+strategic.json',
      '/etc/motd',
    ]);
    expect(spec.preKubeadmCommands).toEqual(["'echo' 'it'\\''s'"]);
    expect(spec.postKubeadmCommands).toEqual(["sh -c 'true'"]);
    expect(JSON.stringify(object)).not.toMatch(/token0|discovery/);
  });

  it('gives kubelet and journald the sizes for the disk of the reservation', () => {
    const { spec } = declare('v1beta2', '1.34', {
      reservation: NodeReservation.preset('edge-small', { diskSize: '8Gi' }),
    });
    const of = (path: string): string => spec.files.find((file: any) => file.path.includes(path)).content;
    expect(JSON.parse(of('/patches/'))).toMatchObject({ containerLogMaxSize: '2Mi', imageGCHighThresholdPercent: 70 });
    expect(of('/journald.conf.d/')).toBe('[Journal]\nSystemMaxUse=32M\n');
    expect(spec.preKubeadmCommands[0]).toMatch(/^sh -c '.*systemctl -q try-restart systemd-journald/);
    expect(() =>
      declare('v1beta2', '1.34', {
        reservation: NodeReservation.of({ diskSize: '8Gi' }),
        kubeletConfiguration: { imageGCLowThresholdPercent: 70 },
      }),
    ).toThrow('kubelet would not start');
  });

  it('encodes content that cloud-init would treat as a template', () => {
    const { spec } = declare('v1beta2');
    expect(spec.files[2]).toMatchObject({
      encoding: 'base64',
      content: Buffer.from('{{ edge }}\n').toString('base64'),
    });
    expect(JSON.stringify(spec)).not.toMatch(/\{\{|\{%/);
  });

  it('encodes commands that cloud-init would treat as a template, and keeps a name that is one', () => {
    const line = "docker inspect -f '{{ .Id }}' \"it's\" {# x #}";
    const { spec } = declare('v1beta2', '1.34', {
      preJoinCommands: [line, ['echo', '{% x %}']],
      postJoinCommands: ['echo "$HOME"'],
      nodeName: '{{ ds.meta_data.local_hostname }}',
    });
    const said = spec.preKubeadmCommands.map((command: string) => [
      JSON.stringify(command).match(/\{[{%#]/),
      /^sh -c "\$\(echo ([A-Za-z0-9+/=]+) \| base64 -d\)"$/.exec(command)?.[1],
    ]);
    expect(said.map(([jinja]: any) => jinja as unknown)).toEqual([null, null]);
    expect(said.map(([, base64]: any) => Buffer.from(base64 as string, 'base64').toString())).toEqual([
      `sh -c 'docker inspect -f '\\''{{ .Id }}'\\'' "it'\\''s" {# x #}'`,
      "'echo' '{% x %}'",
    ]);
    expect(spec.postKubeadmCommands).toEqual([`sh -c 'echo "$HOME"'`]);
    expect(spec.joinConfiguration.nodeRegistration.name).toBe('{{ ds.meta_data.local_hostname }}');
  });

  it('has a name that ends in a hash of its content, because it is immutable', () => {
    const nameOf = (props: object): string => declare('v1beta2', '1.34', props).template.templateName;
    expect(nameOf({})).toBe(nameOf({}));
    expect(nameOf({ ntpServers: ['a'] })).not.toBe(nameOf({}));
    expect(nameOf({ name: 'mine' })).toBe('mine');
  });
});

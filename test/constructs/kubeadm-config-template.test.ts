import { App, Chart, Testing } from 'cdk8s';
import {
  BootstrapToken,
  EdgeWarnings,
  JoinToken,
  KubeadmConfigTemplate,
  type NodeJoinProps,
  NodeReservation,
} from 'edge-nodepools';
import { untyped } from '../bad-inputs/case.js';
import fc from 'fast-check';
import { runs } from '../depth.js';
import { parse } from 'yaml';
import { declareJoin } from '../properties/join-arbitraries.js';

const TOKEN = 'abcdef.0123456789abcdef';

describe('BootstrapToken', () => {
  const expiring = (hours: number): string => `${new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 19)}Z`;
  const declare = (expiration: string, props: object = {}) => {
    const app = new App();
    EdgeWarnings.setMode(app, 'silent');
    const chart = new Chart(app, 'tokens');
    const token = new BootstrapToken(chart, 'token', untyped({ token: JoinToken.inline(TOKEN), expiration, ...props }));
    return { token, objects: Testing.synth(chart), warnings: EdgeWarnings.of(app) };
  };

  it('is the Secret that kubeadm creates, with the usages and the group that a node needs', () => {
    const expiration = expiring(1);
    const { token, objects, warnings } = declare(expiration, { description: 'nodes of hangzhou' });
    expect(token.secretName).toBe('bootstrap-token-abcdef');
    expect(objects).toEqual([
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: 'bootstrap-token-abcdef',
          namespace: 'kube-system',
          labels: { 'app.kubernetes.io/managed-by': 'edge-nodepools', 'edge-nodepools/manifest-format': '1' },
        },
        type: 'bootstrap.kubernetes.io/token',
        stringData: {
          'token-id': 'abcdef',
          'token-secret': '0123456789abcdef',
          expiration,
          'usage-bootstrap-signing': 'true',
          'usage-bootstrap-authentication': 'true',
          'auth-extra-groups': 'system:bootstrappers:kubeadm:default-node-token',
          description: 'nodes of hangzhou',
        },
      },
    ]);
    expect(warnings).toEqual([]);
  });

  it('accepts an expiration from toISOString()', () => {
    const expiration = new Date(Date.now() + 3_600_000).toISOString();
    expect(declare(expiration).objects[0].stringData.expiration).toBe(expiration);
  });

  it('warns about groups to which kubeadm gives no rights', () => {
    const kubeadm = 'system:bootstrappers:kubeadm:default-node-token';
    const told = (props: object): string[] =>
      declare(expiring(1), props).warnings.map(({ code, path }) => `${code} ${path}`);
    expect(told({ groups: ['system:bootstrappers:edge'] })).toEqual(['EDGE_TOKEN groups']);
    expect(told({ groups: [] })).toEqual(['EDGE_TOKEN groups']);
    expect(told({ groups: ['system:bootstrappers:edge', kubeadm] })).toEqual([]);
    expect(told({ groups: ['system:bootstrappers:edge'], usages: ['signing'] })).toEqual([]);
  });

  it('warns about a token that is valid for long, forever, or no longer', () => {
    for (const expiration of [expiring(48), 'never', '2020-01-31T12:00:00Z']) {
      expect(declare(expiration).warnings.map(({ code }) => code)).toEqual(['EDGE_TOKEN_TTL']);
    }
    expect(declare('never').objects[0].stringData.expiration).toBeUndefined();
  });
});

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
    expect(spec.preKubeadmCommands[0].split('\n')).toEqual([
      "sh -c 'steps=reload_journal",
      expect.stringMatching(/^control\(\) \{ .*systemctl "\$@"; \}$/),
      'reload_journal() { control -q try-restart systemd-journald; }',
      expect.stringMatching(/^# /),
      'run_steps() { for step in $steps; do $step || return; done; }',
      "run_steps'",
    ]);
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

  /** What cloud-init writes of a file, by the template of Cluster API (`bootstrap/kubeadm/internal/cloudinit/files.go`). */
  const written = ({ path, owner, permissions, encoding = '', content }: any): string => {
    const fields = `    owner: ${owner}\n    permissions: '${permissions}'`;
    const text = `-   path: ${path}\n${encoding === '' ? '' : `    encoding: "${encoding}"\n`}${fields}\n    content: |\n${content
      .split('\n')
      .map((line: string) => `      ${line}`)
      .join('\n')}\n-   path: /etc/next\n    content: |\n      x\n      `;
    const [read] = parse(text, { version: '1.1' });
    return encoding === '' ? read.content : Buffer.from(read.content, 'base64').toString();
  };

  it('gives every content that cloud-init gets by a literal block of Cluster API unchanged', () => {
    const piece = fc.constantFrom(
      'a',
      'b: c',
      '- d',
      '# e',
      '---',
      ' ',
      '  ',
      '\t',
      '\n',
      '\n\n',
      'é',
      '🙂',
      '\r',
      '\u0085',
      '\u2028',
      '\x7f',
      '\x1b',
      '\uFEFF',
      '\u00a0',
      '{{ x }}',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.boolean(), (pieces, ends) => {
        const content = `${pieces.join('')}${ends ? '\n' : ''}`;
        const { spec } = declare('v1beta2', '1.34', { files: [{ path: '/etc/motd', content }] });
        const file = spec.files.find(({ path }: any) => path === '/etc/motd');
        expect(written(file)).toBe(content);
      }),
      runs(60),
    );
  });

  it.each([
    ['an indented first line', '  a\nb\n'],
    ['a tab first', '\ta\n'],
    ['an empty line first', '\na\n'],
    ['no line break at its end', 'a'],
    ['empty lines at its end', 'a\n\n'],
    ['blanks at its end', 'a  \n  \n'],
    ['nothing', ''],
    ['CRLF', 'a\r\nb\r\n'],
    ['a control character', 'a\x1bb\n'],
    ['DEL at its end', 'a\x7f\n'],
    ['NEL', 'a\u0085b\n'],
    ['U+2028', 'a\u2028b\n'],
    ['a byte order mark', 'a\uFEFFb\n'],
  ])('encodes content with %s', (_, content) => {
    const { spec } = declare('v1beta2', '1.34', { files: [{ path: '/etc/motd', content }] });
    expect(spec.files.at(-1)).toMatchObject({ encoding: 'base64', content: Buffer.from(content).toString('base64') });
  });

  it('leaves other content readable, and encodes a patch of kubelet with DEL in a key', () => {
    const content = 'é 🙂\n\n  b \t\n   \n--- # c\n';
    const { spec } = declare('v1beta2', '1.34', {
      files: [{ path: '/etc/motd', content }],
      kubeletConfiguration: { staticPodURLHeader: { 'a\x7f': ['b'] } },
    });
    expect(spec.files.at(-1)).not.toHaveProperty('encoding');
    expect(spec.files.at(-1).content).toBe(content);
    expect(spec.files.find(({ path }: any) => path.includes('/patches/')).encoding).toBe('base64');
    expect(spec.files[0]).not.toHaveProperty('encoding');
  });

  it('has a name that ends in a hash of its content, because it is immutable', () => {
    const nameOf = (props: object): string => declare('v1beta2', '1.34', props).template.templateName;
    expect(nameOf({})).toBe(nameOf({}));
    expect(nameOf({ ntpServers: ['a'] })).not.toBe(nameOf({}));
    expect(nameOf({ name: 'mine' })).toBe('mine');
  });
});

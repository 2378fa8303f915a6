import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { main } from '../../src/cli/main.js';
import { imageReference, imagesIn } from '../../src/kubernetes/image-reference.js';
import { runs } from '../depth.js';

const made: string[] = [];
afterAll(() => made.forEach((path) => rmSync(path, { recursive: true, force: true })));

function folder(files: Readonly<Record<string, string>> = {}): string {
  const path = mkdtempSync(join(tmpdir(), 'edge-nodepools-bundle-'));
  made.push(path);
  Object.entries(files).forEach(([name, text]) => {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  });
  return path;
}

const digestOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;
const DIGEST = digestOf('a');

const workload = (...images: string[]): string =>
  JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'till' },
    spec: { template: { spec: { containers: images.map((image) => ({ name: 'a', image })) } } },
  });

function run(
  args: readonly string[],
  curl?: (args: readonly string[]) => string,
): { readonly code: number; readonly out: string; readonly err: string } {
  let [out, err] = ['', ''];
  const code = main(['bundle', ...args], {
    stdin: () => '',
    stdout: (text) => (out += text),
    stderr: (text) => (err += text),
    ...(curl === undefined ? {} : { curl }),
  });
  return { code, out, err };
}

function inside(archive: string): Map<string, string> {
  const into = folder();
  execFileSync('tar', ['--extract', '--gzip', '--file', archive, '--directory', into]);
  execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: into });
  const names = execFileSync('tar', ['--list', '--gzip', '--file', archive], { encoding: 'utf8' });
  return new Map(
    names
      .trim()
      .split('\n')
      .map((name) => [name, readFileSync(join(into, name), 'utf8')]),
  );
}

describe('edge-nodepools bundle', () => {
  it('has all files, the images by digest, and sums that hold; the same bytes twice', () => {
    const image = `registry.example/till:3@${DIGEST}`;
    const root = folder({
      'sites/beijing/30-workloads/a.k8s.yaml': workload(image),
      'join/beijing/user-data': '#cloud-config\n',
    });
    const [first, second] = ['one.tar.gz', 'two.tar.gz'].map((name) => join(root, name)) as [string, string];
    const args = [join(root, 'sites/beijing'), join(root, 'join')];
    expect(run([...args, '--out', first])).toMatchObject({ code: 0, out: `${first}: 2 files, 1 images\n` });
    utimesSync(join(root, 'join/beijing/user-data'), 1, 1);
    expect(run([...args, '--out', second]).code).toBe(0);
    expect(readFileSync(first).equals(readFileSync(second))).toBe(true);
    const files = inside(first);
    expect([...files.keys()]).toEqual([
      'LOADING.txt',
      'SHA256SUMS',
      'beijing/30-workloads/a.k8s.yaml',
      'images.txt',
      'join/beijing/user-data',
    ]);
    expect(files.get('images.txt')).toBe(`${image}\n`);
  });

  it('says how each image gets the path for which containerd asks a mirror', () => {
    const paths = {
      [`redis:7@${DIGEST}`]: 'library/redis:7',
      [`bitnami/redis@${DIGEST}`]: 'bitnami/redis',
      [`quay.io/a/b:1@${DIGEST}`]: 'a/b:1',
      [`r:5000/till:3@${DIGEST}`]: 'till:3',
    };
    const root = folder(
      Object.fromEntries(Object.keys(paths).map((image, at) => [`site/${at}.yaml`, workload(image)])),
    );
    const out = join(root, 'it.tar.gz');
    expect(run([join(root, 'site'), '--out', out]).code).toBe(0);
    const files = inside(out);
    const [loop = ''] = /^ {2}while [^]*?images.txt$/m.exec(files.get('LOADING.txt') ?? '') ?? [];
    writeFileSync(join(root, 'images.txt'), files.get('images.txt') ?? '');
    const said = execFileSync('sh', ['-c', `crane() { echo "$2 $3"; }\n${loop}`], { cwd: root, encoding: 'utf8' });
    expect(
      Object.fromEntries(
        said
          .trim()
          .split('\n')
          .map((line) => line.split(' ')),
      ),
    ).toEqual(Object.fromEntries(Object.entries(paths).map(([image, path]) => [image, `REGISTRY/${path}`])));
  });

  it('is only for its owner if a file of it is', () => {
    const root = folder({ 'join/user-data': 'token', 'a.yaml': workload() });
    const out = join(root, 'it.tar.gz');
    expect(run([join(root, 'join'), '--out', out]).out).not.toContain('secret');
    chmodSync(join(root, 'join/user-data'), 0o600);
    expect(run([join(root, 'join'), '--out', out]).out).toContain('a secret in it');
    expect(statSync(out).mode & 0o777).toBe(0o600);
  });

  it.each<[string, (root: string) => string[], number, RegExp]>([
    ['a folder that is not there', (root) => [join(root, 'none')], 2, /no such file or folder/],
    ['an empty folder', (root) => [join(root, 'empty')], 2, /no file in it/],
    ['two of one name', (root) => [join(root, 'site'), join(root, 'other/site')], 2, /two of the arguments/],
    ['an image without a digest', (root) => [join(root, 'site')], 1, /till:3: it has no digest/],
    ['no folder of images', (root) => [join(root, 'site'), '--check', join(root, 'x')], 2, /no such folder/],
    ['a folder without images', (root) => [join(root, 'site'), '--check', root], 2, /no OCI image layout/],
    ['images of no folder', (root) => [join(root, 'site'), '--with-images'], 2, /--with-images needs --check <folder>/],
    ['a file of the archive itself', (root) => [join(root, 'images.txt')], 2, /a file images.txt of its own/],
    ['a path that is too long', (root) => [join(root, 'long')], 2, /too long/],
  ])('%s: nothing is written', (_, args, code, message) => {
    const root = folder({
      'site/a.yaml': workload('registry.example/till:3'),
      'other/site/a.yaml': workload(),
      'images.txt': '',
      [`long/${'a'.repeat(120)}.yaml`]: workload(),
    });
    mkdirSync(join(root, 'empty'));
    const out = join(root, 'out.tar.gz');
    const result = run([...args(root), '--out', out]);
    expect([result.code, `${result.out}${result.err}`]).toEqual([code, expect.stringMatching(message)]);
    expect(statSync(out, { throwIfNoEntry: false })).toBeUndefined();
  });
});

describe('--check with a registry', () => {
  const root = folder({ 'site/a.yaml': workload('registry.example/till:3', `nginx@${DIGEST}`) });
  const args = (address = 'http://127.0.0.1:5000/'): string[] => [
    join(root, 'site'),
    ...['--out', join(root, 'it.tar.gz'), '--check', address],
  ];
  const ok = `HTTP/1.1 200 OK\r\nDocker-Content-Digest: ${DIGEST}\r\n\r\n`;

  it('asks it as containerd asks a mirror, and writes the digests that it has', () => {
    const urls: string[] = [];
    const result = run(args(), (given) => {
      urls.push(given.at(-1) as string);
      return ok;
    });
    expect(result.code).toBe(0);
    expect(urls.sort()).toEqual([
      `http://127.0.0.1:5000/v2/library/nginx/manifests/${DIGEST}?ns=docker.io`,
      'http://127.0.0.1:5000/v2/till/manifests/3?ns=registry.example',
    ]);
    expect(inside(join(root, 'it.tar.gz')).get('images.txt')).toBe(
      `nginx@${DIGEST}\nregistry.example/till:3@${DIGEST}\n`,
    );
  });

  it('says which are not there', () => {
    const result = run(args(), (given) => ((given.at(-1) as string).includes('till') ? 'HTTP/2 404\r\n\r\n' : ok));
    expect(result).toMatchObject({ code: 1, out: expect.stringContaining('registry.example/till:3: it is not in') });
  });

  it('gets a token where the registry wants one', () => {
    const challenge =
      'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer realm="https://auth.example/token",service="s",scope="repository:till:pull"\r\n\r\n';
    const result = run(args(), (given) => {
      const url = given.at(-1) as string;
      if (url.startsWith('https://auth.example/token?service=s&scope=repository')) {
        return '{"token":"abc"}';
      }
      return given.includes('Authorization: Bearer abc') ? ok : challenge;
    });
    expect(result.code).toBe(0);
  });

  it.each([
    ['HTTP/1.1 401 Unauthorized\r\n\r\n', /401 .*netrc/],
    ['HTTP/1.1 500 Oops\r\n\r\n', /500/],
    ['', /answers 0/],
  ])('%j is no answer', (answer, message) => {
    const result = run(args(), () => answer);
    expect([result.code, result.err]).toEqual([2, expect.stringMatching(message)]);
  });
});

describe('--check with a folder', () => {
  const config = '{}';
  const layer = 'layer';
  const blob = (text: string): object => ({ digest: digestOf(text), size: text.length });
  const manifest = JSON.stringify({ config: blob(config), layers: [blob(layer)] });
  const index = JSON.stringify({ manifests: [blob('elsewhere'), blob(manifest)] });
  const name = 'registry.example/till:3';

  const layout = (blobs: readonly string[], image: string, named = name): string =>
    folder({
      'site/a.yaml': workload(image),
      'images/till/oci-layout': '{}',
      'images/till/index.json': JSON.stringify({
        manifests: [{ ...blob(index), annotations: { 'org.opencontainers.image.ref.name': named } }],
      }),
      ...Object.fromEntries(
        blobs.map((text) => [`images/till/blobs/sha256/${digestOf(text).slice('sha256:'.length)}`, text]),
      ),
    });
  const check = (root: string): number =>
    run([join(root, 'site'), '--out', join(root, 'it.tar.gz'), '--check', join(root, 'images')]).code;
  const all = [config, layer, manifest, index];

  it.each([
    ['by its name', layout(all, name), 0],
    ['by its path', layout(all, name, 'till:3'), 0],
    ['by digest', layout(all, `till@${digestOf(index)}`, 'other'), 0],
    ['by the digest of a platform', layout(all, `till@${digestOf(manifest)}`, 'other'), 0],
    ['of another name', layout(all, name, 'registry.example/till:4'), 1],
    ['without a layer', layout([config, manifest, index], name), 1],
    ['without any platform', layout([index], name), 1],
    ['of another digest', layout(all, `till@${DIGEST}`), 1],
  ])('an image %s', (_, root, code) => {
    expect(check(root)).toBe(code);
  });

  it('--with-images: the archive has one layout with all of it, in which the images are found again', () => {
    const root = layout(all, 'till:3', 'till:3');
    const args = [join(root, 'site'), '--check', join(root, 'images'), '--with-images'];
    const out = join(root, 'it.tar.gz');
    expect(run([...args, '--out', out])).toMatchObject({
      code: 0,
      out: `${out}: 1 files, 1 images with their layers\n`,
    });
    const files = inside(out);
    const into = folder(Object.fromEntries(files));
    expect(JSON.parse(files.get('images/index.json') as string).manifests).toEqual([
      {
        mediaType: 'application/vnd.oci.image.index.v1+json',
        ...blob(index),
        annotations: {
          'io.containerd.image.name': 'docker.io/library/till:3',
          'org.opencontainers.image.ref.name': 'till:3',
        },
      },
    ]);
    expect([...files.keys()].filter((path) => path.startsWith('images/blobs/')).sort()).toEqual(
      all.map((text) => `images/blobs/sha256/${digestOf(text).slice(7)}`).sort(),
    );
    const again = [
      join(into, 'site'),
      '--check',
      join(into, 'images'),
      '--with-images',
      '--out',
      join(into, 'a.tar.gz'),
    ];
    expect(run(again).code).toBe(0);
    expect(inside(join(into, 'a.tar.gz')).get('LOADING.txt')).toContain('ctr --namespace k8s.io images import');
  });

  it('a layer of another size, or a manifest of other bytes, is not there', () => {
    const [short, changed] = [layout(all, name), layout(all, name)];
    writeFileSync(join(short, `images/till/blobs/sha256/${digestOf(layer).slice(7)}`), 'lay');
    expect(check(short)).toBe(1);
    writeFileSync(join(changed, `images/till/blobs/sha256/${digestOf(manifest).slice(7)}`), `${manifest} `);
    expect(check(changed)).toBe(1);
  });
});

describe('images that no container has', () => {
  const of = (apiVersion: string, kind: string, spec: object): object => ({
    ...{ apiVersion, kind, spec },
    metadata: { name: 'it', namespace: 'a' },
  });
  const monitoring = (kind: string, spec: object): object => of('monitoring.coreos.com/v1', kind, spec);
  const container = (given: object): object =>
    of('apps/v1', 'Deployment', { template: { spec: { containers: [{ name: 'a', image: 'own:1', ...given }] } } });
  const config = (data: object): object => ({ ...of('v1', 'ConfigMap', {}), spec: undefined, data });
  const RELOADER = 'quay.io/prometheus-operator/prometheus-config-reloader:v0.85.0';

  it.each<[string, object, string[], string[]?]>([
    ['Prometheus', monitoring('Prometheus', { image: 'prom:1', version: '1', replicas: 2 }), ['prom:1']],
    ['Alertmanager', monitoring('Alertmanager', { image: 'am:1' }), ['am:1']],
    ['ThanosRuler without one', monitoring('ThanosRuler', { replicas: 1 }), [], ['ThanosRuler a/it']],
    [
      'a part without one',
      monitoring('Prometheus', { image: 'prom:1', thanos: { version: '2' } }),
      ['prom:1'],
      ['Prometheus a/it'],
    ],
    [
      'a kind without Pods',
      monitoring('ServiceMonitor', { endpoints: [], image: 'no:1' }),
      [],
      ['ServiceMonitor a/it: spec.image'],
    ],
    [
      'a name in parts',
      of('operator.victoriametrics.com/v1beta1', 'VMAgent', { image: { repository: 'vm/agent', tag: 'v1' } }),
      ['vm/agent:v1'],
    ],
    ['a chart', of('helm.toolkit.fluxcd.io/v2', 'HelmRelease', {}), [], ['HelmRelease a/it']],
    [
      'a chart with one of its images',
      of('helm.toolkit.fluxcd.io/v2', 'HelmRelease', { values: { image: { repository: 'a', tag: '1' } } }),
      ['a:1'],
      ['HelmRelease a/it'],
    ],
    [
      'a machine',
      of('infrastructure.cluster.x-k8s.io/v1beta1', 'OpenStackMachineTemplate', {
        template: { spec: { image: 'ubuntu-24.04', nodeSelector: { a: 'b' } } },
      }),
      [],
    ],
    ['a Pod as text', config({ a: 'containers:\n- name: a\n  image: b\n' }), ['b']],
    ['a Pod in a template', config({ a: 'containers:\n- image: {{ .a }}\n' }), [], ['ConfigMap a/it: data.a']],
    [
      'a key of a ConfigMap',
      config({ RELATED_IMAGE_A: 'quay.io/a/b:1', 'side.image': 'busybox', images: 'a/b:1\nc/d:2\n' }),
      ['a/b:1', 'c/d:2', 'quay.io/a/b:1'],
      ['ConfigMap a/it: data["side.image"]'],
    ],
    [
      'YAML, JSON and properties in a ConfigMap',
      config({
        'a.yaml': 'global:\n  proxy:\n    image: { repository: a/proxy, tag: 1.5 }\n    initImage: proxyv2\n',
        'b.json': JSON.stringify({ executor: { image: 'quay.io/x/exec:v3' } }),
        'c.properties': 'x=1\nsidecar.image = registry.example/side:2\n# other.image=c/d:1\n',
        'd.yaml': '{{ if .x }}\n  - image: "{{ .hub }}/a:{{ .tag }}"\n{{ end }}\n  image: ok.example/a:1 # why\n',
      }),
      ['a/proxy:1.5', 'ok.example/a:1', 'quay.io/x/exec:v3', 'registry.example/side:2'],
      ['ConfigMap a/it: data["a.yaml"].global.proxy.initImage', 'ConfigMap a/it: data["d.yaml"]'],
    ],
    [
      'a ConfigMap without any',
      config({
        Corefile: '.:53 {\n  forward . 1.1.1.1\n}\n',
        'dash.json': JSON.stringify({ expr: 'sum(x{image!="",image="a"}) by (image)', image: '' }),
        'site.css': 'body {\n  background-image: url(a.png);\n}\n',
        'read.me': 'The image: see below\nimage: see the page of the image\nimage: logo.png\nimages:\n',
        ENABLE_IMAGE: 'true',
      }),
      [],
    ],
    [
      'steps of Tekton',
      of('tekton.dev/v1', 'Pipeline', {
        params: [{ name: 'base-image', default: 'registry.example/base:1' }],
        tasks: [{ taskSpec: { steps: [{ name: 'a', image: 'bash', env: [] }, { image: '$(params.x)' }] } }],
      }),
      ['bash', 'registry.example/base:1'],
      ['Pipeline a/it: spec.tasks[0].taskSpec.steps[1].image'],
    ],
    [
      'an unknown kind',
      of('example.com/v1', 'Shop', {
        image: 'registry.example/shop:1',
        till: { proxyImage: 'envoy', image: { name: 'a/till', tag: 'v2' } },
        db: { repository: 'quay.io/a/db', digest: DIGEST },
        source: { repository: 'me/shop', tag: 'v1' },
        icon: { image: 'https://a.example/b.png' },
        list: [{ image: { repository: 'a/b' } }],
      }),
      ['a/till:v2', `quay.io/a/db@${DIGEST}`, 'registry.example/shop:1'],
      ['list[0].image', 'source', 'till.proxyImage'].map((path) => `Shop a/it: spec.${path}`),
    ],
    [
      'arguments and variables without a tag',
      container({
        args: ['--proxy-image=quay.io/a/proxy', '--image=$(X)', '--image-pull-policy=always'],
        env: [
          { name: 'RELATED_IMAGE_B', value: 'quay.io/a/b' },
          { name: 'WAIT_IMAGE', value: 'yes' },
        ],
      }),
      ['own:1'],
      ['RELATED_IMAGE_B', 'proxy-image'].map((name) => `Deployment a/it: spec.template.spec.containers[0] ${name}`),
    ],
    ['an argument', container({ args: [`--prometheus-config-reloader=${RELOADER}`] }), ['own:1', RELOADER]],
    ['two words', container({ command: ['run', '--helper-image', 'helper:1'] }), ['helper:1', 'own:1']],
    [
      'a variable',
      container({ env: [{ name: 'RELATED_IMAGE_A', value: 'a.example/b:1' }] }),
      ['a.example/b:1', 'own:1'],
    ],
    [
      'other arguments',
      container({
        args: ['--service=kube-system/kubelet', '--listen=127.0.0.1:80', '--to=http://a.b/c:1', '--image-pull=Always'],
        env: [
          { name: 'A', value: 'host.example/path:8080' },
          { name: 'B', valueFrom: {} },
        ],
      }),
      ['own:1'],
    ],
  ])('%s', (_, object, images, unknown = []) => {
    const expected = { images, unknown };
    expect(imagesIn([object])).toEqual(expected);
    expect(imagesIn([{ apiVersion: 'v1', kind: 'List', items: [object] }])).toEqual(expected);
  });

  it('the objects are named, and --image has what they do not say', () => {
    const root = folder({ 'a.yaml': JSON.stringify(monitoring('ThanosRuler', { replicas: 1 })) });
    const out = join(root, 'it.tar.gz');
    const image = `thanos@${DIGEST}`;
    expect(run([join(root, 'a.yaml'), '--out', out, '--image', image])).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /: 1 files, 1 images\nNot known, .*:\n  a\.yaml: ThanosRuler a\/it\n.* --image <name>/,
      ),
    });
    expect(inside(out).get('images.txt')).toBe(`${image}\n`);
  });
});

describe('the name of an image', () => {
  it.each([
    ['nginx', 'docker.io', 'library/nginx', 'latest', undefined],
    ['nginx:1.29', 'docker.io', 'library/nginx', '1.29', undefined],
    ['openyurt/yurt-manager:v1.7.0', 'docker.io', 'openyurt/yurt-manager', 'v1.7.0', undefined],
    ['localhost/a/b', 'localhost', 'a/b', 'latest', undefined],
    ['registry.example:5000/a', 'registry.example:5000', 'a', 'latest', undefined],
    [`registry.k8s.io/pause@${DIGEST}`, 'registry.k8s.io', 'pause', undefined, DIGEST],
    [`registry.k8s.io/pause:3.10@${DIGEST}`, 'registry.k8s.io', 'pause', '3.10', DIGEST],
  ])('%s', (name, registry, repository, tag, digest) => {
    expect(imageReference(name)).toEqual({
      ...{ name, registry, repository },
      ...(tag === undefined ? {} : { tag }),
      ...(digest === undefined ? {} : { digest }),
    });
  });

  it.each(['', 'A', 'a b', 'a:b:c', 'a@sha256:1', '$(IMAGE)', '/a', 'registry.example/'])('%j is none', (name) => {
    expect(imageReference(name)).toBeUndefined();
  });

  it('is found wherever containers are', () => {
    const spec = fc.letrec((tie) => ({
      spec: fc.oneof(
        { depthSize: 'small' },
        fc.record({ containers: fc.constant([{ name: 'a', image: 'found' }]) }),
        fc.record({ initContainers: fc.constant([{ name: 'a', image: 'found' }]) }),
        fc.record({ volumes: fc.constant([{ name: 'a', image: { reference: 'found' } }]) }),
        fc.record({ template: tie('spec') }),
        fc.array(tie('spec'), { minLength: 1, maxLength: 2 }),
      ),
    })).spec;
    fc.assert(
      fc.property(spec, (given) => expect(imagesIn([{ image: 'not', spec: given }]).images).toEqual(['found'])),
      runs(100),
    );
  });
});

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { containerdSteps } from '../../src/join/container-runtime.js';
import { shell } from '../../src/join/shell-parts.js';
import { stepsScript } from '../../src/base/shell-script.js';
import { JoinToken, KubeadmConfigTemplate, type NodeJoinProps } from 'edge-nodepools';
import { declareJoin, WAYS } from '../properties/join-arbitraries.js';

type Settings = Parameters<typeof containerdSteps>[0];
const containerdLines = (settings: Settings): string[] => [
  shell('common'),
  shell('systemctl'),
  stepsScript(containerdSteps(settings)),
];
const CRI_LINES = [shell('common'), shell('systemctl'), shell('cri'), 'enable_cri'];

const SETTINGS = { cniFolder: '/etc/edge/cni', sandboxImage: 'registry.example:5000/pause:3.10' };

const VERSION_2 = `version = 2
imports = []

[plugins]
  [plugins."io.containerd.grpc.v1.cri"]
    # sandbox_image = "in a comment"
    sandbox_image = "registry.k8s.io/pause:3.6"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = true
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "/etc/containerd/certs.d"
`;

const VERSION_3 = `version = 3
[plugins.'io.containerd.cri.v1.images'.pinned_images] # images
  sandbox = 'registry.k8s.io/pause:3.10'
[plugins.'io.containerd.cri.v1.runtime'.cni]
  bin_dirs = ['/opt/cni/bin']
  conf_dir = '/etc/cni/net.d'
`;

/** A file after the lines run once, and after they run again. */
function edited(
  before: string | undefined,
  settings: Settings = SETTINGS,
  lines: readonly string[] = containerdLines(settings),
): string {
  const folder = mkdtempSync(join(tmpdir(), 'containerd-'));
  const file = join(folder, 'config.toml');
  try {
    if (before !== undefined) {
      writeFileSync(file, before, { mode: 0o600 });
    }
    const script = `systemctl() { :; }\nedit() {\n${lines.join('\n')}\n}\nedit`.replaceAll('/etc/containerd', folder);
    const run = (): string => {
      const { status, stderr } = spawnSync('sh', { input: script, encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      return readFileSync(file, 'utf8');
    };
    const once = run();
    expect(run()).toBe(once);
    expect(existsSync(`${file}.edge-nodepools`)).toBe(false);
    if (before !== undefined) {
      expect(statSync(file).mode & 0o777).toBe(0o600);
    }
    return once;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const onPosix = process.platform === 'win32' ? describe.skip : describe;

onPosix('the settings of containerd (skipped on Windows, because they are changed by a POSIX shell)', () => {
  it('change only one key of a version 2 file', () => {
    const cni = `[plugins."io.containerd.grpc.v1.cri".cni]\n  conf_dir = "/etc/edge/cni"\n`;
    const image = '  sandbox_image = "registry.example:5000/pause:3.10"';
    expect(edited(VERSION_2)).toBe(`${VERSION_2.replace(/^ *sandbox_image.*$/m, image)}${cni}`);
  });

  it('use the tables of version 3, for any quotes', () => {
    const expected = VERSION_3.replace(/sandbox = .*/, 'sandbox = "registry.example:5000/pause:3.10"').replace(
      /conf_dir = .*/,
      'conf_dir = "/etc/edge/cni"',
    );
    expect(edited(VERSION_3)).toBe(expected);
    expect(edited(VERSION_3.replaceAll("'io.", '"io.').replaceAll("'.", '".'))).toContain(
      'sandbox = "registry.example:5000/pause:3.10"',
    );
  });

  it('are added to an existing table without the key, before the next table', () => {
    const file =
      'version = 3\n[plugins."io.containerd.cri.v1.images".pinned_images]\n  a = "b"\n[debug]\n  level = "info"\n';
    expect(edited(file, { ...SETTINGS, cniFolder: '/etc/cni/net.d' })).toBe(
      file.replace('[debug]', '  sandbox = "registry.example:5000/pause:3.10"\n[debug]'),
    );
  });

  it('create the tables of version 1 without a version, and a file if there is none', () => {
    expect(edited('# empty\ndisabled_plugins = []\n')).toBe(
      '# empty\ndisabled_plugins = []\n[plugins.cri]\n  sandbox_image = "registry.example:5000/pause:3.10"\n[plugins.cri.cni]\n  conf_dir = "/etc/edge/cni"\n',
    );
    expect(edited(undefined)).toBe(
      'version = 2\n[plugins."io.containerd.grpc.v1.cri"]\n  sandbox_image = "registry.example:5000/pause:3.10"\n[plugins."io.containerd.grpc.v1.cri".cni]\n  conf_dir = "/etc/edge/cni"\n',
    );
  });

  it('use version 1 if it is set, in any spelling', () => {
    for (const line of [
      'version = 1',
      'version=1',
      '  version  =  1  # old',
      'version = 1\nroot = "/x"\n[debug]\nversion = 3',
    ]) {
      expect(edited(`${line}\n`)).toBe(
        `${line}\n[plugins.cri]\n  sandbox_image = "registry.example:5000/pause:3.10"\n[plugins.cri.cni]\n  conf_dir = "/etc/edge/cni"\n`,
      );
    }
  });

  it('use the newest tables for a later version', () => {
    expect(edited('version = 4\n')).toBe(
      `version = 4\n[plugins.'io.containerd.cri.v1.images'.pinned_images]\n  sandbox = "registry.example:5000/pause:3.10"\n[plugins.'io.containerd.cri.v1.runtime'.cni]\n  conf_dir = "/etc/edge/cni"\n`,
    );
  });

  it('keep line ends of Windows', () => {
    const crlf = (text: string): string => text.replaceAll('\n', '\r\n');
    expect(edited(crlf(VERSION_2))).toBe(crlf(edited(VERSION_2)));
    expect(edited(crlf(VERSION_3))).toBe(crlf(edited(VERSION_3)));
  });

  it('find keys with dots, and add one beside them, because TOML permits no second definition of the table', () => {
    const cri = 'plugins."io.containerd.grpc.v1.cri"';
    expect(edited(`version = 2\n${cri}.sandbox_image = 'a' # old\n${cri} . cni.bin_dir = "/opt"\n[debug]\n`)).toBe(
      `version = 2\n  ${cri}.sandbox_image = "registry.example:5000/pause:3.10"\n${cri} . cni.bin_dir = "/opt"\n  ${cri} . cni.conf_dir = "/etc/edge/cni"\n[debug]\n`,
    );
    expect(
      edited(`version = 2\n[${cri}]\n  sandbox_image = "a"\n  cni.bin_dir = "/opt"\n  cni.conf_dir = "/x"\n`),
    ).toBe(
      `version = 2\n[${cri}]\n  sandbox_image = "registry.example:5000/pause:3.10"\n  cni.bin_dir = "/opt"\n  cni.conf_dir = "/etc/edge/cni"\n`,
    );
  });

  it('change no inline table, and say so', () => {
    const file = 'version = 2\n[plugins."io.containerd.grpc.v1.cri"]\n  cni = { bin_dir = "/opt" }\n';
    expect(() => edited(file, { cniFolder: '/etc/edge/cni' })).toThrow(/cannot be edited: write conf_dir of/);
  });

  it('enable CRI where the packages of Docker disable it, and change nothing else', () => {
    const rows = [
      ['disabled_plugins = ["cri"]\n', 'disabled_plugins = []\n'],
      [`  disabled_plugins=['cri', "btrfs"]\r\n`, `  disabled_plugins=[ "btrfs"]\r\n`],
      ['disabled_plugins = ["a", "io.containerd.grpc.v1.cri"]\n[x]\n', 'disabled_plugins = ["a", ]\n[x]\n'],
      ['#disabled_plugins = ["cri"]\n', '#disabled_plugins = ["cri"]\n'],
      ['disabled_plugins = ["criu"]\n', 'disabled_plugins = ["criu"]\n'],
    ] as const;
    expect(rows.map(([before]) => edited(before, { cniFolder: '/etc/cni/net.d' }, CRI_LINES))).toEqual(
      rows.map(([, after]) => after),
    );
  });

  it('are empty without differences from the defaults', () => {
    expect(containerdSteps({ cniFolder: '/etc/cni/net.d' }).steps).toEqual([]);
  });
});

/** The pause image that kubeadm names. */
const fileOf = (kubernetes: string, props: Partial<NodeJoinProps>, path: string): string =>
  declareJoin(
    { openYurt: 'none', kubernetes, via: 'kubeadm' },
    JoinToken.fromFile('/var/lib/edge/join-token'),
    props,
  ).join.files.find((file) => file.path.endsWith(path))?.content ?? '';

/** `PauseVersion` in `cmd/kubeadm/app/constants/constants.go` of the last patch release of each minor. */
const PAUSE = {
  '1.22': '3.5',
  '1.23': '3.6',
  '1.24': '3.7',
  '1.25': '3.8',
  '1.26': '3.9',
  '1.27': '3.9',
  '1.28': '3.9',
  '1.29': '3.9',
  '1.30': '3.9',
  '1.31': '3.10',
  '1.32': '3.10',
  '1.33': '3.10',
  '1.34': '3.10.1',
  '1.35': '3.10.1',
  '1.36': '3.10.2',
  '1.37': '3.10.2',
};

describe('the sandbox image of kubeadm', () => {
  it.each(Object.entries(PAUSE))('of Kubernetes %s is pause:%s, with both runtimes', (kubernetes, pause) => {
    const image = `registry.k8s.io/pause:${pause}`;
    expect(fileOf(kubernetes, { sandboxImage: 'kubeadm' }, '/join.sh')).toContain(`sandbox_image "${image}"`);
    expect(
      fileOf(kubernetes, { sandboxImage: 'kubeadm', runtime: 'cri-o' }, '/crio.conf.d/10-edge-nodepools.conf'),
    ).toBe(`[crio.image]\npause_image = "${image}"\n`);
  });

  it('comes from another registry, with or without a slash at its end', () => {
    for (const imageRepository of ['registry.example:5000/k8s', 'registry.example:5000/k8s/']) {
      expect(fileOf('1.36', { sandboxImage: { imageRepository } }, '/join.sh')).toContain(
        'sandbox_image "registry.example:5000/k8s/pause:3.10.2"',
      );
    }
  });

  it('is also that of yurtadm and of templates of Cluster API', () => {
    const way = WAYS.find(({ via, openYurt }) => via === 'yurtadm' && openYurt === '1.6');
    const token = JoinToken.fromFile('/var/lib/edge/join-token');
    const { join } = declareJoin(way as (typeof WAYS)[number], token, { sandboxImage: 'kubeadm' });
    expect(join.script).toMatch(/--pause-image=.*registry.k8s.io.pause:3.9/);
    const { chart, pool } = declareJoin({ openYurt: 'none', kubernetes: '1.34', via: 'kubeadm' }, token);
    new KubeadmConfigTemplate(chart, 'template', { pool, sandboxImage: { imageRepository: 'registry.example' } });
    expect(JSON.stringify(chart.toJson())).toContain('registry.example/pause:3.10.1');
  });
});

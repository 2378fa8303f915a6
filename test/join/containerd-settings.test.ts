import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { containerdLines } from '../../src/join/containerd-settings.js';

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

/** What becomes of a file when the lines run once, and when they run again. */
function edited(before: string | undefined, settings: Parameters<typeof containerdLines>[0] = SETTINGS): string {
  const folder = mkdtempSync(join(tmpdir(), 'containerd-'));
  const file = join(folder, 'config.toml');
  try {
    if (before !== undefined) {
      writeFileSync(file, before, { mode: 0o600 });
    }
    const script = `edit() {\n${containerdLines(settings).join('\n')}\n}\nedit`.replaceAll('/etc/containerd', folder);
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
  it('change the one key, and leave everything else of a version 2 file as it is', () => {
    const cni = `[plugins."io.containerd.grpc.v1.cri".cni]\n  conf_dir = "/etc/edge/cni"\n`;
    const image = '  sandbox_image = "registry.example:5000/pause:3.10"';
    expect(edited(VERSION_2)).toBe(`${VERSION_2.replace(/^ *sandbox_image.*$/m, image)}${cni}`);
  });

  it('go where version 3 has them, however the name is quoted', () => {
    const expected = VERSION_3.replace(/sandbox = .*/, 'sandbox = "registry.example:5000/pause:3.10"').replace(
      /conf_dir = .*/,
      'conf_dir = "/etc/edge/cni"',
    );
    expect(edited(VERSION_3)).toBe(expected);
    expect(edited(VERSION_3.replaceAll("'io.", '"io.').replaceAll("'.", '".'))).toContain(
      'sandbox = "registry.example:5000/pause:3.10"',
    );
  });

  it('are added to a table that is there without the key, before the next one', () => {
    const file =
      'version = 3\n[plugins."io.containerd.cri.v1.images".pinned_images]\n  a = "b"\n[debug]\n  level = "info"\n';
    expect(edited(file, { ...SETTINGS, cniFolder: '/etc/cni/net.d' })).toBe(
      file.replace('[debug]', '  sandbox = "registry.example:5000/pause:3.10"\n[debug]'),
    );
  });

  it('make the tables of version 1 where no version is named, and a file where there is none', () => {
    expect(edited('# empty\ndisabled_plugins = []\n')).toBe(
      '# empty\ndisabled_plugins = []\n[plugins.cri]\n  sandbox_image = "registry.example:5000/pause:3.10"\n[plugins.cri.cni]\n  conf_dir = "/etc/edge/cni"\n',
    );
    expect(edited(undefined)).toBe(
      'version = 2\n[plugins."io.containerd.grpc.v1.cri"]\n  sandbox_image = "registry.example:5000/pause:3.10"\n[plugins."io.containerd.grpc.v1.cri".cni]\n  conf_dir = "/etc/edge/cni"\n',
    );
  });

  it('take version 1 where it is named, however it is written', () => {
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

  it('take the newest tables where a later version is named', () => {
    expect(edited('version = 4\n')).toBe(
      `version = 4\n[plugins.'io.containerd.cri.v1.images'.pinned_images]\n  sandbox = "registry.example:5000/pause:3.10"\n[plugins.'io.containerd.cri.v1.runtime'.cni]\n  conf_dir = "/etc/edge/cni"\n`,
    );
  });

  it('are nothing where nothing differs', () => {
    expect(containerdLines({ cniFolder: '/etc/cni/net.d' })).toEqual([]);
  });
});

import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

const MODULES = resolve(__dirname, '..', 'tools');

/** A program that is built from a Go module in `test/e2e/tools`. */
export interface Tool {
  /** Name of the program, for example `kube-apiserver`. */
  readonly name: string;
  /** Folder in `test/e2e/tools`, for example `kubernetes-1.36`. */
  readonly module: string;
  /** Import path of its main package. */
  readonly package: string;
  /** Whether it needs a newer Go than the tests, which Go downloads then.
   * @default false */
  readonly newerGo?: boolean;
  /** A checkout of a version in which the program was built already, for what the Go module proxy does not have.
   * @default - it is built from its module */
  readonly checkout?: { readonly folder: string; readonly version: string };
}

/** A program of Kubernetes, by minor. */
export function kubernetesTool(name: string, minor: string): Tool {
  return { name, module: `kubernetes-${minor}`, package: `k8s.io/kubernetes/cmd/${name}` };
}

export const ETCD: Tool = { name: 'etcd', module: 'etcd-3.6', package: 'go.etcd.io/etcd/server/v3' };

/** The clients of etcd, for its maintenance. */
export const ETCDCTL: Tool = { name: 'etcdctl', module: 'etcdctl-3.6', package: 'go.etcd.io/etcd/etcdctl/v3' };
export const ETCDUTL: Tool = { name: 'etcdutl', module: 'etcdctl-3.6', package: 'go.etcd.io/etcd/etcdutl/v3' };

/** The folder of a checkout of OpenYurt v1.6.1 in which `go build ./cmd/yurt-manager` has run: the Go module proxy does not have this release. */
export const OPENYURT_1_6 = process.env.EDGE_NODEPOOLS_OPENYURT_1_6;

/** yurt-manager, by OpenYurt release. */
export function yurtManagerTool(release: string): Tool {
  return {
    name: 'yurt-manager',
    module: `openyurt-${release}`,
    package: 'github.com/openyurtio/openyurt/cmd/yurt-manager',
    ...(release === '1.6' && OPENYURT_1_6 !== undefined
      ? { checkout: { folder: resolve(OPENYURT_1_6), version: 'v1.6.1' } }
      : {}),
  };
}

/** Version of the main dependency of a tool module, for example `v1.36.2`. */
export function versionOf(tool: Tool): string {
  if (tool.checkout !== undefined) {
    return tool.checkout.version;
  }
  const goMod = readFileSync(join(MODULES, tool.module, 'go.mod'), 'utf8');
  const version = /^require (?:\(\s*)?\S+ (v\S+)/m.exec(goMod)?.[1];
  if (version === undefined) {
    throw new Error(`${tool.module}/go.mod requires nothing`);
  }
  return version;
}

/** The folder with the sources of a tool's module, for other files than programs (CRDs, charts). */
export function sourcesOf(tool: Tool): string {
  if (tool.checkout !== undefined) {
    return tool.checkout.folder;
  }
  const [module] = /^require (?:\(\s*)?(\S+)/m
    .exec(readFileSync(join(MODULES, tool.module, 'go.mod'), 'utf8'))
    ?.slice(1) ?? [''];
  const listed = go(tool, ['list', '-m', '-f', '{{.Dir}}', module as string]).trim();
  return listed === ''
    ? (JSON.parse(go(tool, ['mod', 'download', '-json', module as string])) as { Dir: string }).Dir
    : listed;
}

function go(tool: Tool, args: string[]): string {
  const { status, stdout, stderr } = spawnSync('go', args, {
    cwd: join(MODULES, tool.module),
    encoding: 'utf8',
    env: goEnvironment(tool),
  });
  if (status !== 0) {
    throw new Error(`go ${args.join(' ')} in ${tool.module}: ${stderr}`);
  }
  return stdout;
}

function goEnvironment({ newerGo = false }: Tool): NodeJS.ProcessEnv {
  // the compiler collects garbage from 2 GiB on only, which saves a tenth of its time
  return {
    ...process.env,
    CGO_ENABLED: '0',
    GOFLAGS: '-mod=readonly',
    GOWORK: 'off',
    GOGC: 'off',
    GOMEMLIMIT: '2GiB',
    ...(newerGo ? { GOTOOLCHAIN: 'auto' } : {}),
  };
}

let version: { readonly ofGo: string | undefined } | undefined;

/** `go1.26.8`, or undefined without Go. */
export function goVersion(): string | undefined {
  if (version === undefined) {
    const { status, stdout } = spawnSync('go', ['env', 'GOVERSION'], { encoding: 'utf8' });
    version = { ofGo: status === 0 ? stdout.trim() : undefined };
  }
  return version.ofGo;
}

/** Where programs are kept. */
export function cacheFolder(): string {
  return (
    process.env.EDGE_NODEPOOLS_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'edge-nodepools')
  );
}

const used = new Map<string, Tool>();

/** Path of a built tool. */
export function pathOf(tool: Tool): string {
  used.set(nameOf(tool), tool);
  return targetOf(tool);
}

/** The tools whose path was asked for since the last call. */
export function takeUsed(): Tool[] {
  const tools = [...used.values()];
  used.clear();
  return tools;
}

/** A name of its own for each tool, for example `kubernetes-1.36/kubectl`. */
export function nameOf(tool: Tool): string {
  return `${tool.module}/${tool.name}`;
}

export function isBuilt(tool: Tool): boolean {
  return existsSync(targetOf(tool));
}

/** Where a tool is kept, by the content of its module and the version of Go. */
function targetOf(tool: Tool): string {
  if (tool.checkout !== undefined) {
    return join(tool.checkout.folder, tool.name);
  }
  const hash = createHash('sha256');
  // main.go of our own programs
  for (const file of ['go.mod', 'go.sum', 'main.go'].filter((name) => existsSync(join(MODULES, tool.module, name)))) {
    hash.update(readFileSync(join(MODULES, tool.module, file)));
  }
  hash.update(`${tool.package} ${goVersion() ?? 'no go'} ${ldflagsOf(tool)}`);
  return join(cacheFolder(), `${tool.module}-${hash.digest('hex').slice(0, 16)}`, tool.name);
}

/** Without the stamp a server reports v0.0.0, and kubeadm and version-skew checks misbehave. */
function ldflagsOf(tool: Tool): string {
  if (!tool.module.startsWith('kubernetes-')) {
    return '-s -w';
  }
  const version = versionOf(tool);
  const [, major, minor] = /^v(\d+)\.(\d+)/.exec(version) ?? [];
  const stamp = { gitVersion: version, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' };
  const flags = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'].flatMap((where) =>
    Object.entries(stamp).map(([field, value]) => `-X ${where}.${field}=${value}`),
  );
  return ['-s -w', ...flags].join(' ');
}

/** The linker leaves out the debug information (-s -w), so that the compiler need not write it: a twelfth of its time. */
const COMPILER_FLAGS = '-gcflags=all=-dwarf=false';

/** Whether a process that builds this program runs. */
function isBuilding(lock: string): boolean {
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0);
    return true;
  } catch {
    return false;
  }
}

/** Builds a program, unless another run does, which is waited for. */
export async function build(tool: Tool): Promise<void> {
  const target = targetOf(tool);
  const lock = `${target}.lock`;
  mkdirSync(join(target, '..'), { recursive: true });
  while (!isBuilt(tool)) {
    if (isBuilding(lock)) {
      await new Promise((done) => setTimeout(done, 500));
      continue;
    }
    writeFileSync(lock, `${process.pid}`);
    try {
      await compile(tool, target);
    } finally {
      rmSync(lock, { force: true });
    }
  }
}

/** Compiles a program at low priority, so that groups can run beside it. */
function compile(tool: Tool, target: string): Promise<void> {
  // written to a temporary file and renamed, so that concurrent runs never see an incomplete program
  const draft = `${target}.${process.pid}`;
  return new Promise((done, fail) => {
    const child = spawn(
      'nice',
      ['-n', '19', 'go', 'build', '-trimpath', COMPILER_FLAGS, '-ldflags', ldflagsOf(tool), '-o', draft, tool.package],
      { cwd: join(MODULES, tool.module), env: goEnvironment(tool), stdio: ['ignore', 'ignore', 'pipe'] },
    );
    let errors = '';
    child.stderr.on('data', (data: Buffer) => (errors += data.toString()));
    child.on('error', fail);
    child.on('close', (code) => {
      if (code !== 0) {
        fail(new Error(`${tool.name} of ${tool.module} cannot be built:\n${errors.split('\n').slice(-20).join('\n')}`));
        return;
      }
      renameSync(draft, target);
      done();
    });
  });
}

import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';
import { installPackage } from './installed-package.js';

const ROOT = resolve(__dirname, '..', '..', '..');
const PROGRAMS = resolve(__dirname, '..', 'programs');

/** An operation of the engine on one resource. */
export interface Step {
  /** `create`, `update`, `delete`, `create-replacement`, `same` … */
  readonly op: string;
  readonly urn: string;
  /** Last part of the URN: name of the resource. */
  readonly name: string;
  readonly type: string;
}

/** The output and the operations of a run of the engine. */
export interface EngineRun {
  readonly status: number;
  /** The whole output. */
  readonly said: string;
  readonly steps: readonly Step[];
}

/** A resource in the state of a stack. */
export interface StateResource {
  readonly urn: string;
  readonly type: string;
  /** The provider that created it. */
  readonly provider?: string;
}

/** Programs and plugins are JavaScript, because ts-node is not a dependency. */
const RUNTIME = { name: 'nodejs', options: { typescript: false } };

const PLAIN = ['--non-interactive', '--color=never'];

/** The plugin for other languages in the packed package, in a project where npm has installed it with its peers. */
export function pluginFolder(folder: string): string {
  const project = join(folder, 'plugin');
  mkdirSync(project);
  installPackage(project);
  linkPackages(project, ['@pulumi/pulumi', '@pulumi/kubernetes']);
  return join(project, 'node_modules', 'edge-nodepools', 'pulumi-plugin');
}

function compiled(source: string): string {
  const compilerOptions = { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022, esModuleInterop: true };
  return transpileModule(source, { compilerOptions }).outputText;
}

/** The program of a folder, or a file, as JavaScript. */
function compiledFiles(folder: string): [string, string][] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => [name.replace(/\.ts$/, '.js'), compiled(readFileSync(join(folder, name), 'utf8'))]);
}

/** Links to packages of this repository, in place of an installation. */
export function linkPackages(folder: string, names: readonly string[]): void {
  for (const name of names) {
    const target = join(folder, 'node_modules', name);
    mkdirSync(dirname(target), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), target);
  }
}

/** A program of `test/e2e/programs` or of `examples`, run by the real engine against a real API server, with a separate state file. It uses the built package. */
export class PulumiProject {
  private readonly folder: string;
  private runs = 0;

  /**
   * @param folder an existing folder; nothing outside of it is written
   * @param program name of the program, or folder of the example
   * @param kubeconfig the cluster
   * @param plugins folders of provider plugins, by name
   * @param name name of the project; by default that of the program
   * @param source the program itself, if it is in no folder
   * @param stack name of the stack
   */
  constructor(
    folder: string,
    program: string,
    private readonly kubeconfig: string,
    plugins: Readonly<Record<string, string>> = {},
    name = program,
    source?: string,
    private readonly stack = 'e2e',
  ) {
    this.folder = join(folder, `pulumi-${name}`);
    ['home', 'state', 'logs'].forEach((part) => mkdirSync(join(this.folder, part), { recursive: true }));
    const example = join(ROOT, 'examples', program);
    if (existsSync(example)) {
      cpSync(example, this.folder, { recursive: true, filter: (path) => !/[\\/](venv|sdks)$/.test(path) });
    }
    if (existsSync(join(example, 'Pulumi.yaml')) && !existsSync(join(example, 'index.ts'))) {
      // in another language: only its plugin is elsewhere
      const file = join(this.folder, 'Pulumi.yaml');
      const text = Object.entries(plugins).reduce(
        (said, [plugin, path]) => said.replace(new RegExp(`^( +${plugin}): \\S+$`, 'm'), `$1: ${path}`),
        readFileSync(file, 'utf8'),
      );
      writeFileSync(file, text);
    } else {
      const files: [string, string][] =
        source === undefined && existsSync(example)
          ? compiledFiles(example)
          : [['index.js', compiled(source ?? readFileSync(join(PROGRAMS, `${program}.ts`), 'utf8'))]];
      this.writeNodeProgram(files, plugins, name);
    }
    this.must(['stack', 'init', stack]);
  }

  private writeNodeProgram(
    program: readonly [string, string][],
    plugins: Readonly<Record<string, string>>,
    name: string,
  ): void {
    linkPackages(this.folder, ['@pulumi/pulumi', '@pulumi/kubernetes', '@types/node', 'typescript']);
    symlinkSync(ROOT, join(this.folder, 'node_modules', 'edge-nodepools'));
    const providers = Object.entries(plugins).map(([plugin, path]) => ({ name: plugin, path }));
    const files = {
      ...Object.fromEntries(program),
      'package.json': JSON.stringify({ name, main: 'index.js' }),
      // YAML is a superset of JSON
      'Pulumi.yaml': JSON.stringify({
        name,
        runtime: RUNTIME,
        ...(providers.length > 0 ? { plugins: { providers } } : {}),
      }),
    };
    Object.entries(files).forEach(([file, text]) => writeFileSync(join(this.folder, file), text));
  }

  public preview(settings: object, args: readonly string[] = []): EngineRun {
    return this.engine(['preview', ...args], settings);
  }

  public up(settings: object, args: readonly string[] = []): EngineRun {
    return this.engine(['up', '--yes', '--skip-preview', ...args], settings);
  }

  /** Runs `up`, and something else again and again until it ends. */
  public async upDuring(settings: object, look: () => Promise<void>): Promise<EngineRun> {
    return this.engineDuring(['up', '--yes', '--skip-preview'], settings, look);
  }

  /** Runs a command of the engine while this program goes on, for example with fake kubelets. */
  public async engineDuring(
    command: readonly string[],
    settings: object,
    look = async (): Promise<void> => new Promise((done) => setTimeout(done, 100)),
  ): Promise<EngineRun> {
    const events = this.newEventLog();
    const args = [...command, '-s', this.stack, `--event-log=${events}`];
    const child = spawn('pulumi', [...args, ...PLAIN], { ...this.environment(settings), stdio: 'pipe' });
    let said = '';
    [child.stdout, child.stderr].forEach((stream) => stream.on('data', (data: Buffer) => (said += data.toString())));
    let status: number | undefined;
    const ended = new Promise<void>((resolve) =>
      child.on('close', (code) => {
        status = code ?? 1;
        resolve();
      }),
    );
    while (status === undefined) {
      await look();
    }
    await ended;
    return this.finished(command[0] as string, status, said, events);
  }

  /** Runs a command of the engine, and kills it as soon as something holds. */
  public async killed(command: string, settings: object, when: () => Promise<boolean>): Promise<EngineRun> {
    const args = [command, '--yes', '--skip-preview', '-s', this.stack, ...PLAIN];
    // a group of its own: the language host and the provider end with it
    const child = spawn('pulumi', args, { ...this.environment(settings), stdio: 'ignore', detached: true });
    const ended = new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? 1)));
    while (child.exitCode === null && !(await when())) {
      await new Promise((done) => setTimeout(done, 50));
    }
    if (child.exitCode === null) {
      process.kill(-(child.pid as number), 'SIGKILL');
    }
    return { status: await ended, said: `${command} ended before it was killed`, steps: [] };
  }

  public refresh(settings: object, args: readonly string[] = []): EngineRun {
    return this.engine(['refresh', '--yes', '--skip-preview', ...args], settings);
  }

  public destroy(settings: object): EngineRun {
    return this.engine(['destroy', '--yes', '--skip-preview'], settings);
  }

  /** The state as in the state file, with encrypted secrets. */
  public state(): readonly StateResource[] {
    const { stdout } = this.run(['stack', 'export', '-s', this.stack]);
    return (JSON.parse(stdout) as { deployment: { resources?: StateResource[] } }).deployment.resources ?? [];
  }

  /** The outputs of the program, with secrets in plain text. */
  public outputs(): any {
    return JSON.parse(this.run(['stack', 'output', '-s', this.stack, '--json', '--show-secrets']).stdout);
  }

  /** Every file of the runs: state, history, output. Not the event log, a debugging tool that shows secrets on purpose. */
  public leftBehind(): { readonly path: string; readonly text: string }[] {
    return ['home', 'state', 'logs'].flatMap((part) =>
      readdirSync(join(this.folder, part), { recursive: true, encoding: 'utf8' })
        .map((path) => join(this.folder, part, path))
        .filter((path) => statSync(path).isFile())
        .map((path) => ({ path, text: readFileSync(path, 'utf8') })),
    );
  }

  /** What the program has written into a folder: paths and texts, in order. */
  public filesIn(name: string): [string, string][] {
    const folder = join(this.folder, name);
    const paths = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
    return paths
      .filter((path) => statSync(join(folder, path)).isFile())
      .sort()
      .map((path) => [`${name}/${path}`, readFileSync(join(folder, path), 'utf8')]);
  }

  /** Runs any command of the CLI. */
  public run(args: readonly string[], settings: object = {}): { status: number; stdout: string; said: string } {
    const { status, stdout, stderr, error } = spawnSync('pulumi', [...args, ...PLAIN], {
      ...this.environment(settings),
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      timeout: 1_200_000,
    });
    return { status: status ?? 1, stdout, said: `${stdout}${stderr}${error?.message ?? ''}` };
  }

  private environment(settings: object): { readonly cwd: string; readonly env: NodeJS.ProcessEnv } {
    return {
      cwd: this.folder,
      env: {
        ...process.env,
        KUBECONFIG: this.kubeconfig,
        E2E_SETTINGS: JSON.stringify(settings),
        PULUMI_HOME: join(this.folder, 'home'),
        PULUMI_BACKEND_URL: `file://${join(this.folder, 'state')}`,
        PULUMI_CONFIG_PASSPHRASE: 'e2e',
        PULUMI_DEBUG_COMMANDS: 'true',
        PULUMI_SKIP_UPDATE_CHECK: 'true',
        PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: 'true',
        PULUMI_DISABLE_REGISTRY_RESOLVE: 'true',
      },
    };
  }

  private must(args: readonly string[]): void {
    const { status, said } = this.run(args);
    if (status !== 0) {
      throw new Error(`pulumi ${args.join(' ')}: ${said}`);
    }
  }

  private engine(args: readonly string[], settings: object): EngineRun {
    const events = this.newEventLog();
    const { status, said } = this.run([...args, '-s', this.stack, `--event-log=${events}`], settings);
    return this.finished(args[0] as string, status, said, events);
  }

  private newEventLog(): string {
    const events = join(this.folder, 'events.json');
    rmSync(events, { force: true });
    return events;
  }

  private finished(command: string, status: number, said: string, events: string): EngineRun {
    writeFileSync(join(this.folder, 'logs', `${++this.runs}-${command}.txt`), said);
    return { status, said, steps: existsSync(events) ? stepsIn(readFileSync(events, 'utf8')) : [] };
  }
}

/** The steps in an event log: the operations, or those that a preview predicts. */
function stepsIn(log: string): Step[] {
  const events = log
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line): any => JSON.parse(line));
  const steps = events
    .map((event) => (event.resOutputsEvent ?? event.resourcePreEvent)?.metadata)
    .filter((metadata) => metadata !== undefined)
    .map(({ op, urn, type }): Step => ({ op, urn, name: urn.split('::').at(-1), type }));
  // each is logged before and after
  return [...new Map(steps.map((step) => [`${step.op} ${step.urn}`, step])).values()];
}

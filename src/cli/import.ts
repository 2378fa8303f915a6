import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { type Command, Option } from 'commander';
import { checkReport } from '../fleet/finding-reports.js';
import { EDGE_CODES } from '../base/error-codes.js';
import { changesSince, changesText } from '../adopt/dump-changes.js';
import { IMPORTED_FROM } from '../adopt/imported-from.js';
import type { ImportedFile } from '../adopt/input-objects.js';
import { type ImportedProgram, importProgram } from '../adopt/import-program.js';
import type { EdgeArtifact } from '../base/artifact.js';
import { shellCommand } from '../base/shell.js';
import { nextLines, projectOf } from './project.js';
import { type Action, type CommandLine, EXIT, UsageError, hostNetworkLabelOf } from './command-line.js';
import { projectName, projectVersions } from './init.js';
import { hostNetworkLabel, kubernetes, nodePoolLabel, openyurt, text } from './options.js';
import { packageVersion } from './package-version.js';
import { filesAt } from './read-files.js';
import { cdk8sFiles } from './cdk8s-files.js';
import { ONE_POOL, type ProjectKind, type ProjectProps } from './project-kind.js';
import { pulumiFiles } from './pulumi-files.js';

interface Options {
  readonly to: 'cdk8s' | 'pulumi';
  readonly openyurt?: string;
  readonly kubernetes?: string;
  readonly out: string;
  readonly hostNetworkLabel?: string;
  readonly nodePoolLabel?: string;
  readonly secrets: 'env' | 'leave-out' | 'external';
  readonly secretStore?: string;
  readonly compare?: string;
}

/** `edge-nodepools import`: writes a program that makes what the input has; with --compare, says what has changed since. */
function runImport(from: readonly string[], options: Options, line: CommandLine): number {
  return options.compare === undefined
    ? writeProgram(from, options, line)
    : runCompare(from, options.compare, options, line);
}

/** The files of the arguments, without those of a folder that this project has. */
function readAll(from: readonly string[], out: string, line: CommandLine): ImportedFile[] {
  const files = from.flatMap((each) =>
    filesAt(each, 'import', out, line).map(({ path, text: content }) => {
      const isFile = each === '-' || path === each;
      return {
        path: isFile ? path : join(each, path).split(sep).join('/'),
        text: content,
        ...(isFile ? {} : { isFromFolder: true }),
      };
    }),
  );
  if (files.length === 0) {
    throw new UsageError(`there is no YAML or JSON file in ${from.join(', ')}; write the folder of the manifests`);
  }
  return files;
}

function runCompare(
  from: readonly string[],
  folder: string,
  { openyurt, kubernetes }: Options,
  line: CommandLine,
): number {
  if (openyurt !== undefined || kubernetes !== undefined) {
    throw new UsageError(`${folder}/${IMPORTED_FROM} says the releases: leave --openyurt and --kubernetes out`);
  }
  const textOf = (file: string): string | undefined => {
    const path = join(folder, file);
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  };
  const imported = { folder, objects: textOf('imported.json'), from: textOf(IMPORTED_FROM) };
  const compared = changesSince(imported, readAll(from, folder, line));
  line.stdout(changesText(folder, compared));
  return compared.changes.length + compared.kinds.size === 0 ? EXIT.ok : EXIT.findings;
}

function writeProgram(from: readonly string[], options: Options, line: CommandLine): number {
  const { to, openyurt, kubernetes, out, nodePoolLabel, secrets, secretStore } = options;
  if (secretStore !== undefined && secrets !== 'external') {
    throw new UsageError('--secret-store is only for ExternalSecrets: write --secrets external, too');
  }
  refuseContent(out);
  const files = readAll(from, out, line);
  const program = importProgram({
    ...{ files, target: to, folder: out, openYurt: openyurt, kubernetes, secrets, secretStore },
    ...hostNetworkLabelOf(options.hostNetworkLabel),
    ...(nodePoolLabel === undefined ? {} : { nodePoolLabel }),
  });
  if (program.counts.objects === 0) {
    throw new UsageError(
      `there are no manifests in ${from.join(', ')}, or only generated objects, such as Pods and ReplicaSets; write manifests or a dump of the cluster`,
    );
  }
  const props = {
    name: projectName(out),
    cluster: program.cluster,
    pulumi: to === 'pulumi',
    packageManager: 'npm',
    versions: projectVersions(),
  } as const;
  const kind = importedKind(props, program);
  writeWhole(out, projectOf(props, kind, '**/*.ts'));
  const commands = [...(resolve(out) === process.cwd() ? [] : [shellCommand('cd', out)]), ...nextLines(props, kind)];
  line.stdout(
    [
      program.summary,
      '',
      'what check finds in it, most dangerous first:',
      checkReport(program.checked, 'text', { version: packageVersion(), meanings: EDGE_CODES }),
      ...(program.details === '' ? [] : [program.details, '']),
      'next:',
      ...commands.map((command) => `  ${command}`),
      '',
    ].join('\n'),
  );
  return EXIT.ok;
}

/** Nothing is overwritten, and nothing is mixed with what is there. */
function refuseContent(out: string): void {
  if (!existsSync(out)) {
    return;
  }
  if (!statSync(out).isDirectory()) {
    throw new UsageError(`${out} is a file; write --out <a new folder>`);
  }
  if (readdirSync(out).length > 0) {
    throw new UsageError(`${out} is not empty; nothing is written: write --out <a new folder>`);
  }
}

/** Writes all files, or none: into a folder beside it, which then gets its name. */
function writeWhole(out: string, files: readonly EdgeArtifact[]): void {
  const target = resolve(out);
  mkdirSync(dirname(target), { recursive: true });
  const folder = join(dirname(target), `.${basename(target)}-${process.pid}`);
  makeFolder(folder);
  try {
    for (const { path, content } of files) {
      const file = join(folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content, { flag: 'wx' });
    }
    if (existsSync(target)) {
      rmdirSync(target);
    }
    renameSync(folder, target);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    // the name of the new folder says nothing to anybody
    throw Object.assign(error as NodeJS.ErrnoException, { path: dirname(folder) });
  }
}

const IMPORTED = `
Every object becomes the same object again: by a class of this library where
that makes exactly it, otherwise as it is. What the API server and controllers
write is left out. Values of secrets are not written: the report lists them.

With --compare nothing is written: it says what has changed in the cluster since
that folder was imported, object by object, and who has written it.

Exit code 0: the program is written, or nothing has changed. 1: something has
changed, or a kind is not in the new dump. 2: invalid input, or the folder is
not empty; nothing is written.`;

/** The options of `edge-nodepools import`. */
export function addImport(program: Command, action: Action): void {
  program
    .command('import')
    .description('writes a program that makes the objects of a cluster or of manifests')
    .argument(
      '<folder or file...>',
      'manifests, the output of helm template or kustomize build, or a dump of a cluster; - for stdin',
      (value: string, others: string[] = []) => [...others, text(value)],
    )
    .addOption(
      new Option('--to <kind>', 'what the program is for (elsewhere --to is a release)')
        .choices(['cdk8s', 'pulumi'])
        .default('cdk8s'),
    )
    .addOption(openyurt('what the objects show'))
    .addOption(kubernetes('what the objects show'))
    .addOption(hostNetworkLabel())
    .addOption(nodePoolLabel())
    .addOption(
      new Option('--secrets <how>', 'env: the program reads their values; leave-out; external: by ExternalSecrets')
        .choices(['env', 'leave-out', 'external'])
        .default('env'),
    )
    .addOption(
      new Option('--secret-store <kind/name>', 'of external secrets (default: the one in the input)').argParser(text),
    )
    .addOption(new Option('--out <folder>', 'a new or empty folder').argParser(text).default('fleet'))
    .addOption(
      new Option('--compare <folder>', 'of an import: what a new dump has that it was not imported from').argParser(
        text,
      ),
    )
    .addHelpText('after', IMPORTED)
    .action(action(runImport));
}

/** Files of a project that `init` writes and an import replaces by its own. */
const REPLACED = ['main.ts', 'fleet.ts', 'fleet.test.ts', 'index.ts', 'index.test.ts'];

const PRETTIER = `${JSON.stringify({ singleQuote: true, printWidth: 120 }, undefined, 2)}\n`;

/** A project with an imported program. */
function importedKind(props: ProjectProps, program: ImportedProgram): ProjectKind {
  const kind = props.pulumi ? pulumiFiles(props) : cdk8sFiles(props);
  const title = titleOf(program);
  const has = (file: string): boolean => program.files.some(({ path }) => path === file);
  return {
    ...kind,
    title,
    files: [
      ...kind.files
        .filter(({ path }) => !REPLACED.includes(path))
        .map(({ path, content }) => ({ path, content: content.replace(ONE_POOL, title) })),
      ...program.files,
      { path: '.prettierrc.json', content: PRETTIER },
      { path: '.prettierignore', content: 'dist/\ncrds/\nimported.json\nimported-from.json\n' },
    ],
    // crds.ts reads YAML
    dependencies: [...kind.dependencies, ...(props.pulumi && has('crds.ts') ? ['yaml'] : [])],
    scripts: {
      ...kind.scripts,
      ...(has('main-secrets.ts') ? { 'synth:secrets': 'node --import tsx main-secrets.ts' } : {}),
    },
    after:
      program.secrets.length === 0
        ? []
        : [[props.pulumi ? 'pulumi stack init dev-secrets' : 'npm run synth:secrets', WITH_SECRETS]],
    // also where dist is committed
    ignored: [...kind.ignored, '/secrets/', ...(props.pulumi ? [] : ['/dist/secrets/'])],
    about: aboutText(props, program),
  };
}

const WITH_SECRETS = 'for what has secrets: README.md has the commands that read the values';

function titleOf({ counts: { objects, byClass } }: ImportedProgram): string {
  const pools = (byClass['HostNetworkNodePool'] ?? 0) + (byClass['RegularNodePool'] ?? 0);
  return pools === 0
    ? `${objects} object${objects === 1 ? '' : 's'} of a cluster`
    : `${pools} node pool${pools === 1 ? '' : 's'}, and what runs on ${pools === 1 ? 'it' : 'them'},`;
}

function aboutText({ pulumi }: ProjectProps, { secrets }: ImportedProgram): string {
  const lines = [
    `Imported with \`edge-nodepools import\`. The test compares what the program makes with what was imported (imported.json).`,
    `How a live cluster is taken over, and the way back: node_modules/edge-nodepools/docs/import.md.`,
  ];
  return secrets.length === 0
    ? lines.join('\n')
    : [
        ...lines,
        '',
        `Values of secrets are not in the program. These commands read them from the cluster${pulumi ? ' into the configuration of the selected stack, dev-secrets, long ones into files' : ' into files, which git ignores'}:`,
        '',
        '```sh',
        ...(secrets.some(({ command }) => command.includes('> secrets/')) ? ['umask 077 && mkdir -p secrets'] : []),
        ...secrets.map(({ command }) => command),
        '```',
        '',
        ...(pulumi
          ? [
              'What has secrets is made by a stack of its own, whose name ends in -secrets.',
              'Any other stack makes all others, and needs no value.',
            ]
          : [
              'What has secrets has a program of its own, `npm run synth:secrets`, which writes dist/secrets; all others need no value.',
              'In place of a file, an environment variable of its name can have the value.',
            ]),
      ].join('\n');
}

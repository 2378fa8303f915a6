import type { EdgeArtifact } from '../base/artifact.js';
import type { ImportedProgram } from '../adopt/import-program.js';
import { cdk8sFiles } from './cdk8s-files.js';
import { ONE_POOL, type ProjectKind, type ProjectProps } from './project-kind.js';
import { projectOf } from './project.js';
import { pulumiFiles } from './pulumi-files.js';

/** Files of a project that `init` writes and an import replaces by its own. */
const REPLACED = ['main.ts', 'fleet.ts', 'fleet.test.ts', 'index.ts', 'index.test.ts'];

const PRETTIER = `${JSON.stringify({ singleQuote: true, printWidth: 120 }, undefined, 2)}\n`;

/** The files of a project with an imported program. */
export function importedFiles(props: ProjectProps, program: ImportedProgram): EdgeArtifact[] {
  const kind = props.pulumi ? pulumiFiles(props) : cdk8sFiles(props);
  const title = titleOf(program);
  const imported: ProjectKind = {
    ...kind,
    title,
    files: [
      ...kind.files
        .filter(({ path }) => !REPLACED.includes(path))
        .map(({ path, content }) => ({ path, content: content.replace(ONE_POOL, title) })),
      ...program.files,
      { path: '.prettierrc.json', content: PRETTIER },
      { path: '.prettierignore', content: 'dist/\nimported.json\nimported-from.json\n' },
    ],
    scripts: {
      ...kind.scripts,
      ...(program.files.some(({ path }) => path === 'main-secrets.ts')
        ? { 'synth:secrets': 'node --import tsx main-secrets.ts' }
        : {}),
    },
    // also where dist is committed
    ignored: [...kind.ignored, '/secrets/', ...(props.pulumi ? [] : ['/dist/secrets/'])],
    about: aboutText(props, program),
  };
  return projectOf(props, imported, '**/*.ts');
}

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
        `Values of secrets are not in the program. These commands read them from the cluster${pulumi ? ' into the configuration of the stack, long ones into files' : ' into files, which git ignores'}:`,
        '',
        '```sh',
        ...(secrets.some(({ command }) => command.includes('> secrets/')) ? ['umask 077 && mkdir -p secrets'] : []),
        ...secrets.map(({ command }) => command),
        '```',
        '',
        ...(pulumi
          ? []
          : [
              'What has secrets has a program of its own, `npm run synth:secrets`, which writes dist/secrets; all others need no value.',
              'In place of a file, an environment variable of its name can have the value.',
            ]),
      ].join('\n');
}

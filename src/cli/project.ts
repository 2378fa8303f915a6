import type { EdgeArtifact } from '../base/artifact.js';
import { cdk8sFiles } from './cdk8s-files.js';
import { ONE_POOL, type ProjectKind, type ProjectProps, runner, type Step } from './project-kind.js';
import { pulumiFiles } from './pulumi-files.js';

const TSCONFIG = {
  compilerOptions: {
    target: 'es2022',
    module: 'node16',
    strict: true,
    noEmit: true,
    isolatedModules: true,
    esModuleInterop: true,
    skipLibCheck: true,
    types: ['node', 'jest'],
  },
};

/** Pulumi keeps a store on the global object, and Jest warns of each use after a test of what it has marked as deleted. */
const jestConfig = (pulumi: boolean): string => `/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',${pulumi ? "\n  testEnvironmentOptions: { globalsCleanup: 'off' }," : ''}
  transform: { '^.+\\\\.ts$': 'ts-jest' },
};
`;

/** The files of a new project. It synthesizes, or previews, and its tests pass, without a change. */
export function projectFiles(props: ProjectProps): EdgeArtifact[] {
  return projectOf(props, kindOf(props));
}

/** The files of a project of a kind. @param sources which files are compiled */
export function projectOf(props: ProjectProps, kind: ProjectKind, sources = '*.ts'): EdgeArtifact[] {
  const { name, packageManager, versions } = props;
  const versionsOf = (names: readonly string[]): Record<string, string> =>
    Object.fromEntries([...names].sort().map((each) => [each, versions[each] ?? '*']));
  const manifest = {
    name,
    private: true,
    scripts: { ...kind.scripts, test: 'tsc && jest' },
    dependencies: versionsOf(['edge-nodepools', ...kind.dependencies]),
    devDependencies: versionsOf([
      '@types/jest',
      '@types/node',
      'jest',
      'ts-jest',
      'typescript',
      ...kind.devDependencies,
    ]),
    // yarn installs a newer second copy for @pulumi/kubernetes, and mocks of one copy do not reach the other
    ...(props.pulumi && packageManager === 'yarn' ? { resolutions: versionsOf(['@pulumi/pulumi']) } : {}),
  };
  return [
    { path: 'package.json', content: json(manifest) },
    { path: 'tsconfig.json', content: json({ ...TSCONFIG, include: [sources] }) },
    { path: 'jest.config.js', content: jestConfig(props.pulumi) },
    { path: '.gitignore', content: ['node_modules/', ...kind.ignored, ''].join('\n') },
    { path: 'README.md', content: readme(props, kind) },
    ...kind.files,
    ...managerFiles(packageManager),
  ];
}

/** JSON as prettier formats it: a short list is on one line. */
function json(value: object): string {
  const text = JSON.stringify(value, undefined, 2);
  return `${text.replace(/\[\n\s+("[^"]*"(?:,\n\s+"[^"]*")*)\n\s+\]/g, (_, items: string) => `[${items.replace(/\n\s+/g, ' ')}]`)}\n`;
}

/** Settings without which a package manager does not install the project. */
function managerFiles(manager: ProjectProps['packageManager']): EdgeArtifact[] {
  if (manager === 'yarn') {
    // from version 2 on, yarn writes no node_modules by default, and tsx and pulumi look for packages there
    return [{ path: '.yarnrc.yml', content: 'nodeLinker: node-modules\n' }];
  }
  // pnpm fails because of build scripts that it has not run; esbuild works without its own
  return manager === 'pnpm' ? [{ path: 'pnpm-workspace.yaml', content: 'strictDepBuilds: false\n' }] : [];
}

/** The commands that a user types next, in the folder of the project. */
export function nextCommands(props: ProjectProps): string[] {
  return nextSteps(props, kindOf(props)).map(([command]) => command);
}

/** The same, each with what it does. */
export function nextLines(props: ProjectProps, kind: ProjectKind): string[] {
  const steps = nextSteps(props, kind);
  const width = Math.max(...steps.map(([command]) => command.length));
  return steps.map(([command, what]) => (what === '' ? command : `${command.padEnd(width)}  # ${what}`));
}

function nextSteps({ packageManager, pulumi }: ProjectProps, { run, before = [], after = [] }: ProjectKind): Step[] {
  return [
    [`${packageManager} install`, ''],
    [`${packageManager} test`, 'types, and what runs where'],
    ...before,
    [run, pulumi ? 'what pulumi up would do' : 'writes dist'],
    ...(pulumi
      ? []
      : [[`${runner(packageManager)} edge-nodepools show dist`, 'what runs where, and why not'] as const]),
    ...after,
  ];
}

function kindOf(props: ProjectProps): ProjectKind {
  return props.pulumi ? pulumiFiles(props) : cdk8sFiles(props);
}

function readme(props: ProjectProps, kind: ProjectKind): string {
  const { about, title = ONE_POOL } = kind;
  return `# ${props.name}

${title} for ${String(props.cluster)}, made with [edge-nodepools](https://www.npmjs.com/package/edge-nodepools).

\`\`\`sh
${nextLines(props, kind).join('\n')}
\`\`\`

${about}
From an empty folder to a node that runs a Pod: node_modules/edge-nodepools/docs/getting-started.md.
`;
}

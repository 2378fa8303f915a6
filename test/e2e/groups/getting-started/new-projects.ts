import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Group, Proof } from '../../harness/group.js';
import { Newcomer } from '../../harness/newcomer.js';
import { ciOf } from './ci-snippets.js';

/** The version of pnpm that is installed for this group. */
const PNPM = 'pnpm@12';

interface Project {
  readonly manager: 'npm' | 'pnpm';
  readonly kind: 'cdk8s' | 'pulumi';
  readonly openYurt: '1.7' | 'none';
  /** Whether machines can join, which adds the join to the program. */
  readonly joins: boolean;
}

/**
 * Two lists that run beside each other, because npm takes as long as everything else. Each kind is installed by each manager, and written with and without
 * OpenYurt. EDGE_NODEPOOLS_ALL_PROJECTS=1 runs every project.
 */
const LISTS: readonly (readonly Project[])[] = [
  [{ manager: 'npm', kind: 'pulumi', openYurt: '1.7', joins: true }],
  [
    { manager: 'pnpm', kind: 'cdk8s', openYurt: '1.7', joins: false },
    { manager: 'pnpm', kind: 'pulumi', openYurt: 'none', joins: false },
    { manager: 'npm', kind: 'cdk8s', openYurt: '1.7', joins: false },
  ],
];

const EVERY: readonly (readonly Project[])[] = (['npm', 'pnpm'] as const).map((manager) =>
  (['cdk8s', 'pulumi'] as const).flatMap((kind) =>
    (['1.7', 'none'] as const).flatMap((openYurt) =>
      [true, false].map((joins) => ({ manager, kind, openYurt, joins })),
    ),
  ),
);

const JOIN = ['--api-server=api.example:6443', `--ca-cert-hash=sha256:${'0f'.repeat(32)}`];

/** Makes a project, and types what `init` says comes next. */
async function check(user: Newcomer, { manager, kind, openYurt, joins }: Project, proof: Proof): Promise<void> {
  const name = [manager, kind, openYurt === 'none' ? 'plain' : 'openyurt', ...(joins ? ['joins'] : [])].join('-');
  const must = async (claim: string, shows: RegExp, ...command: readonly [string, string, ...string[]]) => {
    const said = await user.run(claim === 'init' ? '.' : name, ...command);
    const holds = said.status === 0 && shows.test(said.text);
    proof.that(`${name}: ${command.join(' ')}`, holds, `${command.join(' ')} ended with ${said.status}\n${said.text}`);
    return holds;
  };
  const options = [
    `--package-manager=${manager}`,
    `--openyurt=${openYurt}`,
    '--kubernetes=1.34',
    ...(kind === 'pulumi' ? ['--pulumi'] : []),
    ...(joins ? JOIN : []),
  ];
  const steps: readonly (readonly [string, RegExp, string, string, ...string[]])[] = [
    [
      'init',
      new RegExp(`cd ${name}\\n +${manager} install\\n +${manager} test\\n`),
      'edge-nodepools',
      'init',
      name,
      ...options,
    ],
    ['install', /./, manager, 'install'],
    ['test', /2 passed/, manager, 'test'],
    ...(kind === 'pulumi'
      ? []
      : [
          [
            'synth',
            /./,
            ...(manager === 'npm' ? (['npx'] as const) : (['pnpm', 'exec'] as const)),
            'cdk8s',
            'synth',
          ] as const,
          ['show', /^edge \(host network\)$/m, 'edge-nodepools', 'show', 'dist'] as const,
        ]),
  ];
  for (const [claim, shows, ...command] of steps) {
    if (!(await must(claim, shows, ...(command as [string, string])))) {
      // nothing after it can work
      return;
    }
  }
  proof.that(
    `${name}: uses the packed package, not the checkout`,
    user.packageOf(name).startsWith(realpathSync(user.folder)),
  );
  if (kind === 'cdk8s') {
    const fleet = user.read(name, 'dist', 'fleet.k8s.yaml');
    proof.same(
      `${name}: its manifests have a workload, and a NodePool only with OpenYurt`,
      [/^kind: DaemonSet$/m.test(fleet), /^kind: NodePool$/m.test(fleet)],
      [true, openYurt !== 'none'],
    );
    // the page uses npm
    if (manager === 'npm') {
      await ciOf(user, name, proof);
    }
  }
}

export const newProjects: Group = {
  name: 'new-projects',
  claim:
    'every project that init writes is installed with the packed package by npm and pnpm, its tests pass, and it synthesizes: cdk8s and Pulumi, with and without OpenYurt; in one of cdk8s, the jobs of GitHub and GitLab and the git hook of docs/command.md let its manifests pass, and stop one that the API server refuses',
  programs: 'npm, pnpm 12, TypeScript, jest, cdk8s-cli',
  tools: [],
  needs: ['registry'],
  run: async (proof) => {
    const user = new Newcomer();
    try {
      mkdirSync(join(user.folder, 'tool'));
      const { tarball } = await user.registry;
      const withPnpm = await user.run('tool', 'npm', 'install', '--prefix=.', tarball, PNPM);
      if (withPnpm.status !== 0) {
        proof.note(
          `pnpm: skipped, because it cannot be installed: ${/^npm error.*/m.exec(withPnpm.text)?.[0] ?? withPnpm.text}`,
        );
        const alone = await user.run('tool', 'npm', 'install', '--prefix=.', tarball);
        proof.that('npm installs the packed package', alone.status === 0, alone.text);
      }
      const lists = process.env.EDGE_NODEPOOLS_ALL_PROJECTS === '1' ? EVERY : LISTS;
      await Promise.all(
        lists.map(async (projects) => {
          for (const project of projects) {
            if (project.manager === 'npm' || withPnpm.status === 0) {
              await check(user, project, proof);
            }
          }
        }),
      );
    } finally {
      await user.close();
    }
  },
};

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type ShellBlock, shellBlocksOf } from '../shell-blocks.js';

const root = resolve(__dirname, '..', '..');
const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
const blocks = ['README.md', ...docs.map((name) => `docs/${name}`)].flatMap(shellBlocksOf);

/** A page that a group of the end-to-end tests follows: each block runs there unless a note says why not. */
const FOLLOWED = { page: 'docs/getting-started.md', by: 'test/e2e/groups/getting-started/getting-started.ts' };

const runBy = ({ page, notes }: ShellBlock): string | undefined =>
  notes['run by'] ?? (page === FOLLOWED.page && notes['not run'] === undefined ? FOLLOWED.by : undefined);

describe('the commands of the pages', () => {
  const run = blocks.filter((block) => runBy(block) !== undefined);
  const others = blocks.filter((block) => runBy(block) === undefined);

  it.each(run.map((block) => [`${block.page}:${block.line}`, runBy(block) as string, block] as const))(
    '%s runs in %s',
    (_, file, { page, notes }) => {
      expect(notes['not run']).toBeUndefined();
      expect(existsSync(join(root, file))).toBe(true);
      // a test reads the page, .ci/run has the command itself
      const name = file.startsWith('test/') ? page.replace('docs/', '') : 'npm start';
      expect(readFileSync(join(root, file), 'utf8')).toContain(name);
    },
  );

  it.each(
    others.map((block) => [`${block.page}:${block.line}`, block.notes['not run'] ?? 'no reason', block] as const),
  )('%s does not run: %s', (_, reason) => {
    expect(reason.split(' ').length).toBeGreaterThan(4);
    // what it names instead is there
    for (const [path] of reason.matchAll(/\b(test|docs)\/[\w/.-]*\w/g)) {
      expect([path, existsSync(join(root, path))]).toEqual([path, true]);
    }
  });

  it('are found', () => {
    expect(run.length).toBeGreaterThan(15);
    expect(blocks.some(({ code }) => code.includes('npx edge-nodepools init fleet --openyurt 1.7'))).toBe(true);
  });
});

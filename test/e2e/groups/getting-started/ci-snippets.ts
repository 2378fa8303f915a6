import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import type { Proof } from '../../harness/group.js';
import type { Newcomer } from '../../harness/newcomer.js';

const PAGE = resolve(__dirname, '..', '..', '..', '..', 'docs', 'command.md');

/** A Deployment that the API server refuses, in a chart of its own. */
const BROKEN = `
const broken = new (require('cdk8s').Chart)(app, 'broken');
new (require('cdk8s').ApiObject)(broken, 'web', {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: { template: { spec: { containers: [{ name: 'web', image: 'example.com/web:1' }] } } },
});
app.synth();`;

/** The block of the page that has a text. */
function blockWith(language: string, text: string): string {
  const blocks = [...readFileSync(PAGE, 'utf8').matchAll(/^```(\w+)\n([^]*?)^```/gm)];
  const found = blocks.find(([, its, block = '']) => its === language && block.includes(text));
  if (found?.[2] === undefined) {
    throw new Error(`${PAGE} has no block with ${text}`);
  }
  return found[2];
}

/** The commands of the jobs as their systems run them: each line in a shell that stops at the first failure. */
function jobs(): readonly (readonly [name: string, script: string, says: RegExp])[] {
  const github = parse(blockWith('yaml', '.github/workflows')).jobs.check.steps as readonly { run?: string }[];
  const gitlab = parse(blockWith('yaml', '.gitlab-ci.yml')).check.script as readonly string[];
  return [
    ['GitHub', github.flatMap(({ run }) => run ?? []).join('\n'), /^::error file=dist\/broken\.k8s\.yaml,line=\d+/m],
    ['GitLab', `${gitlab.join('\n')}\n`, /^/],
  ];
}

/** Runs what docs/command.md says of CI and git hooks in a project, with manifests that pass and with one that the API server refuses. */
export async function ciOf(user: Newcomer, project: string, proof: Proof): Promise<void> {
  const sh = (script: string) => user.run(project, 'sh', '-e', '-c', script);
  const program = user.read(project, 'main.ts');
  const breakIt = (): void => user.write(program.replace(/^app\.synth\(\);$/m, BROKEN), project, 'main.ts');
  const repair = (): void => user.write(program, project, 'main.ts');
  for (const [name, script, says] of jobs()) {
    const good = await sh(script);
    proof.that(`the job of ${name} passes`, good.status === 0, good);
    breakIt();
    const bad = await sh(script);
    proof.that(`the job of ${name} stops what the API server refuses`, bad.status === 1 && says.test(bad.text), bad);
    if (name === 'GitLab') {
      const report = user.read(project, 'check.xml');
      proof.that('its report names the file and the line', /<failure[^]*broken\.k8s\.yaml:\d+/.test(report), report);
    }
    repair();
  }
  const git = 'git -c user.name=user -c user.email=user@example.com';
  const began = await sh(`git init --quiet && printf 'node_modules\\n' > .gitignore && git add --all`);
  proof.that('git has the project', began.status === 0, began);
  user.write(blockWith('sh', '#!/bin/sh'), project, '.git', 'hooks', 'pre-commit');
  breakIt();
  const refused = await sh(`${git} commit --quiet --message first`);
  proof.that('the hook stops the commit', refused.status === 1 && /broken\.k8s\.yaml:\d+/.test(refused.text), refused);
  repair();
  const committed = await sh(`${git} commit --quiet --message first`);
  proof.that('the hook lets a commit pass', committed.status === 0, committed);
}

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isFullDepth } from '../depth.js';

const examples = resolve(__dirname, '..', '..', 'examples');

/** Synthesizes the cdk8s examples (a fifth of them by default), in one process, into folders below a folder. */
export function exampleFolders(below: string): string[] {
  const names = readdirSync(examples)
    .filter((name) => existsSync(join(examples, name, 'cdk8s.yaml')) && existsSync(join(examples, name, 'main.ts')))
    .filter((_, index) => isFullDepth || index % 5 === 0);
  const program = `
    process.stderr.write = () => true;
    for (const name of ${JSON.stringify(names)}) {
      process.env.CDK8S_OUTDIR = ${JSON.stringify(below)} + '/' + name;
      process.chdir(${JSON.stringify(examples)} + '/' + name);
      require(${JSON.stringify(examples)} + '/' + name + '/main.ts');
    }`;
  execFileSync(process.execPath, ['-r', './scripts/sources.cjs', '-e', program], {
    cwd: resolve(examples, '..'),
    env: { ...process.env, TSX_TSCONFIG_PATH: resolve(examples, '..', 'tsconfig.json') },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return names.map((name) => join(below, name));
}

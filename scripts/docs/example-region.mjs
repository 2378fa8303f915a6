// The example of the README, and the YAML that it really makes.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from '../install.mjs';
import { textOf } from './pages.mjs';

const SOURCE = 'docs/readme-example.ts';

export function exampleRegion() {
  const source = textOf(SOURCE);
  const code = source.replace(/^\s*(\/\/.*\n|\/\*[\s\S]*?\*\/\n)/, '').trim();
  return ['```ts', code, '```', '', '```yaml', yamlOf(source).trim(), '```'].join('\n');
}

/** Runs the example inside of this package, so that it imports `edge-nodepools` as a user does: from lib, through the exports of package.json. */
function yamlOf(source) {
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
  });
  const folder = join(root, '.cache', 'docs');
  const file = join(folder, 'readme-example.cjs');
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, outputText);
  // the example writes its manifests, as a program does
  process.env.CDK8S_OUTDIR = join(folder, 'dist');
  const { app } = createRequire(import.meta.url)(file);
  delete process.env.CDK8S_OUTDIR;
  if (app === undefined) {
    throw new Error(`${SOURCE} exports no app`);
  }
  return app.synthYaml();
}

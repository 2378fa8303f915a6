// Type-checks every TypeScript block of the pages and of @example, as if it stood in a file beside the page, and the projects of edge-nodepools init.
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { root } from '../install.mjs';
import { source } from '../source.mjs';
import { blocksOfPage, blocksOfSource } from './code-blocks.mjs';
import { exampleGuides, guides, textOf } from './pages.mjs';

/** One line for each error in a block. */
export function snippetFailures() {
  const { options, fileNames } = readConfig();
  const pages = [...guides(), ...exampleGuides()].map((path) => blocksOfPage(path, textOf(path)));
  const sources = fileNames
    .map((file) => relative(root, file).replaceAll('\\', '/'))
    .filter((path) => path.startsWith('src/'))
    .map((path) => blocksOfSource(path, textOf(path)));
  const found = [...pages, ...sources, { blocks: projectBlocks(), failures: [] }];
  const blocks = found.flatMap((page) => page.blocks);
  return [...found.flatMap((page) => page.failures), ...(blocks.length === 0 ? [] : check(blocks, options))];
}

/** The files of one project of each kind: with and without OpenYurt, with and without joins. */
function projectBlocks() {
  const { projectFiles } = source('cli/project.ts');
  const { EdgeCluster } = source('cluster/edge-cluster.ts');
  const joins = { apiServer: 'api.example:6443', caCertHashes: [`sha256:${'0'.repeat(64)}`] };
  const clusters = [
    { openYurt: '1.7', kubernetes: '1.34', ...joins },
    { openYurt: 'none', kubernetes: '1.36' },
  ].map((props) => EdgeCluster.of(props));
  const kinds = clusters.flatMap((cluster) => [false, true].map((pulumi) => ({ cluster, pulumi })));
  return kinds.flatMap((kind, index) =>
    projectFiles({ name: 'fleet', packageManager: 'npm', versions: {}, ...kind })
      .filter(({ path }) => path.endsWith('.ts'))
      .map(({ path, content }) => ({ path: `.cache/init-${index}/${path}`, line: 1, code: content, isFile: true })),
  );
}

function check(blocks, options) {
  const virtual = new Map(blocks.map((block, index) => [fileOf(block, index), block]));
  const host = ts.createCompilerHost(options, true);
  const { fileExists, readFile, directoryExists } = host;
  // a folder of a project need not exist
  host.directoryExists = (folder) =>
    folder.includes('/.cache/init-') ? !folder.includes('node_modules') : directoryExists.call(host, folder);
  host.fileExists = (file) => virtual.has(file) || fileExists.call(host, file);
  host.readFile = (file) => virtual.get(file)?.code ?? readFile.call(host, file);
  const program = ts.createProgram([...virtual.keys()], options, host);
  return [...virtual].flatMap(([file, block]) => {
    const source = program.getSourceFile(file);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map((diagnostic) =>
      describe(diagnostic, source, block),
    );
  });
}

function describe({ start = 0, code, messageText }, source, { path, line }) {
  const inBlock = source.getLineAndCharacterOfPosition(start).line;
  const message = ts.flattenDiagnosticMessageText(messageText, '\n  ');
  return `${path}:${line + inBlock}: TS${code} ${message}`;
}

/** Beside the page, so that relative imports and package imports are looked up as they would be there. */
function fileOf({ path, line, isFile = false }, index) {
  if (isFile) {
    return join(root, path).replaceAll('\\', '/');
  }
  const folder = dirname(join(root, path)).replaceAll('\\', '/');
  return `${folder}/block-${index}-at-line-${line}.ts`;
}

function readConfig() {
  const file = join(root, 'tsconfig.json');
  const { config, error } = ts.readConfigFile(file, ts.sys.readFile);
  if (error !== undefined) {
    throw new Error(ts.flattenDiagnosticMessageText(error.messageText, '\n'));
  }
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  // Every block is a module of its own, whether it imports something or not; else blocks would see each other's names.
  return { options: { ...options, moduleDetection: ts.ModuleDetectionKind.Force }, fileNames };
}

// The hand-written Markdown of this repository.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../install.mjs';

/** The text of a file; undefined where there is none. Line endings are those of the repository, whatever git made of them here. */
export function textOf(path) {
  return exists(path) ? readFileSync(join(root, path), 'utf8').replaceAll('\r\n', '\n') : undefined;
}

/** The pages that `npm run docs` writes whole, besides API.md. */
export const PULUMI_PAGE = 'docs/api-pulumi.md';
export const CONTROL_PLANE_PAGE = 'docs/api-control-plane.md';
export const CHECKS_PAGE = 'docs/api-checks.md';
export const DELIVERY_PAGE = 'docs/api-delivery.md';
const WRITTEN = [PULUMI_PAGE, CONTROL_PLANE_PAGE, CHECKS_PAGE, DELIVERY_PAGE];

/** README.md, CONTRIBUTING.md and docs/*.md, those that exist and are written by hand. */
export function guides() {
  const docs = namesIn('docs').filter((name) => name.endsWith('.md'));
  return ['README.md', 'CONTRIBUTING.md', ...docs.map((name) => `docs/${name}`)].filter(
    (path) => !WRITTEN.includes(path) && exists(path),
  );
}

/** The README of each example. */
export function exampleGuides() {
  return namesIn('examples')
    .map((name) => `examples/${name}/README.md`)
    .filter(exists);
}

function namesIn(folder) {
  return exists(folder) ? readdirSync(join(root, folder)).sort() : [];
}

function exists(path) {
  return existsSync(join(root, path));
}

/** The lines of a page, each with the fence of the code block in which it stands: `inside` is true between the fences only. */
export function linesOf(text) {
  let fence;
  return text.split('\n').map((line) => {
    const [, marks, info] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (fence === undefined && marks !== undefined) {
      fence = { marks, info: info.trim() };
      return { line, opens: fence };
    }
    if (fence !== undefined && marks?.startsWith(fence.marks) && info.trim() === '') {
      fence = undefined;
      return { line, closes: true };
    }
    return { line, inside: fence !== undefined };
  });
}

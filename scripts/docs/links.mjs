// Every relative link of every page leads to a file of the repository, and its anchor to a heading there.
import { existsSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { root } from '../install.mjs';
import { slug } from './headings.mjs';
import { exampleGuides, guides, linesOf, PULUMI_PAGE, textOf } from './pages.mjs';

/** One line for each dead link. */
export function deadLinks() {
  return [...guides(), ...exampleGuides(), 'CHANGELOG.md', 'API.md', PULUMI_PAGE].flatMap((page) =>
    linksOf(textOf(page) ?? '')
      .filter(({ target }) => !leadsSomewhere(page, target))
      .map(({ target, line }) => `${page}:${line}: the link ${target} leads nowhere`),
  );
}

/** The targets of the links of a page that lead to files, with their lines. */
export function linksOf(text) {
  return linesOf(text).flatMap(({ line, inside, opens }, index) =>
    inside || opens !== undefined
      ? []
      : [...line.replace(/`[^`]*`/g, '').matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$/g)]
          .map(([, inline, reference]) => ({ target: inline ?? reference, line: index + 1 }))
          .filter(({ target }) => !/^[a-z]+:/.test(target)),
  );
}

function leadsSomewhere(page, target) {
  const [path, anchor] = target.split('#');
  const file = path === '' ? page : posix.join(posix.dirname(page), path);
  if (!existsSync(join(root, file))) {
    return false;
  }
  return anchor === undefined || statSync(join(root, file)).isDirectory() || anchorsOf(file).has(anchor);
}

const anchors = new Map();

/** Anchors of the headings of a page; the second heading of a name gets -1. */
function anchorsOf(file) {
  const known = anchors.get(file);
  if (known !== undefined) {
    return known;
  }
  const seen = new Map();
  const found = new Set();
  for (const { line, inside } of linesOf(textOf(file))) {
    const [, title] = (inside ? undefined : /^#+ (.*)$/.exec(line)) ?? [];
    if (title !== undefined) {
      const name = slug(title);
      const count = seen.get(name) ?? 0;
      seen.set(name, count + 1);
      found.add(count === 0 ? name : `${name}-${count}`);
    }
  }
  anchors.set(file, found);
  return found;
}

// Makes every generated text, then writes it or compares it with what is there.
// typedoc-plugin-markdown 4 was tried for API.md: 337 KB on two pages, inherited and Pulumi members repeated, no column of defaults, anchors by number.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from '../build.mjs';
import { root } from '../install.mjs';
import { apiPage } from './api-page.mjs';
import { apiReport } from './api-report.mjs';
import { textOf } from './pages.mjs';
import { deadLinks } from './links.mjs';
import { picture } from './picture.mjs';
import { pluginSchema } from './plugin-schema.mjs';
import { pagesWithRegions } from './regions.mjs';
import { snippetFailures } from './snippets.mjs';

/** Whether all pages are up to date; what is not is printed. */
export async function docs({ check }) {
  const failures = [];
  await build();
  const files = new Map();
  for (const part of [apiPage, apiReport, picture, pagesWithRegions, pluginSchema]) {
    const made = await part();
    made.files.forEach((text, path) => files.set(path, text));
    failures.push(...made.failures);
  }
  const stale = [...files].filter(([path, text]) => textOf(path) !== text).map(([path]) => path);
  if (check) {
    failures.push(...stale.map((path) => `${path} is stale: run npm run docs`));
  } else {
    stale.forEach((path) => write(path, files.get(path)));
  }
  // After the regions are written, so that the code in them is checked as it stands.
  failures.push(...snippetFailures(), ...deadLinks());
  failures.forEach((failure) => console.error(failure));
  if (failures.length === 0 && stale.length === 0) {
    console.log('the documentation is up to date');
  }
  return failures.length === 0;
}

function write(path, text) {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  console.log(`wrote ${path}`);
}

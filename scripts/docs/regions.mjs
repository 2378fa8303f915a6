// Generated parts of hand-written pages: between <!-- generated: NAME --> and <!-- end generated -->.
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { root } from '../install.mjs';
import { exampleRegion } from './example-region.mjs';
import { outagesRegion } from './outage-region.mjs';
import { guides, linesOf, textOf } from './pages.mjs';
import {
  componentsRegion,
  figuresRegion,
  kubernetesRegion,
  pairsRegion,
  preconditionsRegion,
  proofRegion,
  releasesRegion,
  strategiesRegion,
  workloadKindsRegion,
} from './table-regions.mjs';

const REGIONS = {
  releases: releasesRegion,
  kubernetes: kubernetesRegion,
  strategies: strategiesRegion,
  preconditions: preconditionsRegion,
  components: componentsRegion,
  example: exampleRegion,
  proof: proofRegion,
  figures: figuresRegion,
  pairs: pairsRegion,
  outages: outagesRegion,
  'workload kinds': workloadKindsRegion,
};

const BEGIN = /^<!-- generated: (.*?) -->$/;
const END = '<!-- end generated -->';

export async function pagesWithRegions() {
  const failures = [];
  const files = new Map();
  for (const page of guides()) {
    const text = textOf(page);
    files.set(page, await withRegions(text, (line, problem) => failures.push(`${page}:${line}: ${problem}`)));
  }
  return { files, failures };
}

async function withRegions(text, fail) {
  const result = [];
  let open;
  const giveUp = () => {
    fail(open.line, `the region ${open.name} has no end`);
    result.push(...open.old);
  };
  for (const [index, { line, inside }] of linesOf(text).entries()) {
    const name = inside ? undefined : BEGIN.exec(line)?.[1];
    const ends = !inside && line === END;
    if (open !== undefined && name === undefined && !ends) {
      open.old.push(line);
      continue;
    }
    if (open !== undefined && ends) {
      result.push(...((await regionLines(open.name, open.line, fail)) ?? open.old));
    } else if (open !== undefined) {
      giveUp();
    } else if (ends) {
      fail(index + 1, 'a region ends here that did not begin');
    }
    open = name === undefined ? undefined : { name, line: index + 1, old: [] };
    result.push(line);
  }
  if (open !== undefined) {
    giveUp();
  }
  return result.join('\n');
}

async function regionLines(name, line, fail) {
  const make = Object.hasOwn(REGIONS, name) ? REGIONS[name] : undefined;
  if (make === undefined) {
    fail(line, `there is no region ${name}; there are ${Object.keys(REGIONS).join(', ')}`);
    return undefined;
  }
  const made = make();
  if (made.startsWith('|')) {
    // prettier would pad the cells of a column, which makes a wide table four times as long
    return ['', '<!-- prettier-ignore-start -->', ...made.split('\n'), '<!-- prettier-ignore-end -->', ''];
  }
  // As prettier would format the page, so that generated and checked pages agree.
  const options = await resolveConfig(join(root, 'README.md'));
  const text = await format(made, { ...options, parser: 'markdown' });
  return ['', ...text.trimEnd().split('\n'), ''];
}

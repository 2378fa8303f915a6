// etc/*.api.md: the public faces as declarations, so that a change of one shows up in a review.
import { readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from '../install.mjs';

// api-extractor is CommonJS, and its named exports are not seen by an ESM import.
const { Extractor, ExtractorConfig, ExtractorLogLevel } = createRequire(import.meta.url)('@microsoft/api-extractor');

const CONFIG = join(root, 'api-extractor.json');

/** Declarations of an entry, and the file that they are written to. */
const ENTRIES = {
  'lib/index.d.ts': 'edge-nodepools.api.md',
  'lib/pulumi/index.d.ts': 'edge-nodepools-pulumi.api.md',
  'lib/checks.d.ts': 'edge-nodepools-checks.api.md',
  'lib/delivery.d.ts': 'edge-nodepools-delivery.api.md',
  'lib/control-plane.d.ts': 'edge-nodepools-control-plane.api.md',
  'lib/pulumi/control-plane.d.ts': 'edge-nodepools-pulumi-control-plane.api.md',
  'lib/pulumi/delivery.d.ts': 'edge-nodepools-pulumi-delivery.api.md',
};

/** Reads lib, so it must be built. */
export function apiReport() {
  const failures = [];
  const temporary = join(root, '.cache', 'api-extractor');
  rmSync(temporary, { recursive: true, force: true });
  const reports = new Map();
  for (const [entry, report] of Object.entries(ENTRIES)) {
    extract(entry, report, failures, othersFor(entry, reports));
    reports.set(`etc/${report}`, readFileSync(join(temporary, report), 'utf8'));
  }
  return { files: reports, failures };
}

/** A link to an export of another entry, or a type of it, which api-extractor looks for in the same entry. */
function isOfOthers({ messageId, text }, others) {
  const pattern = { 'ae-unresolved-link': / export "(\w+)"/, 'ae-forgotten-export': / symbol "(\w+?)(?:_\d+)?"/ }[
    messageId
  ];
  const [, name] = pattern?.exec(text) ?? [];
  return name !== undefined && others.some((other) => new RegExp(`^export .*\\b${name}\\b`, 'm').test(other));
}

/** The reports of the entries that this one builds on: checks and the control plane on the core, components on what they share with constructs. */
function othersFor(entry, reports) {
  const isPulumi = entry.startsWith('lib/pulumi/');
  const needed = [
    ...(isPulumi || entry !== 'lib/index.d.ts' ? ['edge-nodepools'] : []),
    ...(entry.endsWith('delivery.d.ts') ? ['edge-nodepools-checks'] : []),
    ...(/^lib\/pulumi\/(control-plane|delivery)/.test(entry) ? ['edge-nodepools-pulumi'] : []),
  ];
  return needed.map((name) => reports.get(`etc/${name}.api.md`));
}

/** @param others reports of the entries that this one builds on */
function extract(entry, report, failures, others) {
  const { mainEntryPointFilePath, apiReport: settings, ...common } = ExtractorConfig.loadFile(CONFIG);
  const configObject = {
    ...common,
    mainEntryPointFilePath: mainEntryPointFilePath.replace('lib/index.d.ts', entry),
    apiReport: { ...settings, reportFileName: report },
  };
  const config = ExtractorConfig.prepare({
    configObject,
    configObjectFullPath: CONFIG,
    packageJsonFullPath: join(root, 'package.json'),
  });
  Extractor.invoke(config, {
    localBuild: false,
    messageCallback: (message) => {
      // The console messages say whether the report is stale; that is found out below, as for every other file.
      const isFinding = message.category !== 'console' && !isOfOthers(message, others);
      if (isFinding && [ExtractorLogLevel.Error, ExtractorLogLevel.Warning].includes(message.logLevel)) {
        failures.push(message.formatMessageWithLocation(root));
      }
      message.handled = true;
    },
  });
}

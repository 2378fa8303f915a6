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
  'lib/types.d.ts': 'edge-nodepools-types.api.md',
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
  const temporary = join(root, '.cache', 'api-extractor');
  rmSync(temporary, { recursive: true, force: true });
  const reports = new Map();
  const findings = new Map();
  for (const [entry, report] of Object.entries(ENTRIES)) {
    findings.set(entry, extract(entry, report));
    reports.set(`etc/${report}`, readFileSync(join(temporary, report), 'utf8'));
  }
  const failures = [...findings].flatMap(([entry, found]) => {
    const others = othersFor(entry, reports);
    return found.filter((message) => !isOfOthers(message, others)).map(({ where }) => where);
  });
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

/** The reports of the entries that this one builds on: types and the core on each other, checks and the control plane on both, components on what they share with constructs. */
function othersFor(entry, reports) {
  const isPulumi = entry.startsWith('lib/pulumi/');
  const needed = [
    ...(entry === 'lib/types.d.ts' ? [] : ['edge-nodepools-types']),
    ...(entry === 'lib/index.d.ts' ? [] : ['edge-nodepools']),
    ...(entry.endsWith('delivery.d.ts') ? ['edge-nodepools-checks'] : []),
    ...(/^lib\/pulumi\/(control-plane|delivery)/.test(entry) ? ['edge-nodepools-pulumi'] : []),
  ];
  return needed.map((name) => reports.get(`etc/${name}.api.md`));
}

/** Writes the report of an entry, and returns what api-extractor finds in it. */
function extract(entry, report) {
  const findings = [];
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
      if (
        message.category !== 'console' &&
        [ExtractorLogLevel.Error, ExtractorLogLevel.Warning].includes(message.logLevel)
      ) {
        const { messageId, text } = message;
        findings.push({ messageId, text, where: message.formatMessageWithLocation(root) });
      }
      message.handled = true;
    },
  });
  return findings;
}

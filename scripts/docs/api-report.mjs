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
  'lib/control-plane.d.ts': 'edge-nodepools-control-plane.api.md',
  'lib/pulumi/control-plane.d.ts': 'edge-nodepools-pulumi-control-plane.api.md',
};

/** Reads lib, so it must be built. */
export function apiReport() {
  const failures = [];
  const temporary = join(root, '.cache', 'api-extractor');
  rmSync(temporary, { recursive: true, force: true });
  const reports = new Map();
  for (const [entry, report] of Object.entries(ENTRIES)) {
    const [core] = entry.endsWith('control-plane.d.ts') ? reports.values() : [];
    extract(entry, report, failures, core);
    reports.set(`etc/${report}`, readFileSync(join(temporary, report), 'utf8'));
  }
  return { files: reports, failures };
}

/** A link from the door of the control plane to an export of the core, which api-extractor looks for behind the same door. */
function isOfCore({ messageId, text }, core) {
  const [, name] = messageId === 'ae-unresolved-link' ? (/ export "(\w+)"/.exec(text) ?? []) : [];
  return name !== undefined && new RegExp(`^export .*\\b${name}\\b`, 'm').test(core);
}

/** @param core the report of the core, for an entry behind another door */
function extract(entry, report, failures, core = '') {
  const { mainEntryPointFilePath, apiReport: settings, ...others } = ExtractorConfig.loadFile(CONFIG);
  const configObject = {
    ...others,
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
      const isFinding = message.category !== 'console' && !isOfCore(message, core);
      if (isFinding && [ExtractorLogLevel.Error, ExtractorLogLevel.Warning].includes(message.logLevel)) {
        failures.push(message.formatMessageWithLocation(root));
      }
      message.handled = true;
    },
  });
}

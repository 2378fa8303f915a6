// etc/*.api.md: the public faces as declarations, so that a change of one shows up in a review.
import { readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from '../install.mjs';

// api-extractor is CommonJS, and its named exports are not seen by an ESM import.
const { Extractor, ExtractorConfig, ExtractorLogLevel } = createRequire(import.meta.url)('@microsoft/api-extractor');

const CONFIG = join(root, 'api-extractor.json');

/** Declarations of an entry, and the file that they are written to. */
const ENTRIES = { 'lib/index.d.ts': 'edge-nodepools.api.md', 'lib/pulumi/index.d.ts': 'edge-nodepools-pulumi.api.md' };

/** Reads lib, so it must be built. */
export function apiReport() {
  const failures = [];
  const temporary = join(root, '.cache', 'api-extractor');
  rmSync(temporary, { recursive: true, force: true });
  const files = Object.entries(ENTRIES).map(([entry, report]) => {
    extract(entry, report, failures);
    return [`etc/${report}`, readFileSync(join(temporary, report), 'utf8')];
  });
  return { files: new Map(files), failures };
}

function extract(entry, report, failures) {
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
      const isFinding = message.category !== 'console';
      if (isFinding && [ExtractorLogLevel.Error, ExtractorLogLevel.Warning].includes(message.logLevel)) {
        failures.push(message.formatMessageWithLocation(root));
      }
      message.handled = true;
    },
  });
}

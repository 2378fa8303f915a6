// etc/edge-nodepools.api.md: the public face as declarations, so that a change of it shows up in a review.
import { readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from '../install.mjs';

// api-extractor is CommonJS, and its named exports are not seen by an ESM import.
const { Extractor, ExtractorConfig, ExtractorLogLevel } = createRequire(import.meta.url)('@microsoft/api-extractor');

const NAME = 'edge-nodepools.api.md';

/** Reads lib, so it must be built. */
export function apiReport() {
  const failures = [];
  const temporary = join(root, '.cache', 'api-extractor');
  rmSync(temporary, { recursive: true, force: true });
  Extractor.invoke(ExtractorConfig.loadFileAndPrepare(join(root, 'api-extractor.json')), {
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
  const text = readFileSync(join(temporary, NAME), 'utf8');
  return { files: new Map([[`etc/${NAME}`, text]]), failures };
}

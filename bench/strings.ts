/**
 * npm run bench:strings: CPU time of every public noun and command with 100,000 characters at each place of its properties, in each of 40 shapes.
 *
 * At most 200 ms, or 400 times as long as `JSON` writes and reads the same text in the same run, for slow machines. A pattern or a loop that reads a text
 * again for each of its characters needs thousands of times as long.
 *
 * `npm run bench:strings -- --only PoolWebhook --only NodeJoin` runs the nouns with one of these in their name. The whole takes some minutes.
 */
import { parseArgs } from 'node:util';
import { places, SHAPES } from '../test/properties/long-texts.js';

const LENGTH = 100_000;
const MOST_MILLISECONDS = 200;
const MOST_OF_JSON = 400;
const { values } = parseArgs({ options: { only: { type: 'string', multiple: true, default: [''] } } });

const milliseconds = (run: () => unknown): number => {
  const begin = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1e3;
};

const texts = SHAPES.map((shape) => shape(LENGTH));
const json =
  milliseconds(() => {
    for (let round = 0; round < 20; round++) {
      texts.forEach((text) => JSON.parse(JSON.stringify(text)) as string);
    }
  }) /
  (20 * texts.length);
const limit = Math.max(MOST_MILLISECONDS, json * MOST_OF_JSON);

const chosen = places().filter(({ noun }) => values.only.some((part) => noun.includes(part)));
const results: { readonly ms: number; readonly what: string }[] = [];
const show = ({ ms, what }: (typeof results)[number]): void =>
  console.log(`${ms <= limit ? 'met   ' : 'MISSED'} ${ms.toFixed(0).padStart(4)} ms  ${what}`);

for (const noun of new Set(chosen.map((place) => place.noun))) {
  const ofNoun: typeof results = [];
  for (const { path, use } of chosen.filter((place) => place.noun === noun)) {
    for (const [shape, text] of texts.entries()) {
      let ms = milliseconds(() => use(text));
      // a collection of garbage is not its fault
      for (let again = 0; again < 2 && ms > limit; again++) {
        ms = Math.min(
          ms,
          milliseconds(() => use(text)),
        );
      }
      ofNoun.push({ ms, what: `${noun}: ${path} = ${JSON.stringify(text.slice(0, 12))}… (shape ${shape})` });
      if (ms > limit) {
        show(ofNoun.at(-1) as (typeof results)[number]);
      }
    }
  }
  ofNoun.sort((a, b) => b.ms - a.ms);
  results.push(...ofNoun);
  show(ofNoun[0] as (typeof results)[number]);
}
const missed = results.filter(({ ms }) => ms > limit).length;
const total = results.reduce((sum, { ms }) => sum + ms, 0) / 1e3;
console.log(
  `${chosen.length} places, each with ${SHAPES.length} texts of ${LENGTH} characters: ${missed} of ${results.length} need more than ${limit.toFixed(0)} ms (JSON: ${json.toFixed(2)} ms); ${total.toFixed(0)} s in all`,
);
process.exitCode = missed === 0 && results.length > 0 ? 0 : 1;

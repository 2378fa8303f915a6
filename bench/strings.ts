/**
 * npm run bench:strings: CPU time of every public noun and command with 100,000 characters at any place of its properties, in many shapes.
 *
 * The bound is the time in which `JSON` writes and reads the same text, measured in the same run. A pattern or a loop that reads a text again for each of
 * its characters needs thousands of times as long.
 *
 * `npm run bench:strings -- PoolWebhook` runs the nouns with this in their name.
 */
import { places, SHAPES } from '../test/properties/long-texts.js';

const LENGTH = 100_000;
const MOST_OF_BOUND = Number(process.env.MOST ?? '400');

const milliseconds = (run: () => unknown): number => {
  const begin = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1e3;
};

const texts = SHAPES.map((shape) => shape(LENGTH));
const bound =
  milliseconds(() => {
    for (let round = 0; round < 20; round++) {
      texts.forEach((text) => JSON.parse(JSON.stringify(text)) as string);
    }
  }) /
  (20 * texts.length);

const wanted = process.argv[2] ?? '';
const results: { readonly ms: number; readonly what: string }[] = [];
let seen = '';
for (const { noun, path, use } of places().filter((place) => place.noun.includes(wanted))) {
  if (noun !== seen) {
    seen = noun;
    console.log(noun);
  }
  for (const [index, text] of texts.entries()) {
    let ms = milliseconds(() => use(text));
    // a collection of garbage is not its fault
    for (let again = 0; again < 2 && ms > bound * MOST_OF_BOUND; again++) {
      ms = Math.min(
        ms,
        milliseconds(() => use(text)),
      );
    }
    results.push({ ms, what: `${noun}: ${path} = ${JSON.stringify(text.slice(0, 12))}… (shape ${index})` });
    if (ms > 5000) {
      console.log(`MISSED ${ms.toFixed(0)} ms  ${results.at(-1)?.what}`);
      break;
    }
  }
}
results.sort((a, b) => b.ms - a.ms);
for (const { ms, what } of results.slice(0, Number(process.env.WORST ?? '10'))) {
  const ratio = ms / bound;
  console.log(
    `${ratio <= MOST_OF_BOUND ? 'met   ' : 'MISSED'} ${ms.toFixed(0)} ms, ${ratio.toFixed(0)}x of JSON (at most ${MOST_OF_BOUND})  ${what}`,
  );
}
console.log(`${results.length} runs; JSON: ${bound.toFixed(2)} ms`);
process.exitCode = (results[0]?.ms ?? 0) <= bound * MOST_OF_BOUND ? 0 : 1;

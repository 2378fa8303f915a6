/**
 * npm run bench:strings: CPU time of every public noun and command with 100,000 characters at any place of its properties, in many shapes.
 *
 * The bound is the time in which `JSON` writes and reads the same text, measured in the same run. A pattern or a loop that reads a text again for each of
 * its characters needs thousands of times as long. Texts of a fifth of the length show where that can be: what misses the bound takes at least a twenty-fifth
 * of it there, more than the quickest text at the same place. Only these, and the slowest text of each place, are then measured with the whole length.
 *
 * `npm run bench:strings -- PoolWebhook NodeJoin` runs the nouns with one of these in their name.
 */
import { type Place, places, SHAPES } from '../test/properties/long-texts.js';

const LENGTH = 100_000;
const SHORTER = 5;
const MOST_OF_BOUND = Number(process.env.MOST ?? '400');

const milliseconds = (run: () => unknown): number => {
  const begin = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1e3;
};

const texts = SHAPES.map((shape) => shape(LENGTH));
const shorter = SHAPES.map((shape) => shape(LENGTH / SHORTER));
const bound =
  milliseconds(() => {
    for (let round = 0; round < 20; round++) {
      texts.forEach((text) => JSON.parse(JSON.stringify(text)) as string);
    }
  }) /
  (20 * texts.length);
const limit = bound * MOST_OF_BOUND;

/** The shapes that can miss the bound at a place, and the slowest one. */
function suspectsAt({ use }: Place): number[] {
  const times = shorter.map((text) => milliseconds(() => use(text)));
  const [least, most] = [Math.min(...times), Math.max(...times)];
  return times.flatMap((ms, index) => (ms === most || ms - least > limit / SHORTER ** 2 ? [index] : []));
}

const wanted = process.argv.slice(2);
const results: { readonly ms: number; readonly what: string }[] = [];
const all = places().filter(({ noun }) => wanted.length === 0 || wanted.some((part) => noun.includes(part)));
for (const [index, place] of all.entries()) {
  const { noun, path, use } = place;
  if (noun !== all[index - 1]?.noun) {
    console.log(noun);
  }
  for (const shape of suspectsAt(place)) {
    const text = texts[shape] as string;
    let ms = milliseconds(() => use(text));
    // a collection of garbage is not its fault
    for (let again = 0; again < 2 && ms > limit; again++) {
      ms = Math.min(
        ms,
        milliseconds(() => use(text)),
      );
    }
    results.push({ ms, what: `${noun}: ${path} = ${JSON.stringify(text.slice(0, 12))}… (shape ${shape})` });
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
console.log(
  `${all.length} places, each with ${SHAPES.length} texts, ${results.length} of them with the whole length; JSON: ${bound.toFixed(2)} ms`,
);
process.exitCode = (results[0]?.ms ?? 0) <= limit ? 0 : 1;

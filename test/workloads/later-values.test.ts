import { joinPath, ProblemList } from '../../src/errors.js';
import { checkValues } from '../../src/workloads/value-rules.js';
import { acceptedOfCheck, acceptedValues, refusedOfCheck, refusedShapes } from './refused-values.js';

/** As an Output, or a token of cdk8s. */
class Later {}

type Path = (string | number)[];

function placesIn(value: unknown, path: Path = []): Path[] {
  const inner =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([field, part]) =>
          placesIn(part, [...path, Array.isArray(value) ? Number(field) : field]),
        )
      : [];
  return [...(path.length === 0 ? [] : [path]), ...inner];
}

function toldOf(object: any, unknown: readonly string[] = []): string[] {
  const problems = new ProblemList('', [], unknown);
  checkValues(object, object.kind as string, problems);
  return problems.problems.map(({ code, path }) => `${code} ${path}`);
}

it('a value that is not known yet is never the reason of a problem, wherever it is', () => {
  const wrong: string[] = [];
  let places = 0;
  for (const [what, workload] of [...acceptedValues, ...acceptedOfCheck, ...refusedShapes, ...refusedOfCheck]) {
    const plain = JSON.stringify(workload);
    const told = new Set(toldOf(JSON.parse(plain)));
    for (const path of placesIn(JSON.parse(plain))) {
      const copy = JSON.parse(plain);
      const parent = path.slice(0, -1).reduce((part: any, step) => part[step], copy);
      parent[path.at(-1) as string] = new Later();
      const at = path.reduce<string>(joinPath, '');
      wrong.push(...toldOf(copy, [at]).flatMap((each) => (told.has(each) ? [] : [`${what}: ${at}: ${each}`])));
      places++;
    }
  }
  expect(wrong).toEqual([]);
  expect(places).toBeGreaterThan(5000);
});

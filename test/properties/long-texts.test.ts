import { isFullDepth } from '../depth.js';
import { places, SHAPES } from './long-texts.js';

// how long each takes is measured by npm run bench:strings, and patterns that read text again and again are refused by eslint
describe('every place of a text in the properties of every noun', () => {
  const all = places(isFullDepth ? 10 : 1);
  /** A different part of the places for each purpose. */
  const some = (first: number): typeof all => all.filter((_, index) => isFullDepth || index % 64 === first);

  it('includes every property of the validation tables', () => {
    const paths = (noun: string): string[] => all.filter((place) => place.noun === noun).map(({ path }) => path);
    expect(paths('PoolAdmission')).toEqual(expect.arrayContaining(['.breakGlassGroups=[]', '.namespaceGateLabel=']));
    expect(paths('EdgeCluster')).toEqual(
      expect.arrayContaining(['.apiServer=', '.caCertHashes=[]', '.nodePoolLabel=']),
    );
    expect(paths('NodeReservation')).toEqual(expect.arrayContaining(['.evictionSoft={}', '.kubeReservedCgroup=']));
    expect(all.length).toBeGreaterThan(1000);
  });

  it('takes a long text, or refuses it', () => {
    const length = isFullDepth ? 10_000 : 1000;
    some(0).forEach(({ use }, index) => use(SHAPES[index % SHAPES.length]?.(length)));
  });

  it.each<[string, () => unknown]>([
    ['a map that contains itself', () => cycle({})],
    ['a list that contains itself', () => cycle([])],
    ['levels without end', () => Array.from({ length: 1100 }).reduce<unknown>((inner) => ({ inner }), 'a')],
  ])('refuses %s', (_, make) => {
    // anything else than an EdgeError, such as a stack overflow, is thrown
    some(1).forEach(({ use, path }) => (path.endsWith('{key}') ? undefined : use(make())));
  });
});

function cycle(value: any): unknown {
  return Array.isArray(value) ? value.push(value) && value : Object.assign(value, { self: value });
}

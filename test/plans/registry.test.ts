/** A registry is a map, and a snapshot of it is the map as it was. */
import fc from 'fast-check';
import { type Clock, Registry } from '../../src/cluster/registry.js';

const names = ['a', 'b', 'c'];
const step = fc.record({
  kind: fc.constantFrom('set', 'set', 'snapshot'),
  on: fc.nat(),
  name: fc.constantFrom(...names),
  value: fc.nat(),
});

/** A registry, and the plain map that it must answer as. */
interface Pair {
  readonly registry: Registry<number>;
  readonly map: Map<string, number>;
}

function snapshotOf({ registry, map }: Pair, clock: Clock): Pair {
  return { registry: new Registry(clock, { registry, until: clock.now }), map: new Map(map) };
}

it('is a map, and every snapshot, also of a snapshot, is a copy of it', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const clock = { now: 0 };
      const pairs: Pair[] = [{ registry: new Registry(clock), map: new Map() }];
      for (const { kind, on, name, value } of steps) {
        const pair = pairs[on % pairs.length] as Pair;
        if (kind === 'snapshot') {
          pairs.push(snapshotOf(pair, clock));
        } else {
          pair.registry.set(name, value);
          pair.map.set(name, value);
        }
      }
      pairs.forEach(({ registry, map }) => {
        expect(registry.entries()).toEqual([...map]);
        names.forEach((name) => expect(registry.get(name)).toBe(map.get(name)));
      });
    }),
    { numRuns: 500 },
  );
});

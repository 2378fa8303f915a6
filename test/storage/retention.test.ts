import fc from 'fast-check';
import { dataBytes, durationSeconds, shareOfSize } from '../../src/storage/retention.js';
import { samples } from '../depth.js';

const GIB = 1024 ** 3;

describe('amounts of data', () => {
  // pattern of retentionSize in the resource definition of Prometheus
  const accepted = /(^0|([0-9]*[.])?[0-9]+((K|M|G|T|E|P)i?)?B)$/;

  it('are a share of the size, never more, in a form that the operator takes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: 100 }), (gibibytes, percent) => {
        const share = shareOfSize(`${gibibytes}Gi`, percent);
        expect(share).toMatch(accepted);
        const bytes = dataBytes(share) as number;
        expect(bytes).toBeLessThanOrEqual((gibibytes * GIB * percent) / 100);
        expect(bytes).toBeGreaterThan((gibibytes * GIB * percent) / 100 - 1024 ** 2);
      }),
      { numRuns: samples(200) },
    );
  });

  it.each([
    ['40GB', 40 * GIB],
    ['40GiB', 40 * GIB],
    ['1.5TB', 1.5 * 1024 * GIB],
    ['512B', 512],
    ['40G', undefined],
    ['GB', undefined],
    [40, undefined],
    ['-1GB', undefined],
  ])('%p is %p bytes', (text, bytes) => expect(dataBytes(text)).toBe(bytes));
});

describe('durations', () => {
  it.each([
    ['15d', 15 * 86_400],
    ['1d12h', 129_600],
    ['1y2w', (365 + 14) * 86_400],
    ['90m30s', 5430],
    ['', undefined],
    ['12h1d', undefined],
    ['15', undefined],
    [15, undefined],
  ])('%p is %p seconds', (text, seconds) => expect(durationSeconds(text)).toBe(seconds));
});

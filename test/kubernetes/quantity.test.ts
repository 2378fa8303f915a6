import fc from 'fast-check';
import { runs } from '../depth.js';
import { Quantity } from '../../src/kubernetes/quantity.js';

const text = (quantity: string): string | undefined => Quantity.parse(quantity)?.toString();

describe('a Kubernetes quantity', () => {
  // the canonical result of resource.ParseQuantity(x).String() of apimachinery v0.36.2
  it.each([
    ['0', '0'],
    ['-0', '0'],
    ['16', '16'],
    ['14.5', '14500m'],
    ['0.1', '100m'],
    ['.5', '500m'],
    ['5.', '5'],
    ['+3', '3'],
    ['-3', '-3'],
    ['1000m', '1'],
    ['1500', '1500'],
    ['2000', '2k'],
    ['1000000', '1M'],
    ['1M', '1M'],
    ['1E', '1E'],
    ['1e3', '1e3'],
    ['1E3', '1e3'],
    ['12e-3', '12e-3'],
    ['1e2', '100'],
    ['32Gi', '32Gi'],
    ['29196Mi', '29196Mi'],
    ['1024Ki', '1Mi'],
    ['1.5Gi', '1536Mi'],
    ['0.5Ki', '512'],
    ['0.5Mi', '512Ki'],
    ['1023', '1023'],
    ['500n', '500n'],
    ['0.1n', '1n'],
    ['100u', '100u'],
    ['9Ei', '9223372036854775807'],
  ])('%s is %s', (given, canonical) => expect(text(given)).toBe(canonical));

  it.each([
    '',
    ' 1',
    '1 Gi',
    '1gi',
    '1GB',
    '1Kb',
    '1K',
    'Gi',
    '1e',
    '1e3Gi',
    '--1',
    '1,5',
    '1e999',
    '٣',
    '0x10',
    'NaN',
  ])('refuses %j', (given) => expect(Quantity.parse(given)).toBeUndefined());

  it('prints what it parses, to the nano unit', () => {
    const number = fc.tuple(
      fc.bigInt({ min: 0n, max: 10n ** 15n }),
      fc.constantFrom('', 'm', 'k', 'Ki', 'Mi', 'Gi', 'M', 'e3'),
    );
    fc.assert(
      fc.property(number, ([amount, suffix]) => {
        const read = Quantity.parse(`${amount}${suffix}`) as Quantity;
        const again = Quantity.parse(read.toString()) as Quantity;
        expect(again.nano).toBe(read.nano);
        expect(again.toString()).toBe(read.toString());
      }),
      runs(100),
    );
  });

  it('adds and subtracts exactly, with any suffixes', () => {
    const amount = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.constantFrom('', 'm', 'Ki', 'Mi', 'M'));
    fc.assert(
      fc.property(amount, amount, (a, b) => {
        const [x, y] = [a, b].map(([number, suffix]) => Quantity.parse(`${number}${suffix}`) as Quantity) as [
          Quantity,
          Quantity,
        ];
        expect(x.plus(y).minus(y).nano).toBe(x.nano);
        expect(x.minus(y).nano + y.nano).toBe(x.nano);
      }),
      runs(100),
    );
  });
});

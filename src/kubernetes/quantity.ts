// A Kubernetes quantity, as apimachinery's pkg/api/resource parses, subtracts and prints it. Exact: a whole number of nano units.

/** How a quantity is printed: with binary suffixes (`Ki`), decimal ones (`k`, `m`), or an exponent (`e3`). */
type QuantityFormat = 'binary' | 'decimal' | 'exponent';

const NANO = 1_000_000_000n;

const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** Decimal suffixes and their powers of ten. */
const DECIMAL_SUFFIXES: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};

const QUANTITY = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?\d{1,3})?$/;

// larger exponents are no realistic amounts, and only cost time
const LARGEST_EXPONENT = 30;

// the API server and kubelet cap binary quantities here
const LARGEST_BINARY = (2n ** 63n - 1n) * NANO;

/** An exact amount of a resource. Immutable. */
export class Quantity {
  /** Parses a quantity; undefined if kubelet would refuse the text. Less than a nano unit is rounded up to one, away from zero. */
  public static parse(text: string): Quantity | undefined {
    const [, sign, number = '', suffix = ''] = QUANTITY.exec(text) ?? [];
    if (sign === undefined) {
      return undefined;
    }
    const [whole = '', fraction = ''] = number.split('.');
    const binary = BINARY_SUFFIXES.indexOf(suffix);
    const isBinary = binary > 0;
    const isExponent = !isBinary && !(suffix in DECIMAL_SUFFIXES);
    const power = isExponent ? Number(suffix.slice(1)) : (DECIMAL_SUFFIXES[suffix] ?? 0);
    if (isExponent && Math.abs(power) > LARGEST_EXPONENT) {
      return undefined;
    }
    const digits = BigInt(`${whole}${fraction}` || '0') * (isBinary ? 1024n ** BigInt(binary) : 1n);
    const nano = scaled(digits, (isBinary ? 0 : power) + 9 - fraction.length);
    const capped = isBinary && nano > LARGEST_BINARY ? LARGEST_BINARY : nano;
    // less than one unit is not printed with a binary suffix
    const format = isExponent ? 'exponent' : isBinary && (capped >= NANO || capped === 0n) ? 'binary' : 'decimal';
    return new Quantity(sign === '-' ? -capped : capped, format);
  }

  /** A whole number of bytes, printed with binary suffixes as kubelet prints memory and storage. */
  public static ofBytes(bytes: bigint): Quantity {
    return new Quantity(bytes * NANO, 'binary');
  }

  public static readonly ZERO = new Quantity(0n, 'decimal');

  private constructor(
    /** The amount, in nano units. */
    public readonly nano: bigint,
    private readonly format: QuantityFormat,
  ) {}

  /** The difference, in the format of this quantity, or of the other one if this one is zero. */
  public minus(other: Quantity): Quantity {
    return new Quantity(this.nano - other.nano, this.nano === 0n ? other.format : this.format);
  }

  public plus(other: Quantity): Quantity {
    return new Quantity(this.nano + other.nano, this.nano === 0n ? other.format : this.format);
  }

  public times(count: number): Quantity {
    return new Quantity(this.nano * BigInt(count), this.format);
  }

  /** The amount in whole units, rounded away from zero: `Value()` of apimachinery. */
  public wholeUnits(): bigint {
    return divideAwayFromZero(this.nano, NANO);
  }

  /** Canonical text, as the API server prints it: the largest suffix without a fraction. */
  public toString(): string {
    if (this.nano === 0n) {
      return '0';
    }
    const whole = this.nano % NANO === 0n;
    if (this.format === 'binary' && whole && absolute(this.nano) >= 1024n * NANO) {
      return withLargest(this.nano / NANO, 1024n, BINARY_SUFFIXES.length - 1, (step) => BINARY_SUFFIXES[step] ?? '');
    }
    const exponent = (step: number): number => 3 * step - 9;
    const suffixOf = (step: number): string => {
      const power = exponent(step);
      if (this.format === 'exponent') {
        return power === 0 ? '' : `e${power}`;
      }
      return Object.keys(DECIMAL_SUFFIXES).find((suffix) => DECIMAL_SUFFIXES[suffix] === power) ?? '';
    };
    return withLargest(this.nano, 1000n, 9, suffixOf);
  }
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function divideAwayFromZero(value: bigint, by: bigint): bigint {
  const quotient = absolute(value) / by + (absolute(value) % by === 0n ? 0n : 1n);
  return value < 0n ? -quotient : quotient;
}

/** `value` times a power of ten, rounded away from zero. */
function scaled(value: bigint, power: number): bigint {
  return power >= 0 ? value * 10n ** BigInt(power) : divideAwayFromZero(value, 10n ** BigInt(-power));
}

/** The number divided by the largest power of `base`, with the suffix for that power. */
function withLargest(value: bigint, base: bigint, most: number, suffixOf: (steps: number) => string): string {
  let rest = value;
  let steps = 0;
  while (steps < most && rest % base === 0n) {
    rest /= base;
    steps += 1;
  }
  return `${rest}${suffixOf(steps)}`;
}

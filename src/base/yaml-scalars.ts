/** What an untagged plain scalar is, if it is not text. */
export interface ResolvedScalar {
  readonly type: 'bool' | 'null' | 'int' | 'float';
  /** Integers that a number cannot represent exactly are bigints. */
  readonly value: boolean | null | number | bigint;
}

const words = (
  type: ResolvedScalar['type'],
  value: ResolvedScalar['value'],
  list: string,
): [string, ResolvedScalar][] => list.split(' ').map((word) => [word, { type, value }]);

// resolveMapList of go.yaml.in/yaml/v2 resolve.go
const WORDS = new Map<string, ResolvedScalar>([
  ...words('bool', true, 'y Y yes Yes YES true True TRUE on On ON'),
  ...words('bool', false, 'n N no No NO false False FALSE off Off OFF'),
  ...words('null', null, '~ null Null NULL'),
  ['', { type: 'null', value: null }],
  ...words('float', Number.NaN, '.nan .NaN .NAN'),
  ...words('float', Number.POSITIVE_INFINITY, '.inf .Inf .INF +.inf +.Inf +.INF'),
  ...words('float', Number.NEGATIVE_INFINITY, '-.inf -.Inf -.INF'),
]);

// strconv.ParseFloat of a text that begins with a point: underscores only between digits
const POINT_FLOAT = /^\.\d+(?:_\d+)*(?:[eE][+-]?\d+(?:_\d+)*)?$/;
// yamlStyleFloat of resolve.go
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
// strconv.ParseInt with base 0, without underscores; a leading zero is octal
const INTEGER = /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|0[0-7]*|[1-9]\d*)$/;
const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;
const MAX_UNSIGNED = 2n ** 64n - 1n;

/** Whether a plain scalar begins with a character, mostly a letter, that no number or word begins with. */
export function beginsLikeText(text: string): boolean {
  return text.charCodeAt(0) > 0x39 && !'yYnNtTfFoO~'.includes(text.charAt(0));
}

/**
 * A plain scalar, as resolve of go.yaml.in/yaml/v2 (resolve.go) reads it, and with it sigs.k8s.io/yaml, kubectl and Helm; undefined for text. Dates
 * and base-60 numbers are text.
 */
export function resolveScalar(text: string): ResolvedScalar | undefined {
  if (beginsLikeText(text)) {
    return undefined;
  }
  const first = text.charCodeAt(0);
  const word = WORDS.get(text);
  if (word !== undefined) {
    return word;
  }
  if (first === 0x2e) {
    return POINT_FLOAT.test(text) ? float(text) : undefined;
  }
  return /^[-+0-9]/.test(text) ? integer(text.replaceAll('_', '')) : undefined;
}

function integer(text: string): ResolvedScalar | undefined {
  const [, sign = '', digits = ''] = INTEGER.exec(text) ?? [];
  if (digits !== '') {
    const magnitude = BigInt(/^0\d/.test(digits) ? `0o${digits.slice(1)}` : digits.toLowerCase());
    const value = sign === '-' ? -magnitude : magnitude;
    // an unsigned integer has no sign
    if (value >= MIN && value <= (sign === '' ? MAX_UNSIGNED : MAX)) {
      const number = Number(value);
      const isExact = Math.abs(number) <= 2 ** 53 && BigInt(number) === value;
      return { type: 'int', value: isExact ? number : value };
    }
  }
  return FLOAT.test(text) ? float(text) : undefined;
}

/** Too large numbers are text. */
function float(text: string): ResolvedScalar | undefined {
  const value = Number(text.replaceAll('_', ''));
  return Number.isFinite(value) ? { type: 'float', value } : undefined;
}

/** A float as a name of a field: strconv.FormatFloat(value, 'g', -1, 32), as sigs.k8s.io/yaml converts keys. */
export function floatAsKey(value: number): string {
  const single = Math.fround(value);
  if (Number.isNaN(value)) {
    return '.nan';
  }
  if (!Number.isFinite(single)) {
    return single > 0 ? '.inf' : '-.inf';
  }
  if (single === 0) {
    return Object.is(single, -0) ? '-0' : '0';
  }
  let digits = 0;
  let shortest = '';
  do {
    shortest = single.toExponential(digits++);
  } while (Math.fround(Number(shortest)) !== single);
  const [mantissa = '', exponent = ''] = shortest.split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) {
    return Number(shortest).toFixed(Math.max(digits - 1 - power, 0));
  }
  const magnitude = String(Math.abs(power)).padStart(2, '0');
  return `${mantissa}e${power < 0 ? '-' : '+'}${magnitude}`;
}

const UNSAFE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** Text in double quotes, of JSON too, without characters that YAML 1.1 does not allow or reads as line breaks. */
export function escaped(text: string): string {
  return text.replace(UNSAFE, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

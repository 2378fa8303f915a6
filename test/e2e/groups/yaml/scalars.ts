/** Every text of up to three of these characters, as a value and as a key. */
const CHARACTERS = [...'0178._+-eExobnyY~:'];
const WORDS = ['y', 'yes', 'n', 'no', 'on', 'off', 'true', 'false', 'null', 'nan', '.nan', '.inf', 'inf', 'infinity'];
const SIGNS = ['', '+', '-', '+-'];
const BASES = ['', '0', '00', '0x', '0X', '0o', '0O', '0b', '0B', '.', '0.', '1.', '_', '0_', '0x_', '._'];
const DIGITS = ['', '0', '1', '7', '8', '12', '1_2', '1__2', '_1', '1_', 'f', 'F_f', '101', '9223372036854775807'];
const MORE = ['9223372036854775808', '18446744073709551615', '18446744073709551616', '1777777777777777777777'];
const TAILS = ['', '.', '.0', '.50', '._5', '_.5', 'e2', 'E+2', 'e-2', 'e_2', '_e2', 'e400', 'e-400', 'p2', 'Gi', 'm'];
const OTHERS = [
  ...['2001-01-01', '2001-1-1', '2001-01-01T00:00:00Z', '2001-12-14 21:59:43.10', '22:22', '1:20', '190:20:30'],
  ...['1.0.0', '1,000', '0x1p-2', '=', '<<', '- a', '.e5', '.5e', '.1.2', '..', '...', '-..', '1e3', '1E3', '1e+06'],
  ...['e2', 'n2', 'c3', 'on1', '.5_5', '.3_e4', '._8', '100000.0', '1000000.0', '1e-5', '0.0001', '16777217.0'],
  ...['!!str 1', '!!int 1', '!!int "1"', '!!float 1', '!!bool yes', '!!null ~', '!!int a', '!foo 1', '! 1', '!!str'],
  ...['!!binary aGVsbG8=', '!!binary a', '!!timestamp 2001-01-01', '"1"', "'1'", '"yes"', '""', "''", '"\\u0031"'],
];

const cases = (word: string): string[] => [word, word.toUpperCase(), word.charAt(0).toUpperCase() + word.slice(1)];

function upTo(length: number): string[] {
  return length === 0 ? [''] : [...upTo(length - 1), ...shorter(length)];
}

function shorter(length: number): string[] {
  return length === 0 ? [''] : shorter(length - 1).flatMap((text) => CHARACTERS.map((each) => text + each));
}

/** Over ten thousand scalars that parsers read differently. */
export function scalars(): string[] {
  const numbers = SIGNS.flatMap((sign) =>
    BASES.flatMap((base) => [...DIGITS, ...MORE].flatMap((digits) => TAILS.map((tail) => sign + base + digits + tail))),
  );
  const words = WORDS.flatMap(cases).flatMap((word) => SIGNS.map((sign) => sign + word));
  return [...new Set([...upTo(3), ...numbers, ...words, ...OTHERS])];
}

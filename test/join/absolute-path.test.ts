import { isAbsolutePath, pathProblem } from '../../src/join/absolute-path.js';

it.each([
  ['/etc/a', undefined],
  [`/etc/${'a'.repeat(255)}`, undefined],
  ['etc/a', 'is not an absolute path'],
  ['', 'is not an absolute path'],
  [undefined, 'is not an absolute path'],
  ['/', 'has an empty name: two slashes, or one at its end'],
  ['/etc//a', 'has an empty name: two slashes, or one at its end'],
  ['/etc/a/', 'has an empty name: two slashes, or one at its end'],
  ['/etc/../a', 'has a name . or ..'],
  ['/etc/a b', 'has other characters than letters, digits and ._@:+=,- between its slashes'],
  ['/etc/a\u007f', 'has other characters than letters, digits and ._@:+=,- between its slashes'],
  [`/etc/${'a'.repeat(256)}`, 'has a name of more than 255 bytes'],
  [`/${'a/'.repeat(2047)}ab`, 'has more than 4095 bytes'],
])('a path is absolute, or what is wrong with it is said: %j', (path, wrong) => {
  expect(isAbsolutePath(path)).toBe(wrong === undefined);
  if (wrong !== undefined) {
    expect(pathProblem(path)).toBe(wrong);
  }
});

import { sha256Of } from '../base/content-hash.js';

/** Words that are no names of variables in a module (ECMA-262, reserved words; TypeScript's strict mode), and those that a program of this room uses. */
const TAKEN: ReadonlySet<string> = new Set(
  (
    'abstract any arguments as async await boolean break case catch class const constructor continue debugger declare default delete do else enum eval export ' +
    'extends false finally for from function get if implements import in instanceof interface is let module namespace never new null number object of ' +
    'package private protected public readonly require return set static string super switch symbol this throw true try type typeof undefined unknown var ' +
    'void while with yield cluster config pools secret scope id node ' +
    // of the modules that are written, and of what they run in
    'exports console global globalThis infinity naN jest pool process pulumi made without kept toFile ' +
    // members of a chart (constructs, Construct; cdk8s, Chart) and of every object
    'addDependency apiObjects chart generateObjectName hasOwnProperty isPrototypeOf labels lookup of isChart ' +
    'propertyIsEnumerable toJson toLocaleString toString valueOf prototype name length caller callee then'
  )
    .split(' ')
    .map((word) => word.toLowerCase()),
);

/** The words of a name, in ASCII; a name without any has the digits of its hash, so that it has the same one in every import. */
function wordsOf(name: string): string[] {
  const words =
    name
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .match(/[A-Za-z0-9]+/g) ?? [];
  const letters = name
    .replace(/[^\p{L}\p{N}]/gu, '')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '');
  const isWhole = letters === words.join('');
  return isWhole && words.length > 0 ? words : [...words, sha256Of(name).slice(0, 6)];
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** `beijingEast` */
export function variableName(name: string): string {
  const [first = '', ...rest] = wordsOf(name);
  const text = [first.charAt(0).toLowerCase() + first.slice(1), ...rest.map(capital)].join('');
  return /^\d/.test(text) ? `pool${text}` : TAKEN.has(text.toLowerCase()) ? `${text}Pool` : text;
}

/** `ShopWebChart` */
export function className(...names: readonly string[]): string {
  const text = names.flatMap(wordsOf).map(capital).join('');
  return `${/^\d/.test(text) ? 'N' : ''}${text}Chart`;
}

/** `shop-web`: of a file, a construct or a resource. */
export function kebabName(...names: readonly string[]): string {
  const text = names
    .flatMap(wordsOf)
    .map((word) => word.toLowerCase())
    .join('-')
    .slice(0, 100);
  // names of devices on Windows, which no file can have; files that Jest takes for tests
  return /^(?:con|prn|aux|nul|com\d|lpt\d|test|spec)$/.test(text) ? `${text}-app` : constructId(text);
}

/** The id of a construct. Of one with this name, constructs says that it is there already (constructs, Node.addChild: `name in this._children`). */
export function constructId(name: string): string {
  return name === 'constructor' ? `${name}-1` : name;
}

/** `SHOP_DB_PASSWORD` */
export function environmentName(...names: readonly string[]): string {
  return names
    .flatMap(wordsOf)
    .map((word) => word.toUpperCase())
    .join('_');
}

/** Gives each wanted name once: the next one that wants it gets a number. */
export class UniqueNames {
  private readonly taken = new Set<string>();

  public of(wanted: string, isWanted: (name: string) => string = (name) => name): string {
    for (let count = 1; ; count++) {
      // an environment variable has no other separator than this one
      const separator = /^[A-Z\d_]+$/.test(wanted) ? '_' : /[-_]/.test(wanted) || /^[a-z0-9]+$/.test(wanted) ? '-' : '';
      const name = count === 1 ? wanted : `${wanted}${separator}${count}`;
      const key = isWanted(name).toLowerCase();
      if (!this.taken.has(key)) {
        this.taken.add(key);
        return name;
      }
    }
  }
}

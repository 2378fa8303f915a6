import * as edge from '../doors/cdk8s.js';
import { main } from '../../src/cli/main.js';
import { isFullDepth } from '../depth.js';
import { NOUNS } from './long-text-nouns.js';
import { places, type Shape, SHAPES } from './long-texts.js';

/** Exports and static methods that take no text, or pass it on to one of the others. All others are in `NOUNS`. */
const WITHOUT_TEXT: Readonly<Record<string, string>> = {
  EdgeError: 'made by the library',
  ExcludedWorkloadMixin: 'ExcludedWorkload.mixin',
  FleetDifferences: 'made by fleetDiff',
  NodePoolConstruct: 'the class of the pools',
  artifactsOf: 'takes a construct',
  manifestsOf: 'takes a construct',
  writeArtifacts: 'takes a construct and a folder',
  'Corefile.of': 'internal',
  'FleetDifferences.of': 'internal',
  'ExcludedWorkload.supports': 'takes a construct',
  'EdgeWarnings.of': 'takes a construct',
  'EdgeWarnings.add': 'takes warnings of the library',
  'JoinToken.unchecked': 'internal',
  'JoinToken.textOf': 'internal',
  'SystemComponent.known': 'internal',
  'SystemComponent.constantOf': 'internal',
};

// how long each takes is measured by npm run bench:strings, and patterns that read text again and again are refused by eslint
describe('every place of a text in the properties of every noun', () => {
  const all = places(isFullDepth ? 10 : 1);
  /** A different part of the places for each purpose. */
  const some = (first: number): typeof all => all.filter((_, index) => isFullDepth || index % 64 === first);

  it('includes every property of the validation tables', () => {
    const paths = (noun: string): string[] => all.filter((place) => place.noun === noun).map(({ path }) => path);
    expect(paths('PoolAdmission')).toEqual(expect.arrayContaining(['.breakGlassGroups=[]', '.namespaceGateLabel=']));
    expect(paths('EdgeCluster.of')).toEqual(
      expect.arrayContaining(['.apiServer=', '.caCertHashes=[]', '.nodePoolLabel=']),
    );
    expect(paths('NodeReservation.of')).toEqual(expect.arrayContaining(['.evictionSoft={}', '.kubeReservedCgroup=']));
    expect(all.length).toBeGreaterThan(1000);
  });

  it('includes every export, every static method and every flag of every command', () => {
    const listed = NOUNS.flatMap(({ name }) => name.split(', '));
    const statics = (one: object): string[] =>
      Object.getOwnPropertyNames(one).filter((name) => typeof (one as any)[name] === 'function');
    const exported = Object.entries(edge).flatMap(([name, one]) =>
      typeof one !== 'function' ? [] : [name, ...statics(one).map((inner) => `${name}.${inner}`)],
    );
    // a class without public constructor is known by its static methods, and PersistentData.forX is PersistentData with a consumer
    const isListed = (name: string): boolean =>
      name in WITHOUT_TEXT ||
      listed.some(
        (one) => one === name || one.startsWith(`${name}.`) || `${one}.for` === name.slice(0, one.length + 4),
      );
    expect(exported.filter((name) => !isListed(name))).toEqual([]);

    const help = (...args: string[]): string => {
      let shown = '';
      main([...args, '--help'], { stdin: () => '', stdout: (text) => (shown += text), stderr: () => undefined });
      return shown;
    };
    const commands = [...help().matchAll(/^ {2}([a-z-]+) \[/gm)].map(([, name]) => name as string);
    expect(commands).toEqual(expect.arrayContaining(['init', 'upgrade']));
    for (const name of commands.filter((one) => one !== 'help')) {
      const flags = [...help(name).matchAll(/^ {2}--([a-z-]+) </gm)].map(([, flag]) => flag as string);
      const found = all.filter(({ noun }) => noun === `edge-nodepools ${name}`).map(({ path }) => path);
      expect([name, ...flags.filter((flag) => !found.includes(flag))]).toEqual([name]);
    }
  });

  it('takes a long text of any shape, or refuses it', () => {
    // at full depth every ten neighbouring places get all shapes; npm run bench:strings gives all of them to every place, and measures
    const each = isFullDepth ? 4 : 1;
    for (const [index, { use }] of some(0).entries()) {
      for (let one = 0; one < each; one++) {
        // anything else than an EdgeError, such as a stack overflow, is thrown
        use((SHAPES[(each * index + one) % SHAPES.length] as Shape)(20_000));
      }
    }
  });

  it.each<[string, () => unknown]>([
    ['a map that contains itself', () => cycle({})],
    ['a list that contains itself', () => cycle([])],
  ])('refuses %s', (_, make) => {
    some(1).forEach(({ use, path }) => (path.endsWith('{key}') ? undefined : use(make())));
  });
});

function cycle(value: any): unknown {
  return Array.isArray(value) ? value.push(value) && value : Object.assign(value, { self: value });
}

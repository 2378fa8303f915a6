import fc from 'fast-check';
import { stringify } from 'yaml';
import { ProblemList } from '../../src/base/errors.js';
import { parseNodes } from '../../src/base/yaml-nodes.js';
import { splitStream } from '../../src/base/yaml-stream.js';
import { YamlReader } from '../../src/base/yaml-reader.js';
import { valueOf } from '../../src/base/yaml-values.js';
import { postRender, type PostRendered } from '../../src/workloads/post-render.js';
import { on } from '../corpus/kube-system.js';
import { samples } from '../depth.js';
import { isExcludedEverywhere, withoutExclusion } from '../reference/exclusion.js';

const cluster = on('none', '1.34');

function render(stream: string): PostRendered {
  const problems = new ProblemList();
  const rendered = postRender(stream, { cluster }, problems);
  problems.throwIfAny('post-render');
  return rendered;
}

const valuesOf = (stream: string): any[] =>
  splitStream(stream).flatMap(({ marker, body }) => parseNodes(marker + body).roots.map((root) => valueOf(root)));

/** What must hold of every stream. */
function check(stream: string): string {
  const { text } = render(stream);
  expect(withoutExclusion(valuesOf(text))).toEqual(withoutExclusion(valuesOf(stream)));
  expect(isExcludedEverywhere(valuesOf(text))).toBe(true);
  expect(render(text)).toMatchObject({ text, changed: [] });
  return text;
}

/** Whether a text is another one with insertions. */
function isContained(part: string, whole: string): boolean {
  let found = 0;
  for (const character of whole) {
    found += character === part[found] ? 1 : 0;
  }
  return found === part.length;
}

const POD = 'spec: {containers: [{name: a, args: [build, .], workingDir: .}]}';
const WORKLOAD = `apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: a\nspec:\n  template:\n    ${POD}\n`;

describe('post-render inserts only', () => {
  it.each([
    [
      'a comment-only document with Windows line ends',
      `# chart\r\n---\r\n# none\r\n---\r\n${WORKLOAD.replaceAll('\n', '\r\n')}`,
    ],
    ['a key twice in another object', `kind: ConfigMap\ndata: {a: 1, a: 2}\n---\n${WORKLOAD}`],
    ['quoted text that is indented less', `kind: ConfigMap\ndata:\n  a: "x\n y\nz"\n---\n${WORKLOAD}  other: 'x\ny'\n`],
    ['a block with a comment and no content after a marker', `--- # c\n${WORKLOAD}  other: | # nothing\n`],
    ['a block that begins with a tab', `${WORKLOAD}  other: |2\n    \tx\n`],
    ['line breaks of YAML 1.1', `${WORKLOAD}  other: "x\u2028y\u0085z"\n`],
    ['numbers that JavaScript cannot represent', `${WORKLOAD}  other: 12345678901234567890\n`],
    ['keys and text like numbers', `${WORKLOAD}  e2: ._8\n  .: .3_e4\n  08: 0o7\n`],
    [
      'comments, blank lines and odd spaces',
      `# a\n\n${WORKLOAD.replace('template:', 'template:   # the Pod\n\n    # first')}   # end\n`,
    ],
    [
      'JSON with tabs',
      `{\n\t"apiVersion": "apps/v1",\n\t"kind": "Deployment",\n\t"spec": {\n\t\t"template": {\n\t\t\t"spec": {\n\t\t\t\t"x": "\\/"\n\t\t\t}\n\t\t}\n\t}\n}\n`,
    ],
    [
      'JSON objects without a separator',
      '{"apiVersion":"v1","kind":"Pod","spec":{"a":1.0}}{"apiVersion":"v1","kind":"Pod","spec":{}}',
    ],
    [
      'empty values in braces',
      '{kind: List, items: [{kind: Deployment, apiVersion: apps/v1, spec: {template: {metadata: {annotations: }, spec: {affinity: }}, note: }}]}',
    ],
    ['empty values in braces of a block', 'kind: Pod\napiVersion: v1\nmetadata: {annotations: }\nspec: {affinity: }\n'],
    [
      'empty values after quoted keys and anchors',
      '{kind: Pod, apiVersion: v1, metadata: {"annotations":}, spec: {affinity: &a }}',
    ],
    ['a byte order mark', `\ufeff${WORKLOAD}`],
  ])('with %s', (_, stream) => {
    expect(isContained(stream, check(stream))).toBe(true);
  });

  it.each([
    ['metadata: ~', 'affinity:'],
    ['metadata: # none', 'affinity: {} # none'],
    ['metadata:\n      annotations: {}', 'affinity: {nodeAffinity: null}'],
    ['metadata: {annotations: }', 'affinity: &none {}'],
    ['metadata: &m\n      labels: {a: b}', 'affinity: !!null ~'],
    ['metadata: {labels: *m}', 'affinity:\n        {}'],
  ])('after %j and %j', (metadata, affinity) => {
    const lead = metadata.includes('*m') ? 'x: &m {a: b}\n' : '';
    check(`${lead}${WORKLOAD.replace(POD, `${metadata}\n    spec:\n      ${affinity}\n      containers: []`)}`);
  });

  it.each([
    '- key: a\n  operator: Exists',
    '[{key: a, operator: Exists}]',
    '- {key: a, operator: Exists} # last',
    '- key: a\n  operator: In\n  values:\n  - |\n    x',
  ])('into the terms with %j at the end of the text', (expressions) => {
    const lines = expressions.replaceAll('\n', '\n            ');
    const required = 'requiredDuringSchedulingIgnoredDuringExecution';
    for (const end of ['', '\n']) {
      const terms = `nodeSelectorTerms:\n          - matchExpressions:\n            ${lines}${end}`;
      const problems = new ProblemList();
      const stream = `apiVersion: v1\nkind: Pod\nspec:\n  affinity:\n    nodeAffinity:\n      ${required}:\n        ${terms}`;
      const { text } = postRender(stream, { cluster }, problems);
      // a value with a line break is refused
      expect(problems.problems.length === 0 ? check(stream) : stream).toBe(text);
    }
  });

  it('nothing after a last block that keeps its line breaks, if kubectl reads one more of them at the end of the stream', () => {
    // checked with k8s.io/apimachinery util/yaml: "x\n\n", and "x\n" with a line after it
    for (const place of [
      'metadata:\n      annotations:\n        note: |+\n          x\n  ',
      'spec:\n      containers:\n      - name: a\n        args:\n        - >+\n          x\n   ',
    ]) {
      const more = place.startsWith('spec') ? '' : 'spec: {containers: []}\n    ';
      const stream = WORKLOAD.replace(`${POD}\n`, more + place);
      expect(check(stream).endsWith(place.slice(place.indexOf('+')))).toBe(true);
    }
  });

  it('where another place has the field by a merge key', () => {
    const base = 'base: &base\n  metadata: {labels: {app: a}}\n  spec: {containers: []}\n';
    for (const template of [
      '{<<: *base}',
      '{<<: *base, a: }',
      '{<<: *base, a: # b\n      }',
      '\n    <<: *base',
      '\n    <<: [*base]\n    metadata: {}',
    ]) {
      const stream = `${base}${WORKLOAD.replace(`\n    ${POD}`, ` ${template}`)}`;
      expect(check(stream).startsWith(base)).toBe(true);
    }
  });
});

const text = fc.oneof(
  fc.constantFrom('.', 'e2', '._8', '0o7', 'yes', '08', '', '- a', 'a: b', '# c', '1e3', '{', '~'),
  fc.string({ unit: fc.constantFrom(...'a :#-"\'\\0.\u2028\u0085\t'), maxLength: 6 }),
);
const maybe = <T>(some: fc.Arbitrary<T>): fc.Arbitrary<T | null | undefined> =>
  fc.oneof(some, fc.constantFrom(null, undefined));
const term = fc.record({
  matchExpressions: fc.array(fc.constant({ key: 'a', operator: 'Exists' }), { maxLength: 2 }),
  matchFields: maybe(fc.constant([{ key: 'metadata.name', operator: 'In', values: ['a'] }])),
});
const required = fc.record({ nodeSelectorTerms: fc.array(term, { minLength: 1, maxLength: 3 }) });
const affinity = fc.record({
  nodeAffinity: maybe(fc.record({ requiredDuringSchedulingIgnoredDuringExecution: maybe(required) })),
  podAffinity: maybe(fc.constant({})),
});
const podTemplate = fc.record({
  metadata: maybe(fc.record({ annotations: maybe(fc.dictionary(fc.constantFrom('a', 'b'), text)) })),
  spec: fc.record({
    containers: fc.array(fc.record({ name: fc.constant('a'), args: fc.array(text, { maxLength: 3 }) })),
    affinity: maybe(affinity),
  }),
});
const workload = fc.record({ template: podTemplate, note: maybe(text) }).chain((spec) =>
  fc.shuffledSubarray(['apiVersion', 'kind', 'metadata', 'spec'], { minLength: 4 }).map((order) => {
    const object: any = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' }, spec };
    return Object.fromEntries(order.map((field) => [field, object[field]]));
  }),
);
const other = fc.record({ kind: fc.constant('ConfigMap'), data: fc.dictionary(text, text, { maxKeys: 3 }) });
const object = fc.oneof(workload, other);
const list = fc.record({ kind: fc.constantFrom('List', 'ResourceList'), items: fc.array(object, { maxLength: 4 }) });
const style = fc.record({
  indent: fc.constantFrom(2, 4),
  indentSeq: fc.boolean(),
  collectionStyle: fc.constantFrom('any', 'flow', 'block'),
  defaultStringType: fc.constantFrom('PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE'),
  flowCollectionPadding: fc.boolean(),
  lineWidth: fc.constantFrom(0, 20),
  nullStr: fc.constantFrom('', '~', 'null'),
});
/** Comments and blank lines between lines, and after some. */
const noise = fc.func(fc.constantFrom('', '', '', '\n# c', '\n', ' # c', '\n          # deep'));

function printed(value: unknown, options: any, add: (line: string, index: number) => string): string {
  // raw, they are line breaks
  const plain = JSON.stringify(value).replace(
    /[\u0085\u2028]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const clean =
    options.collectionStyle === 'flow' && options.indent === 4 ? plain : stringify(JSON.parse(plain), options);
  const noisy = clean
    .split('\n')
    .map((line: string, index: number) => (line === '' ? '' : line + add(line, index)))
    .join('\n');
  for (const each of [noisy, clean]) {
    try {
      if (JSON.stringify(valuesOf(each)) === JSON.stringify([JSON.parse(plain)])) {
        return each;
      }
    } catch {
      // noise inside of a text
    }
  }
  return plain;
}

it('of any stream, every value stays except for the exclusion, and the second time changes nothing', () => {
  const document = fc.tuple(fc.oneof(object, list), style, noise).map((parts) => printed(...parts));
  const stream = fc
    .tuple(
      fc.array(document, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('\n---\n', '\n--- # c\n', '\r\n---\n'),
      fc.boolean(),
      fc.boolean(),
    )
    .map(([documents, separator, isWindows, isOpen]) => {
      const joined = documents.map((each) => each.replace(/\n$/, '')).join(separator) + (isOpen ? '' : '\n');
      return isWindows ? joined.replace(/\r?\n/g, '\r\n') : joined;
    });
  fc.assert(
    fc.property(stream, (each) => void check(each)),
    { numRuns: samples(400), seed: 1 },
  );
});

describe('the cost of a list', () => {
  /** Characters that are looked at or searched, and lengths of the texts that are copied. */
  function costOf(stream: string): number {
    let cost = 0;
    /* eslint-disable @typescript-eslint/unbound-method -- called with the reader or the text */
    const { at } = YamlReader.prototype;
    const { slice, lastIndexOf } = String.prototype;
    const { exec } = RegExp.prototype;
    /* eslint-enable @typescript-eslint/unbound-method */
    const spies = [
      jest.spyOn(YamlReader.prototype, 'at').mockImplementation(function (this: YamlReader, offset) {
        cost += 1;
        return at.call(this, offset);
      }),
      jest.spyOn(String.prototype, 'slice').mockImplementation(function (this: string, ...range) {
        const part = slice.apply(this, range);
        cost += part.length;
        return part;
      }),
      jest.spyOn(String.prototype, 'lastIndexOf').mockImplementation(function (this: string, ...what) {
        const found = lastIndexOf.apply(this, what);
        cost += (what[1] ?? this.length) - found;
        return found;
      }),
      jest.spyOn(RegExp.prototype, 'exec').mockImplementation(function (this: RegExp, text) {
        const found = exec.call(this, text);
        cost += found?.[0].length ?? 0;
        return found;
      }),
    ];
    try {
      expect(render(stream).changed.length).toBeGreaterThan(0);
    } finally {
      spies.forEach((spy) => spy.mockRestore());
    }
    return cost;
  }
  const documents = (count: number): string => Array.from({ length: count }, () => WORKLOAD).join('---\n');
  const items = WORKLOAD.trimEnd().replaceAll('\n', '\n  ');
  const listOf = (kind: string, count: number): string => `kind: ${kind}\nitems:\n${`- ${items}\n`.repeat(count)}`;
  const objectsOf = (count: number): unknown[] => Array.from({ length: count }, () => valuesOf(WORKLOAD)[0]);
  const json = (count: number, step?: number): string =>
    JSON.stringify({ kind: 'List', items: objectsOf(count) }, undefined, step);
  const flow = (count: number): string => json(count).replaceAll('"', '').replaceAll(':', ': ');

  it.each([
    ['List', (count: number) => listOf('List', count)],
    ['ResourceList', (count: number) => listOf('ResourceList', count)],
    ['JSON', (count: number) => json(count, 2)],
    ['JSON on one line', (count: number) => json(count)],
    [
      'JSON objects on one line',
      (count: number) =>
        objectsOf(count)
          .map((each) => JSON.stringify(each))
          .join(''),
    ],
    ['braces on one line', flow],
    [
      'a line in brackets',
      (count: number) =>
        `kind: List\nitems: ${flow(count)
          .replace(/^.*?items: /, '')
          .slice(0, -1)}\n`,
    ],
    [
      'the lines of a block, each with braces',
      (count: number) =>
        `kind: List\nitems:\n${objectsOf(count)
          .map((each) => `- ${JSON.stringify(each)}\n`)
          .join('')}`,
    ],
  ])('grows with its length, as that of documents: %s', (_, list) => {
    const [small, large] = [costOf(list(10)), costOf(list(40))];
    expect(large / small).toBeLessThan(4.4);
    expect(large / costOf(documents(40))).toBeLessThan(2);
  });
});

import fc from 'fast-check';
import { Document, isCollection, isScalar, type Scalar, visit } from 'yaml';
import { podSpec } from '../../../properties/arbitraries.js';

/** Texts that look like something else in YAML. */
const TEXTS = [
  'yes',
  '1e3',
  '0x1f',
  '~',
  '.',
  '-.',
  '',
  ' a',
  'a: b',
  '# c',
  "it's",
  '"',
  '- a',
  '|',
  'a\n b\n',
  '\tx',
  '\n\na',
  '1:20',
  'é',
];
const text = fc.oneof(fc.constantFrom(...TEXTS), fc.string({ maxLength: 12 }));
const QUOTES: readonly Scalar.Type[] = ['PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE', 'BLOCK_LITERAL', 'BLOCK_FOLDED'];

const workload = fc
  .record({
    spec: podSpec,
    text,
    kind: fc.constantFrom('Deployment', 'DaemonSet', 'StatefulSet'),
    command: fc.array(text),
  })
  .map(({ spec, text: value, kind, command }) => ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'web', annotations: { note: value } },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' }, annotations: { text: value } },
        spec: { ...spec, containers: [{ name: 'web', image: 'web', command, env: [{ name: 'A', value }] }] },
      },
    },
  }));
const configMap = text.map((value) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'c' },
  data: { value },
}));

/** How one document is written: style of scalars and collections by a sequence of numbers, indentation, comments and line ends. */
const style = fc.record({
  picks: fc.array(fc.nat(20), { minLength: 8, maxLength: 40 }),
  indent: fc.constantFrom(1, 2, 3, 4, 8),
  indentSeq: fc.boolean(),
  lineWidth: fc.constantFrom(0, 20, 80),
  hasComments: fc.boolean(),
  isList: fc.boolean(),
});

const document = fc
  .tuple(fc.oneof({ weight: 3, arbitrary: workload }, { weight: 1, arbitrary: configMap }), style)
  .map(([object, { picks, hasComments, isList, ...options }]) => {
    const made = new Document(isList ? { apiVersion: 'v1', kind: 'List', items: [object] } : object, {
      version: '1.1',
      aliasDuplicateObjects: false,
    });
    let position = 0;
    const next = (): number => picks[position++ % picks.length] as number;
    visit(made, (_, node) => {
      if (isScalar(node) && typeof node.value === 'string') {
        node.type = QUOTES[next()] ?? 'PLAIN';
      } else if (isCollection(node)) {
        node.flow = next() === 0;
      }
      if (hasComments && next() === 1 && isScalar(node)) {
        node.comment = ' a comment: {';
      }
    });
    return made.toString(options);
  });

/** Streams of one to three documents. */
export function randomStreams(count: number): string[] {
  const stream = fc
    .tuple(
      fc.array(document, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('---\n', '--- # next\n', '---\n# next\n'),
      fc.boolean(),
    )
    .map(([documents, marker, isWindows]) => {
      const written = documents.join(marker);
      return isWindows ? written.replace(/\r?\n/g, '\r\n') : written;
    });
  return fc.sample(stream, { numRuns: count, seed: 11 });
}

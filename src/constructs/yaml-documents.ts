import { Yaml } from 'cdk8s';
import { isMisread, joinedDocuments, jsonDocument } from '../base/misread-text.js';
import { writeYaml } from '../base/yaml-writer.js';

/** YAML documents, as `Yaml.stringify` of cdk8s joins them; JSON for an object that Kubernetes would read otherwise. */
export function* yamlDocuments(objects: readonly unknown[]): Generator<string> {
  function* texts(): Generator<string> {
    for (const object of objects) {
      yield object === undefined ? '\n' : documentText(object);
    }
  }
  yield* joinedDocuments(texts(), objects.length);
}

function documentText(object: unknown): string {
  return isMisread(object)
    ? jsonDocument(object)
    : (((alike ??= isWrittenAlike()) ? writeYaml(object) : undefined) ?? Yaml.stringify(object));
}

/** The answer of {@link isWrittenAlike}, for all documents. */
let alike: boolean | undefined;

/** Whether cdk8s' version of the package `yaml` writes as {@link writeYaml} does. */
function isWrittenAlike(): boolean {
  const texts = [
    'a',
    '',
    'true',
    'Off',
    '~',
    '1',
    '0x1',
    '1e3',
    '.5',
    '1:30',
    '2026-01-02',
    'a: b',
    '- a',
    "it's",
    '"a"',
    'a #b',
    'é',
    'a\nb',
    'a\n',
    'a\n\n b',
  ];
  const sample = {
    texts,
    keys: Object.fromEntries(texts.slice(1, -3).map((key) => [key, 1])),
    nested: [[[], {}], { a: [{ b: null, c: 1.5 }] }],
  };
  return writeYaml(sample) === Yaml.stringify(sample);
}

/** A file of kubectl that was cut off: a full disk, or a connection that ended. */
import { ProblemList } from '../../src/errors.js';
import { objectsFromYaml } from '../../src/text/yaml-text.js';

const LIST = `apiVersion: v1
items:
- apiVersion: v1
  kind: Pod
  metadata:
    name: web
    namespace: default
  spec:
    nodeName: edge-1
kind: List
metadata:
  resourceVersion: ""
`;

const codesOf = (text: string): string[] => {
  const problems = new ProblemList();
  objectsFromYaml(text, problems, 'rounded');
  return problems.problems.map(({ code }) => code);
};

it('is refused wherever it ends before the kind of the list, between two lines or in one', () => {
  const end = LIST.indexOf('kind: List') + 'kind: Lis'.length;
  const accepted = [...LIST].map((_, length) => length).filter((length) => codesOf(LIST.slice(0, length)).length === 0);
  // before the value of apiVersion there is nothing of a list
  expect(accepted.filter((length) => length > 'apiVersion:'.length && length < end)).toEqual([]);
  expect(codesOf(LIST)).toEqual([]);
  expect(codesOf(`---\n${LIST}---\n${LIST.slice(0, 60)}`)).toEqual(['EDGE_YAML']);
});

it('is no chart of Helm, and no other file without a kind', () => {
  expect(codesOf('apiVersion: v2\nname: web\nversion: 1.0.0\n')).toEqual([]);
  expect(codesOf('items: [a]\n')).toEqual([]);
  expect(codesOf('replicas: 1\n')).toEqual([]);
});

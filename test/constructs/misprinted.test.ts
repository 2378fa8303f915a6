/** Text that cdk8s prints so that Kubernetes reads something else is told; the reader here is that of post-render, which the group yaml compares with Go's. */
import { App, Chart, Yaml } from 'cdk8s';
import { EdgeCluster, EdgeWarnings, ExcludedWorkload, HostNetworkNodePool } from 'edge-nodepools';
import { parseNodes } from '../../src/text/yaml-nodes.js';
import { valueOf } from '../../src/text/yaml-values.js';
import { scalars } from '../e2e/groups/yaml/scalars.js';
import { deployment } from '../bad-inputs/case.js';

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });

/** The texts that are told in a workload. */
function toldOf(texts: readonly string[]): string[] {
  const chart = new Chart(new App(), 'chart');
  const given: any = deployment();
  given.spec.template.spec.containers[0].args = texts;
  new ExcludedWorkload(chart, 'web', { cluster, workload: given });
  return EdgeWarnings.of(chart).flatMap(({ code, path }) =>
    code === 'EDGE_YAML' ? [texts[Number(/args\[(\d+)\]$/.exec(path)?.[1])] as string] : [],
  );
}

/** Whether a text is another one after cdk8s has printed it. */
function isMisread(text: string): boolean {
  try {
    const [read]: any[] = parseNodes(Yaml.stringify({ text })).roots.map((root) => valueOf(root));
    return read.text !== text;
  } catch {
    return true;
  }
}

it('text that is read as something else is told, and no other text', () => {
  const texts = scalars().filter((_, index) => index % 20 === 0);
  const others = [
    'a\u2028b',
    'a\u0085',
    '\u2029',
    'a\n\u2028b\n',
    'a\nb\n',
    ' a\n b\n',
    '\n\na',
    '\ta',
    '0o17',
    '-0B1',
    '0o18',
  ];
  const misread = [...texts, ...others].filter(isMisread);
  expect(toldOf([...texts, ...others])).toEqual(misread);
  expect(misread).toEqual(expect.arrayContaining(['a\u2028b', '0o17', '-0B1']));
  expect(misread.length).toBeGreaterThan(20);
});

it('keys, too, with the place and what is read', () => {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  new HostNetworkNodePool(new Chart(app, 'chart'), 'a', { cluster, poolName: 'a', labels: { '0o17': '0X1f' } });
  expect(Yaml.stringify({ '0o17': '0X1f' })).toBe('0o17: 0X1f\n');
  expect(EdgeWarnings.of(app).map(({ path, message }) => `${path}: ${message}`)).toEqual([
    'spec.labels["0o17"]: cdk8s prints the text "0o17" so that Kubernetes reads 15',
    'spec.labels["0o17"]: cdk8s prints the text "0X1f" so that Kubernetes reads 31',
  ]);
});

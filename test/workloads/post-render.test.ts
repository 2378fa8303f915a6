import { App, Chart, Testing } from 'cdk8s';
import { EdgeCluster, ExcludedWorkload } from 'edge-nodepools';
import fc from 'fast-check';
import { runs } from '../depth.js';
import { parseAllDocuments } from 'yaml';
import { ProblemList } from '../../src/base/errors.js';
import { postRender, type PostRendered, type PostRenderInput } from '../../src/workloads/post-render.js';
import { joinStream, splitStream } from '../../src/base/yaml-stream.js';
import { on } from '../corpus/kube-system.js';

const cluster = on('none', '1.34');

function render(stream: string, input: Partial<PostRenderInput> = {}): PostRendered {
  const problems = new ProblemList();
  const rendered = postRender(stream, { cluster, ...input }, problems);
  problems.throwIfAny('post-render');
  return rendered;
}

const objects = (text: string): any[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS())
    .filter((object) => object !== null);

const LABEL = 'edge-nodepools/excluded';
const TERM = { matchExpressions: [{ key: 'nodepool.openyurt.io/hostnetwork', operator: 'NotIn', values: ['true'] }] };
const termsOf = (podSpec: any): any[] =>
  podSpec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms;

const DEPLOYMENT = `# of the chart
apiVersion: apps/v1
kind: Deployment # the web
metadata: { name: web }
spec:
  replicas: 08 # read as text by no client
  selector: { matchLabels: { app: web } }
  template:
    metadata:
      labels: &labels { app: web }
    spec:
      containers: [{ name: web, image: "web:1" }]
`;

const STREAM = `# Source: chart/templates/config.yaml
---
apiVersion: v1
kind: ConfigMap
metadata: {name: web}
data:
  script: |
    echo ---
    echo "#"
---
${DEPLOYMENT.replace('08 # read as text by no client', '2')}---
# nothing here
---
apiVersion: v1
kind: List
items:
- apiVersion: batch/v1
  kind: CronJob
  metadata: {name: nightly}
  spec: {jobTemplate: {spec: {template: {spec: {containers: [{name: a}]}}}}}
- apiVersion: v1
  kind: Secret
  metadata: {name: s}
`;

describe('a stream that would lose a workload in silence', () => {
  const other = DEPLOYMENT.replaceAll('web', 'agent');

  it.each([
    ['an object', DEPLOYMENT],
    ['a list', 'apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret, metadata: {name: x}}\n'],
  ])('is refused: two objects without --- between them, after %s', (_, first) => {
    for (const [one, two] of [
      [first, other],
      [other, first],
    ] as const) {
      expect(() => render(`---\n${one}${two}`)).toThrow(/EDGE_DUPLICATE[^]*write --- between the two objects/);
      expect(objects(render(`${one}---\n${two}`).text)).toHaveLength(2);
    }
  });

  it('is refused: the same name is chosen and left out', () => {
    const both = { only: ['Deployment/web', 'DaemonSet'], skip: ['Deployment/web'] };
    expect(() => render(DEPLOYMENT, both)).toThrow(/EDGE_CONTRADICTION {2}skip[^]*Deployment\/web/);
    // all of a kind without one of them
    expect(render(DEPLOYMENT, { only: ['Deployment'], skip: ['Deployment/web'] }).changed).toEqual([]);
  });
});

describe('post-render', () => {
  it('adds the label of a cluster with labelsExcludedPods, also to labels that are an anchor, and only then', () => {
    const labelled = EdgeCluster.of({ openYurt: 'none', kubernetes: '1.36', labelsExcludedPods: true });
    const { text } = render(DEPLOYMENT, { cluster: labelled });
    expect(objects(text)[0].spec.template.metadata.labels).toEqual({ app: 'web', [LABEL]: 'true' });
    expect(render(text, { cluster: labelled }).text).toBe(text);
    expect(render(DEPLOYMENT).text).not.toContain(LABEL);
  });

  it('excludes every object with a Pod template, also inside of Lists, and returns what it changed', () => {
    const { text, changed } = render(STREAM);
    const [config, web, list] = objects(text);
    expect(changed).toEqual(['Deployment web', 'CronJob nightly']);
    expect(termsOf(web.spec.template.spec)).toEqual([TERM]);
    expect(termsOf(list.items[0].spec.jobTemplate.spec.template.spec)).toEqual([TERM]);
    expect([config, list.items[1]]).toEqual([objects(STREAM)[0], objects(STREAM)[2].items[1]]);
    expect(web.spec.template.metadata.annotations).toEqual({ 'apps.openyurt.io/exclude-host-network-pool': 'true' });
  });

  it('reaches Lists in Lists, as kubectl does, wherever the kind is written', () => {
    const pod = '{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a}]}}';
    const inner = (by: string): string => `${by}apiVersion: v1\n${by}kind: List\n${by}items:\n${by}- ${pod}\n`;
    const typed =
      '{apiVersion: apps/v1, kind: DeploymentList, items: [{metadata: {name: b}, spec: {template: {spec: {containers: [{name: a}]}}}}]}';
    for (const stream of [
      `apiVersion: v1\nkind: List\nitems:\n- # first\n${inner('  ')}- ${typed}\n- ${pod}\n`,
      `items:\n- # first\n${inner('  ')}- ${typed}\n- ${pod}\nkind: List\napiVersion: v1\n`,
      `apiVersion: v1\nkind: List\nitems:\n- &l\n${inner('  ')}- ${typed}\n- *l\n`,
    ]) {
      const { text, changed, warnings } = render(stream);
      expect(changed).toEqual(['Pod a', 'Deployment b', 'Pod a']);
      expect(warnings.map(({ code }) => code)).not.toContain('EDGE_NOT_EXCLUDED');
      expect(JSON.stringify(objects(text)).match(/hostnetwork/g)).toHaveLength(3);
      expect(render(text).text).toBe(text);
    }
  });

  it('preserves the bytes of other documents, and comments and order in changed ones', () => {
    const { text } = render(STREAM);
    const before = splitStream(STREAM);
    const after = splitStream(text);
    expect(after.map(({ marker }) => marker)).toEqual(before.map(({ marker }) => marker));
    expect([0, 1, 3].map((index) => after[index])).toEqual([0, 1, 3].map((index) => before[index]));
    // the spaces inside of braces are not preserved
    const linesOf = (part = ''): string[] => part.split('\n').map((line) => line.replace(/([{[]) | (?=[}\]])/g, '$1'));
    const kept = linesOf(before[2]?.body);
    expect(linesOf(after[2]?.body).filter((line) => kept.includes(line))).toEqual(kept);
  });

  it('preserves the bytes of unchanged JSON, with any indentation', () => {
    const secret = '{"apiVersion": "v1",\n   "kind": "Secret", "metadata": {"name": "s"}}\n';
    expect(render(secret).text).toBe(secret);
  });

  it('equals ExcludedWorkload', () => {
    const chart = new Chart(new App(), 'chart');
    const workload = objects(STREAM)[1];
    new ExcludedWorkload(chart, 'web', { cluster, workload });
    expect(objects(render(STREAM).text)[1]).toEqual(Testing.synth(chart)[0]);
  });

  it('changes nothing the second time', () => {
    const once = render(STREAM).text;
    expect(render(once)).toMatchObject({ text: once, changed: [] });
  });

  it('does not change objects that are not selected or skipped', () => {
    expect(render(STREAM, { only: ['CronJob'] }).changed).toEqual(['CronJob nightly']);
    expect(render(STREAM, { only: ['Deployment/web'] }).changed).toEqual(['Deployment web']);
    expect(render(STREAM, { skip: ['Deployment/web', 'CronJob'] }).text).toBe(STREAM);
  });

  it('prints JSON as JSON', () => {
    for (const indent of [undefined, 2]) {
      const text = JSON.stringify(objects(DEPLOYMENT)[0], undefined, indent);
      const rendered = render(text).text;
      expect(JSON.stringify(JSON.parse(rendered), undefined, indent)).toBe(rendered);
      expect(termsOf(JSON.parse(rendered).spec.template.spec)).toEqual([TERM]);
    }
  });

  it('accepts null in maps of text, as the API server does: the unset value of a Helm chart', () => {
    const nulls = '{ app: web, tier: }';
    const stream = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace:
  labels: ${nulls}
  annotations:
    checksum/config:
spec:
  selector: { matchLabels: ${nulls} }
  template:
    metadata:
      labels: ${nulls}
      annotations:
        checksum/config: # unset
        apps.openyurt.io/exclude-host-network-pool:
    spec:
      nodeSelector: { disk: ~ }
      containers: [{ name: web, image: registry.example/web:1 }]
---
apiVersion: v1
kind: ConfigMap
metadata: { name: web, labels: ${nulls} }
data: { empty: }
`;
    const { text, warnings } = render(stream);
    expect(warnings).toEqual([]);
    const [web, config] = objects(text);
    expect(web.spec.template.metadata.annotations).toEqual({
      'checksum/config': null,
      'apps.openyurt.io/exclude-host-network-pool': 'true',
    });
    expect(config).toEqual(objects(stream)[1]);
    expect(text).toContain('exclude-host-network-pool: "true"\n');
    const added = text.split('\n').filter((line) => !stream.split('\n').includes(line));
    expect(added.join()).not.toMatch(/tier|disk|checksum/);
    expect(text).toContain('checksum/config: # unset\n');
  });

  it('supports the ResourceList of kustomize', () => {
    const list = { apiVersion: 'config.kubernetes.io/v1', kind: 'ResourceList', items: [objects(DEPLOYMENT)[0]] };
    const { changed, text } = render(JSON.stringify(list));
    expect(changed).toEqual(['Deployment web']);
    expect(termsOf(objects(text)[0].items[0].spec.template.spec)).toEqual([TERM]);
  });

  it('expands aliases that would spread the change', () => {
    const text = `apiVersion: v1
kind: List
items:
- {apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: &s {template: {spec: {containers: [{name: a}]}}}}
- {apiVersion: example.com/v1, kind: Thing, metadata: {name: b}, spec: *s}
`;
    const [list] = objects(render(text).text);
    expect(termsOf(list.items[0].spec.template.spec)).toEqual([TERM]);
    expect(list.items[1]).toEqual(objects(text)[0].items[1]);
  });

  it.each([
    ['', ''],
    ['# only a comment\n', '# only a comment\n'],
    ['just: data\n', 'just: data\n'],
    ['--- # marker\nkind: ConfigMap\n...\n---\n', '--- # marker\nkind: ConfigMap\n...\n---\n'],
  ])('passes %j through', (stream, expected) => expect(render(stream).text).toBe(expected));

  it.each([
    ['a: [1', 'documents[0]'],
    ['a: 1\n---\nx: *nobody\n', 'documents[1]'],
    ['- a\n- b\n', 'documents[0]'],
  ])('refuses %j, with its position', (stream, place) => expect(() => render(stream)).toThrow(place));

  it('warns that an affinity has no effect on scheduling of a Pod with nodeName', () => {
    const text =
      'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {template: {spec: {nodeName: x, containers: []}}}';
    expect(() => render(text)).toThrow('nodeName');
  });

  it('splits a stream so that it can be joined again', () => {
    const line = fc.constantFrom('---', '--- ', '---\t# c', '--- {a: b}', 'a: b', '  ---', '...', '', '----', 'x: |');
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom('\n', '\r\n'), (lines, end) => {
        const text = lines.join(end);
        expect(joinStream(splitStream(text))).toBe(text);
      }),
      runs(100),
    );
  });

  describe('of long streams', () => {
    const item = (index: number, order: string): string =>
      order.replace('…', `metadata: {name: w${index}}\nspec:\n  template:\n    spec:\n      containers: [{name: a}]`);
    const own = (index: number): string => item(index, 'apiVersion: apps/v1\nkind: Deployment\n…');
    const documents = (count: number): string =>
      Array.from({ length: count }, (_, index) => own(index)).join('\n---\n');
    const listOf = (text: (index: number) => string, count: number): string =>
      Array.from({ length: count }, (_, index) => `- ${text(index).replaceAll('\n', '\n  ')}\n`).join('');
    const kindFirst = (count: number): string => `apiVersion: v1\nkind: List\nitems:\n${listOf(own, count)}`;
    const kindLast = (count: number): string => `apiVersion: v1\nitems:\n${listOf(own, count)}kind: List\n`;
    const typed = (count: number): string =>
      `kind: DeploymentList\nitems:\n${listOf((index) => item(index, '…'), count)}apiVersion: apps/v1\n`;
    const json = (count: number): string =>
      JSON.stringify({ items: objects(documents(count)), kind: 'List', apiVersion: 'v1' });

    /** Characters that are looked at, and fields that are listed: the same number in each run. */
    function steps(stream: string): number {
      const spies = [
        jest.spyOn(String.prototype, 'charCodeAt'),
        jest.spyOn(Object, 'keys'),
        jest.spyOn(Object, 'entries'),
      ];
      try {
        render(stream);
        return spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
      } finally {
        spies.forEach((spy) => spy.mockRestore());
      }
    }

    it.each([
      ['documents', documents, 1],
      ['a List', kindFirst, 1.5],
      ['a List whose kind is after its items', kindLast, 1.5],
      // a kind after items that have none makes a second reading necessary
      ['a DeploymentList', typed, 2.2],
      ['a List in JSON', json, 1.5],
    ])('takes linear time for %s', (_, stream, most) => {
      const [few, many] = [steps(stream(2)), steps(stream(6))];
      expect(many).toBeLessThan(few * 3.1);
      expect(many).toBeLessThanOrEqual(steps(documents(6)) * most);
      expect(render(stream(6)).changed).toHaveLength(6);
    });
  });
});

import fc from 'fast-check';
import { App, Chart, Include, Testing } from 'cdk8s';
import { writeFileSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EdgeCluster, EdgeError, EdgeWarnings, ExcludedWorkload } from 'edge-nodepools';
import type { LabelSelector } from 'edge-nodepools/types';
import { admits } from '../reference/node-affinity.js';
import { HOST_NETWORK, node, type Shaped, workload } from './arbitraries.js';
import { runs, samples } from '../depth.js';
import { ProblemList } from '../../src/base/errors.js';
import { checkCaBundle } from '../../src/admission/pool-webhook.js';
import { excludesLabel } from '../../src/kubernetes/label-selector.js';
import { CA_BUNDLE } from '../corpus/ca-bundle.js';
import { everyField, oddProps } from '../corpus/odd-webhooks.js';

const cluster = EdgeCluster.of({ openYurt: '1.7', kubernetes: '1.34' });

function silentChart(): Chart {
  const app = new App();
  EdgeWarnings.setMode(app, 'silent');
  return new Chart(app, 'chart');
}

function exclude(object: any): any {
  return new ExcludedWorkload(new Chart(new App(), 'chart'), 'x', { cluster, workload: object }).manifest;
}

function at(object: any, path: string[]): any {
  return path.reduce((value, step) => value[step], object);
}

/** A Pod spec that requires host-network nodes conflicts with the exclusion, and is refused. */
function contradicts(spec: any): boolean {
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return terms.some((term: any) =>
    (term.matchExpressions ?? []).some(
      ({ key, operator, values }: any) =>
        key === HOST_NETWORK && operator === 'In' && values.every((value: string) => value === 'true'),
    ),
  );
}

const legal = workload.filter(({ spec }) => !contradicts(spec));

/** The object without the fields that the exclusion changes. */
function without({ path }: Shaped, object: any): any {
  const copy = structuredClone(object);
  const template = at(copy, path);
  delete template.metadata.annotations?.['apps.openyurt.io/exclude-host-network-pool'];
  if (Object.keys(template.metadata.annotations ?? {}).length === 0) delete template.metadata.annotations;
  const { nodeAffinity } = template.spec.affinity ?? {};
  delete nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (nodeAffinity !== undefined && Object.keys(nodeAffinity).length === 0) delete template.spec.affinity.nodeAffinity;
  if (template.spec.affinity !== undefined && Object.keys(template.spec.affinity).length === 0)
    delete template.spec.affinity;
  return copy;
}

describe('an excluded workload', () => {
  it('matches a node exactly when it matched before and the node is not a host-network node', () => {
    let excludedSomething = 0;
    fc.assert(
      fc.property(legal, node, (shaped, candidate) => {
        const after = at(exclude(shaped.workload), shaped.path).spec;
        const before = admits(shaped.spec, candidate);
        const expected = before && candidate.labels[HOST_NETWORK] !== 'true';
        excludedSomething += before && !expected ? 1 : 0;
        expect(admits(after, candidate)).toBe(expected);
      }),
      runs(2000),
    );
    expect(excludedSomething).toBeGreaterThan(samples(2000) / 20);
  });

  it('changes nothing else, and not the given object', () => {
    fc.assert(
      fc.property(legal, (shaped) => {
        const given = structuredClone(shaped.workload);
        const result = exclude(shaped.workload);
        expect(shaped.workload).toEqual(given);
        expect(without(shaped, result)).toEqual(without(shaped, given));
        expect(at(result, shaped.path).metadata.annotations['apps.openyurt.io/exclude-host-network-pool']).toBe('true');
      }),
      runs(500),
    );
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(legal, ({ workload: object }) => {
        const once = exclude(object);
        const chart = new Chart(new App(), 'chart');
        const twice = new ExcludedWorkload(chart, 'x', { cluster, workload: once });
        expect(twice.manifest).toEqual(once);
        expect(twice.report.changed).toEqual([]);
      }),
      runs(500),
    );
  });

  it('never gets an additional term, and empty terms remain empty', () => {
    fc.assert(
      fc.property(legal, ({ workload: object, path, spec }) => {
        const terms = (podSpec: any): any[] =>
          podSpec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
        const before = terms(spec);
        const after = terms(at(exclude(object), path).spec);
        expect(after).toHaveLength(Math.max(before.length, 1));
        before.forEach((term, index) => {
          if ((term.matchExpressions ?? []).length + (term.matchFields ?? []).length === 0) {
            expect(after[index]).toEqual(term);
          }
        });
      }),
      runs(500),
    );
  });

  it('is refused if it requires host-network nodes, and the error has the term', () => {
    fc.assert(
      fc.property(
        workload.filter(({ spec }) => contradicts(spec)),
        ({ workload: object }) => {
          try {
            exclude(object);
          } catch (error) {
            expect(error).toBeInstanceOf(EdgeError);
            expect(
              (error as EdgeError).problems.every(
                ({ code, path }) => code === 'EDGE_CONTRADICTION' && /nodeSelectorTerms\[\d\]/.test(path),
              ),
            ).toBe(true);
            return;
          }
          throw new Error('accepted');
        },
      ),
      runs(300),
    );
  });

  it('is the same by the mixin on an included file as by the construct', () => {
    const folder = mkdtempSync(join(tmpdir(), 'edge-nodepools-'));
    fc.assert(
      fc.property(legal, ({ workload: object }) => {
        const file = join(folder, 'object.yaml');
        writeFileSync(file, JSON.stringify(object));
        const included = silentChart();
        new Include(included, 'file', { url: file });
        included.with(ExcludedWorkload.mixin({ cluster }));
        const made = silentChart();
        new ExcludedWorkload(made, 'x', { cluster, workload: object });
        expect(Testing.synth(included)).toEqual(Testing.synth(made));
      }),
      runs(25),
    );
  });
});

describe('webhooks', () => {
  /** Evaluates a label selector like apimachinery. */
  function selects(
    { matchLabels = {}, matchExpressions = [] }: LabelSelector,
    labels: Record<string, string>,
  ): boolean {
    return (
      Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
      matchExpressions.every(({ key, operator, values = [] }) => {
        const value = labels[key];
        return {
          In: value !== undefined && values.includes(value),
          NotIn: value === undefined || !values.includes(value),
          Exists: value !== undefined,
          DoesNotExist: value === undefined,
        }[operator];
      })
    );
  }

  const keys = fc.constantFrom('a', 'b');
  const values = fc.constantFrom('1', '2');
  const labels = fc.dictionary(keys, values);
  const selector: fc.Arbitrary<LabelSelector> = fc.record(
    {
      matchLabels: labels,
      matchExpressions: fc.array(
        fc.oneof(
          fc.record({
            key: keys,
            operator: fc.constantFrom('In' as const, 'NotIn' as const),
            values: fc.uniqueArray(values, { minLength: 1 }),
          }),
          fc.record({ key: keys, operator: fc.constantFrom('Exists' as const, 'DoesNotExist' as const) }),
        ),
        { maxLength: 3 },
      ),
    },
    { requiredKeys: [] },
  );

  describe('a selector that excludes a label', () => {
    it('selects nothing with the label, with any other labels', () => {
      fc.assert(
        fc.property(selector, labels, keys, values, (given, others, key, value) => {
          fc.pre(excludesLabel(given, key, value));
          expect(selects(given, { ...others, [key]: value })).toBe(false);
        }),
        runs(100),
      );
    });

    it('is always recognized if it has requirements only on this label and selects nothing', () => {
      const onA = selector.map(({ matchLabels = {}, matchExpressions = [] }) => ({
        matchLabels: Object.fromEntries(Object.entries(matchLabels).filter(([key]) => key === 'a')),
        matchExpressions: matchExpressions.filter(({ key }) => key === 'a'),
      }));
      fc.assert(
        fc.property(onA, values, (given, value) => {
          expect(excludesLabel(given, 'a', value)).toBe(!selects(given, { a: value }));
        }),
        runs(100),
      );
    });
  });

  describe('a caBundle', () => {
    const problemsOf = (caBundle: unknown): string[] => {
      const problems = new ProblemList();
      checkCaBundle(caBundle, problems);
      return problems.problems.map(({ code }) => code);
    };
    const pem = Buffer.from(CA_BUNDLE, 'base64').toString();
    const base64 = (text: string): string => Buffer.from(text).toString('base64');

    it('can contain several certificates, and text between them', () => {
      for (const text of [pem, pem + pem, `# ours\n${pem}\n# theirs\n${pem}`, pem.replace(/\n/g, '\r\n')]) {
        expect(problemsOf(base64(text))).toEqual([]);
      }
    });

    it('is refused if any byte of its certificate is missing', () => {
      const lines = pem.trim().split('\n');
      const body = lines.slice(1, -1).join('');
      fc.assert(
        fc.property(fc.integer({ min: 1, max: body.length - 1 }), (kept) => {
          const cut = [lines[0], body.slice(0, kept), lines[lines.length - 1]].join('\n');
          expect(problemsOf(base64(cut))).toEqual(['EDGE_CA_BUNDLE']);
        }),
        runs(100),
      );
    });

    it('is never accepted from other text or other types', () => {
      fc.assert(
        fc.property(fc.oneof(fc.string(), fc.base64String(), fc.anything()), (value) => {
          expect(problemsOf(value)).toEqual(['EDGE_CA_BUNDLE']);
        }),
        runs(100),
      );
    });
  });

  describe('any input', () => {
    const chart = (): Chart => {
      const app = new App();
      EdgeWarnings.setMode(app, 'silent');
      return new Chart(app, 'chart');
    };
    it.each(everyField)('%s is created, or refused with an EdgeError', (_, good, make) => {
      expect(make(chart(), good)).toBeDefined();
      fc.assert(
        fc.property(fc.oneof(oddProps(good), oddProps(good, fc.anything())), (props) => {
          try {
            make(chart(), props);
          } catch (error) {
            expect(error).toBeInstanceOf(EdgeError);
          }
        }),
        runs(1000),
      );
    });
  });
});

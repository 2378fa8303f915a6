import { App, Chart } from 'cdk8s';
import fc from 'fast-check';
import { EdgeError, EdgeWarnings, type LabelSelector } from 'edge-nodepools';
import { ProblemList } from '../../src/errors.js';
import { checkCaBundle } from '../../src/admission/webhooks/ca-bundle.js';
import { excludesLabel } from '../../src/kubernetes/label-selector.js';
import { CA_BUNDLE } from '../corpus/ca-bundle.js';
import { everyField, oddProps } from '../corpus/odd-webhooks.js';
import { runs } from '../depth.js';

/** Evaluates a label selector like apimachinery. */
function selects({ matchLabels = {}, matchExpressions = [] }: LabelSelector, labels: Record<string, string>): boolean {
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

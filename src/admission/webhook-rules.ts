import type { ProblemList } from '../base/errors.js';
import type { EdgeCluster } from '../cluster/edge-cluster.js';
import { isMap } from '../base/plain-data.js';
import type { PoolWebhookProps, WebhookRule, WebhookRulePreset } from './pool-webhook-props.js';
import { checkOneOf, quoted, showValue } from '../base/properties.js';
import { checkProperties, oneOf, type PropertyTable } from '../base/property-table.js';
import { compute, isUnknown } from '../base/unknown.js';

const PRESETS: readonly WebhookRulePreset[] = ['nodes', 'pods', 'nodepools'];
const OPERATIONS = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT', '*'];
const EXAMPLE =
  "write { apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }, or 'pods'";

/** What the rules behind the short names depend on. */
export interface RuleTarget {
  readonly type: PoolWebhookProps['type'];
  /** API version of the NodePools; undefined without OpenYurt. */
  readonly nodePoolApiVersion: string | undefined;
}

/** Rules with the short names resolved. For checked input. */
export function rulesOf(rules: readonly (WebhookRule | WebhookRulePreset)[], target: RuleTarget): WebhookRule[] {
  return compute(
    rules,
    (all) => all.map((rule) => compute(rule, (one) => ruleOf(one, target), isUnknown(rule) && rule)),
    isUnknown(rules) && rules,
  );
}

/** A rule with the short name resolved. For checked input. */
export function ruleOf(rule: WebhookRule | WebhookRulePreset, { type, nodePoolApiVersion }: RuleTarget): WebhookRule {
  switch (rule) {
    case 'nodes':
      return core('nodes', ['CREATE', 'UPDATE'], 'Cluster');
    case 'pods':
      return core('pods', ['CREATE'], 'Namespaced');
    case 'nodepools': {
      const [group = '', version = ''] = nodePoolApiVersion?.split('/') ?? [];
      return {
        apiGroups: [group],
        apiVersions: [version],
        resources: ['nodepools'],
        operations: type === 'validating' ? ['CREATE', 'UPDATE', 'DELETE'] : ['CREATE', 'UPDATE'],
        scope: 'Cluster',
      };
    }
    default:
      return rule;
  }
}

function core(
  resource: string,
  operations: WebhookRule['operations'],
  scope: NonNullable<WebhookRule['scope']>,
): WebhookRule {
  return { apiGroups: [''], apiVersions: ['v1'], resources: [resource], operations, scope };
}

/** Checks rules as the API server does (`pkg/apis/admissionregistration/validation`, validateRuleWithOperations). */
export function checkRules(rules: unknown, cluster: EdgeCluster | undefined, problems: ProblemList): void {
  if (!Array.isArray(rules) || rules.length === 0) {
    problems.add('EDGE_MISSING', 'the list of rules is empty, so the webhook is never called', "write rules: ['pods']");
    return;
  }
  rules.forEach((rule: unknown, index) => {
    const at = problems.at(index);
    if (typeof rule === 'string') {
      checkOneOf(rule, PRESETS, at);
      if (rule === 'nodepools' && cluster?.hasOpenYurt() === false) {
        at.add('EDGE_NO_OPENYURT', 'without OpenYurt there are no NodePools', "remove 'nodepools'");
      }
    } else if (!isMap(rule)) {
      at.add('EDGE_TYPE', `${showValue(rule)} is not a rule`, EXAMPLE);
    } else {
      checkProperties(rule, RULE, at);
    }
  });
}

const RULE: PropertyTable<WebhookRule> = {
  apiGroups: (words, problems) => checkWords('apiGroups', words, problems),
  apiVersions: (words, problems) => checkWords('apiVersions', words, problems),
  resources: (words, problems) => {
    if (checkTexts('resources', words, problems)) {
      checkResources(words, problems);
    }
  },
  operations: (words, problems) => {
    checkWords('operations', words, problems);
    (Array.isArray(words) ? words : []).forEach((word: unknown, index) =>
      checkOneOf(typeof word === 'string' ? word : undefined, OPERATIONS, problems.at(index)),
    );
  },
  scope: oneOf('Cluster', 'Namespaced', '*'),
};

/** Checks a list of words, or `*` alone for all of them. */
function checkWords(field: keyof WebhookRule, words: unknown, problems: ProblemList): void {
  if (checkTexts(field, words, problems) && words.length > 1 && words.includes('*')) {
    problems.add(
      'EDGE_WEBHOOK',
      `'*' means all ${field}, and the list also has others`,
      "write ['*'], or leave '*' out",
    );
  }
}

function checkTexts(field: keyof WebhookRule, words: unknown, problems: ProblemList): words is string[] {
  if (!Array.isArray(words) || words.length === 0) {
    problems.add('EDGE_MISSING', `a rule needs ${field}`, EXAMPLE);
    return false;
  }
  const bad = words.findIndex((word) => typeof word !== 'string' || (word === '' && field !== 'apiGroups'));
  if (bad >= 0) {
    problems.at(bad).add('EDGE_TYPE', `${quoted(words[bad])} is not valid in ${field}`, EXAMPLE);
  }
  return bad < 0;
}

function checkResources(resources: readonly string[], problems: ProblemList): void {
  const parts = resources.map((name) => name.split(/\/(.*)/s, 2) as [string, string | undefined]);
  if (resources.length > 1 && resources.includes('*/*')) {
    problems.add('EDGE_WEBHOOK', "'*/*' means all resources, and the list also has others", "write ['*/*']");
  }
  if (resources.includes('*') && parts.some(([name, sub]) => sub === undefined && name !== '*')) {
    problems.add(
      'EDGE_WEBHOOK',
      "'*' means all resources without subresource, and the list also has others",
      "write ['*'], or leave '*' out",
    );
  }
  parts.forEach(([name, sub], index) => {
    const covered = [`${name}/*`, `*/${sub}`].find(
      (wider) => sub !== undefined && wider !== resources[index] && resources.includes(wider),
    );
    if (covered !== undefined) {
      problems
        .at(index)
        .add('EDGE_WEBHOOK', `'${covered}' includes '${resources[index]}'`, `remove '${resources[index]}'`);
    }
    if (resources.indexOf(`${name}/${sub}`) < index && sub !== undefined && [name, sub].includes('*')) {
      problems.at(index).add('EDGE_DUPLICATE', `'${resources[index]}' is named twice`, 'name it once');
    }
    if (sub === undefined && name !== name.toLowerCase()) {
      problems
        .at(index)
        .add(
          'EDGE_WEBHOOK',
          `${name} is not the name of a resource, and matches nothing`,
          `write the plural in lower case, for example '${`${name.toLowerCase().replace(/s$/, '')}s`}'`,
        );
    }
  });
}

import { Quantity } from '../kubernetes/quantity.js';
import { quoted, showValue } from '../validation/properties.js';
import { checkBytes } from './container-start-rules.js';
import { has, known, type Rule } from './rule-builders.js';

/** Resources of a container without a prefix (core helper.IsStandardContainerResourceName). */
const isResource = (name: string): boolean =>
  ['cpu', 'memory', 'ephemeral-storage'].includes(name) || name.startsWith('hugepages-') || name.includes('/');

/** Resources that cannot be overcommitted: a request needs a limit, and equals it. */
const isExact = (name: string): boolean =>
  name.startsWith('hugepages-') || (name.includes('/') && !name.includes('kubernetes.io/'));

const checkResources: Rule = (part, problems) => {
  const amounts = (field: string): [string, unknown][] => Object.entries(known(part, field) ?? {});
  const limits = new Map(amounts('limits'));
  for (const field of ['requests', 'limits']) {
    for (const [name] of amounts(field).filter(([each]) => !isResource(each))) {
      problems
        .at(field, name)
        .add(
          'EDGE_NAME',
          `${quoted(name)} is not a valid name of a resource`,
          "write 'cpu', 'memory', 'ephemeral-storage', or a name with a domain",
        );
    }
  }
  const isKnown = !has(part, 'limits') || known(part, 'limits') !== undefined;
  for (const [name, amount] of isKnown ? amounts('requests').filter(([each]) => isExact(each)) : []) {
    const [request, limit] = [amount, limits.get(name)].map((each) => Quantity.parse(String(each)));
    if (!limits.has(name) || (request !== undefined && limit !== undefined && request.nano < limit.nano)) {
      problems
        .at('requests', name)
        .add(
          'EDGE_CONTRADICTION',
          `conflicting settings: ${name} cannot be overcommitted`,
          `also write limits: { '${name}': ${showValue(amount)} }`,
        );
    }
  }
};

/** Amounts below 0, parts of what is whole (core helper.IsIntegerResourceName), and huge pages without memory or CPU. */
const checkWhole: Rule = (part, problems) => {
  const fields = ['requests', 'limits'] as const;
  const amounts = fields.flatMap((field) =>
    Object.entries(known(part, field) ?? {}).flatMap(([name, amount]) => {
      const quantity = ['string', 'number'].includes(typeof amount) ? Quantity.parse(String(amount)) : undefined;
      return quantity === undefined ? [] : [{ field, name, nano: quantity.nano, amount: amount as unknown }];
    }),
  );
  for (const { field, name, nano, amount } of amounts) {
    const what =
      nano < 0n ? 'is below 0' : isExact(name) && nano % 1_000_000_000n !== 0n ? 'is not a whole number' : undefined;
    if (what !== undefined) {
      problems.at(field, name).add('EDGE_QUANTITY', `${showValue(amount)} ${what}`, 'write a whole number');
    }
  }
  const pages = amounts.filter(({ name }) => name.startsWith('hugepages-')).at(-1);
  const areKnown = fields.every((field) => !has(part, field) || known(part, field) !== undefined);
  if (pages !== undefined && areKnown && !amounts.some(({ name }) => name === 'cpu' || name === 'memory')) {
    problems
      .at(pages.field, pages.name)
      .add(
        'EDGE_CONTRADICTION',
        'conflicting settings: huge pages without cpu and memory',
        "write memory: '128Mi', too",
      );
  }
};

/** What is wrong in requests and limits (core validation validateResourceRequirements). */
export const AMOUNT_CHECKS: readonly Rule[] = [checkResources, checkWhole, checkBytes];

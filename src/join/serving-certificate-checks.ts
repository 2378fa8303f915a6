import { checkCluster } from '../cluster/edge-cluster.js';
import type { EdgeWarning, ProblemList } from '../base/errors.js';
import { checkNamespace, checkObjectName, isDnsSubdomain } from '../kubernetes/names.js';
import { checkAddressRange } from '../kubernetes/hosts.js';
import { isMap } from '../base/plain-data.js';
import { checkBoolean, showValue } from '../base/properties.js';
import {
  type Check,
  checkProperties,
  listOf,
  optional,
  plain,
  type PropertyTable,
  wholeNumber,
} from '../base/property-table.js';
import { isUnknown } from '../base/unknown.js';
import type { ServingCertificateApproverProps } from './serving-certificate-props.js';

const upTo =
  (most: number): Check =>
  (value, problems) => {
    wholeNumber(1)(value, problems);
    if (typeof value === 'number' && value > most) {
      problems.add('EDGE_VALUE', `${value} is more than ${most}`, `write ${most} or less`);
    }
  };

const checkNodeName: Check = (name, problems) => {
  if (typeof name !== 'string' || !isDnsSubdomain(name)) {
    problems.add('EDGE_NAME', `${showValue(name)} is not the name of a Node`, "write 'shop-0001'");
  }
};

/** What the join of the machines does not check: it may not be declared in this program. */
const checkMachine: Check = (machine, problems) => {
  if (!isMap(machine)) {
    problems.add('EDGE_TYPE', 'a machine must be a map', "write { name: 'shop-0001', address: '192.0.2.10/24' }");
    return;
  }
  checkNodeName(machine.name, problems.at('name'));
  if (machine.address !== undefined) {
    checkAddressRange(machine.address, problems.at('address'));
  }
};

const TABLE: PropertyTable<ServingCertificateApproverProps> = {
  cluster: (cluster, problems) => void checkCluster(cluster, problems),
  machines: plain(listOf(checkMachine, "write parseMachines(readFileSync('machines.csv', 'utf8'), 'machines.csv')")),
  nodeNames: listOf(checkNodeName, "write ['shop-0001']"),
  namePattern: optional(checkPattern),
  addresses: listOf(checkAddressRange, "write ['10.0.0.0/24']"),
  resolvesNames: checkBoolean,
  deniesOthers: checkBoolean,
  maxDays: upTo(367),
  replicas: plain(upTo(5)),
  image: optional((image, problems) => {
    if (typeof image !== 'string' || !/^[A-Za-z0-9][\w./:-]*(:\w[\w.-]{0,127}|@sha256:[0-9a-f]{64})$/.test(image)) {
      problems.add(
        'EDGE_VALUE',
        `${showValue(image)} is not the name of an image with its tag or digest`,
        "write 'registry.example/kubelet-csr-approver:v1'",
      );
    }
  }),
  namespace: optional(checkNamespace),
  priorityClassName: optional(checkObjectName),
};

const ADVICE: Readonly<Record<string, string>> = {
  providerRegex: 'did you mean namePattern?',
  providerIpPrefixes: 'did you mean addresses?',
  pools: 'a pool does not know the names of its nodes: write machines, nodeNames or namePattern',
  pool: 'a pool does not know the names of its nodes: write machines, nodeNames or namePattern',
};

/** The syntax that Go (RE2) and JavaScript read alike. */
const SHARED_SYNTAX = /^(?:[A-Za-z0-9.|)*+?^$_-]|\\[.dw]|\[\^?[A-Za-z0-9._-]+\]|\{\d{1,3}(?:,\d{0,3})?\}|\((?:\?:)?)+$/;

const LONGEST_PATTERN = 1000;

function checkPattern(pattern: unknown, problems: ProblemList): void {
  if (typeof pattern !== 'string' || pattern === '' || pattern.length > LONGEST_PATTERN) {
    problems.add('EDGE_VALUE', 'this is not a regular expression of 1 to 1000 characters', "write 'shop-[0-9]{4}'");
  } else if (!isShared(pattern)) {
    problems.add(
      'EDGE_VALUE',
      `${showValue(pattern)} is not a regular expression that Go and JavaScript read alike`,
      "write 'shop-[0-9]{4}', without look-ahead, back references and other escapes than \\\\., \\\\d and \\\\w",
    );
  }
}

function isShared(pattern: string): boolean {
  if (!SHARED_SYNTAX.test(pattern)) {
    return false;
  }
  // Go refuses repetitions of more than 1000, also nested ones
  const counts = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].map(([, least, most]) => Number(most ?? least));
  try {
    new RegExp(pattern, 'u');
    return counts.reduce((product, count) => product * Math.max(count, 1), 1) <= LONGEST_PATTERN;
  } catch {
    return false;
  }
}

/** Checks the properties of an approver. */
export function checkServingCertificates(input: ServingCertificateApproverProps, problems: ProblemList): void {
  if (!isMap(input)) {
    problems.add(
      'EDGE_MISSING',
      'an approver needs a cluster and the names of its nodes',
      'write { cluster, machines }',
    );
    return;
  }
  checkProperties<ServingCertificateApproverProps>(input, TABLE, problems, ADVICE);
  const { machines, nodeNames, namePattern, addresses } = input;
  const isEmpty = (list: unknown): boolean => list === undefined || (Array.isArray(list) && list.length === 0);
  const hasOthers = !isEmpty(nodeNames) || namePattern !== undefined;
  if (isEmpty(machines) && !hasOthers) {
    problems.add(
      'EDGE_MISSING',
      'no node is named, so no certificate would be approved',
      "write machines, nodeNames: ['shop-0001'] or namePattern: 'shop-[0-9]{4}'",
    );
  } else if (isEmpty(addresses)) {
    const withoutAddress = (Array.isArray(machines) ? machines : []).some(
      (machine) => isMap(machine) && machine.address === undefined,
    );
    if (hasOthers || withoutAddress) {
      problems
        .at('addresses')
        .add(
          'EDGE_MISSING',
          'the addresses of some nodes are not known, so a node could have a certificate for any address',
          "write the network of the nodes: addresses: ['10.0.0.0/24']",
        );
    }
  }
}

/**
 * Whether JavaScript matches a pattern with a short name in no time: Go takes as long for each pattern, JavaScript hours if a repeated group repeats things in
 * several ways.
 */
function isQuick(pattern: string): boolean {
  const choices = (text: string): number => (text.match(/[*+{|]/g) ?? []).length;
  let rest = pattern.replace(/\\.|\[(?:\\.|[^[\]\\])*\]/g, 'x');
  for (let group = GROUP.exec(rest); group !== null; group = GROUP.exec(rest)) {
    const [whole, inside = '', repeated] = group;
    if (repeated !== '' && choices(inside) > 1) {
      return false;
    }
    rest =
      rest.slice(0, group.index) +
      '*'.repeat(choices(inside)) +
      rest.slice(group.index + whole.length - (repeated ?? '').length);
  }
  return choices(rest) <= 6;
}

const GROUP = /\(([^()]*)\)([*+{]|)/;

/** Warns about a pattern that matches any name. */
export function patternWarnings({ namePattern }: ServingCertificateApproverProps): EdgeWarning[] {
  if (typeof namePattern !== 'string' || isUnknown(namePattern)) {
    return [];
  }
  const whole = new RegExp(`^(?:${namePattern})$`, 'u');
  return isQuick(namePattern) && ['kubernetes', 'api.shops.example'].every((name) => whole.test(name))
    ? [
        {
          code: 'EDGE_CERTIFICATE',
          path: 'namePattern',
          message:
            'it matches more than names of nodes: a node called kubernetes could get a certificate for that name',
          hint: "write what the names of your nodes have in common: 'shop-[0-9]{4}'",
        },
      ]
    : [];
}

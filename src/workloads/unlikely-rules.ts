import type { ProblemList } from '../base/errors.js';
import { holdsUnresolved, isAbsent, itemsOf, mapsIn } from '../kubernetes/field-values.js';
import { Quantity } from '../kubernetes/quantity.js';
import { isMap, mapAt } from '../base/plain-data.js';
import { nearMiss, quoted, showValue } from '../base/properties.js';
import type { Rule, RuleTable } from './rule-builders.js';

// What the API server accepts, and nobody means. Each rule is there for a manifest that somebody wrote, which
// test/workloads/unlikely-settings.test.ts names.

/** Less memory or disk than any program needs, in nano units: the unit is missing, or it is m, thousandths. */
const LEAST = 1_048_576n * 1_000_000_000n;
/** Cores of a whole large node, in nano units, and the least memory that a program with so many has for each of them. */
const MANY_CORES = 64n * 1_000_000_000n;
const MEMORY_OF_CORE = 128n * LEAST;

function quantityOf(amount: unknown): Quantity | undefined {
  return typeof amount === 'string' || typeof amount === 'number' ? Quantity.parse(String(amount)) : undefined;
}

const addAmounts: Rule = (resources, problems) => {
  for (const kind of ['requests', 'limits']) {
    const amounts = mapAt(resources, kind);
    const memory = quantityOf(amounts.memory)?.nano ?? 0n;
    for (const resource of ['cpu', 'memory', 'ephemeral-storage']) {
      const amount = amounts[resource];
      const nano = quantityOf(amount)?.nano ?? 0n;
      const at = problems.at(kind, resource);
      const isMany = nano >= MANY_CORES && /^\d+$/.test(String(amount));
      if (resource === 'cpu' && isMany && memory * 1_000_000_000n < nano * MEMORY_OF_CORE) {
        const message = `${String(amount)} cores: without a unit it is a number of cores`;
        at.add('EDGE_QUANTITY', message, `write '${String(amount)}m' for thousandths of a core`);
      } else if (resource !== 'cpu' && nano > 0n && nano < LEAST) {
        const message = 'is less than 1Mi: without a unit it is a number of bytes, and m is a thousandth';
        const hint = `write '${String(amount).replace(/[A-Za-z]{1,2}$/, '')}Mi'`;
        at.add('EDGE_QUANTITY', `${showValue(amount)} ${message}`, hint);
      }
    }
  }
};

/** containerd writes CAP_ before each name (WithCapabilities of its CRI plugin), so that there is no such capability. */
const addCapabilities: Rule = (capabilities, problems) => {
  for (const field of ['add', 'drop']) {
    itemsOf(capabilities[field]).forEach((name, index) => {
      if (typeof name === 'string' && /^CAP_[A-Z_]+$/i.test(name)) {
        const message = `names of capabilities have no CAP_ in Kubernetes: containerd adds it to ${quoted(name)} once more`;
        problems.at(field, index).add('EDGE_VALUE', message, `write ${quoted(name.slice(4).toUpperCase())}`);
      }
    });
  }
};

/** Seconds of a probe; more are milliseconds. */
const LONG = 1000;

const addSeconds: Rule = (probe, problems) => {
  for (const field of ['timeoutSeconds', 'periodSeconds', 'initialDelaySeconds']) {
    const seconds = probe[field];
    if (typeof seconds === 'number' && seconds >= LONG && seconds % LONG === 0) {
      const hint = `write ${field}: ${seconds / LONG}`;
      problems.at(field).add('EDGE_VALUE', `${seconds} seconds: it is not in milliseconds`, hint);
    }
  }
};

/** Modes of files in octal digits that were read as decimal ones. */
const MODES: Readonly<Record<number, string>> = { 400: '0o400', 440: '0o440', 444: '0o444', 500: '0o500' };

const addMode: Rule = ({ defaultMode: mode }, problems) => {
  const meant = typeof mode === 'number' ? MODES[mode] : undefined;
  if (meant !== undefined) {
    const message = `${String(mode)} is 0${Number(mode).toString(8)} in octal digits`;
    const hint = `write ${Number(meant)}, which is ${meant} in TypeScript`;
    problems.at('defaultMode').add('EDGE_VALUE', message, hint);
  }
};

/** Ports that are listed twice are kept once: client-side apply merges them by their number and protocol. */
const addSamePorts: Rule = (container, problems) => {
  const seen = new Map<string, number>();
  for (const [index, port] of mapsIn(container, 'ports')) {
    if (typeof port.containerPort !== 'number' || holdsUnresolved(port)) {
      continue;
    }
    const key = `${port.containerPort}/${quoted(port.protocol ?? 'TCP')}`;
    const earlier = seen.get(key);
    if (earlier !== undefined && isAbsent(port.hostPort)) {
      const hint = 'remove one of them, or write its own number';
      problems.at('ports', index).add('EDGE_DUPLICATE_PORT', `ports[${earlier}] is also ${key}`, hint);
    }
    seen.set(key, earlier ?? index);
  }
};

const SHELLS = new Set(['sh', 'bash', 'ash', 'dash', 'zsh', 'busybox']);
const isShell = (word: string): boolean => SHELLS.has(word.slice(word.lastIndexOf('/') + 1));

/** The words as a shell would divide them; of `sh -c '…'` the script is one. */
function wordsOf(line: string): string[] {
  const [, shell = '', double, single = double] = /^(\S+) -c (?:"([^"]*)"|'([^']*)')$/.exec(line) ?? [];
  return single === undefined ? line.split(/\s+/) : [shell, '-c', single];
}

function isTexts(list: unknown): list is readonly string[] {
  return Array.isArray(list) && list.every((each) => typeof each === 'string');
}

/** kubelet runs a command without a shell: blanks divide no words, and of variables only `$(NAME)` is replaced. */
const addUnreadCommand: Rule = (container, problems) => {
  const { command, args } = container;
  if ([command, args].some((each) => !isAbsent(each) && !isTexts(each))) {
    return;
  }
  const [own, further] = [(command ?? []) as string[], (args ?? []) as string[]];
  const words = [...own, ...further];
  const [program = '', option, script = '', ...rest] = words;
  const at = problems.at('command');
  if (own.length === 1 && / -/.test(program.trim()) && !program.includes('\n')) {
    const message = `no shell divides the words of ${quoted(program)}: kubelet looks for a program of this name`;
    at.add('EDGE_VALUE', message, `write command: ${quoted(wordsOf(program.trim()))}`);
  } else if (
    own.length > 1 &&
    isShell(program) &&
    option === '-c' &&
    rest.length > 0 &&
    /^[\w./][\w./-]*$/.test(script)
  ) {
    const message = `${program} -c runs only ${quoted(script)}: the words after it are not its arguments`;
    at.add('EDGE_VALUE', message, `write command: ${quoted([program, '-c', [script, ...rest].join(' ')])}`);
  }
  if (words.some((word) => isShell(word) || /\s/.test(word))) {
    return;
  }
  const names = mapsIn(container, 'env').map(([, { name }]) => name);
  for (const [field, list] of Object.entries({ command: own, args: further })) {
    list.forEach((word, index) => {
      const [found, name = ''] = /(?<!\$)\$\{?([A-Za-z_]\w*)\}?/.exec(word) ?? [];
      if (found !== undefined && names.includes(name)) {
        const message = `${found} stays as it is: kubelet replaces only $(${name}), and no shell reads this`;
        const hint = `write ${quoted(word.replace(found, () => `$(${name})`))}`;
        problems.at(field, index).add('EDGE_VALUE', message, hint);
      }
    });
  }
};

/** Variables that every container has, or one per Service of the namespace: pkg/kubelet/envvars. */
const OF_SERVICES = /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT(_\d+_(TCP|UDP|SCTP)(_\w+)?)?$/;

/** kubelet replaces `$(NAME)` by a variable of the container, and leaves it if there is none: third_party/forked/golang/expansion. */
const addUndeclaredVariables: Rule = ({ command, args, env, envFrom, resources }, problems, place) => {
  const names: unknown = isAbsent(env)
    ? []
    : Array.isArray(env)
      ? env.map((each: unknown) => (isMap(each) ? each.name : undefined))
      : undefined;
  const limits = mapAt(isMap(resources) ? resources : {}, 'limits');
  // device plugins set variables, too, and so do operators in the containers of their own kinds
  const isOpen =
    place?.isOperators === true || !isAbsent(envFrom) || Object.keys(limits).some((name) => name.includes('/'));
  if (isOpen || !isTexts(names)) {
    return;
  }
  const own: readonly string[] = names;
  const addTo = (at: ProblemList, word: string, declared: readonly string[]): void => {
    const name = [...word.matchAll(/(?<!\$)(?:\$\$)*\$\(([A-Z_][A-Z0-9_]*)\)/g)]
      .map(([, each = '']) => each)
      .find((each) => !declared.includes(each) && !OF_SERVICES.test(each));
    if (name === undefined) {
      return;
    }
    const [isLater, near] = [own.includes(name), nearMiss(name, declared)];
    const why = isLater ? `${name} is declared after it` : `the container has no variable ${name}`;
    const other = near === undefined ? `add ${name} to env, or write $$(${name}) if this is the text` : undefined;
    const hint = isLater ? `move ${name} to the start of env` : (other ?? `did you mean $(${String(near)})?`);
    at.add('EDGE_VALUE', `$(${name}) stays as it is: ${why}`, hint);
  };
  for (const [field, list] of Object.entries({ command, args })) {
    (isTexts(list) ? list : []).forEach((word, index) => addTo(problems.at(field, index), word, own));
  }
  for (const [index, { value }] of mapsIn({ env }, 'env')) {
    if (typeof value === 'string') {
      addTo(problems.at('env', index, 'value'), value, own.slice(0, index));
    }
  }
};

/** What nobody means in a Pod spec: units that were forgotten, names of other tools, commands that no shell reads. */
export const UNLIKELY_RULES: RuleTable = {
  ResourceRequirements: [addAmounts],
  Capabilities: [addCapabilities],
  Probe: [addSeconds],
  Container: [addUnreadCommand, addSamePorts, addUndeclaredVariables],
  SecretVolumeSource: [addMode],
  ConfigMapVolumeSource: [addMode],
  ProjectedVolumeSource: [addMode],
  DownwardAPIVolumeSource: [addMode],
};

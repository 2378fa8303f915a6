import type { ProblemList } from '../errors.js';
import { holdsUnresolved, isAbsent } from '../kubernetes/field-values.js';
import { isMap, mapAt, type ObjectPath, type PlainMap, valueAt } from '../validation/plain-data.js';
import { objectKind } from '../kubernetes/group-kind.js';
import { typeOfKind } from '../kubernetes/workload-fields.js';
import { nearMiss, quoted } from '../validation/properties.js';
import { CONTAINER_FIELDS } from './containers.js';
import { addUnlikelySettings } from './unlikely-pod-settings.js';

/**
 * Adds what the API server accepts of a workload and nobody means: names and images with a part that the program had not set, and commands that no shell reads.
 *
 * @param templates paths of its Pod templates
 */
export function addUnlikelyValues(workload: PlainMap, templates: readonly ObjectPath[], problems: ProblemList): void {
  const metadata = mapAt(workload, 'metadata');
  // operators add variables to the containers of their own kinds
  const isBuiltIn = typeOfKind(objectKind(workload).groupKind) !== undefined;
  for (const field of ['name', 'namespace']) {
    addUnset(metadata[field], 'EDGE_NAME', problems.at('metadata', field));
  }
  for (const path of templates) {
    addUnlikelySettings(valueAt(workload, [...path, 'spec']), problems.at(...path, 'spec'));
    for (const field of CONTAINER_FIELDS) {
      const list = valueAt(workload, [...path, 'spec', field]);
      (Array.isArray(list) ? (list as unknown[]) : []).forEach((container, index) => {
        if (isMap(container)) {
          const at = problems.at(...path, 'spec', field, index);
          addUnset(container.image, 'EDGE_VALUE', at.at('image'));
          addUnreadCommand(container, at);
          addSamePorts(container, at.at('ports'));
          if (isBuiltIn) {
            addUndeclaredVariables(container, at);
          }
        }
      });
    }
  }
}

/** Adds text with the word that JavaScript makes of a value that is missing: `web:${tag}`. */
function addUnset(value: unknown, code: 'EDGE_NAME' | 'EDGE_VALUE', problems: ProblemList): void {
  if (typeof value === 'string' && /(^|[-._:/])undefined([-._:/]|$)/.test(value)) {
    problems.add(
      code,
      `${quoted(value)} has a part that was not set when it was made`,
      'give the variable in it a value, for example set the environment variable, and refuse to run without it',
    );
  }
}

/** Adds ports that are listed twice, which the API server accepts and keeps once: client-side apply merges them by their number and protocol. */
function addSamePorts({ ports }: PlainMap, problems: ProblemList): void {
  const seen = new Map<string, number>();
  (Array.isArray(ports) ? (ports as unknown[]) : []).forEach((port, index) => {
    if (!isMap(port) || typeof port.containerPort !== 'number' || holdsUnresolved(port)) {
      return;
    }
    const key = `${port.containerPort}/${quoted(port.protocol ?? 'TCP')}`;
    const earlier = seen.get(key);
    if (earlier !== undefined && isAbsent(port.hostPort)) {
      problems
        .at(index)
        .add('EDGE_DUPLICATE_PORT', `ports[${earlier}] is also ${key}`, 'remove one of them, or write its own number');
    }
    seen.set(key, earlier ?? index);
  });
}

const SHELLS = new Set(['sh', 'bash', 'ash', 'dash', 'zsh', 'busybox']);
const isShell = (word: string): boolean => SHELLS.has(word.slice(word.lastIndexOf('/') + 1));

/** The words as a shell would divide them; of `sh -c '…'` the script is one. */
function wordsOf(line: string): string[] {
  const [, shell = '', double, single = double] = /^(\S+) -c (?:"([^"]*)"|'([^']*)')$/.exec(line) ?? [];
  return single === undefined ? line.split(/\s+/) : [shell, '-c', single];
}

/** kubelet runs a command without a shell: blanks divide no words, and of variables only `$(NAME)` is replaced. */
function addUnreadCommand(container: PlainMap, problems: ProblemList): void {
  const { command, args, env } = container;
  if ([command, args].some((each) => !isAbsent(each) && !isTexts(each))) {
    return;
  }
  const [own, further] = [(command ?? []) as string[], (args ?? []) as string[]];
  const words = [...own, ...further];
  const [program = '', option, script = '', ...rest] = words;
  if (own.length === 1 && / -/.test(program.trim()) && !program.includes('\n')) {
    problems
      .at('command')
      .add(
        'EDGE_VALUE',
        `no shell divides the words of ${quoted(program)}: kubelet looks for a program of this name`,
        `write command: ${quoted(wordsOf(program.trim()))}`,
      );
  } else if (
    own.length > 1 &&
    isShell(program) &&
    option === '-c' &&
    rest.length > 0 &&
    /^[\w./][\w./-]*$/.test(script)
  ) {
    problems
      .at('command')
      .add(
        'EDGE_VALUE',
        `${program} -c runs only ${quoted(script)}: the words after it are not its arguments`,
        `write command: ${quoted([program, '-c', [script, ...rest].join(' ')])}`,
      );
  }
  if (words.some((word) => isShell(word) || /\s/.test(word))) {
    return;
  }
  const names = (Array.isArray(env) ? (env as unknown[]) : []).flatMap((each) => (isMap(each) ? [each.name] : []));
  for (const [field, list] of [
    ['command', own],
    ['args', further],
  ] as const) {
    list.forEach((word, index) => {
      const [found, name] = /(?<!\$)\$\{?([A-Za-z_]\w*)\}?/.exec(word) ?? [];
      if (found !== undefined && names.includes(name)) {
        problems
          .at(field, index)
          .add(
            'EDGE_VALUE',
            `${found} stays as it is: kubelet replaces only $(${name ?? ''}), and no shell reads this`,
            `write ${quoted(word.replace(found, () => `$(${name ?? ''})`))}`,
          );
      }
    });
  }
}

/** Variables that every container has, or one per Service of the namespace: pkg/kubelet/envvars. */
const OF_SERVICES = /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT(_\d+_(TCP|UDP|SCTP)(_\w+)?)?$/;

/** kubelet replaces `$(NAME)` by a variable of the container, and leaves it if there is none: third_party/forked/golang/expansion. */
function addUndeclaredVariables({ command, args, env, envFrom, resources }: PlainMap, problems: ProblemList): void {
  const variables = isAbsent(env) ? [] : env;
  const names = Array.isArray(variables) ? variables.map((each) => (isMap(each) ? each.name : undefined)) : [undefined];
  const limits = isMap(resources) ? mapAt(resources, 'limits') : {};
  // device plugins set variables, too
  const isOpen = !isAbsent(envFrom) || Object.keys(limits).some((name) => name.includes('/'));
  if (isOpen || !names.every((name) => typeof name === 'string')) {
    return;
  }
  const addTo = (at: ProblemList, word: string, declared: readonly string[]): void => {
    const name = [...word.matchAll(/(?<!\$)(?:\$\$)*\$\(([A-Z_][A-Z0-9_]*)\)/g)]
      .map(([, each = '']) => each)
      .find((each) => !declared.includes(each) && !OF_SERVICES.test(each));
    if (name !== undefined) {
      const [isLater, near] = [names.includes(name), nearMiss(name, declared)];
      at.add(
        'EDGE_VALUE',
        `$(${name}) stays as it is: ${isLater ? `${name} is declared after it` : `the container has no variable ${name}`}`,
        isLater
          ? `move ${name} to the start of env`
          : near === undefined
            ? `add ${name} to env, or write $$(${name}) if this is the text`
            : `did you mean $(${near})?`,
      );
    }
  };
  for (const [field, list] of Object.entries({ command, args })) {
    (isTexts(list) ? list : []).forEach((word, index) => {
      addTo(problems.at(field, index), word, names);
    });
  }
  (variables as readonly PlainMap[]).forEach(({ value }, index) => {
    if (typeof value === 'string') {
      addTo(problems.at('env', index, 'value'), value, names.slice(0, index));
    }
  });
}

function isTexts(list: unknown): list is readonly string[] {
  return Array.isArray(list) && !holdsUnresolved(list) && list.every((each) => typeof each === 'string');
}

import { KUBELET_FIELD_TYPES, type KubeletFieldType } from '../cluster/kubelet-fields.js';
import type { EdgeWarning, ProblemList } from '../base/errors.js';
import { checkPlain, entryOf, isMap } from '../base/plain-data.js';
import { nearest, quoted } from '../base/properties.js';
import { checkKubeletValue, checkKubeletValues, RESERVED_KUBELET_FIELDS } from './kubelet-values.js';

/** Checks fields of the KubeletConfiguration, which need a kubeadm that can patch it. */
export function checkKubeletConfiguration(fields: unknown, canPatch: boolean, problems: ProblemList): void {
  if (fields === undefined) {
    return;
  }
  if (!isMap(fields)) {
    problems.add('EDGE_TYPE', 'kubeletConfiguration must be a map', 'write { maxPods: 30 }');
    return;
  }
  if (!canPatch) {
    problems.add(
      'EDGE_JOIN',
      'this join cannot patch the KubeletConfiguration (kubeadm can from Kubernetes 1.25 on, yurtadm cannot)',
      'write kubeletExtraArgs',
    );
  }
  checkPlain(fields, problems);
  for (const field of Object.keys(fields)) {
    const elsewhere = entryOf(RESERVED_KUBELET_FIELDS, field);
    const type = KUBELET_FIELD_TYPES.get(field);
    if (elsewhere !== undefined) {
      problems.at(field).add('EDGE_RESERVED_KEY', `${field} is reserved: managed by edge-nodepools`, elsewhere);
    } else if (type === undefined) {
      const near = nearest(field, [...KUBELET_FIELD_TYPES.keys()]);
      problems
        .at(field)
        .add(
          'EDGE_UNKNOWN_PROPERTY',
          `${quoted(field)} is not a field of the KubeletConfiguration: kubelet would ignore it`,
          near === undefined
            ? 'leave it out; its fields are those of kubelet.config.k8s.io/v1beta1'
            : `did you mean ${near}?`,
        );
    } else {
      const found = problems.problems.length;
      checkType(field, type, fields[field], problems.at(field));
      if (problems.problems.length === found) {
        checkKubeletValue(field, fields[field], problems.at(field));
      }
    }
  }
  checkKubeletValues(fields, problems);
}

/** A time span as Go reads it (time.ParseDuration); Kubernetes reads no numbers there (metav1.Duration). */
const DURATION = /^[-+]?(0|((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/;
/** The longest that may be one. */
const LONGEST = 100;

const isText = (value: unknown): boolean => typeof value === 'string';
const isSwitch = (value: unknown): boolean => typeof value === 'boolean';

/** Whether a value is of a type, for single values. */
const IS: Partial<Readonly<Record<KubeletFieldType, (value: unknown) => boolean>>> = {
  switch: isSwitch,
  integer: Number.isInteger,
  number: (value) => typeof value === 'number',
  duration: (value) => typeof value === 'string' && value.length <= LONGEST && DURATION.test(value),
  text: isText,
  map: isMap,
};

/** What each item of a list, or each value of a map, must be. */
const ITEMS: Partial<Readonly<Record<KubeletFieldType, readonly ['list' | 'map', KubeletFieldType]>>> = {
  texts: ['list', 'text'],
  integers: ['list', 'integer'],
  maps: ['list', 'map'],
  textMap: ['map', 'text'],
  switchMap: ['map', 'switch'],
  textsMap: ['map', 'texts'],
};

const WHAT: Readonly<Record<KubeletFieldType, string>> = {
  switch: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  duration: "a time span such as '30s' or '5m0s'",
  text: 'text',
  texts: 'a list of text',
  integers: 'a list of whole numbers',
  maps: 'a list of maps',
  map: 'a map',
  textMap: 'a map of text',
  switchMap: 'a map of true and false',
  textsMap: 'a map of lists',
};

function checkType(field: string, type: KubeletFieldType, value: unknown, problems: ProblemList): void {
  // null is as if it was not there, as in Go
  if (value === undefined || value === null) {
    return;
  }
  const [form, inside] = ITEMS[type] ?? [];
  if (inside === undefined ? IS[type]?.(value) === true : form === 'list' ? Array.isArray(value) : isMap(value)) {
    const items = inside === undefined ? [] : Object.entries(value);
    for (const [key, item] of items) {
      checkType(field, inside as KubeletFieldType, item, problems.at(form === 'list' ? Number(key) : key));
    }
    return;
  }
  problems.add(
    'EDGE_TYPE',
    `${problems.path.endsWith(field) ? '' : 'this part of '}${field} must be ${WHAT[type]}, and is ${quoted(value)}: kubelet would not start`,
    `write ${instead(type, value) ?? WHAT[type]}`,
  );
}

/** What was meant, where that is known. */
function instead(type: KubeletFieldType, value: unknown): string | undefined {
  if (typeof value === 'string') {
    const text = value.trim();
    const pairs = text.split(',').map((pair) => pair.trim().split('=', 2));
    switch (type) {
      case 'switch':
        return /^(true|false)$/.test(text) ? `${text}, without quotes` : undefined;
      case 'integer':
      case 'number':
        return /^-?\d{1,15}$/.test(text) ? `${text}, without quotes` : undefined;
      case 'duration':
        return /^\d{1,9}$/.test(text) ? `'${text}s', with a unit` : undefined;
      case 'texts':
        return text.length > LONGEST
          ? undefined
          : `[${text
              .split(/[\s,]+/)
              .map((word) => `'${word}'`)
              .join(', ')}]`;
      case 'switchMap':
        // as the flag has it
        return text.length <= LONGEST && pairs.every(([, word]) => word === 'true' || word === 'false')
          ? `{ ${pairs.map(([name, word]) => `${name}: ${word}`).join(', ')} }`
          : undefined;
      case 'textMap':
        return text.length <= LONGEST && pairs.every((pair) => pair.length === 2)
          ? `{ ${pairs.map(([name, word]) => `${quotedKey(name)}: '${word}'`).join(', ')} }`
          : undefined;
      default:
        return undefined;
    }
  }
  if (typeof value === 'number' && Number.isInteger(value)) {
    return type === 'duration' ? `'${value}s', with a unit` : type === 'text' ? `'${value}', in quotes` : undefined;
  }
  return typeof value === 'boolean' && type === 'text' ? `'${value}', in quotes` : undefined;
}

function quotedKey(name = ''): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`;
}

/** Warnings about a setting that is both a flag and a field: kubelet takes the flag. */
export function flagWarnings({
  kubeletExtraArgs: args,
  kubeletConfiguration: fields,
}: {
  readonly kubeletExtraArgs?: unknown;
  readonly kubeletConfiguration?: unknown;
}): EdgeWarning[] {
  const flags = flagsOf(args);
  return Object.entries(isMap(fields) ? fields : {}).flatMap(([field, value]): EdgeWarning[] => {
    const flag = field.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
    const given = flags.get(flag);
    return typeof given !== 'string' || given === String(value)
      ? []
      : [
          {
            code: 'EDGE_UNUSED',
            path: `kubeletConfiguration.${field}`,
            message: `the flag ${flag} of kubeletExtraArgs prevails over the field`,
            hint: 'leave the flag out',
          },
        ];
  });
}

/** The flags of a map or a list, by name. */
export function flagsOf(args: unknown): ReadonlyMap<unknown, unknown> {
  const pairs: (readonly [unknown, unknown])[] = Array.isArray(args)
    ? args.filter(isMap).map(({ name, value }) => [name, value])
    : Object.entries(isMap(args) ? args : {});
  return new Map(pairs);
}

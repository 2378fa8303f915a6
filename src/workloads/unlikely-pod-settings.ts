import type { ProblemList } from '../errors.js';
import { holdsUnresolved } from '../kubernetes/field-values.js';
import { Quantity } from '../kubernetes/quantity.js';
import { isMap, mapAt, type PlainMap } from '../validation/plain-data.js';
import { quoted, showValue } from '../validation/properties.js';
import { CONTAINER_FIELDS } from './containers.js';

/** Less memory or disk than any program needs, in nano units: the unit is missing, or it is m, thousandths. */
const LEAST = 1_048_576n * 1_000_000_000n;
/** Cores of a whole large node, in nano units, and the least memory that a program with so many has for each of them. */
const MANY_CORES = 64n * 1_000_000_000n;
const MEMORY_OF_CORE = 128n * LEAST;
/** Seconds of a probe; more are milliseconds. */
const LONG = 1000;
/** Modes of files in octal digits that were read as decimal ones. */
const MODES: Readonly<Record<number, string>> = { 400: '0o400', 440: '0o440', 444: '0o444', 500: '0o500' };
/** What uname says, and labels of nodes (kubelet writes runtime.GOARCH and GOOS). */
const NODE_VALUES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'kubernetes.io/arch': {
    x86_64: 'amd64',
    'x86-64': 'amd64',
    x64: 'amd64',
    AMD64: 'amd64',
    aarch64: 'arm64',
    ARM64: 'arm64',
    arm64v8: 'arm64',
    armv7l: 'arm',
    armhf: 'arm',
    i386: '386',
    i686: '386',
  },
  'kubernetes.io/os': { Linux: 'linux', Windows: 'windows' },
};

/** Adds settings of a Pod spec that are valid and that nobody means: units that were forgotten, and names of other tools. */
export function addUnlikelySettings(podSpec: unknown, problems: ProblemList): void {
  if (!isMap(podSpec)) {
    return;
  }
  addAmounts(podSpec, problems);
  for (const field of CONTAINER_FIELDS) {
    itemsOf(podSpec[field]).forEach((container, index) => {
      const at = problems.at(field, index);
      addAmounts(container, at);
      addCapabilities(container, at.at('securityContext', 'capabilities'));
      for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
        addSeconds(mapAt(container, probe), at.at(probe));
      }
    });
  }
  addModes(podSpec.volumes, problems.at('volumes'));
  addNodeValues(podSpec, problems);
}

function itemsOf(list: unknown): PlainMap[] {
  return Array.isArray(list) ? list.map((item) => (isMap(item) ? item : {})) : [];
}

function quantityOf(amount: unknown): Quantity | undefined {
  return typeof amount === 'string' || typeof amount === 'number' ? Quantity.parse(String(amount)) : undefined;
}

function addAmounts(owner: PlainMap, problems: ProblemList): void {
  for (const kind of ['requests', 'limits']) {
    const amounts = mapAt(mapAt(owner, 'resources'), kind);
    const memory = quantityOf(amounts.memory)?.nano ?? 0n;
    for (const resource of ['cpu', 'memory', 'ephemeral-storage']) {
      const amount = amounts[resource];
      const quantity = quantityOf(amount);
      const at = problems.at('resources', kind, resource);
      if (quantity === undefined || quantity.nano <= 0n) {
        continue;
      }
      const isMany = quantity.nano >= MANY_CORES && /^\d+$/.test(String(amount));
      if (resource === 'cpu' && isMany && memory * 1_000_000_000n < quantity.nano * MEMORY_OF_CORE) {
        at.add(
          'EDGE_QUANTITY',
          `${String(amount)} cores: without a unit it is a number of cores`,
          `write '${String(amount)}m' for thousandths of a core`,
        );
      } else if (resource !== 'cpu' && quantity.nano < LEAST) {
        at.add(
          'EDGE_QUANTITY',
          `${showValue(amount)} is less than 1Mi: without a unit it is a number of bytes, and m is a thousandth`,
          `write '${String(amount).replace(/[A-Za-z]{1,2}$/, '')}Mi'`,
        );
      }
    }
  }
}

/** containerd writes CAP_ before each name (WithCapabilities of its CRI plugin), so that there is no such capability. */
function addCapabilities(container: PlainMap, problems: ProblemList): void {
  const capabilities = mapAt(mapAt(container, 'securityContext'), 'capabilities');
  for (const field of ['add', 'drop']) {
    const list = capabilities[field];
    (Array.isArray(list) ? (list as unknown[]) : []).forEach((name, index) => {
      if (typeof name === 'string' && /^CAP_[A-Z_]+$/i.test(name)) {
        problems
          .at(field, index)
          .add(
            'EDGE_VALUE',
            `names of capabilities have no CAP_ in Kubernetes: containerd adds it to ${quoted(name)} once more`,
            `write ${quoted(name.slice(4).toUpperCase())}`,
          );
      }
    });
  }
}

function addSeconds(probe: PlainMap, problems: ProblemList): void {
  for (const field of ['timeoutSeconds', 'periodSeconds', 'initialDelaySeconds']) {
    const seconds = probe[field];
    if (typeof seconds === 'number' && seconds >= LONG && seconds % LONG === 0) {
      problems
        .at(field)
        .add('EDGE_VALUE', `${seconds} seconds: it is not in milliseconds`, `write ${field}: ${seconds / LONG}`);
    }
  }
}

function addModes(volumes: unknown, problems: ProblemList): void {
  itemsOf(volumes).forEach((volume, index) => {
    for (const kind of ['secret', 'configMap', 'projected', 'downwardAPI']) {
      const mode = mapAt(volume, kind).defaultMode;
      const meant = typeof mode === 'number' ? MODES[mode] : undefined;
      if (meant !== undefined) {
        problems
          .at(index, kind, 'defaultMode')
          .add(
            'EDGE_VALUE',
            `${String(mode)} is 0${Number(mode).toString(8)} in octal digits`,
            `write ${Number(meant)}, which is ${meant} in TypeScript`,
          );
      }
    }
  });
}

function addNodeValues({ nodeSelector, affinity }: PlainMap, problems: ProblemList): void {
  const add = (key: unknown, value: unknown, at: ProblemList): void => {
    const meant = typeof key === 'string' && typeof value === 'string' ? NODE_VALUES[key]?.[value] : undefined;
    if (meant !== undefined) {
      at.add('EDGE_VALUE', `no node has ${String(key)} ${quoted(value)}`, `write ${quoted(meant)}`);
    }
  };
  if (isMap(nodeSelector) && !holdsUnresolved(nodeSelector)) {
    Object.entries(nodeSelector).forEach(([key, value]) => {
      add(key, value, problems.at('nodeSelector', key));
    });
  }
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  const terms = mapAt(mapAt(mapAt({ affinity }, 'affinity'), 'nodeAffinity'), required).nodeSelectorTerms;
  itemsOf(terms).forEach(({ matchExpressions }, term) => {
    itemsOf(matchExpressions).forEach(({ key, values }, index) => {
      (Array.isArray(values) ? (values as unknown[]) : []).forEach((value, position) => {
        add(
          key,
          value,
          problems.at(
            ...['affinity', 'nodeAffinity', required, 'nodeSelectorTerms', term, 'matchExpressions', index, 'values'],
            position,
          ),
        );
      });
    });
  });
}

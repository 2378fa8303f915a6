import { ProblemList } from '../errors.js';
import { isMap, mapAt, type ObjectPath, type PlainMap } from '../validation/plain-data.js';
import { YamlText } from '../text/yaml-edit.js';

/** `--controllers` in a static Pod manifest of kube-controller-manager. */
export interface StaticPodControllers {
  /** Value of the flag; undefined where there is none. */
  readonly controllers?: string;
}

const FLAG = '--controllers';
const CONTAINER = 'kube-controller-manager';

/** Where the flag is: the path of the item that holds its value, and whether the flag stands before it in the same item. */
interface FlagPlace {
  readonly path: ObjectPath;
  readonly value: string;
  readonly joined: boolean;
}

function containerOf(
  manifest: YamlText,
): { readonly path: ObjectPath; readonly container: Record<string, unknown> } | undefined {
  const containers = manifest.get(['spec', 'containers']);
  const list: unknown[] = Array.isArray(containers) ? containers : [];
  const named = list.findIndex((each) => isMap(each) && each.name === CONTAINER);
  const container = list[named];
  return isMap(container) ? { path: ['spec', 'containers', named], container } : undefined;
}

function flagsIn(manifest: YamlText): FlagPlace[] {
  const { path, container } = containerOf(manifest) ?? { path: [], container: {} };
  return placesIn(container).map((place) => ({ ...place, path: [...path, ...place.path] }));
}

/** Every `--controllers` of a container, as one word or as two. */
function placesIn(container: PlainMap): FlagPlace[] {
  return ['command', 'args'].flatMap((field) => {
    const words: unknown[] = Array.isArray(container[field]) ? (container[field] as unknown[]) : [];
    return words.flatMap((word, index): FlagPlace[] => {
      if (typeof word === 'string' && word.startsWith(`${FLAG}=`)) {
        return [{ path: [field, index], value: word.slice(FLAG.length + 1), joined: true }];
      }
      const next = words[index + 1];
      return word === FLAG && typeof next === 'string'
        ? [{ path: [field, index + 1], value: next, joined: false }]
        : [];
    });
  });
}

/** The flag is a list: written more than once, each adds to the one before (spf13/pflag, stringSlice). */
function joinedValue(places: readonly FlagPlace[]): string | undefined {
  return places.length === 0 ? undefined : places.map(({ value }) => value).join(',');
}

/** The container of kube-controller-manager in a Pod that runs. */
export function controllerManagerOf(pod: PlainMap): PlainMap | undefined {
  const { containers } = mapAt(pod, 'spec');
  const list = Array.isArray(containers) ? containers.filter(isMap) : [];
  return list.find(({ name }) => name === CONTAINER) ?? (list.length === 1 ? list[0] : undefined);
}

/** Value of `--controllers` in a Pod that runs; empty where the flag is absent. */
export function runningControllersOf(pod: PlainMap): string {
  return joinedValue(placesIn(controllerManagerOf(pod) ?? {})) ?? '';
}

/** Names of the flags of a Pod that runs, without dashes. */
export function runningFlagsOf(pod: PlainMap): string[] {
  const container = controllerManagerOf(pod) ?? {};
  const words = ['command', 'args'].flatMap((field) =>
    Array.isArray(container[field]) ? (container[field] as unknown[]) : [],
  );
  return words.flatMap((word) => /^--([a-z0-9-]+)/.exec(String(word))?.[1] ?? []);
}

/** Reads a static Pod manifest; reports one that is not of kube-controller-manager. */
export function readStaticPod(text: unknown, problems: ProblemList): StaticPodControllers | undefined {
  if (typeof text !== 'string') {
    problems.add('EDGE_TYPE', `a manifest is YAML text here, this is ${typeof text}`, 'give the text of the file');
    return undefined;
  }
  const manifest = YamlText.read(text, problems);
  if (manifest === undefined) {
    return undefined;
  }
  const kind = manifest.get(['kind']);
  if (kind !== 'Pod' || containerOf(manifest) === undefined) {
    problems.add(
      'EDGE_WRONG_OBJECT',
      kind === 'Pod' ? 'the Pod has no container kube-controller-manager' : `this is a ${String(kind)}, not a Pod`,
      'give /etc/kubernetes/manifests/kube-controller-manager.yaml',
    );
    return undefined;
  }
  return { controllers: joinedValue(flagsIn(manifest)) };
}

/** The same manifest with another value of `--controllers`, written once; nothing else changes, byte for byte where the flag is there already. */
export function editStaticPod(text: string, value: string): string {
  const manifest = YamlText.read(text, new ProblemList()) as YamlText;
  const [flag, ...more] = flagsIn(manifest);
  if (flag !== undefined) {
    // from the end, so that the positions before it hold; their values are in the value
    const single = [...more].reverse().reduce((text, { path, joined }) => {
      const before = [...path.slice(0, -1), Number(path[path.length - 1]) - 1];
      return joined ? text.without(path) : text.without(path).without(before);
    }, manifest);
    return single.withText(flag.path, flag.joined ? `${FLAG}=${value}` : value).toString();
  }
  const { path = [], container = {} } = containerOf(manifest) ?? {};
  const field = Array.isArray(mapAt({ container }, 'container').command) ? 'command' : 'args';
  const added = `${FLAG}=${value}`;
  return (
    Array.isArray(container[field])
      ? manifest.withItem([...path, field], added)
      : manifest.withValue([...path, field], [added])
  ).toString();
}

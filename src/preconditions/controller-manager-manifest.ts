import { whatIs } from '../base/properties.js';
import { ProblemList } from '../base/errors.js';
import { isMap, mapAt, type ObjectPath, type PlainMap } from '../base/plain-data.js';
import { YamlText } from '../base/yaml-edit.js';
import { itemsOf } from '../kubernetes/field-values.js';

/** `--controllers` in a static Pod manifest of kube-controller-manager. */
export interface StaticPodControllers {
  /** Value of the flag; undefined without the flag. */
  readonly controllers?: string;
}

const FLAG = '--controllers';
const CONTAINER = 'kube-controller-manager';

/** Position of the flag: the path of the item with its value, and whether the same item contains the name of the flag. */
interface FlagPlace {
  readonly path: ObjectPath;
  readonly value: string;
  readonly joined: boolean;
}

function containerOf(
  manifest: YamlText,
): { readonly path: ObjectPath; readonly container: Record<string, unknown> } | undefined {
  const containers = manifest.get(['spec', 'containers']);
  const list = itemsOf(containers);
  const named = list.findIndex((each) => isMap(each) && each.name === CONTAINER);
  const container = list[named];
  return isMap(container) ? { path: ['spec', 'containers', named], container } : undefined;
}

function flagsIn(manifest: YamlText): FlagPlace[] {
  const { path, container } = containerOf(manifest) ?? { path: [], container: {} };
  return placesIn(container).map((place) => ({ ...place, path: [...path, ...place.path] }));
}

/** Every `--controllers` of a container, as one argument or as two. */
function placesIn(container: PlainMap): FlagPlace[] {
  return ['command', 'args'].flatMap((field) => {
    const words = itemsOf(container[field]);
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

/** The flag is a list: several occurrences are concatenated (spf13/pflag, stringSlice). */
function joinedValue(places: readonly FlagPlace[]): string | undefined {
  return places.length === 0 ? undefined : places.map(({ value }) => value).join(',');
}

/** The container of kube-controller-manager in a running Pod. */
export function controllerManagerOf(pod: PlainMap): PlainMap | undefined {
  const { containers } = mapAt(pod, 'spec');
  const list = Array.isArray(containers) ? containers.filter(isMap) : [];
  return list.find(({ name }) => name === CONTAINER) ?? (list.length === 1 ? list[0] : undefined);
}

/** Value of `--controllers` in a running Pod; empty without the flag. */
export function runningControllersOf(pod: PlainMap): string {
  return joinedValue(placesIn(controllerManagerOf(pod) ?? {})) ?? '';
}

/** Names of the flags of a running Pod, without dashes. */
export function runningFlagsOf(pod: PlainMap): string[] {
  const container = controllerManagerOf(pod) ?? {};
  const words = ['command', 'args'].flatMap((field) => itemsOf(container[field]));
  return words.flatMap((word) => /^--([a-z0-9-]+)/.exec(String(word))?.[1] ?? []);
}

/** Reads the static Pod manifest of kube-controller-manager; another object is a problem. */
export function readStaticPod(text: unknown, problems: ProblemList): StaticPodControllers | undefined {
  if (typeof text !== 'string') {
    problems.add(
      'EDGE_TYPE',
      `staticPod must be YAML text, this is ${whatIs(text)}`,
      'write the content of the file as text',
    );
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
      'write the content of /etc/kubernetes/manifests/kube-controller-manager.yaml',
    );
    return undefined;
  }
  return { controllers: joinedValue(flagsIn(manifest)) };
}

/** The manifest with another value of `--controllers`, once. Nothing else changes; if the flag exists, all other bytes stay the same. */
export function editStaticPod(text: string, value: string): string {
  const manifest = YamlText.read(text, new ProblemList()) as YamlText;
  const [flag, ...more] = flagsIn(manifest);
  if (flag !== undefined) {
    // from the end, so that earlier positions do not change; the new value includes their values
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

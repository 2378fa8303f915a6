import { ProblemList } from '../../errors.js';
import { isMap, mapAt, type ObjectPath } from '../kubernetes-object.js';
import { YamlText } from '../yaml-edit.js';

/** What a static Pod manifest of kube-controller-manager says of `--controllers`. */
export interface StaticPodControllers {
  /** Value of the flag; undefined where there is none. */
  readonly controllers?: string;
}

const FLAG = '--controllers';

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
  const named = list.findIndex((each) => isMap(each) && each.name === 'kube-controller-manager');
  const container = list[named];
  return isMap(container) ? { path: ['spec', 'containers', named], container } : undefined;
}

function flagsIn(manifest: YamlText): FlagPlace[] {
  const { path, container } = containerOf(manifest) ?? { path: [], container: {} };
  return ['command', 'args'].flatMap((field) => {
    const words: unknown[] = Array.isArray(container[field]) ? (container[field] as unknown[]) : [];
    return words.flatMap((word, index): FlagPlace[] => {
      if (typeof word === 'string' && word.startsWith(`${FLAG}=`)) {
        return [{ path: [...path, field, index], value: word.slice(FLAG.length + 1), joined: true }];
      }
      const next = words[index + 1];
      return word === FLAG && typeof next === 'string'
        ? [{ path: [...path, field, index + 1], value: next, joined: false }]
        : [];
    });
  });
}

/** Reads a static Pod manifest; reports one that is not of kube-controller-manager, or says the flag more than once. */
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
  const flags = flagsIn(manifest);
  if (flags.length > 1) {
    problems.add('EDGE_VALUE', `${FLAG} stands there ${flags.length} times`, 'write it once, with all of its entries');
  }
  return { controllers: flags[0]?.value };
}

/** The same manifest with another value of `--controllers`; nothing else changes, byte for byte where the flag is there already. */
export function editStaticPod(text: string, value: string): string {
  const manifest = YamlText.read(text, new ProblemList()) as YamlText;
  const [flag] = flagsIn(manifest);
  if (flag !== undefined) {
    return manifest.withText(flag.path, flag.joined ? `${FLAG}=${value}` : value).toString();
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

import { nameOf } from '../kubernetes/object.js';
import type { PlainMap } from '../base/plain-data.js';

/** The workloads that a text can mean: `web`, `shop/web`, `Deployment/web`, `deployment shop/web`. If it is the whole name of one, that one. */
export function workloadsCalled(wanted: string, workloads: readonly PlainMap[]): PlainMap[] {
  const exact = workloads.find((object) => nameOf(object) === wanted);
  const words = wordsOf(wanted.trim()).join('/');
  const isMeant = (object: PlainMap): boolean => {
    const [kind = '', ...name] = wordsOf(nameOf(object));
    return [[kind, ...name], [kind, name.at(-1)], name, name.slice(-1)].some((form) => form.join('/') === words);
  };
  return exact === undefined ? workloads.filter(isMeant) : [exact];
}

const wordsOf = (text: string): string[] => text.toLowerCase().split(/[\s/]+/);

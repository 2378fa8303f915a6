import { entryOf } from '../validation/plain-data.js';
import { Quantity } from '../kubernetes/quantity.js';

/**
 * The memory that a host-network node saves because a component does not run on it.
 *
 * @category Join nodes
 */
export interface NodeSaving {
  /** Name of the component. */
  readonly component: string;
  /** Minimum measured memory usage of one of its Pods (`kubectl top` in the cluster of openyurtio/openyurt#1489).
   * @default - unknown */
  readonly memory?: string;
}

/** Minimum reported usage of one Pod: kube-proxy 22 to 30 Mi, flannel 13 to 21 Mi, CoreDNS 16 Mi (on nodes where it runs). */
const MEMORY: Readonly<Record<string, string>> = { 'kube-proxy': '22Mi', flannel: '13Mi', coredns: '16Mi' };

export function savingsOf(components: readonly { readonly name: string }[]): {
  readonly parts: NodeSaving[];
  readonly memory: string;
} {
  const parts = components.map(({ name }) => {
    const memory = entryOf(MEMORY, name);
    return memory === undefined ? { component: name } : { component: name, memory };
  });
  const sum = parts.reduce(
    (total, { memory }) => total.plus(Quantity.parse(memory ?? '0') ?? Quantity.ZERO),
    Quantity.ZERO,
  );
  return { parts, memory: sum.toString() };
}

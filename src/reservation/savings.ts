import { Quantity } from '../kubernetes/quantity.js';

/**
 * What a host-network node saves because a component does not run there.
 *
 * @category Join nodes
 */
export interface NodeSaving {
  /** Name of the component. */
  readonly component: string;
  /** Memory that one Pod of it was seen to use at least (`kubectl top` of the cluster in openyurtio/openyurt#1489); undefined when not known.
   * @default - not known */
  readonly memory?: string;
}

/** Smallest use of one Pod of each that was reported: kube-proxy 22 to 30 Mi, flannel 13 to 21 Mi, CoreDNS 16 Mi (where it lands). */
const MEMORY: Readonly<Record<string, string>> = { 'kube-proxy': '22Mi', flannel: '13Mi', coredns: '16Mi' };

export function savingsOf(components: readonly { readonly name: string }[]): {
  readonly parts: NodeSaving[];
  readonly memory: string;
} {
  const parts = components.map(({ name }) => {
    const memory = MEMORY[name];
    return memory === undefined ? { component: name } : { component: name, memory };
  });
  const sum = parts.reduce(
    (total, { memory }) => total.plus(Quantity.parse(memory ?? '0') ?? Quantity.ZERO),
    Quantity.ZERO,
  );
  return { parts, memory: sum.toString() };
}

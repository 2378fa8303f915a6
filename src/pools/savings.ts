import { entryOf } from '../base/plain-data.js';
import { Quantity } from '../kubernetes/quantity.js';

/** Minimum reported usage of one Pod (`kubectl top` in the cluster of openyurtio/openyurt#1489): kube-proxy 22 to 30 Mi, flannel 13 to 21 Mi, CoreDNS 16 Mi (on nodes where it runs). */
const MEMORY: Readonly<Record<string, string>> = { 'kube-proxy': '22Mi', flannel: '13Mi', coredns: '16Mi' };

export function savingsOf(components: readonly { readonly name: string }[]): {
  readonly parts: { readonly component: string; readonly memory?: string }[];
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

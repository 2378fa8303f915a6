import type { Taint } from '../kubernetes/taint.js';

/**
 * A node, with the properties that scheduling checks use.
 *
 * @category Test where things run
 */
export interface PlacementNode {
  /** Name of the node. */
  readonly name: string;
  /** Labels of the node. */
  readonly labels: Readonly<Record<string, string>>;
  /** Taints of the node.
   * @default - none */
  readonly taints?: readonly Taint[];
}
